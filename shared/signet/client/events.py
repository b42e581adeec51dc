"""Receive events of jobs and tasks from a stream of the daemon."""

import contextlib
import json
import socket
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Self, cast

from signet.client import http1
from signet.client.answers import JobEvent
from signet.client.call import Call, answer, ask
from signet.client.errors import ConnectionBroken, DaemonSilent
from signet.client.http1 import Malformed, reply, take_chunks
from signet.client.target import CallTarget
from signet.client.transport import connected
from signet.errors import SignetError
from signet.wire import jobs, tasks

_CHUNK = 65_536
#: The daemon sends something more often than this; a connection silent for three times as long is dead.
SILENT_SECONDS = 45.0
#: Events to remember, because the daemon may repeat the last ones after a reconnect.
REMEMBERED = 4_000
#: Maximum length of a header line or an event.
_MOST = 1_000_000


@dataclass(slots=True)
class StreamPosition:
    """A listener's position: the ID to continue after, and how often events were missed."""

    after: str | None = None
    missed: int = 0
    _heard: OrderedDict[tuple[object, ...], None] = field(default_factory=OrderedDict)

    @property
    def call(self) -> Call[Any]:
        """Return the request that continues here."""
        return ask(jobs.JOB_STREAM, after=self.after)

    def take(self, message: dict[str, str]) -> JobEvent | None:
        """Return the event in a message, None for a known one or none."""
        self.after = message.get("id", self.after)
        what = message.get("event")
        if what == "missed":
            self.missed += 1
        if what in ("missed", "ready") or "data" not in message:
            return None
        event = cast("JobEvent", json.loads(message["data"]))
        key = (event["id"], event["event"], event["attempts"], event["at"])
        if key in self._heard:
            return None
        self._heard[key] = None
        while len(self._heard) > REMEMBERED:
            self._heard.popitem(last=False)
        return event


@dataclass(slots=True)
class StreamReading:
    """Data received over one connection."""

    target: CallTarget
    call: Call[Any]
    is_over: bool = False
    _received: bytearray = field(default_factory=bytearray)
    _has_head: bool = False
    _is_chunked: bool = False
    _text: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[dict[str, str]]:
        """Yield newly completed messages; empty data is the end. Raises the error of a refusal."""
        self._received += data
        if not self._has_head and not self._take_head(is_end=not data):
            return
        self.is_over = self.is_over or not data
        self._take_chunks()
        while (end := self._text.find(b"\n\n")) >= 0:
            lines = self._text[:end].decode("utf-8", "replace").split("\n")
            del self._text[: end + 2]
            fields = [line.partition(":") for line in lines]
            if message := {name: value.removeprefix(" ") for name, _, value in fields if name}:
                yield message
        if len(self._text) > _MOST:
            raise ConnectionBroken(f"{self.target.url} does not send events")

    def _take_head(self, *, is_end: bool) -> bool:
        """Remove a complete header; a refusal is complete at the end of the connection."""
        head, gap, _ = self._received.partition(b"\r\n\r\n")
        status = head.split(b" ", 2)[1:2]
        if gap and status == [b"200"]:
            self._is_chunked = b"transfer-encoding: chunked" in head.lower()
            del self._received[: len(head) + len(gap)]
            self._has_head = True
        elif is_end or len(self._received) > _MOST:
            answer(self.call, reply(self.target, self.call, bytes(self._received)))
            raise ConnectionBroken(f"{self.target.url} does not send events")
        return self._has_head

    def _take_chunks(self) -> None:
        """Move received body data to the text."""
        if not self._is_chunked:
            self._text += self._received
            self._received.clear()
            return
        try:
            text, is_last = take_chunks(self._received)
        except Malformed as error:
            raise ConnectionBroken(f"The connection to {self.target.url} broke: {error}") from error
        self._text += text
        self.is_over = self.is_over or is_last


def opened(target: CallTarget, call: Call[Any]) -> tuple[socket.socket, StreamReading]:
    """Return a connection on which a stream was requested. Raises DaemonSilent or ConnectionBroken."""
    connection = None
    try:
        connection, reached = connected(target)
        connection.settimeout(reached.seconds)
        connection.sendall(http1.request(reached, call))
    except OSError as error:
        if connection is not None:
            connection.close()
        raise broken(target, error) from error
    return connection, StreamReading(target, call)


def broken(target: CallTarget, error: OSError) -> SignetError:
    """Return the error for a stream that failed or stayed silent."""
    is_silent = isinstance(error, TimeoutError)
    return (
        DaemonSilent() if is_silent else ConnectionBroken(f"The connection to {target.url} broke")
    )


def task_events(target: CallTarget, task_id: str) -> Generator[dict[str, Any], None, None]:
    """Yield each event of a task's stream, until the daemon stops or the task is removed.

    Raises DaemonNotRunning, DaemonSilent, ConnectionBroken, and NotFound for an unknown task.
    """
    connection, reading = opened(target, ask(tasks.TASK_EVENTS, task_id))
    with contextlib.closing(connection):
        connection.settimeout(SILENT_SECONDS)
        try:
            while not reading.is_over:
                for message in reading.feed(connection.recv(_CHUNK)):
                    if "data" in message:
                        yield json.loads(message["data"])
        except OSError as error:
            raise broken(target, error) from error


class Events:
    """Job events from the first `wait` on, or after an ID; iterate, or call `wait` for the next one.

    Reconnects after a broken connection without losing events. Close it, or use it as a context manager.
    """

    def __init__(self, target: CallTarget, after: str | None = None) -> None:
        self._target = target
        self._place = StreamPosition(after)
        self._heard: deque[JobEvent] = deque()
        self._connection: socket.socket | None = None
        self._reading: StreamReading | None = None
        self._spoke_at = 0.0

    def listen(self) -> Self:
        """Return when every later event will be received; `wait` and `with` call it."""
        until = time.monotonic() + self._target.seconds
        while self._place.after is None:
            if time.monotonic() >= until:
                self.close()
                raise DaemonSilent()
            self.receive(max(until - time.monotonic(), 0.001))
        return self

    def wait(self, seconds: float | None = None) -> JobEvent | None:
        """Return the next event, None after the timeout (None: wait forever).

        Raises DaemonNotRunning if the daemon has stopped, and RateLimited for too many listeners.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while not self.has_next:
            left = SILENT_SECONDS if until is None else until - time.monotonic()
            if left <= 0:
                return None
            self.receive(left)
        return self.next()

    @property
    def last_id(self) -> str | None:
        """Return the value for the next `after`."""
        return self._place.after

    @property
    def missed(self) -> int:
        """Return how often the daemon could not send all events."""
        return self._place.missed

    @property
    def has_next(self) -> bool:
        """Return whether an event was received that `next` has not returned."""
        return bool(self._heard)

    def next(self) -> JobEvent | None:
        """Return the next received event, or None."""
        return self._heard.popleft() if self._heard else None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            with contextlib.suppress(OSError):  # ends the wait of another thread
                self._connection.shutdown(socket.SHUT_RDWR)
            self._connection.close()
        self._connection = self._reading = None

    def __iter__(self) -> Iterator[JobEvent]:
        while (event := self.wait()) is not None:
            yield event

    def __enter__(self) -> Self:
        return self.listen()

    def __exit__(self, *_: object) -> None:
        self.close()

    def receive(self, seconds: float) -> None:
        """Receive the next data within this time; close a broken connection, which the next call replaces."""
        connection, reading = self._open()
        connection.settimeout(min(seconds, SILENT_SECONDS))
        try:
            data = connection.recv(_CHUNK)
        except TimeoutError:
            if time.monotonic() - self._spoke_at > SILENT_SECONDS:
                self.close()
            return
        except OSError:
            data = b""
        self._spoke_at = time.monotonic()
        try:
            told = map(self._place.take, reading.feed(data))
            self._heard.extend(event for event in told if event is not None)
        except BaseException:
            self.close()
            raise
        if reading.is_over:
            self.close()

    def _open(self) -> tuple[socket.socket, StreamReading]:
        if self._connection is None or self._reading is None:
            self._connection, self._reading = opened(self._target, self._place.call)
            self._spoke_at = time.monotonic()
        return self._connection, self._reading


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
        from signet.client.asynchronous import in_thread

        await in_thread(self._events.listen)
        return self

    async def wait(self, seconds: float | None = None) -> JobEvent | None:
        """Return the next event, None after the timeout; raises what `Events.wait` raises."""
        import asyncio

        from signet.client.asynchronous import in_thread

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
