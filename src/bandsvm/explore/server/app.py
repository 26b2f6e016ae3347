"""The application: the page's files, uploads, and what answers requests on the web socket."""

from __future__ import annotations

import secrets
from pathlib import Path

from starlette import requests, responses
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from bandsvm.explore.server import data, model, play
from bandsvm.explore.server.connection import Connection
from bandsvm.explore.server.middleware import TokenMiddleware
from bandsvm.explore.server.requests import Handler
from bandsvm.explore.server.sessions import Sessions, Settings
from bandsvm.explore.server.uploads import Uploads

PAGE = Path(__file__).parents[1] / "page"
BYTES_OF_TOKEN = 24
# What answers each kind of request; a new kind is one line.
HANDLERS: dict[str, Handler] = {
    "play.fit": play.fit,
    "play.code": play.code,
    "data.check": data.check,
    "data.open": data.open_file,
    "data.columns": data.columns,
    "data.fit": data.fit,
    "data.watch": data.watch,
    "data.stop": data.stop,
    "data.view": data.view,
    "data.path": data.compute_path,
    "data.csv": data.samples_file,
    "data.code": data.code,
    "data.report": data.report_file,
    "data.model": data.model_file,
    "model.open": model.open_file,
    "model.data": model.predict_file,
    "model.view": model.view,
    "model.csv": model.samples_file,
}


def make_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(BYTES_OF_TOKEN)


def make_app(token: str, settings: Settings) -> Starlette:
    """Return the application; its ``state.sessions`` is to be closed in the end."""
    uploads = Uploads(settings.max_file_size)
    sessions = Sessions(settings, uploads)

    async def index(request: requests.Request) -> responses.Response:
        return responses.FileResponse(PAGE / "index.html")

    async def socket(socket: WebSocket) -> None:
        await Connection(socket, sessions, HANDLERS).serve()

    routes: list[BaseRoute] = [
        Route("/", index),
        WebSocketRoute("/socket", socket),
        Route("/upload", uploads.receive, methods=["POST"]),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(TokenMiddleware, token=token)])
    app.state.sessions = sessions
    return app
