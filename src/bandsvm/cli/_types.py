"""What values of options must be: numbers within limits, names, lists."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

# Values that one option of a search may ask for.
MAX_VALUES = 100
# As a name of a kernel: show all names.
LIST_KERNELS = "list"
MAX_PORT = 65535
MIN_TOKEN_LENGTH = 8


def _require(holds: bool, rule: str, value: Any) -> None:
    """Raise with a rule unless it holds."""
    if not holds:
        raise argparse.ArgumentTypeError(f"must {rule}, got {value!r}")


def positive_whole(text: str) -> int:
    """Return a whole number greater than 0."""
    value = int(text) if text.isdecimal() else 0
    _require(value >= 1, "be a whole number greater than 0", text)
    return value


def folds(text: str) -> int:
    """Return a number of folds."""
    value = positive_whole(text)
    _require(value >= 2, "be at least 2", text)
    return value


def number(text: str) -> float:
    """Return a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    _require(math.isfinite(value), "be a number", text)
    return value


def positive(text: str) -> float:
    """Return a number greater than 0."""
    value = number(text)
    _require(value > 0.0, "be greater than 0", text)
    return value


def cost(text: str) -> float:
    """Return a number greater than 0, which may be infinite."""
    return math.inf if text.lower() == "inf" else positive(text)


def at_least_zero(text: str) -> float:
    """Return a number that is not negative."""
    value = number(text)
    _require(value >= 0.0, "be at least 0", text)
    return value


def sides(text: str) -> float | tuple[float, ...]:
    """Return a number that is not negative, or two of them: below and above."""
    values = tuple(at_least_zero(part.strip()) for part in text.split(","))
    _require(len(values) <= 2, "be a number, or two: BELOW,ABOVE", text)
    return values[0] if len(values) == 1 else values


def quantiles(text: str) -> float | tuple[float, ...]:
    """Return a number between 0 and 1, or several that differ."""
    values = tuple(number(part.strip()) for part in text.split(","))
    _require(all(0.0 < value < 1.0 for value in values), "lie between 0 and 1", text)
    _require(len(set(values)) == len(values) <= MAX_VALUES, "be different numbers", text)
    return values[0] if len(values) == 1 else values


def gamma(text: str) -> float | str:
    """Return gamma: a number, or how it follows from the samples."""
    return text if text in ("scale", "auto") else at_least_zero(text)


def kernel(text: str) -> str:
    """Return the name of a kernel, or `LIST_KERNELS`."""
    # Here and not above: --help need not wait for NumPy.
    from bandsvm._kernels import available_kernels

    names = available_kernels()
    _require(text in (*names, LIST_KERNELS), f"be one of {', '.join(names)}", text)
    return text


class KernelAction(argparse.Action):
    """Sets the kernel; for the name `LIST_KERNELS`, prints all names and ends the command."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Take a name."""
        if values == LIST_KERNELS:
            from bandsvm._kernels import available_kernels

            print("\n".join(available_kernels()))
            parser.exit()
        setattr(namespace, self.dest, values)


def grid(one: Callable[[str], Any], text: str) -> list[Any]:
    """Return the values that an option of a search asks for, each as ``one`` takes it."""
    parts = text.split(":")
    if len(parts) == 1:
        values = [one(part.strip()) for part in text.split(",")]
        _require(len(values) <= MAX_VALUES, f"be at most {MAX_VALUES} values", len(values))
        return values
    n_values = int(parts[2]) if len(parts) == 3 and parts[2].isdecimal() else 0
    rule = f"be FROM:TO:HOW_MANY with 2 to {MAX_VALUES} values, such as 0.1:1000:9"
    _require(2 <= n_values <= MAX_VALUES, rule, text)
    low, high = positive(parts[0]), positive(parts[1])
    _require(low < high, "go from a lower to a higher value", text)
    step = math.log(high / low) / (n_values - 1)
    return [low, *(low * math.exp(k * step) for k in range(1, n_values - 1)), high]


def port(text: str) -> int:
    """Return a port."""
    value = int(text) if text.isdecimal() else -1
    rule = f"be a number from 1 to {MAX_PORT}, or 0 for any free port"
    _require(0 <= value <= MAX_PORT, rule, text)
    return value


def token(text: str) -> str:
    """Return a token that an address can hold."""
    is_plain = text.isascii() and all(char.isalnum() or char in "-_" for char in text)
    rule = f"be at least {MIN_TOKEN_LENGTH} letters, digits, - or _"
    _require(is_plain and len(text) >= MIN_TOKEN_LENGTH, rule, text)
    return text
