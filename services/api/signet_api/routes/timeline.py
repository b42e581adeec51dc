"""What happened to one memory, job, request or session."""

import asyncio
import os
from typing import Annotated

from signet import __version__, clock
from signet.domain.activity import timeline
from signet.observe import logfile, logread
from signet.wire import analytics as wire
from signet.wire.requests.model import Whole
from signet_api.deps import Shared, State
from signet_api.serving import serves


@serves(wire.TIMELINE)
async def get_timeline(
    entity_id: str,
    state: Shared,
    limit: Annotated[int, Whole(1, timeline.MAX_LIMIT)] = timeline.DEFAULT_LIMIT,
) -> wire.Timeline:
    """Return history, jobs, log lines and errors of an id, oldest first; nothing for an unknown one."""
    return await _timeline(entity_id, limit, state)


@serves(wire.EXPORT_TIMELINE)
async def export_timeline(
    entity_id: str,
    state: Shared,
    limit: Annotated[int, Whole(1, timeline.MAX_LIMIT)] = timeline.DEFAULT_LIMIT,
) -> wire.ExportedTimeline:
    """Return the same in an envelope that says where it comes from."""
    found = await _timeline(entity_id, limit, state)
    meta: wire.TimelineMeta = {
        "version": __version__,
        "exportedAt": clock.to_text(clock.now()),
        "entityId": found["entityId"],
    }
    return {"meta": meta, "timeline": found}


async def _timeline(entity_id: str, limit: int, state: State) -> wire.Timeline:
    place = logfile.place(state.workspace.log_dir, os.environ)
    await state.flusher.aflush()
    lines = await asyncio.to_thread(
        logread.newest, place, timeline.LOG_LINES, logread.Filter(level="debug")
    )
    return await state.db.aread(timeline.of, entity_id, lines, limit=limit, now=clock.now())
