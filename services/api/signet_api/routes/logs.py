"""The log of all processes, from its files: the newest lines, and new ones while they are written."""

import asyncio
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter, Request
from starlette.responses import Response

from signet.errors import Invalid, Kind, SignetError
from signet.observe import logfile, logread
from signet.observe.logfile import Place
from signet.observe.logread import RANK, Filter, Tail
from signet_api.deps import Shared, State
from signet_api.params import instant, whole
from signet_api.stream import EventStream

router = APIRouter(prefix="/api/logs", tags=["logs"])

MAX_LINES = 1_000
#: How often is looked for new lines while somebody listens.
LOOK_SECONDS = 0.25
MAX_LISTENERS = 16
CONNECTED = b'data: {"type":"connected"}\n\n'


class TooManyListeners(SignetError):
    """Too many programs follow the log already; end one of them."""

    kind = Kind.LIMITED
    code = "too_many_listeners"


@router.get("")
async def get_logs(request: Request, state: Shared) -> dict[str, object]:
    """Return the newest lines in the order of time; `level` (least), `category` and `since` narrow them."""
    return await newest(request, state)


@router.get("/stream", response_class=Response)
async def get_stream(request: Request, state: Shared) -> Response:
    """Tell each line that any process writes from now on; `level` and `category` narrow them."""
    wanted = _filter(request.query_params)
    if state.log_listeners >= MAX_LISTENERS:
        raise TooManyListeners()
    follower = _Follower(state, await asyncio.to_thread(Tail, _place(state)), wanted)
    state.log_listeners += 1
    return EventStream(CONNECTED, follower.more, follower.leave)


async def newest(request: Request, state: State) -> dict[str, object]:
    """Return the answer of `/api/logs`."""
    params = request.query_params
    limit = whole(params.get("limit"), 100, low=1, high=MAX_LINES)
    lines = await asyncio.to_thread(logread.newest, _place(state), limit, _filter(params))
    return {"logs": lines, "count": len(lines)}


@dataclass(slots=True)
class _Follower:
    """One client at the end of the log. The files are what waits for a client that is slow."""

    state: State
    tail: Tail
    wanted: Filter
    _reading: threading.Lock = field(default_factory=threading.Lock)
    _has_left: bool = False

    async def more(self) -> bytes | None:
        """Return new lines as events, None when the daemon stops; of very many only the newest."""
        while not self.state.feed.is_closed:
            if told := await asyncio.to_thread(self._take):
                return told
            await asyncio.sleep(LOOK_SECONDS)
        return None

    def leave(self) -> None:
        """Close the file, once nobody reads it."""
        self.state.log_listeners -= 1
        with self._reading:
            self._has_left = True
            self.tail.close()

    def _take(self) -> bytes:
        with self._reading:
            entries = [] if self._has_left else self.tail.take()
        lines = [entry for entry in entries if self.wanted.wants(entry)][-MAX_LINES:]
        return "".join(f"data: {_text(line)}\n\n" for line in lines).encode()


def _filter(params: Mapping[str, str]) -> Filter:
    level = params.get("level") or "debug"
    if level not in RANK:
        raise Invalid(f"level must be one of {', '.join(RANK)}")
    return Filter(
        level=level, category=params.get("category") or None, since=instant(params, "since")
    )


def _place(state: State) -> Place:
    return logfile.place(state.workspace.log_dir, os.environ)


def _text(line: Mapping[str, object]) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))
