"""What readers say about a file: what they found and, apart from it, what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from bandsvm._system.advice import AdvisedError, Naming, python_name, rendered


@dataclass(frozen=True)
class Remark:
    """A sentence about a file."""

    found: str  # what was found
    # What to do about it. Fields of `ReadOptions` are mentioned in braces, as ``{target}``, so that
    # each surface can name them; see `literal` for text from the file.
    cure: str = ""

    def render(self, name: Naming = python_name) -> str:
        """Return the sentence, with options named as a surface names them."""
        text = f"{self.found}; {rendered(self.cure, name)}" if self.cure else self.found
        return text if text.endswith((".", "?")) else f"{text}."


class DataFileError(AdvisedError, ValueError):
    """A data file that cannot be read, with its name and the line; see `Remark`."""

    def __init__(self, found: str, cure: str = "") -> None:
        Exception.__init__(self, found, cure)
        self.remark = Remark(found, cure)

    def render(self, name: Naming = python_name) -> str:
        """Return the sentence, with options named as a surface names them."""
        return self.remark.render(name)
