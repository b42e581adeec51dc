"""Receive job events without blocking the event loop, by the rules of `events.py`."""

import asyncio
from collections.abc import AsyncIterator
from typing import Self

from signet.client import http1
from signet.client.answers import JobEvent
from signet.client.async_transport import connected
from signet.client.errors import ConnectionBroken, DaemonSilent
from signet.client.stream import SILENT_SECONDS, Listening, Reading
from signet.client.target import Target

_CHUNK = 65_536


class AsyncEvents(Listening):
    """The asynchronous `Events`: `async for`, `await wait(seconds)`, `async with`."""

    def __init__(self, target: Target, after: str | None = None) -> None:
        super().__init__(target, after)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter, Reading] | None = None

    async def listen(self) -> Self:
        """Return when every later event will be received; `async with` calls it."""
        try:
            async with asyncio.timeout(self._target.seconds):
                while self._place.after is None:
                    await self._receive()
        except TimeoutError as error:
            self.close()
            raise DaemonSilent() from error
        return self

    async def wait(self, seconds: float | None = None) -> JobEvent | None:
        """Return the next event, None after the timeout; raises what `Events.wait` raises."""
        try:
            async with asyncio.timeout(seconds):
                while not self._heard:
                    await self._receive()
        except TimeoutError:
            return None
        return self._heard.popleft()

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None

    async def __aiter__(self) -> AsyncIterator[JobEvent]:
        while (event := await self.wait()) is not None:
            yield event

    async def __aenter__(self) -> Self:
        return await self.listen()

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def _receive(self) -> None:
        reader, _, reading = await self._open()
        try:
            data = await asyncio.wait_for(reader.read(_CHUNK), SILENT_SECONDS)
        except OSError:  # broken, or silent for too long
            data = b""
        try:
            told = map(self._place.take, reading.feed(data))
            self._heard.extend(event for event in told if event is not None)
        except BaseException:
            self.close()
            raise
        if reading.is_over:
            self.close()

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Reading]:
        if self._streams is None:
            call = self._place.call
            try:
                reader, writer, target = await connected(self._target)
                writer.write(http1.request(target, call))
            except TimeoutError as error:
                raise DaemonSilent() from error
            except OSError as error:
                raise ConnectionBroken(f"The connection to {self._target.url} broke") from error
            self._streams = reader, writer, Reading(self._target, call)
        return self._streams
