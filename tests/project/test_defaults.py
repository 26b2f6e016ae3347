"""The default band: what the rule chose, and the same wherever it is stated."""

import importlib
import inspect
import json
import re
from pathlib import Path

import pytest

import bandsvm
import bandsvm.dask
from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm._defaults import DEFAULT_RHO2
from bandsvm.cli import main
from bandsvm.metrics import band_coverage
from bandsvm.plotting import DecisionValuesDisplay

ROOT = Path(__file__).parents[2]
STATED = [
    BandedSVC,
    LinearBandedSVC,
    bandsvm.dask.LinearBandedSVC,
    band_coverage,
    DecisionValuesDisplay.from_predictions,
]


@pytest.mark.bench
def test_the_default_is_what_the_rule_chose():
    rule = importlib.import_module("defaults_rule")
    results = json.loads((ROOT / "studies" / "results" / "defaults.json").read_text())
    verdicts = [rule.verdict(band, results) for band in rule.bands(results["settings"])]
    model = BandedSVC()
    assert rule.choose(verdicts).band == (model.C2, False, model.rho2)


@pytest.mark.parametrize("stated", STATED, ids=lambda stated: stated.__qualname__)
def test_the_default_is_the_same_everywhere(stated):
    assert inspect.signature(stated).parameters["rho2"].default == DEFAULT_RHO2
    for text in re.findall(r"rho2 : float.*default=(.*)", inspect.getdoc(stated)):
        assert float(text.split(", ")[-1]) == DEFAULT_RHO2


def test_the_command_says_the_default(capsys):
    with pytest.raises(SystemExit):
        main(["fit", "--help"])
    assert re.search(rf"upper edge of the\s+band\s+\({DEFAULT_RHO2:g}\)", capsys.readouterr().out)


def test_the_page_for_own_data_starts_with_the_defaults():
    page = ROOT / "src" / "bandsvm" / "explore" / "page" / "views" / "data" / "state.js"
    (settings,) = re.findall(r"FIELDS = \{(.*?)\n\};", page.read_text(), re.DOTALL)
    stated = dict(re.findall(r"(\w+): \[([\d.]+),", settings))
    model = BandedSVC()
    for name in ("C1", "C2", "rho1", "rho2", "degree", "coef0"):
        assert float(stated[name]) == getattr(model, name)


def test_older_files_keep_the_band_that_they_were_fitted_with():
    stored = ROOT / "tests" / "persistence" / "stored_models"
    alone, pipeline = (bandsvm.load(stored / f"{name}.bsvm") for name in ("alone", "sparse"))
    assert alone.rho2 == pipeline[-1].rho2 == 1.5 != DEFAULT_RHO2
