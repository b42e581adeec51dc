"""Write and read the audit log. It holds IDs and names, never a text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.audit import sql
from signet.domain.auth import caller
from signet.wire.audit import AuditAction, AuditEntry

#: IDs of one entry; `count` is the number of all.
MOST_IDS = 200
#: Entries of one page.
PAGE_ROWS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One action of a caller; `key_id` is the ID of its token, None without one."""

    at: datetime
    actor: str
    key_id: str | None
    action: AuditAction
    agent: str | None = None
    operation: str | None = None
    space: str | None = None
    memory_ids: tuple[str, ...] = ()

    def row(self) -> tuple[object, ...]:
        ids = json.dumps(self.memory_ids[:MOST_IDS])
        what = (self.action, self.operation, self.space, ids, len(self.memory_ids))
        return (clock.to_text(self.at), self.actor, self.key_id, self.agent, *what)


def by_caller(
    action: AuditAction,
    *,
    now: datetime,
    memory_ids: tuple[str, ...] = (),
    space: str | None = None,
    operation: str | None = None,
) -> Audited:
    """Return an entry for the current caller: the subject of its token, else how the daemon knows it."""
    asked = caller.current()
    claims = asked.claims
    actor = "daemon" if asked.in_background else claims.sub if claims else str(asked.standing)
    return Audited(
        at=now,
        actor=actor,
        key_id=claims.jti if claims else None,
        action=action,
        agent=asked.scope.agent,
        operation=operation,
        space=space,
        memory_ids=memory_ids,
    )


def record(tx: WriteTx, entries: Sequence[Audited]) -> None:
    tx.many(sql.INSERT, [one.row() for one in entries])


def page(tx: ReadTx, asked: Mapping[str, object], *, after: int, limit: int) -> list[AuditEntry]:
    """Return the entries after a number that match, oldest first."""
    return tx.records(AuditEntry, sql.PAGE, {**asked, "after": after, "limit": limit})


def newest(tx: ReadTx, asked: Mapping[str, object], *, limit: int) -> list[AuditEntry]:
    """Return the last entries that match, oldest first."""
    return tx.records(AuditEntry, sql.NEWEST, {**asked, "after": 0, "limit": limit})


def carry_over(present: ReadTx, staged: WriteTx) -> None:
    """Append the entries of one database that are later than those of another."""
    staged.many(sql.INSERT, present.tuples(sql.SINCE, (staged.value(sql.LATEST),)))


def purge(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest entries from before an instant; return their number."""
    return tx.run(sql.DELETE_OLD, (before, limit))
