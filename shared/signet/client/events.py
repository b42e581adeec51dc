"""Receive job events."""

import contextlib
import socket
import time
from collections.abc import Iterator
from typing import Self

from signet.client import http1
from signet.client.answers import JobEvent
from signet.client.errors import ConnectionBroken, DaemonSilent
from signet.client.stream import SILENT_SECONDS, Listening, StreamReading
from signet.client.target import CallTarget
from signet.client.transport import connected

_CHUNK = 65_536


class Events(Listening):
    """Job events from the first `wait` on, or after an ID; iterate, or call `wait` for the next one.

    Reconnects after a broken connection without losing events. Close it, or use it as a context manager.
    """

    def __init__(self, target: CallTarget, after: str | None = None) -> None:
        super().__init__(target, after)
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
            call = self._place.call
            try:
                self._connection, target = connected(self._target)
                self._connection.settimeout(target.seconds)
                self._connection.sendall(http1.request(target, call))
            except TimeoutError as error:
                self.close()
                raise DaemonSilent() from error
            except OSError as error:
                self.close()
                raise ConnectionBroken(f"The connection to {self._target.url} broke") from error
            self._reading = StreamReading(self._target, call)
            self._spoke_at = time.monotonic()
        return self._connection, self._reading
