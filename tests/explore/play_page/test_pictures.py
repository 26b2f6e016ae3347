"""Pictures of the Play view, and what can be copied and saved."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bandsvm import BandedSVC
from tests.helpers.explore_fits import CLUSTERS, close
from tests.helpers.explore_pages import require_browser

pytestmark = pytest.mark.browser


def test_pointing_at_a_sample_shows_it_everywhere(page):
    page.open("play?compare=yes")
    page.map().focus()
    for _ in range(3):
        page.tab.keyboard.press("n")
    X, y = CLUSTERS
    model = BandedSVC(10.0, 10.0, gamma=2.0).fit(X, y)
    value = model.decision_function(X[2:3])[0]
    cells = page.tab.locator(".sample tbody tr").first.locator("td").all_inner_texts()
    assert float(cells[1].replace("\N{MINUS SIGN}", "-")) == pytest.approx(value, abs=1e-3)
    assert "Number 3, class +1" in page.tab.locator(".sample").inner_text()
    assert page.tab.locator("circle.pointer[visibility=visible]").count() == 6
    page.tab.locator("svg[role=img]:visible").first.hover()
    page.tab.mouse.move(5, 5)
    assert page.tab.locator("circle.pointer[visibility=visible]").count() == 0


@pytest.mark.parametrize("name", ["decision-map", "decision-values", "penalty", "sensitivity"])
def test_plots_save_as_svg_and_png(page, name):
    page.open()
    figure = page.tab.locator("figure:visible").nth(
        ["decision-map", "decision-values", "penalty", "sensitivity"].index(name)
    )
    with page.tab.expect_download() as download:
        figure.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename == f"{name}.svg"
    text = download.value.path().read_text()
    assert text.startswith("<svg")
    assert text.count("<path") > 3
    assert "var(" not in text
    assert "class=" not in text
    if name == "decision-map":
        assert "data:image/png" in text
    with page.tab.expect_download() as download:
        figure.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == f"{name}.png"
    content = download.value.path().read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 5000


def test_code_can_be_copied(fresh, capsys):
    fresh.context.grant_permissions(["clipboard-read", "clipboard-write"])
    fresh.open("play?C1=7&data=moons&n=50")
    fresh.tab.get_by_role("button", name="Copy as Python").click()
    fresh.tab.get_by_role("button", name="Copy", exact=True).click()
    fresh.tab.get_by_text("Copied").wait_for()
    code = fresh.tab.evaluate("navigator.clipboard.readText()")
    exec(compile(code, "copied", "exec"), {})
    printed = float(capsys.readouterr().out.split("objective ")[-1].split(",")[0])
    assert printed == close(fresh.objective())
    fresh.tab.keyboard.press("Escape")
    fresh.tab.get_by_role("button", name="Copy as command").click()
    fresh.tab.locator("dialog code", has_text="bandsvm fit play.csv").wait_for()
    fresh.tab.get_by_role("button", name="Close").click()
    fresh.tab.get_by_role("button", name="Copy link").click()
    assert fresh.tab.evaluate("navigator.clipboard.readText()") == fresh.tab.url
    assert fresh.place()["C1"] == "7"


@pytest.mark.slow
@pytest.mark.bench
def test_benchmark_runs(tmp_path):
    require_browser()
    script = Path(__file__).parents[3] / "benchmarks" / "explore.py"
    subprocess.run([sys.executable, script, "--smoke", "--out", tmp_path], check=True)
    results = json.loads((tmp_path / "explore.json").read_text())
    for sweep in results["sweeps"].values():
        assert 0.0 < sweep["median_ms"] <= sweep["p95_ms"]
        # One message there and one back for every move.
        assert sweep["per_move"]["messages sent"] == sweep["per_move"]["messages received"] == 1.0
