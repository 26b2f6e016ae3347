"""A client of Dask that runs every task at once in this process: one page instead of a cluster.

What the package asks of a cluster is checked with it on many problems, and on a real cluster with
few.
"""

import pickle
import uuid

import dask.array as da
from distributed import Client

import dask


class InlineFuture:
    """The result of a task that was run when it was submitted."""

    def __init__(self, value):
        self.key, self.value = uuid.uuid4().hex, value

    def done(self):
        return True

    def result(self):
        return self.value

    def __getitem__(self, rows):
        """Return some rows, as of the array that a scheduler would put in its place."""
        return self.value[rows]


class InlineClient(Client):
    """Runs tasks where they are submitted, and sends all that they get and return as bytes."""

    def __init__(self):
        self.n_tasks = 0

    def __del__(self):
        """There is nothing to close."""

    def __repr__(self):
        return "InlineClient()"

    def run(self, function, *args, on_error):
        return {}

    def who_has(self, futures):
        return {}

    def submit(self, function, *args, pure, **where):
        self.n_tasks += 1
        args = pickle.loads(pickle.dumps([_value(argument) for argument in args]))
        return InlineFuture(function(*args))

    def compute(self, calls):
        return [InlineFuture(value) for value in dask.compute(*calls, scheduler="sync")]


def _value(argument):
    if isinstance(argument, InlineFuture):
        return argument.value
    return [_value(item) for item in argument] if isinstance(argument, list) else argument


def in_chunks(n_chunks, *arrays):
    """Return arrays as Dask arrays, in about equal chunks of rows."""
    size = -(-len(arrays[0]) // n_chunks)
    return [da.from_array(a, chunks=(size, *a.shape[1:])) for a in arrays]
