"""Pictures of `bandsvm explore` for docs/explore.md, taken in Chromium.

Needs Chromium (the system's, or BANDSVM_CHROMIUM) and the extra `test`.
"""

from __future__ import annotations

import argparse
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))
from explore_pages import FLAGS, browser_path, running  # noqa: E402

DOCS = ROOT / "docs"
# A page of few colours loses nothing, and its file is a third as large.
COLOURS, ROUNDS = 256, 4


@dataclass(frozen=True)
class Shot:
    """One picture: where in the page, how large, in which colours, and which sample is pointed at."""

    place: str
    width: int
    height: int
    scheme: str = "light"
    sample: int = 0
    ready: str = ".play[aria-busy=false]"


SHOTS = {
    "explore_play": Shot("play?C2=30", 1440, 1135, sample=8),
    "explore_split": Shot("play?compare=yes&data=moons&n=200&noise=0.2", 1440, 1395, sample=31),
    "explore_dark": Shot(
        "play?data=circles&n=200&noise=0.12&C1=5&loss=squared_hinge", 1440, 1135, "dark", sample=4
    ),
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
    content = tab.screenshot()
    context.close()
    return content


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *SHOTS], help="which pictures (all)")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder for the pictures")
    options = parser.parse_args()
    with running() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        for name in options.names or SHOTS:
            image = Image.open(io.BytesIO(take(browser, server, SHOTS[name]))).convert("RGB")
            path = options.out / f"{name}.png"
            image.quantize(COLOURS, kmeans=ROUNDS, dither=Image.Dither.NONE).save(
                path, optimize=True
            )
            print(f"{path.name}: {image.width} x {image.height}, {path.stat().st_size // 1024} KiB")
        browser.close()


if __name__ == "__main__":
    main()
