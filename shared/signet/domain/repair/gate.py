"""Decide whether a repair may run now: five checks in order, and a rate limiter shared by all processes (RP-1 to
RP-3).

The limiter is one row per action; maintenance has separate rows, so that it uses up no person's budget. It is read
and written in the repair's transaction, so concurrent processes see each other, and a restart forgets nothing. Only
completed runs are recorded.
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx, fts_index, vectors
from signet.db.dialect import HAS, QUICK_CHECK
from signet.db.driver import sqlite
from signet.domain.diagnostics import counts as diagnostics
from signet.domain.embeddings import vectors as embeddings
from signet.domain.repair import indexes, sql
from signet.domain.repair.catalog import Limits, RepairAction
from signet.domain.repair.models import RefusalReason, RepairOrder, RepairRefused
from signet.errors import Frozen
from signet.text.plural import count
from signet.wire.repair import ColdStats, DedupStats, EmbeddingGaps, Integrity

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The runs of one action: the last one, and the number since the hour began."""

    last: datetime | None = None
    window: datetime | None = None
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStanding:
    """When an action last ran, the remaining wait, and the remaining runs of the hour."""

    last: datetime | None
    wait_ms: int
    runs_left: int
    limits: Limits


def check(tx: ReadTx, order: RepairOrder) -> None:
    """Raise Frozen or Refused for the first failing check. A preview changes nothing and ignores the limits."""
    permit(order)
    if order.writes:
        limits = order.action.limits_of(order.settings.pipeline.repair)
        limit(_runs(tx, _key(order)), limits, now=order.now)


def permit(order: RepairOrder) -> None:
    """Raise Frozen or Refused if the settings forbid the repair. Pure."""
    pipeline = order.settings.pipeline
    if pipeline.mutations_frozen and order.writes:
        raise Frozen("Mutations are frozen (kill switch active)")
    if pipeline.autonomous.frozen:
        raise RepairRefused(RefusalReason.FROZEN, "autonomous.frozen is set")
    if order.actor.type == "agent" and not pipeline.autonomous.enabled:
        message = "autonomous.enabled is false; agents cannot trigger repairs"
        raise RepairRefused(RefusalReason.DISABLED, message)


def limit(runs: Runs, limits: Limits, *, now: datetime) -> None:
    """Raise Refused during the cooldown, or when the hour's runs are used up. Pure."""
    if runs.last is not None:
        cooldown = timedelta(milliseconds=limits.cooldown_ms)
        # After a clock was set back, no one waits longer than the cooldown.
        left = _ms(min(cooldown - (now - runs.last), cooldown))
        if left > 0:
            message = f"cooldown active, {clock.span(left / 1000)} left"
            raise RepairRefused(RefusalReason.COOLDOWN, message, wait_ms=left)
    current = _current(runs, now)
    if current.window is not None and current.count >= limits.per_hour:
        message = f"hourly budget exhausted: {count(limits.per_hour, 'run')} per hour"
        raise RepairRefused(
            RefusalReason.BUDGET, message, wait_ms=_ms(HOUR - (now - current.window))
        )


def standing(
    tx: ReadTx, action: RepairAction, settings: Settings, *, now: datetime
) -> GateStanding:
    """Return the time at which a person may run an action again."""
    limits, runs = action.limits_of(settings.pipeline.repair), _runs(tx, action.name)
    try:
        limit(runs, limits, now=now)
        wait_ms = 0
    except RepairRefused as refused:
        wait_ms = refused.wait_ms or 0
    left = max(0, limits.per_hour - _current(runs, now).count)
    return GateStanding(last=runs.last, wait_ms=wait_ms, runs_left=left, limits=limits)


def note(tx: WriteTx, order: RepairOrder, *, now: datetime) -> None:
    current = _current(_runs(tx, _key(order)), now)
    window = clock.to_text(current.window or now)
    tx.run(sql.RECORD_RUN, (_key(order), clock.to_text(now), window, current.count + 1))


def _key(order: RepairOrder) -> str:
    prefix = "maintenance:" if order.is_automatic else ""
    return f"{prefix}{order.action.name}"


def _runs(tx: ReadTx, key: str) -> Runs:
    row = tx.one(sql.RUNS, (key,))
    if row is None:
        return Runs()
    return Runs(
        last=clock.parsed(row["last_run_at"]),
        window=clock.parsed(row["window_started_at"]),
        count=row["runs_in_window"],
    )


def _current(runs: Runs, now: datetime) -> Runs:
    """Return the runs of the current hour, which begins with its first run (RP-2)."""
    if runs.window is None or not timedelta(0) <= now - runs.window < HOUR:
        return Runs(last=runs.last)
    return runs


def _ms(span: timedelta) -> int:
    return int(span / timedelta(milliseconds=1))


#: Unsuccessful runs before a repair is left to a person.
PATIENCE = 3


def halted(tx: ReadTx) -> frozenset[str]:
    return frozenset(row["action"] for row in tx.all(sql.HALTED_ACTIONS))


def judge(tx: WriteTx, action: str, *, helped: bool) -> None:
    """Count a repair that did not help; reset the count of one that did."""
    if helped:
        tx.run(sql.RESET_USELESS, (action,))
    else:
        tx.run(sql.COUNT_USELESS, {"action": action, "patience": PATIENCE})


def clear(tx: WriteTx) -> None:
    tx.run(sql.RESET_ALL_USELESS)


#: Seconds for SQLite to read through the file.
CHECK_SECONDS = 30.0
#: SQLite instructions between two checks of the clock.
_LOOK = 100_000


def embedding_gaps(tx: ReadTx, *, model: str | None) -> EmbeddingGaps:
    """Return how many memories lack a vector of this model (of any, if None); `stale` have an outdated one."""
    found = embeddings.coverage(tx, model=model)
    return {
        "unembedded": found.total - found.embedded,
        "total": found.total,
        "coverage": f"{found.share:.1%}",
        "stale": tx.value(sql.COUNT_OUTDATED_VECTORS, {"model": model}),
    }


def dedup_stats(tx: ReadTx) -> DedupStats:
    found = diagnostics.duplicates(tx)
    total, deleted = diagnostics.memories(tx)
    return {
        "exactClusters": found.clusters,
        "exactExcess": found.excess,
        "totalActive": total - deleted,
    }


def cold_stats(tx: ReadTx) -> ColdStats:
    if tx.value(HAS, (sql.COLD_TABLE,)) is None:
        return {"count": 0, "message": "there is no cold archive"}
    row = tx.one(sql.COLD)
    assert row is not None  # an aggregate
    reasons: dict[str, int] = {one[0]: one[1] for one in tx.all(sql.COLD_REASONS)}
    return {
        "count": row["count"],
        "oldest": row["oldest"],
        "newest": row["newest"],
        "totalBytes": row["bytes"],
        "byReason": reasons,
    }


def integrity(tx: ReadTx, *, now: datetime, seconds: float = CHECK_SECONDS) -> Integrity:
    """Let SQLite read through the file within `seconds`, and check whether both indexes can be searched."""
    said = _quick_check(tx, seconds)
    seen = indexes.check_text_indexes(tx)
    fts_ok, vec_ok = not any(one.is_off for one in seen), _can_search(tx)
    found: Integrity = {
        "checkedAt": clock.to_text(now),
        "ok": None if said is None else said == ["ok"] and fts_ok and vec_ok,
        "sqlite": said or [],
        "ftsOk": fts_ok,
        "vecOk": vec_ok,
    }
    return {**found, "timedOut": True} if said is None else found


def _quick_check(tx: ReadTx, seconds: float) -> list[str] | None:
    """Return SQLite's finding about the file, None if time ran out."""
    ends_at = time.monotonic() + seconds
    tx.connection.set_progress_handler(lambda: int(time.monotonic() > ends_at), _LOOK)
    try:
        for index in fts_index.INDEXES:
            fts_index.reopen(tx, index)
        return [str(row[0]) for row in tx.all(QUICK_CHECK)]
    except sqlite.OperationalError:
        return None
    except sqlite.DatabaseError as error:
        return [str(error)]
    finally:
        tx.connection.set_progress_handler(None, 0)


def _can_search(tx: ReadTx) -> bool:
    vector = tx.value(sql.ANY_VECTOR)
    if vector is None or vectors.indexed_dimensions(tx) is None:
        return True
    try:
        vectors.knn(tx, vector, 1)
    except sqlite.DatabaseError:
        return False
    return True
