"""The log of all processes, from its files: the newest lines, and new ones while they are written."""

import asyncio
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter, Request
from starlette.responses import Response

from signet.errors import Invalid
from signet.observe import logfile, logread
from signet.observe.logfile import Place
from signet.observe.logread import RANK, Filter, Tail
from signet_api.deps import Shared, State
from signet_api.params import instant, whole
from signet_api.stream import EventStream, message, polled

router = APIRouter(prefix="/api/logs", tags=["logs"])

MAX_LINES = 1_000
#: How often the files are read while a client listens.
LOOK_SECONDS = 0.25


@router.get("")
async def get_logs(request: Request, state: Shared) -> dict[str, object]:
    """Return the newest lines in the order of time; `level` (least), `category` and `since` narrow them."""
    return await newest(request, state)


@router.get("/stream", response_class=Response)
async def get_stream(request: Request, state: Shared) -> Response:
    """Send each line that any process writes from now on; `level` and `category` narrow them."""
    wanted = _filter(request.query_params)
    with state.log_listeners.joining():
        follower = _Follower(state, await asyncio.to_thread(Tail, _place(state)), wanted)
    more = polled(follower.look, LOOK_SECONDS, lambda: state.feed.is_closed)
    return EventStream(message({"type": "connected"}), more, follower.leave)


async def newest(request: Request, state: State) -> dict[str, object]:
    """Return the answer of `/api/logs`."""
    params = request.query_params
    limit = whole(params.get("limit"), 100, low=1, high=MAX_LINES)
    lines = await asyncio.to_thread(logread.newest, _place(state), limit, _filter(params))
    return {"logs": lines, "count": len(lines)}


@dataclass(slots=True)
class _Follower:
    """One client at the end of the log. A slow one is buffered by the files themselves."""

    state: State
    tail: Tail
    wanted: Filter
    _reading: threading.Lock = field(default_factory=threading.Lock)
    _has_left: bool = False

    async def look(self) -> bytes:
        """Return new lines as events; of very many only the newest."""
        return await asyncio.to_thread(self._take)

    def leave(self) -> None:
        """Close the file, once no look is reading it."""
        self.state.log_listeners.leave()
        with self._reading:
            self._has_left = True
            self.tail.close()

    def _take(self) -> bytes:
        with self._reading:
            entries = [] if self._has_left else self.tail.take()
        lines = [entry for entry in entries if self.wanted.wants(entry)][-MAX_LINES:]
        return b"".join(map(message, lines))


def _filter(params: Mapping[str, str]) -> Filter:
    level = params.get("level") or "debug"
    if level not in RANK:
        raise Invalid(f"level must be one of {', '.join(RANK)}")
    return Filter(
        level=level, category=params.get("category") or None, since=instant(params, "since")
    )


def _place(state: State) -> Place:
    return logfile.place(state.workspace.log_dir, os.environ)
