"""The audit log."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Annotated

from fastapi import Query
from starlette.responses import StreamingResponse

from signet.domain.audit import log
from signet.domain.memory import filters
from signet.wire import audit as wire
from signet.wire.requests.spaces import AuditParams
from signet_api.deps import Shared, State
from signet_api.serving import serves

#: Entries of one page of an export.
_PAGE = 500


@serves(wire.AUDIT)
async def get_audit(query: Annotated[AuditParams, Query()], state: Shared) -> wire.AuditPage:
    """Return a page of the audit log, oldest first: who read, shared, exported and deleted what, and when."""
    await state.audits.flush()
    asked, limit = _asked(query), query.limit
    if query.newest:
        return {"entries": await state.db.aread(log.newest, asked, limit=limit), "next": None}
    found = await state.db.aread(log.page, asked, after=query.cursor, limit=limit)
    return {"entries": found, "next": found[-1]["number"] if len(found) == limit else None}


@serves(wire.EXPORT_AUDIT)
async def get_audit_export(
    query: Annotated[AuditParams, Query()], state: Shared
) -> StreamingResponse:
    """Return the audit log as lines of JSON, oldest first; `limit` is ignored."""
    asked = _asked(query)
    await state.audits.flush()
    return StreamingResponse(_lines(state, asked, query.cursor), media_type=wire.NDJSON)


async def _lines(state: State, asked: Mapping[str, object], after: int) -> AsyncIterator[str]:
    while found := await state.db.aread(log.page, asked, after=after, limit=_PAGE):
        after = found[-1]["number"]
        yield "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found)


def _asked(query: AuditParams) -> dict[str, object]:
    return {
        "since": filters.instant("since", query.since),
        "until": filters.instant("until", query.until, last=True),
        **{name: getattr(query, name) for name in ("actor", "action", "space")},
    }
