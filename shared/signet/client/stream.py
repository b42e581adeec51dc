"""Decode job events from the bytes of a streaming answer. Pure: uses no socket.

`StreamReading` is one connection; `StreamPosition` is a listener's position, which outlives connections.
"""

import json
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from signet.client.answers import JobEvent
from signet.client.call import Call, answer, ask
from signet.client.errors import ConnectionBroken
from signet.client.http1 import Malformed, reply, take_chunks
from signet.client.target import CallTarget
from signet.wire import jobs

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


class Listening:
    """State that a listener keeps across connections."""

    def __init__(self, target: CallTarget, after: str | None) -> None:
        self._target = target
        self._place = StreamPosition(after)
        self._heard: deque[JobEvent] = deque()

    @property
    def last_id(self) -> str | None:
        """Return the value for the next `after`."""
        return self._place.after

    @property
    def missed(self) -> int:
        """Return how often the daemon could not send all events."""
        return self._place.missed


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
