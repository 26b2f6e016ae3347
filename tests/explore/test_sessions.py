"""What the server keeps for pages that are reloaded, and for how long."""

import asyncio
import threading

import pytest

from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.requests import Request, Superseded
from bandsvm.explore.server.responses import Response
from bandsvm.explore.server.sessions import Session, Sessions, Settings
from bandsvm.explore.server.uploads import Uploads

SETTINGS = Settings(file="a.csv", seconds_to_leave=0.05, seconds_without_page=0.05)


def no_sessions():
    return Sessions(SETTINGS, Uploads())


def page_comes_and_goes(kept, key, before=""):
    async def visit():
        session = await kept.enter(key, before)
        kept.leave(key, session)
        return session

    return asyncio.run(visit())


def test_a_page_finds_its_session_again():
    kept = no_sessions()
    first = page_comes_and_goes(kept, "first")
    assert first.settings.file == "a.csv"
    assert page_comes_and_goes(kept, "second", "first") is first
    # It has another name now.
    assert page_comes_and_goes(kept, "third", "first") is not first
    assert page_comes_and_goes(kept, "fourth", "second") is first
    assert page_comes_and_goes(kept, "", "") is not page_comes_and_goes(kept, "", "")


def test_sessions_in_use_are_not_given_away():
    async def visits():
        kept = no_sessions()
        session = await kept.enter("tab", "")
        copy = await kept.enter("copy of the tab", "tab")
        assert copy is not session
        # The server may notice late that a page is gone.
        again = asyncio.create_task(kept.enter("reloaded", "tab"))
        await asyncio.sleep(0)
        kept.leave("tab", session)
        assert await again is session

    asyncio.run(visits())


def test_sessions_without_a_page_do_not_pile_up():
    kept = no_sessions()
    all_of_them = [
        page_comes_and_goes(kept, f"page {k}") for k in range(SETTINGS.max_kept_sessions + 1)
    ]
    assert page_comes_and_goes(kept, "new", "page 0") is not all_of_them[0]
    last = SETTINGS.max_kept_sessions
    assert page_comes_and_goes(kept, "last", f"page {last}") is all_of_them[last]


def endless(data, has_begun):
    def run(job):
        has_begun.set()
        while True:
            job.check()

    return data.start("fit", run)


@pytest.mark.parametrize("key", ["page", ""])
def test_work_ends_if_its_page_does_not_come_back(key):
    async def visit():
        kept = no_sessions()
        session = await kept.enter(key, "")
        job = await asyncio.to_thread(endless, session.data, threading.Event())
        kept.leave(key, session)
        assert job.is_cancelled != bool(key)
        await asyncio.sleep(0.2)
        assert job.is_cancelled

    asyncio.run(visit())


def test_the_server_ends_all_work():
    kept, has_begun = no_sessions(), threading.Event()
    session = page_comes_and_goes(kept, "page")
    job = endless(session.data, has_begun)
    assert has_begun.wait(10)
    kept.close()
    assert not job.is_under_way


def test_newer_work_takes_the_place_of_older():
    data, has_begun = Session().data, threading.Event()
    older = endless(data, has_begun)
    assert has_begun.wait(10)
    newer = data.start("fit", lambda job: Response({"is": "newer"}))
    request = Request(1, "data.watch", Fields({}), Session())
    with pytest.raises(Superseded):
        older.watch(request)
    assert newer.watch(request).values == {"is": "newer"}


def test_errors_of_work_reach_whoever_watches():
    def fail(job):
        job.work.report({"stage": "read"})
        raise ValueError("no labels")

    job, reports = Session().data.start("fit", fail), []
    request = Request(1, "data.watch", Fields({}), Session(), reports.append)
    for _ in range(2):
        with pytest.raises(ValueError, match="no labels"):
            job.watch(request)
    assert reports[-1] == {"stage": "read"}
