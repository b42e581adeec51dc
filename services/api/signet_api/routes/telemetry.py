"""Local events about processing, without texts, questions or paths; they never leave this machine."""

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated

from fastapi import Query
from starlette.responses import Response, StreamingResponse

from signet.db import Database
from signet.domain.activity import events
from signet.domain.activity.events import TimeSpan
from signet.domain.auth import caller
from signet.errors import Invalid, NotFound
from signet.wire import telemetry as wire
from signet.wire.requests.model import ClampedInt, Text
from signet_api.deps import Shared, Since, State, Until
from signet_api.serving import serves

Row = Mapping[str, object]


@serves(wire.TELEMETRY_EVENTS)
async def get_events(
    state: Shared,
    since: Since,
    until: Until,
    event: Text = None,
    limit: Annotated[int, ClampedInt(1, 10_000)] = 100,
) -> wire.TelemetryPage:
    """Return events, newest first; they never leave the machine."""
    span = TimeSpan(event=event, since=since, until=until, limit=limit)
    if not _is_enabled(state):
        return {"events": [], "enabled": False}
    await state.flusher.aflush()
    return {"events": await state.db.aread(events.newest_events, span), "enabled": True}


@serves(wire.TELEMETRY_STATS)
async def get_stats(state: Shared, since: Since) -> wire.TelemetryStats:
    """Return totals since an instant: language model calls, and errors by stage and code."""
    if not _is_enabled(state):
        return {"enabled": False}
    await state.flusher.aflush()
    return await state.db.aread(events.stats, since=since)


@serves(wire.EXPORT_TELEMETRY)
async def get_export(
    state: Shared,
    since: Since,
    until: Until,
    event: Text = None,
    limit: Annotated[int, ClampedInt(1, 100_000)] = 10_000,
) -> Response:
    """Return events as lines of JSON, oldest first."""
    span = TimeSpan(event=event, since=since, until=until, limit=limit)
    if not _is_enabled(state):
        raise NotFound("telemetry not enabled", "telemetry_not_enabled")
    await state.flusher.aflush()
    return StreamingResponse(_pages(state.db, events.page, span, _lines), media_type=wire.NDJSON)


@serves(wire.EXPORT_TRAINING)
async def get_training_export(
    state: Shared,
    since: Since,
    until: Until,
    form: Annotated[Text, Query(alias="format")] = None,
    agent_id: Text = None,
    limit: Annotated[int, ClampedInt(1, 10_000)] = 1_000,
) -> Response:
    """Return the labels of memories as lines of JSON or CSV, oldest first; IDs and numbers only."""
    if form not in (None, "ndjson", "csv"):
        raise Invalid("format must be ndjson or csv")
    span = TimeSpan(since=since, until=until, limit=limit)
    page = partial(events.training_page, agent_id=agent_id, hidden=caller.current().hidden)
    if form != "csv":
        return StreamingResponse(_pages(state.db, page, span, _lines), media_type=wire.NDJSON)
    pages = _pages(
        state.db, page, span, _table, head=_table([dict.fromkeys(events.PAIR)], head=True)
    )
    return StreamingResponse(pages, media_type="text/csv; charset=utf-8")


def _is_enabled(state: State) -> bool:
    return state.settings.pipeline.telemetry_enabled


async def _pages(
    db: Database,
    page: Callable[..., Sequence[Row]],
    span: TimeSpan,
    written: Callable[[Iterable[Row]], str],
    head: str = "",
) -> AsyncIterator[str]:
    """Read and send page by page, so that slow clients do not hold a snapshot."""
    if head:
        yield head
    left, after = span.limit, ""
    while left > 0:
        rows = await db.aread(page, span, after=after, limit=min(left, events.PAGE_ROWS))
        if not rows:
            return
        left, after = left - len(rows), str(rows[-1]["id"])
        yield written(rows)


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _table(rows: Iterable[Row], *, head: bool = False) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, events.PAIR)
    if head:
        writer.writeheader()
    else:
        writer.writerows(rows)
    return out.getvalue()
