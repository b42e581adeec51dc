"""The errors of this life of the daemon, read back."""

from dataclasses import dataclass
from typing import cast

from signet.db import ReadTx
from signet.domain.activity import sql
from signet.observe.taxonomy import Stage
from signet.wire.analytics import NotedError


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFilter:
    """Which errors are asked for."""

    stage: Stage | None = None
    since: str | None = None
    limit: int = 50


def newest(tx: ReadTx, wanted: ErrorFilter) -> list[NotedError]:
    """Return the newest errors that pass the filter, oldest first."""
    bounds = {"stage": wanted.stage, "since": wanted.since, "limit": wanted.limit}
    rows = tx.records(NotedError, sql.ERRORS, bounds)
    must = NotedError.__required_keys__
    known = [
        {name: value for name, value in row.items() if value or name in must}
        for row in reversed(rows)
    ]
    return cast("list[NotedError]", known)


def by_code(tx: ReadTx, stage: Stage | None = None) -> dict[str, int]:
    """Return how many errors of each code are kept, of all stages or of one."""
    return dict(tx.tuples(sql.ERROR_COUNTS, {"stage": stage}))
