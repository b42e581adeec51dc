"""Pages of summaries."""

from signet.db import ReadTx
from signet.domain.auth.tokens import NO_SCOPE, TokenScope
from signet.domain.summaries.sql import summaries as sql
from signet.domain.summaries.sql.summaries import PageRow as PageRow


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
    return sql.page(
        tx,
        project=project,
        depth=depth,
        limit=limit,
        offset=offset,
        within_project=within.project,
        within_agent=within.agent,
    )
