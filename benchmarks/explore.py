"""From a slider of `bandsvm explore` to the picture: times, bytes, and memory over many moves.

Needs Chromium (the system's, or BANDSVM_CHROMIUM) and the extra `test`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from measure import RESULTS, save

sys.path.append(str(Path(__file__).parents[1]))
from tests.helpers.explore_pages import FLAGS, browser_path

N_MOVES, N_MOVES_FOR_MEMORY = 200, 2000
PLACES = {
    "500 samples": "play?data=moons&n=500",
    "500 samples, split view": "play?data=moons&n=500&compare=yes",
}
TOKEN = "benchmark-of-explore"

# Moves a slider and waits for the frame that shows the fit; returns milliseconds, move by move.
SWEEP = """async ({ label, moves }) => {
    const slider = document.querySelector(`input[type=range][aria-label^="${label}"]`);
    const found = [];
    for (let k = 0; k < moves; k += 1) {
        const t = k % 200;
        slider.value = String(100 + (t < 100 ? 2 * t : 2 * (200 - t)));
        const began = performance.now();
        await new Promise((resolve) => {
            document.addEventListener("picture", resolve, { once: true });
            slider.dispatchEvent(new Event("input"));
        });
        await new Promise((resolve) => requestAnimationFrame(resolve));
        found.push(performance.now() - began);
    }
    return found;
}"""


@contextmanager
def served() -> Iterator[tuple[str, int]]:
    """Yield the address and the process of a server of its own."""
    command = [sys.executable, "-m", "bandsvm.cli", "explore", "--no-browser", "--token", TOKEN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        try:
            yield address, process.pid
        finally:
            process.terminate()


def megabytes(pid: int) -> float:
    """Return the memory of a process (Linux only)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024


def heap_megabytes(tab: Any) -> float:
    """Return the memory of a page's objects after a garbage collection."""
    session = tab.context.new_cdp_session(tab)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return used / 2**20


def opened(browser: Any, address: str, place: str, traffic: dict[str, int]) -> Any:
    """Return a tab at a place; ``traffic`` counts what its web socket carries."""
    tab = browser.new_page(viewport={"width": 1440, "height": 900})

    def count(socket: Any) -> None:
        socket.on("framesent", lambda frame: _add(traffic, "sent", frame))
        socket.on("framereceived", lambda frame: _add(traffic, "received", frame))

    tab.on("websocket", count)
    tab.goto(f"{address}#{place}")
    tab.wait_for_selector(".play[aria-busy=false]")
    return tab


def _add(traffic: dict[str, int], way: str, frame: Any) -> None:
    traffic[f"messages {way}"] = traffic.get(f"messages {way}", 0) + 1
    traffic[f"bytes {way}"] = traffic.get(f"bytes {way}", 0) + len(frame)


def sweep(tab: Any, moves: int, traffic: dict[str, int]) -> dict[str, Any]:
    """Return times and traffic of moves of one slider."""
    tab.evaluate(SWEEP, {"label": "C1", "moves": min(10, moves)})
    traffic.clear()
    times = tab.evaluate(SWEEP, {"label": "C1", "moves": moves})
    return {
        "moves": moves,
        "median_ms": float(np.median(times)),
        "p95_ms": float(np.percentile(times, 95)),
        "largest_ms": float(np.max(times)),
        "per_move": {name: count / moves for name, count in sorted(traffic.items())},
    }


def memory(tab: Any, pid: int, moves: int) -> list[dict[str, float]]:
    """Return the memory of server and page at four moments of many moves."""
    found = []
    for part in range(5):
        if part:
            for label in ("C1", "gamma"):
                tab.evaluate(SWEEP, {"label": label, "moves": moves // 8})
        found.append(
            {
                "moves": part * (moves // 8) * 2,
                "server_megabytes": megabytes(pid),
                "page_megabytes": heap_megabytes(tab),
            }
        )
    return found


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a few moves only")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    options = parser.parse_args()
    moves, many = (5, 8) if options.smoke else (N_MOVES, N_MOVES_FOR_MEMORY)
    results: dict[str, Any] = {"sweeps": {}}
    with served() as (address, pid), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        for name, place in PLACES.items():
            traffic: dict[str, int] = {}
            tab = opened(browser, address, place, traffic)
            results["sweeps"][name] = found = sweep(tab, moves, traffic)
            tab.close()
            print(
                f"{name}: median {found['median_ms']:.0f} ms, 95% {found['p95_ms']:.0f} ms, ",
                end="",
            )
            print(f"{found['per_move']['bytes received'] / 1024:.0f} KiB per move")
        tab = opened(browser, address, PLACES["500 samples"], {})
        tab.evaluate(SWEEP, {"label": "C1", "moves": moves})
        results["memory"] = memory(tab, pid, many)
        for entry in results["memory"]:
            print(
                f"after {entry['moves']} moves: server {entry['server_megabytes']:.1f} MiB, "
                f"page {entry['page_megabytes']:.2f} MiB"
            )
        browser.close()
    save("explore", results, options.out)


if __name__ == "__main__":
    main()
