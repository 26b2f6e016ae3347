"""Long work that somebody watches."""

import threading
import warnings

import pytest

from bandsvm._workflow.work import collected_warnings


def test_warnings_are_collected_by_the_thread_that_gave_them():
    both = threading.Barrier(2)
    noted = {}

    def give(name):
        with collected_warnings() as said:
            both.wait()
            for _ in range(3):
                warnings.warn(f"from {name}", UserWarning, stacklevel=1)
            both.wait()
        noted[name] = said

    threads = [threading.Thread(target=give, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert noted == {"a": ["from a"], "b": ["from b"]}
    with pytest.raises(UserWarning, match="as before"):
        warnings.warn("as before", UserWarning, stacklevel=1)
