"""Data files as people have them: each is read right, or refused in one helpful sentence."""

import re
from pathlib import Path

import pytest
from sklearn.base import is_regressor

import bandsvm
import file_cases
import files

ROOT = Path(__file__).parents[2]
pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


CASES = [
    pytest.param(case, id=case.name, marks=[pytest.mark.slow] if case.is_slow else [])
    for case in file_cases.CASES
]


@pytest.mark.parametrize("case", CASES)
def test_file(case, tmp_path):
    code, said = files.outcome(case, tmp_path)
    assert code == case.code, said
    assert re.search(case.told, said, re.DOTALL), said
    errors = [line for line in said.splitlines() if line.startswith("bandsvm: ")]
    if code == 1:
        assert len(errors) == 1
        assert said == errors[0] + "\n" or case.trained_on
        assert not (tmp_path / f"{case.name}.bsvm").exists()
    elif case.trained_on is None:
        model = bandsvm.load(tmp_path / f"{case.name}.bsvm")
        assert len(model.classes_) >= 2 if "--regress" not in case.options else is_regressor(model)


@pytest.mark.docs
def test_page_is_what_the_script_prints(tmp_path):
    assert files.page(tmp_path) == (ROOT / "docs" / "files.md").read_text()
