"""What happened to one memory, job, request or session."""

import asyncio
import os

from fastapi import APIRouter, Request

from signet import __version__, clock
from signet.domain.activity import timeline
from signet.observe import logfile, logread
from signet_api.deps import Shared, State
from signet_api.params import whole

router = APIRouter(prefix="/api/timeline", tags=["analytics"])


@router.get("/{entity_id}")
async def get_timeline(entity_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Return history, jobs, log lines and errors of an id, oldest first; nothing for an unknown one."""
    return await _timeline(entity_id, request, state)


@router.get("/{entity_id}/export")
async def get_export(entity_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Return the same in an envelope that says where it comes from."""
    found = await _timeline(entity_id, request, state)
    return timeline.exported(found, version=__version__, now=clock.now())


async def _timeline(entity_id: str, request: Request, state: State) -> dict[str, object]:
    limit = whole(
        request.query_params.get("limit"),
        timeline.DEFAULT_LIMIT,
        low=1,
        high=timeline.MAX_LIMIT,
    )
    place = logfile.place(state.workspace.log_dir, os.environ)
    await state.flusher.aflush()
    lines = await asyncio.to_thread(
        logread.newest, place, timeline.LOG_LINES, logread.Filter(level="debug")
    )
    return await state.db.aread(timeline.of, entity_id, lines, limit=limit, now=clock.now())
