"""Errors as data: which parameter breaks which rule, its value, and what to do about it.

Python, the shell and the page call the same parameter by different names. They render the same
error with their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Returns what a surface calls a parameter.
Naming = Callable[[str], str]
# Stands for "the rule says it all".
NO_VALUE: Any = type("NoValue", (), {"__repr__": lambda self: "NO_VALUE"})()


def python_name(parameter: str) -> str:
    """Return a parameter as Python calls it."""
    return parameter


def literal(text: str) -> str:
    """Return text from outside as part of a rule or a cure; its braces name no parameters."""
    return text.replace("{", "{{").replace("}", "}}")


class _Names(dict[str, str]):
    """Formats ``{parameter}`` as a surface calls it."""

    def __init__(self, name: Naming) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, parameter: str) -> str:
        return self._name(parameter)


def rendered(text: str, name: Naming) -> str:
    """Return a rule or a cure with parameters named as a surface names them."""
    return text.format_map(_Names(name))


class AdvisedError(Exception):
    """A parameter, by its name in Python, breaks a rule with its value.

    The ``rule`` is what must hold, such as ``"must be greater than 0"``; the ``cure`` is a reason,
    or what to do. Both mention other parameters as ``{rho1}``, so that each surface can name them.
    ``of`` is the part of the parameter that is concerned, such as ``" of class 'a'"``.
    """

    def __init__(
        self, parameter: str, rule: str, value: Any = NO_VALUE, cure: str = "", of: str = ""
    ) -> None:
        # All arguments go to BaseException, so that errors can be pickled.
        super().__init__(parameter, rule, value, cure, of)
        self.parameter, self.rule, self.value = parameter, rule, value
        self.cure, self.of = cure, of

    def __str__(self) -> str:
        return self.render()

    def render(self, name: Naming = python_name) -> str:
        """Return the error as a sentence, with parameters named as a surface names them."""
        text = f"{name(self.parameter)}{self.of} {rendered(self.rule, name)}"
        if self.value is not NO_VALUE:
            text += f", got {self.value!r}"
        if self.cure:
            text += f"; {rendered(self.cure, name)}"
        return f"{text}."


class ParameterError(AdvisedError, ValueError):
    """A parameter has a value that it must not have."""


class ParameterTypeError(AdvisedError, TypeError):
    """A parameter has a value of the wrong type."""
