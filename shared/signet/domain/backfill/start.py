"""Starting and stopping: the sessions that are to be read, and the job that reads the first of them, are one commit."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.backfill.look import Seen
from signet.domain.backfill.sql import sessions as sql
from signet.domain.episodes import commits
from signet.errors import Frozen
from signet.queue import BULK, Job, enqueue

KIND = "backfill"
#: There is one at a time.
_ALL = "all"


def start(
    tx: WriteTx,
    seen: Sequence[Seen],
    repositories: Mapping[tuple[str, str], str],
    *,
    by_model: bool,
    is_frozen: bool,
    now: datetime,
) -> int:
    """Queue the reading of sessions, and of the commits of their projects; return how many sessions that are.

    Raises Frozen while nothing may be written.
    """
    if is_frozen:
        raise Frozen
    new = [one for one in seen if one.is_new]
    run = tx.value(sql.RUN) or clock.to_text(now)
    tx.many(sql.PUT, [_row(one, by_model, run) for one in new])
    for (agent_id, project), root in repositories.items():
        commits.ask(tx, agent_id, project, root)
    go_on(tx, now=now)
    return len(new)


def go_on(tx: WriteTx, *, delay_ms: int = 0, now: datetime) -> None:
    """Queue the reading of the newest session that waits, if any does and none is being read."""
    if tx.row(sql.Row, sql.NEXT) is not None:
        job = Job(kind=KIND, dedupe_key=_ALL, priority=BULK, delay_ms=delay_ms)
        enqueue(tx, job, now=now)


def read_again(tx: WriteTx, *, now: datetime) -> None:
    """Queue the job that finds the sessions that an earlier version read, and reads them again."""
    enqueue(tx, Job(kind=KIND, dedupe_key=_ALL, priority=BULK), now=now)


def is_cut_off(tx: ReadTx) -> bool:
    """Return whether sessions wait and no job will read them, because it has died."""
    return tx.row(sql.Row, sql.NEXT) is not None and not tx.value(sql.IS_OPEN, (f"{KIND}:{_ALL}",))


def stop(tx: WriteTx) -> int:
    """Let the sessions that still wait be; return how many. What was read stays."""
    return tx.run(sql.STOP)


def _row(one: Seen, by_model: bool, run: str) -> tuple[object, ...]:
    found = one.found
    return (
        one.agent_id,
        found.key,
        found.harness,
        found.path,
        found.project,
        found.bytes,
        clock.to_text(found.changed_at),
        by_model,
        run,
    )
