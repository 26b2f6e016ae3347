"""A walk at the shell with a real data set, written to docs/cli.md as it happened.

Needs a folder with data sets: ../shared/data beside the project, or BANDSVM_DATA.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from commit import current_commit

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("BANDSVM_DATA", ROOT.parent / "shared" / "data"))
PAGE = ROOT / "docs" / "cli.md"
# From here on the page is prose, which stays as it is.
PROSE = "## Files\n"
COMMAND = Path(sys.executable).with_name("bandsvm")
MAX_OUTPUT_LINES = 45
N_STEPS_BEFORE_INTERRUPT = 2

BEGINNING = """# At the shell

Written by `studies/shell.py`, which ran every command below and copied what it printed. The data are ijcnn1 (49990 samples of 22
features, of which a tenth is of class 1), as LIBSVM's svmlight files. Times are of a machine with two cores, at
commit COMMIT; the [benchmarks](benchmarks.md) have comparable ones.
"""


def main() -> None:
    """Run the walkthrough and write the page."""
    page = [BEGINNING.replace("COMMIT", current_commit())]
    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder))

        def section(title: str, text: str) -> None:
            page.append(f"\n## {title}\n\n{text}\n")

        def run(line: str, is_interrupted: bool = False) -> None:
            print(f"$ {line}", flush=True)
            page.append(f"\n```text\n$ {line}\n{output_of(line, folder, is_interrupted)}```\n")

        section("Train", "A model, and a certificate of how close to optimal it is:")
        run("bandsvm fit ijcnn1.svm --model ijcnn1.bsvm --C1 10 --C2 1 --rho2 1.5 --gamma 0.1")
        section(
            "Predict",
            "Accuracy, scores per class and confusion matrix where the file has labels; decision values and the band if wanted.\n"
            "`--report` writes a page about the model and the samples, with pictures:",
        )
        run(
            "bandsvm predict ijcnn1.t.gz --model ijcnn1.bsvm --output predicted.csv --values --band --report predicted.html"
        )
        run("head -4 predicted.csv")
        section("Inspect", "What a model file holds, and where its training samples lie:")
        run("bandsvm inspect ijcnn1.bsvm")
        section("Interrupt and resume", "Ctrl-C keeps the model so far:")
        run(
            "bandsvm fit ijcnn1.svm --model again.bsvm --C1 100 --C2 10 --rho2 1.5 --gamma 0.1",
            is_interrupted=True,
        )
        run("bandsvm predict ijcnn1.t.gz --model again.bsvm --output again.csv")
        run("bandsvm fit ijcnn1.svm --model again.bsvm --resume")
        section(
            "Linear models",
            "`--linear` fits a model without a kernel, for many samples or many features ([large_data.md](large_data.md)). Files larger than\n"
            "memory are read in blocks; `--on-disk` asks for that:",
        )
        run("bandsvm fit ijcnn1.svm --model linear.bsvm --linear --class-weight balanced")
        run(
            "bandsvm fit ijcnn1.svm --model linear.bsvm --linear --class-weight balanced --on-disk --quiet --json"
        )
        run("bandsvm inspect linear.bsvm")
        section(
            "Export", "Models for LIBLINEAR, LIBSVM and ONNX runtimes ([exchange.md](exchange.md)):"
        )
        run("bandsvm export linear.bsvm --to liblinear --output linear.model")
        run("head -8 linear.model")
        run("bandsvm export ijcnn1.bsvm --to onnx --output ijcnn1.onnx")
        section("Tune", "A search over C1, gamma, C2 and rho2, on every eleventh sample:")
        run("awk 'NR % 11 == 1' ijcnn1.svm > part.svm")
        run("bandsvm tune part.svm --model tuned.bsvm --plot tuned.svg")
        run("bandsvm predict ijcnn1.t.gz --model tuned.bsvm --json --quiet --output tuned.csv")
        page.append(
            "\nMissing numbers are filled in, features scaled and categories encoded inside the folds: each fold learns that from its training part\n"
            "alone, as a pipeline in scikit-learn's GridSearchCV does. Default gammas are computed from all samples.\n"
            "\nThe values to try are lists, or ranges `FROM:TO:HOW_MANY` on a log scale. Scores of one class, such as f1, look for the class that\n"
            "`--positive` names (1 if it is left out). `--groups COLUMN` keeps all samples of a group, such as a patient, in one fold:\n"
        )
        run(
            "bandsvm tune part.svm --model f1.bsvm --C1 1:100:3 --gamma 0.03,0.1 --C2 0.1,1 --rho2 2 --scoring f1 --positive 1 --quiet --json"
        )
        numbers(section, run)
        section("Mistakes", "are answered in a sentence:")
        run("printf '1 1:0.5\\n-1 2:x\\n' > wrong.svm")
        run("bandsvm fit wrong.svm --model wrong.bsvm")
        run("bandsvm predict ijcnn1.t.gz --model ijcnn1.svm")
        run("bandsvm fit ijcnn1.svm --model models/ijcnn1.bsvm")
        run("bandsvm tune part.svm --model tuned.bsvm --scoring acuracy")
        run("bandsvm fit ijcnn1.svm --model linear.bsvm --linear --gamma 0.1")
    page.append(f"\n{PROSE}{PAGE.read_text().partition(PROSE)[2]}")
    PAGE.write_text("".join(page))
    print("docs/cli.md is written.")


def numbers(section: Any, run: Any) -> None:
    """Run what there is for targets that are numbers."""
    section(
        "Predict numbers",
        "`--regress` says that the targets are numbers: a column of many different ones is refused without it, or `--classify`. The data\n"
        "are airfoil (1503 samples of 5 features; the target is a sound level in decibels) as CSV, one in five apart:",
    )
    run("bandsvm fit airfoil.csv --model airfoil.bsvm")
    run("bandsvm fit airfoil.csv --model airfoil.bsvm --regress --report airfoil.html")
    run("bandsvm predict airfoil_test.csv --model airfoil.bsvm --output airfoil.predicted --band")
    run("head -3 airfoil.predicted")
    run("bandsvm tune airfoil.csv --model tuned.bsvm --regress --quiet --json")
    run("bandsvm predict airfoil_test.csv --model tuned.bsvm --output tuned.predicted")
    section_text = "`--quantile` predicts quantiles, a column for each. Where there are targets, `predict` says how many lie below them:"
    section("Predict quantiles", section_text)
    run("bandsvm fit airfoil.csv --model bounds.bsvm --regress --quantile 0.05,0.5,0.95 --quiet")
    run("bandsvm predict airfoil_test.csv --model bounds.bsvm --output bounds.csv")
    run("head -3 bounds.csv")


def write_data(folder: Path) -> None:
    """Write ijcnn1 as svmlight files, and airfoil as CSV."""
    import gzip

    from sklearn.datasets import dump_svmlight_file

    sys.path.insert(0, str(DATA))
    from load import load

    X, y, X_test, y_test = load("ijcnn1")
    dump_svmlight_file(X, y, str(folder / "ijcnn1.svm"), zero_based=False)
    with gzip.open(folder / "ijcnn1.t.gz", "wb") as file:
        dump_svmlight_file(X_test[:20000], y_test[:20000], file, zero_based=False)
    write_airfoil(folder)


def write_airfoil(folder: Path) -> None:
    """Write airfoil as CSV, the test samples apart."""
    sys.path.insert(0, str(DATA))
    from load import load

    X, y, X_test, y_test = load("airfoil")
    head = "frequency,angle,chord,velocity,thickness,level"
    for name, samples, targets in (("airfoil", X, y), ("airfoil_test", X_test, y_test)):
        rows = np.column_stack([samples, targets])
        np.savetxt(folder / f"{name}.csv", rows, "%.6g", ",", header=head, comments="")


def output_of(line: str, folder: str, is_interrupted: bool) -> str:
    """Return what a command prints, standard error included, and its exit code if it is not 0."""
    environment = {**os.environ, "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"}
    child = subprocess.Popen(
        shlex.split(line) if is_interrupted else ["bash", "-c", line],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    printed = until_interrupted(child) if is_interrupted else ""
    printed += child.communicate(timeout=600)[0]
    # Lines of progress are many; the first and the last few tell the story.
    progress = [text for text in printed.splitlines() if text.startswith("[bandsvm]")]
    if len(progress) > 6:
        for text in progress[3:-2]:
            printed = printed.replace(text + "\n", "", 1)
        printed = printed.replace(progress[2] + "\n", progress[2] + "\n[...]\n", 1)
    code = f"[exit code {child.returncode}]\n" if child.returncode else ""
    lines = (printed + code).splitlines()
    if len(lines) > MAX_OUTPUT_LINES:
        raise RuntimeError(f"{line!r} printed {len(lines)} lines")
    return "".join(f"{re.sub(r'[ ]+$', '', text)}\n" for text in lines)


def until_interrupted(child: subprocess.Popen[str]) -> str:
    """Press Ctrl-C once the fit is on its way; return what was printed until then."""
    assert child.stdout is not None
    printed, n_steps = "", 0
    while n_steps < N_STEPS_BEFORE_INTERRUPT:
        text = child.stdout.readline()
        if not text:
            raise RuntimeError("the fit ended before it could be interrupted")
        printed += text
        n_steps += text.startswith("[bandsvm]")
    child.send_signal(signal.SIGINT)
    return printed + "^C\n"


if __name__ == "__main__":
    main()
