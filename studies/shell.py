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

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("BANDSVM_DATA", ROOT.parent / "shared" / "data"))
COMMAND = Path(sys.executable).with_name("bandsvm")
MAX_OUTPUT_LINES = 45
N_STEPS_BEFORE_INTERRUPT = 3

BEGINNING = """# At the shell

Written by `studies/shell.py`, which ran every command below and copied what it printed. The data are ijcnn1 (49990 samples of 22
features, of which a tenth is of class 1), as LIBSVM's svmlight files.
"""
END = """
## Files

- **Formats**: CSV and other text (`.csv`, `.tsv`; cells separated by commas, semicolons, tabs, bars or spaces), svmlight (`.svm`), ARFF,
  Parquet (`.parquet`, needs the extra `parquet`) and NPZ (`X` and `y`, or the parts of a CSR matrix), each also packed as `.gz`,
  `.bz2`, `.xz` or `.zst` (needs the extra `parquet`). `-` is standard input. Where the name says nothing, the content decides;
  `--format` overrides both. [files.md](files.md) shows dozens of files and what the command prints for each, [tables.md](tables.md)
  accuracies on well-known tables with text and missing values.
- **Names**: the first line of a CSV file holds names if it has text above numbers, a usual name of labels (target, label, class, y),
  0, 1, 2, ... throughout, or an empty cell above the row numbers that pandas writes. The line about the data says what was
  decided; `--header` and `--no-header` override it.
- **Labels** are in the column that `--target` names or counts from 1; without it in the one called target, label, class or y, else in
  the last. The model remembers the name. `predict` finds the columns of the model by name, in any order, and says which columns it
  does not use. It refuses labels of which the model knows none.
- **Targets that are numbers** need `--regress`. Without it, labels are refused that have fractions, or more than 30 different whole
  numbers of fewer than 20 samples each on average that do not count up from 0 or 1: they may be measurements. `--classify` takes
  each number as a class. With `--regress`, targets are read as features are: `$35.25` is a number, and an empty cell or `NA` is missing;
  text is refused.
- **Costs and tube** of `--regress` follow the spread of the targets, a robust standard deviation: `--C1` and `--C2` (cost of a prediction
  below and above the tube) are the spread, and `--epsilon` (how far the tube extends below and above a target, two numbers if they
  differ) is a tenth of it, unless given; the command says what it chose. So the same model comes out in any unit. With `--quantile`, which
  takes several quantiles, there is one cost, `--C`, and no tube. `--loss` is `epsilon_insensitive` or `squared_epsilon_insensitive`, whose
  costs do not depend on the unit. `tune --regress` searches C1, gamma, `--epsilon` and, if it is given, `--cost-ratio` (C2 / C1).
- **Text** columns are categories: one feature of 0 and 1 per value, where values of less than 1% of the samples (between 2 and 10
  samples) are grouped. A value that is new to the model counts as rare, an empty cell is a value of its own. This needs the
  extra `cli` (pandas). `--categorical COLUMN` treats numbers in the same way.
- **Missing numbers** (an empty cell, `?`, `NA`, `nan`, `null`, `none`, `-` or `.`) are replaced by the median of their column, and a
  further feature marks them. A model that was trained without missing values refuses them.
- **Left out**, and reported: constant columns, dates, text of which no value occurs often, and whole numbers that all differ in a
  column called `id`, `index`, `PassengerId` or the like. `--keep COLUMN` uses such numbers; `--drop COLUMN` leaves out other columns;
  `--id COLUMN` repeats a column in the predictions. Options that take a column can be given several times.
- **Refused**, with a sentence that names the line or the column: infinite values, cells that are text in a column of numbers.
- **Decimal commas** are recognised where cells are separated by something else; svmlight files that count from 0 by a feature 0.
- **Packed files** may unpack to 100 times their size, or to 32 MiB if that is more. Unpack a larger one that you trust first, or set
  `BANDSVM_LARGEST_RATIO` ([SECURITY.md](../SECURITY.md) has all limits).
- **Predictions** hold labels as the model has them. A spreadsheet computes cells that begin with `=`, `+`, `-` or `@`: `predict`
  warns of such labels; import them as text. On a terminal, characters that are not printable are shown as escapes such as `\\x1b`.
- **Probabilities**: `fit --calibrate` also fits Platt's sigmoids to decision values of held-out samples (5 folds), as scikit-learn's
  `CalibratedClassifierCV(ensemble=False)` does, and keeps them in the model file; `predict --proba` adds a column per class.
- **Not yet for numbers**: `--linear`, `--dask`, `--on-disk` and `--calibrate` are refused with `--regress`, and searches of quantiles.
- **Files larger than memory** are read in blocks by `fit --linear` and by `predict` of linear models: svmlight, CSV of numbers and
  Parquet. Their numbers are in temporary files in the folder that `TMPDIR` names ([large_data.md](large_data.md)).
- **Models** are the files of `bandsvm.save` ([model_file.md](model_file.md)): load them with `bandsvm.load`.
- **Reports** (`--report` of `fit`, `tune` and `predict`) are one HTML page each, without links to anything else: data, model,
  certificate, scores per class, pictures, and the samples that deserve a look: doubtful ones (below the band), extreme ones (above)
  and confident mistakes. Of `--regress`: R2 and errors, predictions against targets, errors against the tube or the quantiles, and the
  largest errors; `fit` and `tune` begin with those of five held-out folds. Pictures need the extra `plot`.
- While it trains with a kernel, `fit` writes a checkpoint beside the model every minute. `--resume` goes on from it, or from the model
  itself if that is younger. It takes a checkpoint of the same user only, and `fit` removes only its own.

Exit codes: 0 done; 1 failed; 2 wrong use; 3 a model was written, but it is not optimal to `tol`; 130 interrupted (what is done so
far is written). Outputs that cannot be written, unknown scores and missing extras are found before the data are read. Errors are
one sentence on standard error, with the file and, where there is one, the line. `--json` prints one JSON object on standard output, sentences then go to standard error;
`--quiet` leaves only warnings and errors.
"""


def main() -> None:
    """Run the walkthrough and write the page."""
    page = [BEGINNING]
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
            "bandsvm fit ijcnn1.svm --model again.bsvm --C1 10 --C2 1 --rho2 1.5 --gamma 0.1",
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
    page.append(END)
    (ROOT / "docs" / "cli.md").write_text("".join(page))
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
