"""What a model expects of a table, and what its file remembers of the one it was trained on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# What a model file is believed: so many names, of so many characters.
MAX_NAMES, MAX_NAME_LENGTH = 100, 1000


@dataclass(frozen=True)
class Notes:
    """What a model file remembers of its training data, beside the model."""

    target: str | None = None  # the column of labels
    ids: tuple[str, ...] = ()  # columns that predictions repeat
    is_zero_based: bool = False  # whether features in svmlight files count from 0

    def as_json(self) -> dict[str, Any]:
        """Return the notes as a model file holds them."""
        held = {
            "target": self.target,
            "ids": list(self.ids),
            "zero_based": self.is_zero_based,
        }
        return {name: value for name, value in held.items() if value}

    @classmethod
    def from_json(cls, held: Any) -> Notes:
        """Return the notes of a model file; what is not a note is ignored."""
        held = held if isinstance(held, dict) else {}
        target, ids = held.get("target"), held.get("ids")
        names = ids[:MAX_NAMES] if isinstance(ids, list) else []
        return cls(
            target if _is_name(target) else None,
            tuple(name for name in names if _is_name(name)),
            held.get("zero_based") is True,
        )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME_LENGTH


@dataclass(frozen=True)
class Expected:
    """What a model expects of a table."""

    n_features: int  # features that it takes
    names: list[str] | None  # their names, in its order
    texts: frozenset[str]  # those of them that hold text
    takes_missing: bool  # whether it fills in missing numbers
    takes_frames: bool  # whether it takes columns by name, as in a data frame of pandas
    classes: list[str]  # its classes, as text
    notes: Notes = field(default_factory=Notes)  # what its file remembers
