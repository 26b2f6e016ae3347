"""The commit at which a study runs, for its results and its page."""

import subprocess
from pathlib import Path


def current_commit() -> str:
    """Return the commit of this repository, with its date; nothing outside a repository."""
    command = ("git", "-C", str(Path(__file__).parent), "log", "-1", "--format=%h, %as")
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
