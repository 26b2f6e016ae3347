"""The site is built without warnings."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    "index",
    "start/index",
    "guide/index",
    "coming_from/index",
    "reference/index",
    "gallery/index",
)
pytestmark = [pytest.mark.docs, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the site without the pictures of its gallery, made from a copy of the pages."""
    pytest.importorskip("sphinx")
    pytest.importorskip("latex2mathml")
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("docs", "examples"):
        ignored = shutil.ignore_patterns("gallery", "reference", "__pycache__")
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    for page in ROOT.glob("*.md"):
        shutil.copy(page, copy)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-D", "plot_gallery=0"]
    done = subprocess.run(
        [*command, copy / "docs", copy / "site"], capture_output=True, text=True, cwd=copy
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return copy / "site"


def test_pages_of_the_site_exist(site):
    for page in PAGES:
        assert (site / f"{page}.html").exists()
    assert "Deploying without Python" in (site / "searchindex.js").read_text()


def test_links_of_the_site_lead_somewhere(site):
    """To a file and to a place in it."""
    places: dict = {}
    for page in site.rglob("*.html"):
        if page.parent.name == "_static":
            continue
        for link in re.findall(r'(?:href|src)="([^"]+)"', page.read_text()):
            if re.match(r"[a-z]+:|//|#$", link):
                continue
            file, _, place = link.partition("#")
            aim = (page.parent / unquote(file.split("?")[0])).resolve() if file else page
            assert aim.exists(), (page.name, link)
            if place and aim.suffix == ".html":
                if aim not in places:
                    places[aim] = set(re.findall(r'\bid="([^"]+)"', aim.read_text()))
                assert place in places[aim], (page.name, link)


def test_pages_need_no_network(site):
    for page in PAGES:
        found = re.findall(
            r'<(?:script|link|img)[^>]*(?:src|href)="(https?:[^"]+)"',
            (site / f"{page}.html").read_text(),
        )
        assert not found
