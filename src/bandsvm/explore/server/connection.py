"""One page's web socket: requests come in as JSON, responses go out as frames."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.requests import Channel, Handler, Request
from bandsvm.explore.server.responses import Response, pack
from bandsvm.explore.server.sessions import Session, Sessions

# Channels that one page may use at a time: one per picture, with room to spare.
MAX_CHANNELS = 32
MAX_LENGTH_OF_CHANNEL = 64
MAX_LENGTH_OF_KEY = 64


class Connection:
    """Everything that belongs to one page; ``handlers`` answer each kind of request."""

    def __init__(
        self, socket: WebSocket, sessions: Sessions, handlers: Mapping[str, Handler]
    ) -> None:
        self._socket, self._sessions, self._handlers = socket, sessions, handlers
        self._channels: dict[str, Channel] = {}
        self._sending = asyncio.Lock()

    async def serve(self) -> None:
        """Answer requests until the page is gone."""
        key = self._key("session")
        session = await self._sessions.enter(key, self._key("before"))
        try:
            await self._socket.accept()
            while True:
                text = await self._socket.receive_text()
                await self._take(text, session)
        except (WebSocketDisconnect, KeyError):
            pass  # KeyError: a binary message, which no page of ours sends
        finally:
            self._cancel_all()
            self._sessions.leave(key, session)

    def _key(self, name: str) -> str:
        """Return a key of a session, as the page's address of the socket has it."""
        return self._socket.query_params.get(name, "")[:MAX_LENGTH_OF_KEY]

    async def _take(self, text: str, session: Session) -> None:
        """Pass a request on to its channel, or refuse it."""
        number = 0
        try:
            sent = Fields(json.loads(text))
            number = sent.whole("id", 0, 2**53)
            kind = sent.choice("kind", tuple(self._handlers))
            name = sent.text("channel", MAX_LENGTH_OF_CHANNEL)
            if name not in self._channels and len(self._channels) >= MAX_CHANNELS:
                raise ValueError(f"A page may use at most {MAX_CHANNELS} channels.")
            request = Request(number, kind, sent.group("fields"), session)
        except (ValueError, RecursionError) as error:
            await self._send(pack("error", number, Response({"message": str(error)})))
            return
        loop = asyncio.get_running_loop()

        def report(values: dict[str, Any]) -> None:
            frame = pack("progress", number, Response(values))
            asyncio.run_coroutine_threadsafe(self._send(frame), loop)

        request.report = report
        channel = self._channels.setdefault(name, Channel(self._handle, self._send))
        await channel.ask(request)

    def _handle(self, request: Request) -> Response:
        return self._handlers[request.kind](request)

    async def _send(self, frame: bytes) -> None:
        """Send a frame; a page that is gone misses nothing."""
        async with self._sending:
            try:
                await self._socket.send_bytes(frame)
            except (WebSocketDisconnect, RuntimeError):
                self._cancel_all()

    def _cancel_all(self) -> None:
        for channel in self._channels.values():
            channel.cancel()
