# Every target installs what it needs, given python3 (>= 3.11, with venv), make and a C++ compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LINT := .venv-lint
SANITIZE := .venv-sanitize
SEED := $(or $(SEED),$(shell date +%s))
CPP = $(wildcard core/*.hpp core/*.cpp core/tests/*.hpp core/tests/*.cpp)
# Tests are compiled once, not in every run.
unexport PYTHONDONTWRITEBYTECODE
SOURCES := pyproject.toml CMakeLists.txt core/CMakeLists.txt $(wildcard core/*.hpp core/*.cpp)

.PHONY: demo quick test test-all test-core test-cpus test-levels test-gpu torture coverage wheel docs lint lint-js format tidy rooms bench study \
	study-quick defaults strategies intervals certificates sanitize sanitize-threads clean

demo: $(VENV)/ready
	@$(BIN)/bandsvm reproduce

# For the inner loop: the first case of every test that takes a fraction of a second.
quick: $(VENV)/ready
	$(BIN)/python -m pytest -n 2 --quick

test: $(VENV)/ready test-core
	$(BIN)/python -m pytest -n 2 -m "not slow"

# Draws new random problems every time; `make test-all SEED=17` repeats those of a seed.
test-all: $(VENV)/ready
	HYPOTHESIS_PROFILE=fresh $(BIN)/python -m pytest -n 2 --hypothesis-seed=$(SEED)

# C++ tests of the core with every instruction set of the machine. They need doctest, which is installed with apt-get
# if possible; otherwise they are skipped.
test-core:
	core/tests/run.sh native

# The same on emulated processors: Nehalem (no AVX) and Haswell (AVX2) under qemu, and aarch64.
test-cpus:
	core/tests/run.sh cpus

# The test suite with every instruction set of the machine.
test-levels: $(VENV)/ready
	for level in baseline avx2 avx512; do \
		echo $$level; BANDSVM_SIMD=$$level $(BIN)/python -m pytest -n 2 -m "not slow" || exit 1; \
	done

# What needs a CUDA device, in the environment that runs this; nothing is installed.
test-gpu:
	$(PYTHON) -m pytest -m gpu tests

# Lines and branches of the package that the quick tests miss.
coverage: $(VENV)/ready
	$(BIN)/python -m pytest -n 2 -m "not slow" --cov --cov-report=term-missing:skip-covered

# Thousands of adversarial fits, damaged files, kills and full disks (twenty minutes); SEED as above.
torture: $(VENV)/ready
	$(BIN)/python -m torture --seed $(SEED)

# The site, in build/site/html. Examples run once and again when they change; no network is needed.
docs: $(VENV)/ready
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable ".[docs]"
	$(BIN)/python -m sphinx -W --keep-going -b html -d build/site/doctrees docs build/site/html

# An sdist and wheels in dist/, tried in bare environments of every Python that is here (ten minutes).
wheel: $(VENV)/ready
	$(BIN)/python release/wheels.py

# In an environment of its own, which needs no build.
lint: $(LINT)/ready lint-js
	$(LINT)/bin/ruff check .
	$(LINT)/bin/ruff format --check .
	$(LINT)/bin/mypy
	$(LINT)/bin/clang-format --dry-run --Werror $(CPP)

# The picture of imports between rooms in ARCHITECTURE.md.
rooms: $(VENV)/ready
	$(BIN)/python -m tests.helpers.rooms

# The page's JavaScript with biome, which npm installs; skipped where npm cannot.
lint-js:
	@if [ -x node_modules/.bin/biome ] || npm install --silent --no-audit --no-fund; then \
		node_modules/.bin/biome lint --error-on-warnings; \
	else echo "lint-js is skipped: npm could not install biome."; fi

format: $(LINT)/ready
	$(LINT)/bin/ruff check --fix .
	$(LINT)/bin/ruff format .
	$(LINT)/bin/clang-format -i $(CPP)

# What clang-tidy finds in the core: .clang-tidy has its checks.
tidy: $(VENV)/ready
	$(BIN)/uv pip install --quiet --python $(BIN)/python clang-tidy nanobind
	cmake -S . -B build/tidy -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
		-Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" >/dev/null
	$(BIN)/clang-tidy --quiet -p build/tidy core/*.cpp

# Installs the peers, runs all solvers on the same problems (an hour) and writes
# docs/benchmarks.md, docs/development/measurements.md, docs/choosing.md and tables of docs/large_data.md.
bench: $(VENV)/ready
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable ".[bench]"
	$(BIN)/python benchmarks/fits.py
	$(BIN)/python benchmarks/fits.py --dtype float64
	$(BIN)/python benchmarks/texts.py
	$(BIN)/python benchmarks/classes.py
	$(BIN)/python benchmarks/small.py
	$(BIN)/python benchmarks/regression.py
	$(BIN)/python benchmarks/switching.py
	$(BIN)/python benchmarks/linear.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/limits.py
	$(BIN)/python benchmarks/cores.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/constants.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/choosing.py
	$(BIN)/python benchmarks/interrupts.py
	$(BIN)/python benchmarks/choosing_report.py
	$(BIN)/python benchmarks/cluster.py
	$(BIN)/python benchmarks/landmarks.py
	$(BIN)/python benchmarks/large_data_report.py
	$(BIN)/python studies/readme.py

# Banded SVMs against their rivals on many data sets (four to five hours of one core, divided among all
# cores; a run that was stopped goes on where it was); writes docs/study.md and docs/when.md. Data sets
# that scikit-learn does not include are read from ../shared/data, or from the folder that BANDSVM_DATA
# names.
study: $(VENV)/ready
	$(BIN)/python studies/study.py --out build/study/full.jsonl
	cp build/study/full.jsonl studies/results/study.jsonl
	$(BIN)/python studies/study_page.py

# The same on three small data sets (two minutes), into build/study.
study-quick: $(VENV)/ready
	rm -f build/study/study.jsonl
	$(BIN)/python studies/study.py --quick --out build/study/study.jsonl
	$(BIN)/python studies/study_page.py --results build/study/study.jsonl --out build/study

# BandedSVC with many bands against C2 = 0 on the same data sets (a quarter of an hour); writes
# docs/defaults.md. Continues where it was stopped; `make defaults ARGS="--full --jobs 16"` is larger.
defaults: $(VENV)/ready
	$(BIN)/python studies/defaults.py $(ARGS)
	$(BIN)/python studies/defaults_page.py

# One-vs-one against one-vs-rest on the same data sets (half an hour); writes docs/strategies.md.
strategies: $(VENV)/ready
	$(BIN)/python studies/strategies.py

# Prediction intervals against gradient boosting and linear quantile regression on eight of these data sets (a
# quarter of an hour of one core); writes docs/intervals.md.
intervals: $(VENV)/ready
	$(BIN)/python studies/intervals.py $(ARGS)

# Errors put into fits by hand, and rounding errors on the same data sets (ten minutes); writes a section of
# docs/theory.md.
certificates: $(VENV)/ready
	$(BIN)/python studies/certificates.py

# The core under address and undefined-behaviour sanitizers, in a separate environment.
sanitize: $(SANITIZE)/ready
	core/tests/run.sh address
	LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libubsan.so) $$(c++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 OPENBLAS_NUM_THREADS=1 \
	$(SANITIZE)/bin/python -m pytest -p no:xdist -p no:cacheprovider -m "not slow"

# The C++ tests under the thread sanitizer.
sanitize-threads:
	core/tests/run.sh threads

$(LINT)/ready: pyproject.toml
	$(PYTHON) -m venv $(LINT)
	$(LINT)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LINT)/bin/uv pip install --quiet --python $(LINT)/bin/python --group lint
	@touch $@

# The stamp must be newer than the sources.
$(VENV)/ready: $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --editable ".[dev]"
	@touch $@

$(SANITIZE)/ready: $(SOURCES) $(wildcard src/bandsvm/*.py src/bandsvm/*/*.py)
	$(PYTHON) -m venv $(SANITIZE)
	$(SANITIZE)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(SANITIZE)/bin/uv pip install --quiet --python $(SANITIZE)/bin/python --reinstall-package bandsvm \
		--config-settings=cmake.define.BANDSVM_SANITIZE=address,undefined --config-settings=build-dir=build/sanitize ".[test]"
	@touch $@

clean:
	rm -rf $(VENV) $(LINT) $(SANITIZE) node_modules build docs/gallery docs/reference .pytest_cache .mypy_cache .ruff_cache .hypothesis
