"""What a model expects of a table, and what its file remembers of the one it was trained on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# What a model file is believed: so many names, of so many characters.
MAX_NAMES, MAX_NAME_LENGTH = 100, 1000


@dataclass(frozen=True)
class Notes:
    """What a model file remembers of its training data, beside the model.

    Parameters
    ----------
    target : str or None
        The column of labels.
    ids : tuple of str
        Columns that predictions repeat.
    is_zero_based : bool
        Whether features in svmlight files count from 0.
    """

    target: str | None = None
    ids: tuple[str, ...] = ()
    is_zero_based: bool = False

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
    """What a model expects of a table.

    Parameters
    ----------
    n_features : int
        Features that it takes.
    names : list of str or None
        Their names, in its order.
    texts : frozenset of str
        Those of them that hold text.
    takes_missing : bool
        Whether it fills in missing numbers.
    takes_frames : bool
        Whether it takes columns by name, as in a data frame of pandas.
    classes : list of str
        Its classes, as text.
    notes : Notes
        What its file remembers.
    """

    n_features: int
    names: list[str] | None
    texts: frozenset[str]
    takes_missing: bool
    takes_frames: bool
    classes: list[str]
    notes: Notes = field(default_factory=Notes)
