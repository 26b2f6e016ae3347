"""Work in a forked child."""

import os
import select
import signal
import warnings

# Seconds after which a child, whose work takes a fraction of one, counts as hung.
PATIENCE = 60.0


def child_holds(function):
    """Return whether a function holds true in a forked child; a child that hangs is killed."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forks of processes with threads
        child = os.fork()
    if child == 0:
        try:
            os.write(writing, b"yes" if function() else b"no")
        finally:
            os._exit(0)
    os.close(writing)
    answered = bool(select.select([reading], [], [], PATIENCE)[0])
    answer = os.read(reading, 3) if answered else b"hung"
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return answer == b"yes"
