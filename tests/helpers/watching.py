"""Observers that let something happen during a fit."""

from bandsvm._fitting.run import Observer


class AtStep(Observer):
    """Calls something once, after so many steps of a fit; the start of a problem is one of them."""

    may_interleave = True

    def __init__(self, number, action):
        self.n_steps, self._number, self._action = 0, number, action

    def step(self, run):
        self.n_steps += 1
        if self.n_steps == self._number:
            self._action()


class AfterEveryStep(Observer):
    """Calls something after every step."""

    may_interleave = True

    def __init__(self, action=lambda: None):
        self.n_steps, self._action = 0, action

    def step(self, run):
        self.n_steps += 1
        self._action()
