"""Events of the work on this machine. Nothing is sent anywhere, and no event holds text, a question or a path."""

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from starlette.responses import Response

from signet.db import Database
from signet.domain.activity import events
from signet.domain.activity.events import Span
from signet.errors import Invalid, NotFound
from signet_api.deps import Shared, State
from signet_api.params import instant, whole

router = APIRouter(prefix="/api/telemetry", tags=["telemetry"])

NDJSON = "application/x-ndjson"
Row = Mapping[str, object]


class NotEnabled(NotFound):
    """telemetry not enabled"""

    code = "telemetry_not_enabled"


@router.get("/events")
async def get_events(request: Request, state: Shared) -> dict[str, object]:
    """Return events, newest first; `event`, `since` and `until` narrow them."""
    span = _span(request, 100, most=10_000)
    if not _is_enabled(state):
        return {"events": [], "enabled": False}
    await state.flusher.aflush()
    return {"events": await state.db.aread(events.newest, span), "enabled": True}


@router.get("/stats")
async def get_stats(request: Request, state: Shared) -> dict[str, object]:
    """Return sums over all events since an instant: calls of language models, and errors by stage and code."""
    since = instant(request.query_params, "since")
    if not _is_enabled(state):
        return {"enabled": False}
    await state.flusher.aflush()
    return {"enabled": True} | await state.db.aread(events.stats, since=since)


@router.get("/export", response_class=Response)
async def get_export(request: Request, state: Shared) -> Response:
    """Return events as lines of JSON, oldest first."""
    span = _span(request, 10_000, most=100_000)
    if not _is_enabled(state):
        raise NotEnabled()
    await state.flusher.aflush()
    return StreamingResponse(_pages(state.db, events.page, span, _lines), media_type=NDJSON)


@router.get("/training-export", response_class=Response)
async def get_training_export(request: Request, state: Shared) -> Response:
    """Return training pairs of the predictor as lines of JSON or as CSV, oldest first; ids and numbers only."""
    form = request.query_params.get("format") or "ndjson"
    if form not in ("ndjson", "csv"):
        raise Invalid("format must be ndjson or csv")
    span = _span(request, 1_000, most=10_000)
    page = partial(events.training_page, agent_id=request.query_params.get("agent_id") or None)
    if form == "ndjson":
        return StreamingResponse(_pages(state.db, page, span, _lines), media_type=NDJSON)
    pages = _pages(
        state.db, page, span, _table, head=_table([dict.fromkeys(events.PAIR)], head=True)
    )
    return StreamingResponse(pages, media_type="text/csv; charset=utf-8")


def _is_enabled(state: State) -> bool:
    return state.settings.pipeline.telemetry_enabled


def _span(request: Request, default: int, *, most: int) -> Span:
    params = request.query_params
    return Span(
        event=params.get("event") or None,
        since=instant(params, "since"),
        until=instant(params, "until"),
        limit=whole(params.get("limit"), default, low=1, high=most),
    )


async def _pages(
    db: Database,
    page: Callable[..., list[dict[str, object]]],
    span: Span,
    written: Callable[[Iterable[Row]], str],
    head: str = "",
) -> AsyncIterator[str]:
    """Read and send page by page, so that no snapshot is held while somebody reads slowly."""
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
