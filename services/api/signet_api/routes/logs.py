"""The log files of all processes."""

import asyncio
import os
import threading
from dataclasses import dataclass, field
from typing import Annotated

from starlette.responses import Response

from signet.errors import Invalid
from signet.observe import logfile, logread
from signet.observe.logfile import LogPlace
from signet.observe.logread import RANK, LogFilter, Tail
from signet.wire import logs as wire
from signet.wire.requests.model import ClampedInt, Text
from signet_api.deps import Shared, State
from signet_api.following import polled
from signet_api.params import Since
from signet_api.serving import serves
from signet_api.stream import EventStream, message

MAX_LINES = 1_000
#: Polling interval of the files.
LOOK_SECONDS = 0.25


@serves(wire.LOGS)
@serves(wire.ANALYTICS_LOGS)
async def get_logs(
    state: Shared,
    since: Since,
    level: Text = None,
    category: Text = None,
    limit: Annotated[int, ClampedInt(1, MAX_LINES)] = 100,
) -> wire.LogLines:
    """Return the newest lines in time order; `level` (minimum), `category` and `since` filter them."""
    wanted = _filter(level, category, since)
    lines = await asyncio.to_thread(logread.newest, _place(state), limit, wanted)
    return {"logs": lines, "count": len(lines)}


@serves(wire.LOG_STREAM)
async def get_log_stream(
    state: Shared, since: Since, level: Text = None, category: Text = None
) -> Response:
    """Stream each new line of any process; `level` and `category` filter them."""
    wanted = _filter(level, category, since)
    with state.log_listeners.joining():
        follower = _Follower(state, await asyncio.to_thread(Tail, _place(state)), wanted)
    more = polled(state, follower.look, LOOK_SECONDS)
    return EventStream(message({"type": "connected"}), more, follower.leave)


@dataclass(slots=True)
class _Follower:
    """One client that follows the log; the files buffer for slow clients."""

    state: State
    tail: Tail
    wanted: LogFilter
    _reading: threading.Lock = field(default_factory=threading.Lock)
    _has_left: bool = False

    async def look(self) -> bytes:
        """Return new lines as events; at most the newest MAX_LINES."""
        return await asyncio.to_thread(self._take)

    def leave(self) -> None:
        """Close the file once no poll is reading."""
        self.state.log_listeners.leave()
        with self._reading:
            self._has_left = True
            self.tail.close()

    def _take(self) -> bytes:
        with self._reading:
            entries = [] if self._has_left else self.tail.take()
        lines = [entry for entry in entries if self.wanted.matches(entry)][-MAX_LINES:]
        return b"".join(map(message, lines))


def _filter(level: str | None, category: str | None, since: str | None) -> LogFilter:
    level = level or "debug"
    if level not in RANK:
        raise Invalid(f"level must be one of {', '.join(RANK)}")
    return LogFilter(level=level, category=category, since=since)


def _place(state: State) -> LogPlace:
    return logfile.place(state.workspace.log_dir, os.environ)
