"""Receive job events without blocking the event loop: the connection of `events.py`, read in threads."""

import asyncio
from collections.abc import AsyncIterator
from threading import Lock
from typing import Self

from signet.client.answers import JobEvent
from signet.client.asynchronous import in_thread
from signet.client.events import Events
from signet.client.stream import SILENT_SECONDS
from signet.client.target import CallTarget


class AsyncEvents:
    """The asynchronous `Events`: `async for`, `await wait(seconds)`, `async with`."""

    def __init__(self, target: CallTarget, after: str | None = None) -> None:
        self._events = Events(target, after)
        self._reading = Lock()

    @property
    def last_id(self) -> str | None:
        """Return the value for the next `after`."""
        return self._events.last_id

    @property
    def missed(self) -> int:
        """Return how often the daemon could not send all events."""
        return self._events.missed

    async def listen(self) -> Self:
        """Return when every later event will be received; `async with` calls it."""
        await in_thread(self._events.listen)
        return self

    async def wait(self, seconds: float | None = None) -> JobEvent | None:
        """Return the next event, None after the timeout; raises what `Events.wait` raises."""
        try:
            async with asyncio.timeout(seconds):
                while (event := self._events.next()) is None:
                    await in_thread(lambda: self._receive(seconds or SILENT_SECONDS))
                return event
        except TimeoutError:
            return None

    def close(self) -> None:
        """Close the connection."""
        self._events.close()

    async def __aiter__(self) -> AsyncIterator[JobEvent]:
        while (event := await self.wait()) is not None:
            yield event

    async def __aenter__(self) -> Self:
        return await self.listen()

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _receive(self, seconds: float) -> None:
        # The thread of a wait that was cancelled may still read; what it receives is for the next wait.
        with self._reading:
            if not self._events.has_next:
                self._events.receive(seconds)
