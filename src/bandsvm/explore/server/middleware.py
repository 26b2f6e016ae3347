"""Who may talk to the server, and what a browser may do with its answers."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A page from elsewhere may resolve its own name to this machine; it cannot forge the Host header.
LOCAL_NAMES = ("127.0.0.1", "localhost")
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        # Pictures to save are drawn from SVG on a canvas.
        "img-src 'self' blob: data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
SAFE_METHODS = ("GET", "HEAD")
# What RFC 6455 provides for a server that refuses on principle.
POLICY_VIOLATION = 1008


class TokenMiddleware:
    """Lets through requests from this machine that know the token; adds headers to all answers.

    The token comes with the first address and then from a cookie, so that it stays out of the
    address bar. Browsers share cookies among ports, hence a name for each token.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token
        self.cookie = "bandsvm-" + hashlib.sha256(token.encode()).hexdigest()[:12]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        reason = self._refusal(request)
        if scope["type"] == "websocket":
            if reason:
                await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": reason})
            else:
                await self._app(scope, receive, send)
            return
        answer: Any = self._app
        if reason:
            answer = PlainTextResponse(reason, status_code=403)
        elif request.query_params.get("token"):
            answer = RedirectResponse("/", status_code=303)
            answer.set_cookie(self.cookie, self._token, httponly=True, samesite="lax")
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, request: HTTPConnection) -> str:
        """Return why a request is refused, or an empty string."""
        scope, host = request.scope, request.headers.get("host", "")
        if _parts(f"//{host}")[0] not in LOCAL_NAMES:
            return "This server answers to 127.0.0.1 and localhost only."
        is_safe = scope["type"] == "http" and scope["method"] in SAFE_METHODS
        origin = request.headers.get("origin")
        # Browsers always send it here; other programs may leave it out.
        if not is_safe and origin is not None and _parts(origin)[1] != host:
            return "This request comes from another page."
        given = request.query_params.get("token", "") or request.cookies.get(self.cookie, "")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            return (
                "This page needs a token: open the whole address that `bandsvm explore` printed "
                "when it started."
            )
        return ""


def _parts(address: str) -> tuple[str | None, str]:
    """Return the name of an address's machine, and the same with its port; None if it has none."""
    try:
        parts = urlsplit(address)
        return parts.hostname, parts.netloc
    except ValueError:
        return None, ""


def _with_headers(send: Send) -> Send:
    """Return a function that sends what ``send`` does, with the headers of this page."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return send_with_headers
