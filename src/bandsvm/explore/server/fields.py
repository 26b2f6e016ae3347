"""Fields of a request, each checked before anything uses it."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

MAX_INDEX = 2**31 - 1


class Fields:
    """The fields of a request: JSON from a page, which may be anything."""

    def __init__(self, values: Any) -> None:
        if not isinstance(values, dict):
            raise ValueError(f"A request must be an object, got {type(values).__name__}.")
        self._values = values

    def number(self, name: str, low: float = -math.inf, high: float = math.inf) -> float:
        """Return a finite number from ``low`` to ``high``."""
        value: Any = self._values.get(name)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        # Whole numbers in JSON may be too large for a float.
        is_finite = is_number and abs(value) <= sys.float_info.max
        if not (is_finite and low <= value <= high):
            within = "" if low == -math.inf else f" from {low:g} to {high:g}"
            raise ValueError(f"{name} must be a number{within}, got {_short(value)}.")
        return float(value)

    def number_or(self, name: str, words: Sequence[str]) -> float | str:
        """Return a finite number, or one of some words."""
        value: Any = self._values.get(name)
        return value if value in words else self.number(name)

    def numbers(self, name: str, max_length: int) -> tuple[float, ...]:
        """Return at most ``max_length`` finite numbers."""
        return tuple(Fields({name: value}).number(name) for value in self._list(name, max_length))

    def whole(self, name: str, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``."""
        value = self.number(name, low, high)
        if value != int(value):
            raise ValueError(f"{name} must be a whole number, got {_short(value)}.")
        return int(value)

    def index(self, name: str) -> int:
        """Return a whole number that counts from 0."""
        return self.whole(name, 0, MAX_INDEX)

    def indices(self, name: str, max_length: int) -> tuple[int, ...]:
        """Return at most ``max_length`` whole numbers that count from 0."""
        return tuple(Fields({name: value}).index(name) for value in self._list(name, max_length))

    def _list(self, name: str, max_length: int) -> list[Any]:
        values = self._values.get(name)
        if not isinstance(values, list) or len(values) > max_length:
            raise ValueError(
                f"{name} must be a list of at most {max_length}, got {_short(values)}."
            )
        return values

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self._values.get(name)
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false, got {_short(value)}.")
        return value

    def text(self, name: str, max_length: int = 1000) -> str:
        """Return a text."""
        value = self._values.get(name)
        if not isinstance(value, str) or len(value) > max_length:
            raise ValueError(
                f"{name} must be a text of at most {max_length} characters, got {_short(value)}."
            )
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return one of some names."""
        value: Any = self._values.get(name)
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, got {_short(value)}.")
        return value

    def group(self, name: str) -> Fields:
        """Return a field that has fields of its own."""
        return Fields(self._values.get(name))

    def names(self) -> list[str]:
        """Return the names of all fields."""
        return list(self._values)

    def has(self, name: str) -> bool:
        """Return whether a field was sent and is not null."""
        return self._values.get(name) is not None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "..."
