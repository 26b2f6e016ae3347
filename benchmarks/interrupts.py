"""How long Ctrl-C takes to end a fit, at random moments, and whether a resumed fit gets there."""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
import warnings

import numpy as np

from bandsvm import BandedSVC
from data import data_sets, has_real_data, real
from measure import save, seconds_of

N_MOMENTS = 50
N_RESUMED = 5


def main() -> None:
    """Interrupt fits, and resume some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tiny problem, three moments")
    quick = parser.parse_args().quick
    n_moments = 3 if quick else N_MOMENTS
    large = has_real_data() and not quick
    if large:
        data = real("ijcnn1 20k", "ijcnn1", 20_000, False)
    else:
        data = next(data_sets(["generated 5k"]))
    settings = {"C1": 10.0, "C2": 10.0, "gamma": 10.0 * data.gamma}
    warnings.simplefilter("ignore")
    whole = BandedSVC(**settings)
    duration = min(seconds_of(lambda: whole.fit(data.X, data.y)) for _ in range(2))
    rng = np.random.default_rng(0)
    latencies, resumed = [], []
    while len(latencies) < n_moments:
        model = BandedSVC(**settings, warm_start=True)
        pressed: list[float] = []

        def press(pressed: list[float] = pressed) -> None:
            pressed.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(rng.uniform(0.0, 0.9 * duration), press)
        timer.start()
        try:
            model.fit(data.X, data.y)
            ended = time.perf_counter()
            timer.join()
        except KeyboardInterrupt:
            # The fit was over before the moment came.
            continue
        if not pressed or pressed[0] > ended:
            continue
        latencies.append(ended - pressed[0])
        if len(resumed) < N_RESUMED:
            model.fit(data.X, data.y)
            excess = model.certificate_.primal / whole.certificate_.primal - 1.0
            resumed.append({"excess": excess, "is_optimal": model.certificate_.is_optimal})
    results = {
        "data": data.label,
        "duration": duration,
        "latencies": latencies,
        "resumed": resumed,
        "gap": whole.certificate_.relative_gap,
    }
    print(f"{len(latencies)} fits of {duration:.2f} s, latency up to {max(latencies):.3f} s")
    print(resumed)
    save("interrupts", results)


if __name__ == "__main__":
    main()
