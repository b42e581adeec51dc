"""Look at the summaries of sessions."""

from typing import Annotated

from signet.domain.auth import caller
from signet.domain.summaries import page
from signet.domain.summaries.page import PageRow
from signet.errors import Invalid
from signet.wire import sessions as wire
from signet.wire.requests.model import Text, Whole
from signet.wire.sessions import SessionSummary, SummaryPage
from signet_api.deps import Db
from signet_api.serving import serves

#: No summary stands deeper than that by far, and it fits into any column.
MAX_DEPTH = 1_000_000


@serves(wire.SESSION_SUMMARIES)
async def get_summaries(
    db: Db,
    project: Text = None,
    depth: Text = None,
    limit: Annotated[int, Whole(0, 200)] = 50,
    offset: Annotated[int, Whole(0, 1_000_000_000)] = 0,
) -> SummaryPage:
    """Return a page of summaries, latest first; `project` and `depth` narrow them."""
    rows, total = await db.aread(
        page.read,
        project=project,
        within=caller.current().scope,
        depth=_depth(depth),
        limit=limit,
        offset=offset,
    )
    return {"summaries": [_summary(row) for row in rows], "total": total}


def _depth(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise Invalid("depth must be a whole number, 0 or more")
    return min(int(text[:10]), MAX_DEPTH)


def _summary(row: PageRow) -> SessionSummary:
    return {
        "id": row.id,
        "project": row.project,
        "depth": row.depth,
        "kind": row.kind,
        "content": row.content,
        "token_count": row.token_count,
        "earliest_at": row.earliest_at,
        "latest_at": row.latest_at,
        "session_key": row.session_key,
        "harness": row.harness,
        "agent_id": row.agent_id,
        "created_at": row.created_at,
        "childCount": row.children,
    }
