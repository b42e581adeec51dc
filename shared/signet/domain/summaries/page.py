"""Pages of summaries."""

from signet.db import ReadTx
from signet.domain.auth.tokens import NO_SCOPE, TokenScope
from signet.domain.summaries.sql import summaries as sql
from signet.domain.summaries.sql.summaries import PageRow as PageRow
from signet.domain.transcripts import withheld


def read(
    tx: ReadTx,
    *,
    project: str | None,
    depth: int | None,
    limit: int,
    offset: int,
    within: TokenScope = NO_SCOPE,
) -> tuple[list[PageRow], int]:
    """Return summaries, latest first, and how many there are; only those that a token's scope holds."""
    rows, total = sql.page(
        tx,
        project=project,
        depth=depth,
        limit=limit,
        offset=offset,
        within_project=within.project,
        within_agent=within.agent,
    )
    return [
        row._replace(content=withheld.cleaned(tx, row.agent_id, row.content)) for row in rows
    ], total
