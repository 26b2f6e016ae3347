"""Tabs of the Play view."""

import pytest

from tests.helpers.explore_pages import Page


@pytest.fixture(scope="module")
def kept_page(browser, server):
    page = Page(browser, server).open()
    yield page
    page.close()


@pytest.fixture
def page(kept_page):
    """A page that earlier tests have used; loading one takes longer than most tests."""
    yield kept_page.open("play")
    kept_page.check_innocence()


@pytest.fixture
def fresh(browser, server):
    """A page of one's own: nothing to undo, nothing in the storage, no tool chosen."""
    page = Page(browser, server)
    yield page
    page.close()
