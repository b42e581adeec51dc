"""Look at the summaries of sessions."""

from typing import Annotated

from signet.domain.auth import caller
from signet.domain.summaries import page
from signet.errors import Invalid
from signet.wire import sessions as wire
from signet.wire.requests.model import Text, Whole
from signet.wire.sessions import SummaryPage
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
    return await db.aread(
        page.read,
        project=project,
        within=caller.current().scope,
        depth=_depth(depth),
        limit=limit,
        offset=offset,
    )


def _depth(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise Invalid("depth must be a whole number, 0 or more")
    return min(int(text[:10]), MAX_DEPTH)
