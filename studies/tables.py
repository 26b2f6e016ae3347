"""Tables with text and missing values, unprepared, at the shell: fit, predict, inspect, tune.

Every CSV file of a folder is split into training and test lines. `bandsvm` gets the lines as they
are; scikit-learn's HistGradientBoostingClassifier gets the same columns, text as categories.

    python studies/tables.py FOLDER --tune --out docs/tables.md

Without a folder two tables are made: one like a list of passengers, one like a census. docs/tables.md
was made of the usual files titanic.csv (Kaggle), adult.csv, german.csv, breast-cancer.csv and
horse-colic.csv (UCI).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from bandsvm.cli import main as bandsvm
from commit import current_commit

# Columns of labels of well-known files, where they are not the last.
TARGETS = {"titanic": "Survived"}
TEST_SHARE = 0.3
HEAD = "| table | test samples | encoded features | most common class | fit | tune | boosting |"
PAGE = """# Tables with text and missing values, unprepared

`studies/tables.py` wrote this page. `bandsvm fit`, `predict` and `tune` got well-known CSV files as they are: names and ids of people,
categories, missing values. Up to 3000 lines of each were used, 30% of them as the test set; one split, so differences of a few
hundredths mean little. The last columns are accuracies on the test set: with parameters by default, after `bandsvm tune
--folds 3`, and of scikit-learn's `HistGradientBoostingClassifier` by default, which got the same columns as categories and numbers.
Commit COMMIT.
"""


def passengers(n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return a table like the Titanic's: ids, names, text, many missing ages."""
    sex = rng.choice(["male", "female"], n_samples, p=[0.65, 0.35])
    place = rng.integers(1, 4, n_samples)
    age = np.round(rng.gamma(6.0, 5.0, n_samples), 1)
    score = 2.5 * (sex == "female") - 0.9 * place - 0.02 * age + 1.2
    lived = rng.random(n_samples) < 1.0 / (1.0 + np.exp(-score))
    harbour = rng.choice(["S", "C", "Q", ""], n_samples, p=[0.7, 0.2, 0.09, 0.01])
    return pd.DataFrame(
        {
            "PassengerId": np.arange(1, n_samples + 1),
            "Deck": np.array(["first", "second", "third"])[place - 1],
            "Name": [f"Passenger, No. {k}" for k in range(n_samples)],
            "Sex": sex,
            "Age": np.where(rng.random(n_samples) < 0.2, np.nan, age),
            "Fare": np.round(rng.lognormal(4.0 - place, 0.5), 2),
            "Harbour": harbour,
            "Survived": lived.astype(int),
        }
    )


def census(n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return a table like a census: many categories, rare ones among them, question marks."""
    education = rng.integers(0, 12, n_samples)
    job = rng.integers(0, 14, n_samples)
    country = np.minimum(rng.geometric(0.6, n_samples), 30)
    hours = np.clip(np.round(rng.normal(40, 12, n_samples)), 1, 99)
    age = np.round(rng.uniform(17, 80, n_samples))
    effect = rng.normal(size=14)[job]
    score = 0.35 * (education - 6) + 0.04 * (hours - 40) + effect - ((age - 48) / 20) ** 2
    rich = rng.random(n_samples) < 1.0 / (1.0 + np.exp(-score))
    work = np.where(rng.random(n_samples) < 0.06, "?", [f"job {k}" for k in job])
    return pd.DataFrame(
        {
            "age": age,
            "education": [f"level {k}" for k in education],
            "occupation": work,
            "country": [f"country {k}" for k in country],
            "hours": np.where(rng.random(n_samples) < 0.05, np.nan, hours),
            "income": np.where(rich, ">50K", "<=50K"),
        }
    )


def split(lines: list[str], n_rows: int, has_header: bool) -> tuple[list[str], list[str]]:
    """Return the lines of a training and of a test file, each with the header."""
    head, body = (lines[:1], lines[1:]) if has_header else ([], lines)
    order = np.random.default_rng(0).permutation(len(body))[:n_rows]
    n_test = round(TEST_SHARE * len(order))
    parts = ([body[k] for k in order[n_test:]], [body[k] for k in order[:n_test]])
    return head + parts[0], head + parts[1]


def run(*arguments: str) -> tuple[int, str, dict]:
    """Return the exit code of a command, what it said, and its result."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = bandsvm([*arguments, "--json"])
    result = json.loads(out.getvalue()) if code == 0 else {}
    return code, err.getvalue(), result


def boosting(folder: Path, target: str, has_header: bool) -> float:
    """Return the accuracy of gradient boosting on the same lines."""
    settings = {"header": 0 if has_header else None, "na_values": ["?", " ?"]}
    train, test = (pd.read_csv(folder / f"{part}.csv", **settings) for part in ("train", "test"))
    column = target if has_header else train.columns[-1]
    X, X_test = train.drop(columns=column), test.drop(columns=column)
    for name in X.columns:
        if not pd.api.types.is_numeric_dtype(X[name]):
            if X[name].nunique() > 250:  # more than it takes
                X, X_test = X.drop(columns=name), X_test.drop(columns=name)
                continue
            X[name] = X[name].astype("category")
            is_known = X_test[name].isin(X[name].cat.categories)
            X_test[name] = X_test[name].where(is_known).astype(X[name].dtype)
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
    model.fit(X, train[column].astype(str))
    return float(np.mean(model.predict(X_test) == test[column].astype(str)))


def study(path: Path, n_rows: int, is_tuned: bool) -> str:
    """Return a line of the table about a file."""
    name = path.stem
    lines = path.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        train, test, model = (str(folder / file) for file in ("train.csv", "test.csv", "m.bsvm"))
        target = ["--target", TARGETS[name]] if name in TARGETS else []
        code, said, _ = run("fit", str(path), "--model", model, "--max-iter", "1", *target)
        has_header = "first line holds names" in said
        if code == 1:
            return f"| {name} | {said.strip().splitlines()[-1]} | | | | |"
        for file, part in zip((train, test), split(lines, n_rows, has_header), strict=True):
            Path(file).write_text("\n".join(part) + "\n", encoding="utf-8")
        code, said, _ = run("fit", train, "--model", model, *target)
        assert code in (0, 3), said
        print(f"{name}: {said.splitlines()[0]}".replace(train, path.name), flush=True)
        _, said, predicted = run("predict", test, "--model", model, "--output", f"{scratch}/p.csv")
        _, _, held = run("inspect", model)
        tuned = float("nan")
        if is_tuned:
            run("tune", train, "--model", model, "--folds", "3", *target)
            _, _, best = run("predict", test, "--model", model, "--output", f"{scratch}/p.csv")
            tuned = best["accuracy"]
        other = boosting(folder, TARGETS.get(name, lines[0].split(",")[-1]), has_header)
        majority = majority_share(test, has_header, target)
        return (
            f"| {name} | {predicted['n_samples']} | {held['n_features']} | {majority:.4f} | "
            f"{predicted['accuracy']:.4f} | {tuned:.4f} | {other:.4f} |"
        )


def majority_share(test: str, has_header: bool, target: list[str]) -> float:
    """Return the share of the most common label."""
    table = pd.read_csv(test, header=0 if has_header else None, dtype=str)
    return float(
        table[target[1] if target else table.columns[-1]].value_counts(normalize=True).max()
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Study every file, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--out", type=Path, help="write the table here, as a page")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder
        if folder is None:
            folder, rng = Path(made), np.random.default_rng(0)
            passengers(options.rows, rng).to_csv(folder / "passengers.csv", index=False)
            census(options.rows, rng).to_csv(folder / "census.csv", index=False)
        rows = [study(path, options.rows, options.tune) for path in sorted(folder.glob("*.csv"))]
    lines = [PAGE.replace("COMMIT", current_commit()), HEAD, "|---|---|---|---|---|---|---|", *rows]
    print(*lines[1:], sep="\n")
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
