"""Starts the server of ``bandsvm explore`` on this machine and opens the browser."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

# Requests hold parameters and drawn points; files come by other ways.
MAX_MESSAGE_SIZE = 1 << 20
ADDRESS = "127.0.0.1"
# Seconds that open pages get to say goodbye when the server ends.
SECONDS_TO_CLOSE = 1


def require_extra() -> None:
    """Raise unless the packages that serve the page are installed."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "bandsvm explore needs starlette, uvicorn and websockets; install them with: "
            "pip install 'bandsvm[explore]'."
        ) from error


def listen(port: int) -> socket.socket:
    """Return a socket on this machine; port 0 is any that is free."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise ValueError(
            f"--port {port} cannot be used: {error.strerror}; choose another, or leave --port out."
        ) from error
    return listening


class PageServer:
    """The server: its address is known, and answered, from the beginning.

    Port 0 is any that is free; requests must know the token, by default a random one. ``settings``
    are those of `bandsvm.explore.server.sessions.Settings`.
    """

    def __init__(self, port: int = 0, token: str | None = None, **settings: Any) -> None:
        require_extra()
        import uvicorn

        from bandsvm.explore.server.app import make_app, make_token
        from bandsvm.explore.server.sessions import Settings

        self.token = token or make_token()
        self._socket = listen(port)
        self.port: int = self._socket.getsockname()[1]
        self._app = make_app(self.token, Settings(**settings))
        config = uvicorn.Config(
            self._app,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE_SIZE,
            timeout_graceful_shutdown=SECONDS_TO_CLOSE,
        )
        self._server = uvicorn.Server(config)

    def address(self, place: str = "") -> str:
        """Return the address of a place in the page, token included."""
        return f"http://{ADDRESS}:{self.port}/?token={self.token}" + (f"#{place}" if place else "")

    def run(self) -> None:
        """Serve until Ctrl-C or `stop`."""
        try:
            with self._socket:
                self._server.run(sockets=[self._socket])
        finally:
            self._app.state.sessions.close()

    def stop(self) -> None:
        """End `run`; safe from any thread."""
        self._server.should_exit = True


def open_browser(address: str, say: Callable[[str], None]) -> None:
    """Open the browser without waiting for it; say so if there is none."""

    def attempt() -> None:
        try:
            is_open = webbrowser.open(address)
        except webbrowser.Error:
            is_open = False
        if not is_open:
            say("No browser could be started here: open the address yourself.")

    threading.Thread(target=attempt, daemon=True).start()
