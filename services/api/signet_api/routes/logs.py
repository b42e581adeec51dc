"""The log files of all processes."""

import asyncio
import os
from functools import partial
from typing import Annotated

from starlette.responses import Response

from signet.errors import Invalid
from signet.observe import logfile, logread
from signet.observe.logfile import LogPlace
from signet.observe.logread import RANK, LogFilter
from signet.wire import logs as wire
from signet.wire.requests.model import ClampedInt, Text
from signet_api.deps import Shared, Since, State
from signet_api.serving import serves
from signet_api.stream import FILES_SECONDS, EventStream, LogTail, message

MAX_LINES = 1_000


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
        tail = await asyncio.to_thread(LogTail, _place(state))

    def take() -> bytes:
        """Return new lines as events; at most the newest MAX_LINES."""
        lines = [entry for entry in tail.take() if wanted.matches(entry)][-MAX_LINES:]
        return b"".join(map(message, lines))

    def left() -> None:
        state.log_listeners.leave()
        tail.close()

    first, look = message({"type": "connected"}), partial(asyncio.to_thread, take)
    return EventStream(state, first, look, left, every_seconds=FILES_SECONDS)


def _filter(level: str | None, category: str | None, since: str | None) -> LogFilter:
    level = level or "debug"
    if level not in RANK:
        raise Invalid(f"level must be one of {', '.join(RANK)}")
    return LogFilter(level=level, category=category, since=since)


def _place(state: State) -> LogPlace:
    return logfile.place(state.workspace.log_dir, os.environ)
