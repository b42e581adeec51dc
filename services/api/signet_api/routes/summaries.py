"""Look at the summaries of sessions."""

from fastapi import APIRouter, Request

from signet.domain.auth import caller
from signet.domain.summaries import page
from signet.domain.summaries.page import PageRow
from signet.errors import Invalid
from signet_api.deps import Db
from signet_api.params import whole

router = APIRouter(tags=["sessions"])

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
#: No summary stands deeper than that by far, and it fits into any column.
MAX_DEPTH = 1_000_000


@router.get("/api/sessions/summaries")
async def get_summaries(request: Request, db: Db) -> dict[str, object]:
    """Return a page of summaries, latest first; `project` and `depth` narrow them."""
    params = request.query_params
    within = caller.current().scope
    rows, total = await db.aread(
        page.read,
        project=params.get("project") or None,
        within=within,
        depth=_depth(params.get("depth")),
        limit=whole(params.get("limit"), DEFAULT_LIMIT, low=0, high=MAX_LIMIT),
        offset=whole(params.get("offset"), 0, low=0, high=1_000_000_000),
    )
    return {"summaries": [_summary(row) for row in rows], "total": total}


def _depth(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise Invalid("depth must be a whole number, 0 or more")
    return min(int(text[:10]), MAX_DEPTH)


def _summary(row: PageRow) -> dict[str, object]:
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
