"""The application: the page's files and its web socket."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from bandsvm.explore.server.connection import Connection
from bandsvm.explore.server.guard import Guard
from bandsvm.explore.server.sessions import Sessions
from bandsvm.explore.server.uploads import Uploads

PAGE = Path(__file__).parents[1] / "page"
BYTES_OF_TOKEN = 24


def make_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(BYTES_OF_TOKEN)


def make_app(token: str, shared: dict[str, Any] | None = None) -> Starlette:
    """Return the application.

    Parameters
    ----------
    token : str
        What requests must know.
    shared : dict, optional
        What every page's session begins with.

    Returns
    -------
    Starlette
        An ASGI application; its ``state.sessions`` is to be closed in the end.
    """

    async def index(request: Request) -> Response:
        return FileResponse(PAGE / "index.html")

    uploads = Uploads()
    sessions = Sessions({**(shared or {}), "uploads": uploads})

    async def socket(socket: WebSocket) -> None:
        await Connection(socket, sessions).serve()

    routes: list[BaseRoute] = [
        Route("/", index),
        WebSocketRoute("/socket", socket),
        Route("/upload", uploads.receive, methods=["POST"]),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Guard, token=token)])
    app.state.sessions = sessions
    return app
