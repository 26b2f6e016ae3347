"""Pictures of `bandsvm explore` for docs/explore.md, taken in Chromium.

Needs Chromium (the system's, or BANDSVM_CHROMIUM) and the extra `test`.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer, load_diabetes

from bandsvm.cli import main as bandsvm_command

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))
from tests.helpers.explore_pages import FLAGS, browser_path, running  # noqa: E402

DOCS = ROOT / "docs"
# A page of few colours loses nothing, and its file is a third as large.
COLOURS, ROUNDS = 256, 4


@dataclass(frozen=True)
class Shot:
    """One picture: where in the page, how large, in which colours, which sample is pointed at.

    ``file`` is what the page opens, and ``pressed`` a button that is pressed first.
    """

    place: str
    width: int
    height: int
    scheme: str = "light"
    sample: int = 0
    ready: str = ".play[aria-busy=false]"
    file: str = ""
    pressed: str = ""


READY = ".view-data[aria-busy=false] .results:not([hidden])"
SHOTS = {
    "explore_play": Shot("play?C2=30", 1440, 1135, sample=8),
    "explore_split": Shot("play?compare=yes&data=moons&n=200&noise=0.2", 1440, 1395, sample=31),
    "explore_dark": Shot(
        "play?data=circles&n=200&noise=0.12&C1=5&loss=squared_hinge", 1440, 1135, "dark", sample=4
    ),
    "explore_data": Shot(
        "data?tab=abstain",
        1440,
        1250,
        ready=READY,
        file="cancer.csv",
        pressed="Abstain on doubtful samples",
    ),
    "explore_numbers": Shot(
        "data?task=regress&tab=residuals", 1440, 1060, ready=READY, file="diabetes.csv"
    ),
    "explore_samples": Shot("data", 1440, 1250, ready=READY, file="cancer.csv"),
    "explore_model": Shot("model", 1440, 1135, ready=".card-text:visible", file="cancer.bsvm"),
    "explore_narrow": Shot("play?data=blobs&n=120&noise=0.7", 390, 844),
}


def take(browser: Any, server: Any, shot: Shot) -> bytes:
    """Return a picture as PNG."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height}, color_scheme=shot.scheme
    )
    tab = context.new_page()
    tab.goto(server.address(shot.place))
    tab.wait_for_selector(shot.ready)
    if shot.sample:
        tab.locator("svg[role=application]:visible").last.focus()
        for _ in range(shot.sample):
            tab.keyboard.press("n")
        tab.evaluate("document.activeElement.blur()")
    if shot.pressed:
        tab.get_by_role("button", name=shot.pressed).click()
        tab.mouse.move(0, 0)
    content = tab.screenshot()
    context.close()
    return content


def write_files(folder: Path) -> None:
    """Write a table with text labels, a model of it, and a table with numbers as targets."""
    bunch = load_breast_cancer(as_frame=True)
    labels = bunch.target_names[bunch.target]
    bunch.data.iloc[:, :10].assign(diagnosis=labels).to_csv(folder / "cancer.csv", index=False)
    bunch = load_diabetes(as_frame=True, scaled=False)
    targets = bunch.target.rename("progression")
    bunch.data.join(targets).to_csv(folder / "diabetes.csv", index=False)
    words = ["--model", str(folder / "cancer.bsvm"), "--kernel", "linear", "--quiet"]
    bandsvm_command(["fit", str(folder / "cancer.csv"), *words])


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *SHOTS], help="which pictures (all)")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder for the pictures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_files(Path(folder))
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        for name in options.names or SHOTS:
            shot = SHOTS[name]
            with running(file=f"{folder}/{shot.file}" if shot.file else None) as server:
                content = take(browser, server, shot)
            image = Image.open(io.BytesIO(content)).convert("RGB")
            path = options.out / f"{name}.png"
            image.quantize(COLOURS, kmeans=ROUNDS, dither=Image.Dither.NONE).save(
                path, optimize=True
            )
            print(f"{path.name}: {image.width} x {image.height}, {path.stat().st_size // 1024} KiB")
        browser.close()


if __name__ == "__main__":
    main()
