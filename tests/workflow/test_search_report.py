"""Pictures of a search."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVCCV
from bandsvm._workflow.folds import PreparedFolds, stratified_splits
from bandsvm._workflow.search import scores_by_fold
from bandsvm._workflow.search_report import draw_search, lowest_shown
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
    risk = {"best": folds.held_out_predictions(search.best_estimator_, np.inf)}
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
