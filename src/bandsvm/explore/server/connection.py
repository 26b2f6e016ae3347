"""One page's web socket: requests come in as JSON, answers go out as frames."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from bandsvm.explore.server.answers import ANSWERS
from bandsvm.explore.server.frames import Answer, pack
from bandsvm.explore.server.requests import Fields
from bandsvm.explore.server.sessions import Sessions
from bandsvm.explore.server.wishes import Channel, Wish

# Channels that one page may use at a time: one per picture, with room to spare.
MAX_CHANNELS = 32
LONGEST_CHANNEL_NAME = 64
LONGEST_SESSION_KEY = 64


class Connection:
    """Everything that belongs to one page; pages share nothing but the server."""

    def __init__(self, socket: WebSocket, sessions: Sessions) -> None:
        self._socket, self._sessions = socket, sessions
        self._channels: dict[str, Channel] = {}
        self._session: dict[str, Any] = {}
        self._sending = asyncio.Lock()

    async def serve(self) -> None:
        """Answer requests until the page is gone."""
        key = self._key("session")
        self._session = await self._sessions.enter(key, self._key("before"))
        try:
            await self._socket.accept()
            while True:
                text = await self._socket.receive_text()
                await self._take(text)
        except (WebSocketDisconnect, KeyError):
            pass  # KeyError: a binary message, which no page of ours sends
        finally:
            for channel in self._channels.values():
                channel.cancel()
            self._sessions.leave(key, self._session)

    def _key(self, name: str) -> str:
        """Return a key of a session, as the page's address of the socket has it."""
        return self._socket.query_params.get(name, "")[:LONGEST_SESSION_KEY]

    async def _take(self, text: str) -> None:
        """Pass a request on to its channel, or refuse it."""
        number = 0
        try:
            request = json.loads(text)
            fields = Fields(request)
            number = fields.whole("id", 0, 2**53)
            kind = fields.choice("kind", tuple(ANSWERS))
            name = fields.text("channel", LONGEST_CHANNEL_NAME)
            if name not in self._channels and len(self._channels) >= MAX_CHANNELS:
                raise ValueError(f"A page may use at most {MAX_CHANNELS} channels.")
            wish = Wish(number, kind, fields.group("fields"), self._session)
        except (ValueError, RecursionError) as error:
            await self._send(pack("error", number, Answer({"message": str(error)})))
            return
        loop = asyncio.get_running_loop()

        def report(values: dict[str, Any]) -> None:
            frame = pack("progress", number, Answer(values))
            asyncio.run_coroutine_threadsafe(self._send(frame), loop)

        wish.report = report
        channel = self._channels.setdefault(name, Channel(_answer, self._send))
        await channel.ask(wish)

    async def _send(self, frame: bytes) -> None:
        """Send a frame; a page that is gone misses nothing."""
        async with self._sending:
            try:
                await self._socket.send_bytes(frame)
            except (WebSocketDisconnect, RuntimeError):
                for channel in self._channels.values():
                    channel.cancel()


def _answer(wish: Wish) -> Answer:
    return ANSWERS[wish.kind](wish)
