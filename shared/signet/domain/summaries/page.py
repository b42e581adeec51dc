"""Pages of summaries."""

from signet.db import ReadTx
from signet.domain.auth import caller
from signet.domain.auth.tokens import NO_SCOPE, TokenScope
from signet.domain.summaries.sql import summaries as sql
from signet.domain.transcripts import withheld
from signet.wire.sessions import SessionSummary, SummaryPage


def read_page(
    tx: ReadTx,
    *,
    project: str | None,
    depth: int | None,
    limit: int,
    offset: int,
    within: TokenScope = NO_SCOPE,
) -> SummaryPage:
    """Return summaries, latest first, and how many there are; only those that a token's scope holds."""
    wanted = {
        "project": project,
        "depth": depth,
        "limit": limit,
        "offset": offset,
        "within_project": within.project,
        "agent": within.agent,
        "hidden": caller.current().hidden,
    }
    found = tx.records(SessionSummary, sql.PAGE, wanted)
    for one in found:
        one["content"] = withheld.cleaned(tx, one["agent_id"], one["content"])
    return {"summaries": found, "total": tx.value(sql.TOTAL, wanted)}


def of_session(tx: ReadTx, agent_id: str, key: str, *, within: str | None) -> str | None:
    """Return what a session was summed up as, None where it was not, or was of another project than `within`."""
    content = tx.value(sql.OF_ONE, (agent_id, key, within, within))
    return None if content is None else withheld.cleaned(tx, agent_id, content)
