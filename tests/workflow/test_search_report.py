"""Pictures of a search."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVCCV
from bandsvm._workflow.folds import PreparedFolds, stratified_splits
from bandsvm._workflow.search import scores_by_fold
from bandsvm._workflow.search_report import _set_scale, draw_search, lowest_shown
from bandsvm._workflow.tasks import held_out_predictions
from bandsvm.model_selection._standings import mean_fold_scores
from tests.helpers.iris_files import SPECIES, X, Y


@pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")
def test_picture_shows_all_candidates_over_all_parameters():
    pytest.importorskip("matplotlib")
    scaled, labels = StandardScaler().fit_transform(X[50:]), SPECIES[Y[50:]]
    splits = stratified_splits(labels, 3)
    search = BandedSVCCV([0.001, 1, 100], [0.1, 10], [1.5, 2], gamma=[0.1, 1], cv=splits)
    search.fit(scaled, labels)
    folds = PreparedFolds(scaled, labels, splits, None)
    risk = {"best": held_out_predictions(folds, search.best_estimator_, np.inf)}
    figure = draw_search(search, scaled, labels, risk, np.inf)
    axes = {ax.get_xlabel(): ax for ax in figure.get_axes()[:4]}
    assert list(axes) == ["C1", "gamma", "C2", "rho2"]
    results = search.cv_results_
    has_band = results["param_C2"] > 0
    for name, ax in axes.items():
        drawn = np.concatenate([points.get_offsets() for points in ax.collections])
        expected = results[f"param_{name}"][has_band if name == "rho2" else slice(None)]
        np.testing.assert_allclose(sorted(drawn[:, 0]), sorted(expected))
    # The worst are drawn at the edge, so that they do not hide all differences.
    scores = np.concatenate([points.get_offsets() for points in axes["C1"].collections])[:, 1]
    assert scores.min() >= lowest_shown(mean_fold_scores(scores_by_fold(search)))
    figure.canvas.draw()
    for ax in figure.get_axes():
        assert ax.title.get_window_extent().x1 <= figure.bbox.x1


def test_zero_and_the_smallest_decade_have_room_for_their_labels():
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = Figure(figsize=(14, 4)).subplots(1, 4)[0]
    ax.set_xlim(-0.01, 150.0)
    ax.plot(values := np.array([0.0, 0.03, 0.1, 1.0, 10.0, 100.0]), values)
    _set_scale(ax.set_xscale, values)
    ax.figure.canvas.draw()
    (low, high), labels = ax.get_xlim(), ax.xaxis.get_majorticklabels()
    shown = [label for label in labels if low <= label.get_position()[0] <= high]
    boxes = sorted(label.get_window_extent().extents[[0, 2]].tolist() for label in shown)
    assert len(boxes) > 3
    assert all(left[1] < right[0] for left, right in pairwise(boxes))
