"""Code on pages runs, and prints what the pages say."""

import re
import textwrap
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# These pages have tests of their own, with files and output of their own.
ELSEWHERE = {"exchange.md", "from_svc.md"}
# Packages of others that pages show beside ours; their code runs where they are installed.
OTHERS = ("mapie", "hummingbird")
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}\S.*\n(?:\n(?= {4}))?)+")
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if page.name not in ELSEWHERE and "```python" in page.read_text()
)
pytestmark = [pytest.mark.docs, pytest.mark.heavy]


def blocks(page):
    """Return the Python code of a page, each with the output that follows it or None."""
    return [(code, output or None) for code, output in BLOCK.findall(page.read_text())]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_code_of_a_page_runs(page, capsys, tmp_path, monkeypatch, given):
    """One after the other, with the names of those before."""
    monkeypatch.chdir(tmp_path)
    for code, expected in blocks(page):
        if any(f"from {name}" in code and find_spec(name) is None for name in OTHERS):
            continue
        given.update(data_of(page, given))
        exec(compile(code, page.name, "exec"), given)
        printed = capsys.readouterr().out
        if expected is not None:
            assert comparable(printed) == comparable(expected)


def comparable(output):
    """Return an output; of a certificate its words and its objective: the rest is the machine's."""
    if not output.startswith("Certificate"):
        return output
    objective = re.findall(r"[\d.]+(?= \((?:primal|dual))", output)
    return re.sub(r"\d[\d.e+-]*", "#", output), [f"{float(value):.6g}" for value in objective]


def data_of(page, names):
    """Return samples and classes, which readers of the page on large data have."""
    if page.name != "large_data.md" or hasattr(names.get("X"), "compute"):
        return {}
    X = np.random.default_rng(0).normal(size=(2000, 5))
    return {"X": X, "y": X[:, 0] > 0}


@pytest.fixture
def given(page, monkeypatch):
    """Yield what a page takes for granted, a cluster for one."""
    text = page.read_text()
    if "onnxruntime" in text:
        pytest.importorskip("onnxruntime")
    names = {"__name__": page.stem}
    if "dask.distributed" not in text:
        yield names
        return
    distributed = pytest.importorskip("dask.distributed")
    with distributed.Client(processes=False, dashboard_address=None) as client:
        monkeypatch.setattr(distributed, "Client", lambda address: client)
        yield names


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_python_stands_in_fences(page):
    """Where the tests above find it: indented blocks are not Python."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for block in INDENTED.findall(text):
        code = textwrap.dedent(block)
        assert not re.search(r"^(from \w|import \w|\w+ = \w+\(|print\()", code, re.MULTILINE), code


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_heads_of_tables_have_as_many_cells_as_the_lines_below(page):
    """Else the site shows the table as text."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for head, line in re.findall(r"^(\|.*\|)\n(\|[ :|-]+\|)$", text, re.MULTILINE):
        assert len(re.findall(r"(?<!\\)\|", head)) == line.count("|"), head


@pytest.mark.parametrize(
    "page", [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))], ids=lambda page: page.name
)
def test_links_lead_somewhere(page):
    """To a file, and to a heading of it. Pages of the reference are made with the site."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^()\s]+)\)", text):
        if re.match(r"https?:", target):
            continue
        file, _, anchor = target.partition("#")
        aim = (page.parent / file).resolve() if file else page
        if DOCS / "reference" in aim.parents or DOCS / "gallery" in aim.parents:
            continue
        assert aim.exists(), target
        if anchor and aim.suffix == ".md":
            assert anchor in anchors(aim.read_text()), target


def anchors(text):
    """Return the names of a page's headings, as links write them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}
