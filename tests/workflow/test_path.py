"""Paths of models along C2 or rho2."""

import numpy as np
import pytest

from bandsvm import BandedSVC
from bandsvm._workflow.path import band_path_on_page
from bandsvm._workflow.work import Work
from tests.helpers.workflow_tables import StopsAfter


@pytest.mark.parametrize("vary", ["C2", "rho2"])
def test_paths_are_refits(cancer, vary):
    holdout, model = cancer
    about = band_path_on_page(holdout, model[-1], vary, Work())
    assert about["own"] in about["values"]
    assert about["is_held_out"]
    y = holdout.table.y[holdout.held_out]
    for k in (0, len(about["values"]) // 2, -1):
        again = BandedSVC().set_params(**{vary: about["values"][k]})
        again.fit(holdout.training_samples, holdout.y_train)
        samples = holdout.samples[holdout.held_out]
        assert about["accuracy"][k] == again.score(samples, y)
        assert about["doubtful"][k] == np.mean(again.band_position(samples) == "below")
        assert about["primal"][k] == pytest.approx(again.certificate_.primal, rel=1e-6)
    with pytest.raises(ValueError, match="vary must be one of"):
        band_path_on_page(holdout, model[-1], "C1", Work())


def test_a_stopped_path_keeps_its_points(cancer):
    holdout, model = cancer
    about = band_path_on_page(holdout, model[-1], "C2", StopsAfter(60))
    assert 0 < len(about["values"]) < 25
    assert "Stopped" in about["sentences"][0]
    assert len(about["accuracy"]) == len(about["values"]) == len(about["n_upper"])
