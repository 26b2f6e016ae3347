"""Pages about models: what their pictures say."""

import numpy as np
import pytest

from bandsvm._workflow import class_report
from bandsvm._workflow.holdout import parts_of_holdout
from bandsvm._workflow.search import search_on_page
from bandsvm._workflow.search_report import holdout_page
from bandsvm._workflow.work import Work
from bandsvm.datasets import make_paper_clusters
from tests.helpers.workflow_tables import fitted, holdout_of, text_table


@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
@pytest.mark.parametrize("is_search", [False, True])
def test_axes_of_maps_are_named_after_features(is_search, monkeypatch):
    pytest.importorskip("matplotlib")
    figures = []
    render = class_report.rendered
    monkeypatch.setattr(
        class_report,
        "rendered",
        lambda figure, kind: figures.append(figure) or render(figure, kind),
    )
    X, y = make_paper_clusters(n_per_cluster=5, random_state=0)
    content = text_table(["width", "price $", "kind"], np.column_stack([X, y]).tolist())
    holdout, model = fitted(holdout_of("toy.csv", content), C2=0.1)
    result = search_on_page(holdout, {"kernel": "linear"}, Work()) if is_search else None
    holdout_page(model, parts_of_holdout(holdout, model), result, [])
    labels = [(ax.get_xlabel(), ax.get_ylabel()) for figure in figures for ax in figure.axes]
    assert ("width", r"price \$") in labels
