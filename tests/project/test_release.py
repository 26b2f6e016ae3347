"""What a release is made of: notes, smoke suite, workflows."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.docs


def test_notes_of_a_release_are_its_section_of_the_changelog():
    notes = runpy.run_path(str(ROOT / "release" / "notes.py"))["notes"]
    changelog = "# Changelog\n\n## 0.2.0 (2027-01-31)\n\n- New.\n\n## 0.1.0 (2026-12-01)\n\n- Old."
    assert notes("v0.2.0", "0.2.0", changelog) == "- New.\n"
    assert notes("v0.1.0", "0.1.0", changelog) == "- Old.\n"
    with pytest.raises(ValueError, match="has version"):
        notes("v0.3.0", "0.2.0", changelog)
    with pytest.raises(ValueError, match="needs a section"):
        notes("v0.3.0", "0.3.0", changelog)
    with pytest.raises(ValueError, match="needs a section"):
        notes("v0.2.0", "0.2.0", changelog.replace("2027-01-31", "unreleased"))


def test_page_for_a_package_index_is_what_the_script_writes():
    script = runpy.run_path(str(ROOT / "release" / "index_page.py"))
    page = script["PAGE"].read_text()
    assert page == script["written"]()
    assert all(re.match(r"https?:", target) for target in re.findall(r"\]\(([^)]+)\)", page))


def test_page_for_a_package_index_has_no_link_to_a_file():
    index_page = runpy.run_path(str(ROOT / "release" / "index_page.py"))["index_page"]
    readme = (
        "# T\n\n![A picture](docs/a.svg)\n\nSee [b](docs/b.md#c) and [d](https://d.example) "
        "([e](e.md),\n[f](f.md)).\n"
    )
    assert index_page(readme, None, "0.1.0") == "# T\n\nSee b and [d](https://d.example).\n"
    home = "https://forge.example/p"
    found = index_page(readme, home, "0.1.0")
    assert f"![A picture]({home}/raw/v0.1.0/docs/a.svg)" in found
    assert f"[b]({home}/blob/v0.1.0/docs/b.md#c) and [d](https://d.example)" in found
    assert f"([e]({home}/blob/v0.1.0/e.md)," in found


@pytest.mark.heavy
@pytest.mark.filterwarnings("default")
def test_smoke_suite_passes_here(capsys):
    """The README of the installed package may be older than the one beside this test."""
    names = runpy.run_path(str(ROOT / "release" / "smoke.py"))
    for check in names["CHECKS"]:
        if check.__name__ != "readme_runs":
            check()
