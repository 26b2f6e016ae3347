"""Files that a page sends: they wait here until a request on its web socket takes them."""

from __future__ import annotations

import secrets
import threading
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bandsvm._workflow.source import MAX_FILE_BYTES, FileTooLargeError, check_size

# Files that wait at a time: a page takes its own at once, so more have been forgotten.
MAX_WAITING = 4
BYTES_OF_KEY = 16
MAX_LENGTH_OF_NAME = 255
# The body is larger than the server takes.
TOO_LARGE = 413


class Upload(NamedTuple):
    """A file that a page has sent."""

    name: str
    content: bytes


class Uploads:
    """Files that wait, each under a key that only its page knows; safe from any thread."""

    def __init__(self, max_file_size: int = MAX_FILE_BYTES) -> None:
        self._max_file_size = max_file_size
        self._waiting: dict[str, Upload] = {}
        self._lock = threading.Lock()

    def add(self, upload: Upload) -> str:
        """Keep a file and return its key; the oldest one that waits may have to go."""
        key = secrets.token_urlsafe(BYTES_OF_KEY)
        with self._lock:
            self._waiting[key] = upload
            while len(self._waiting) > MAX_WAITING:
                del self._waiting[next(iter(self._waiting))]
        return key

    def take(self, key: str) -> Upload:
        """Return a file and forget it."""
        with self._lock:
            upload = self._waiting.pop(key, None)
        if upload is None:
            raise ValueError("The uploaded file is no longer there; choose it again.")
        return upload

    async def receive(self, request: Request) -> Response:
        """Take the body of a request as a file; its name is in the header X-File-Name."""
        sent = unquote(request.headers.get("x-file-name", ""))
        name = PurePosixPath(sent.replace("\\", "/")).name[:MAX_LENGTH_OF_NAME] or "file"
        pieces, n_bytes = [], 0
        try:
            check_size(name, int(request.headers.get("content-length", "0")), self._max_file_size)
            async for piece in request.stream():
                n_bytes += len(piece)
                check_size(name, n_bytes, self._max_file_size)
                pieces.append(piece)
        except FileTooLargeError as error:
            return JSONResponse({"message": str(error)}, TOO_LARGE)
        return JSONResponse({"upload": self.add(Upload(name, b"".join(pieces)))})
