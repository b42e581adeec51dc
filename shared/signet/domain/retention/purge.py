"""The steps of a sweep, in their fixed order, each in short transactions.

A step handles at most `limit` rows, so a large backlog never holds the write lock for long. A memory goes in three
steps that choose the same oldest tombstones, and its row only when the first two have left nothing of it; after a
crash in between the next sweep goes on where this one stopped. Nothing purged is copied anywhere: what a person
forgot is gone (PIP-58).
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.config import Settings
from signet.db import Database, WriteTx, clock_jumps
from signet.db.dialect import FREE_PAGES, as_list, cut_off
from signet.domain.activity import events
from signet.domain.audit import log as audit_log
from signet.domain.embeddings import vectors
from signet.domain.graph import feedback, link
from signet.domain.injections import ratings, record
from signet.domain.learning import worth
from signet.domain.memory import forget
from signet.domain.memory import history as changes
from signet.domain.retention import sql
from signet.domain.sessions import checkpoints as session_checkpoints
from signet.domain.summaries import requests
from signet.observe import logs
from signet.queue import admin


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """How long each kind of row is stored after its end."""

    tombstones: timedelta = timedelta(days=30)
    history: timedelta = timedelta(days=180)
    completed_jobs: timedelta = timedelta(days=14)
    dead_jobs: timedelta = timedelta(days=30)
    #: No setting changes these; few sessions are held out, so that outcomes are compared over a long time.
    session_memories: timedelta = timedelta(days=90)
    outcomes: timedelta = timedelta(days=730)
    telemetry: timedelta = timedelta(days=90)
    checkpoints: timedelta = timedelta(days=7)
    audit: timedelta = timedelta(days=365)

    @classmethod
    def from_settings(cls, wanted: Settings) -> "Windows":
        settings, pipeline = wanted.retention, wanted.pipeline
        return cls(
            telemetry=timedelta(days=pipeline.telemetry.retention_days),
            checkpoints=timedelta(days=pipeline.continuity.retention_days),
            audit=timedelta(days=wanted.auth.audit_days),
            tombstones=timedelta(milliseconds=settings.tombstone_retention_ms),
            history=timedelta(milliseconds=settings.history_retention_ms),
            completed_jobs=timedelta(milliseconds=settings.completed_job_retention_ms),
            dead_jobs=timedelta(milliseconds=settings.dead_job_retention_ms),
        )


def cutoff(now: datetime, window: timedelta) -> str:
    """Return the stored time before which a window has passed."""
    return clock.to_text(now - window)


log = logs.get("pipeline")

UNTRUSTED = (
    "the clock jumped ahead by a day or more; deletes again once the time has held for a day"
)
#: Rows of one transaction: the bulk lane's few milliseconds.
BATCH = 100
#: Free pages given back to the file system in one transaction.
RECLAIM_PAGES = 500
#: What everybody else gets between two transactions of a sweep.
PAUSE_SECONDS = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgedBatch:
    """The result of one transaction of a step; `handled` below the limit means that the step is complete."""

    handled: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """The numbers of deleted rows, by name; unfinished if time ran out. `held` is why nothing was deleted."""

    counts: Mapping[str, int]
    is_finished: bool
    held: str | None = None


Step = Callable[[WriteTx, datetime, Windows, int], PurgedBatch]


def links(tx: WriteTx, now: datetime, windows: Windows, limit: int) -> PurgedBatch:
    """Unlink expired tombstones from the graph and delete orphaned entities."""
    ids = forget.expired(tx, cutoff(now, windows.tombstones), limit)
    cut, orphans = link.unlink(tx, ids, now=now)
    return PurgedBatch(
        handled=len(ids), counts={"graphLinksPurged": cut, "entitiesOrphaned": orphans}
    )


def embeddings(tx: WriteTx, now: datetime, windows: Windows, limit: int) -> PurgedBatch:
    ids = forget.expired(tx, cutoff(now, windows.tombstones), limit)
    embedded = tx.column(sql.EMBEDDED, (as_list(ids),))
    for memory_id in embedded:
        vectors.remove(tx, memory_id)
    return PurgedBatch(handled=len(ids), counts={"embeddingsPurged": len(embedded)})


def tombstones(tx: WriteTx, now: datetime, windows: Windows, limit: int) -> PurgedBatch:
    """Delete expired tombstones that the first two steps have handled."""
    expired = forget.expired(tx, cutoff(now, windows.tombstones), limit)
    ids = tx.column(sql.BARE, (as_list(expired),))
    return PurgedBatch(
        handled=len(ids), counts={"tombstonesPurged": forget.purge(tx, ids, now=now)}
    )


def summaries(tx: WriteTx, now: datetime, windows: Windows, limit: int) -> PurgedBatch:
    """Delete summary requests that ended as long ago as their jobs."""
    gone = requests.delete_old(tx, "done", cutoff(now, windows.completed_jobs), limit)
    gone += requests.delete_old(tx, "failed", cutoff(now, windows.dead_jobs), limit - gone)
    return PurgedBatch(handled=gone, counts={"summaryJobsPurged": gone})


def ended_tasks(tx: WriteTx, now: datetime, windows: Windows, limit: int) -> PurgedBatch:
    """Delete ended tasks after their retention (KG-31)."""
    gone = feedback.delete_ended(tx, now=now, limit=limit)
    return PurgedBatch(handled=gone, counts={"tasksPurged": gone})


def _old(
    name: str, delete: Callable[[WriteTx, str, int], int], window: Callable[[Windows], timedelta]
) -> Step:
    """Return the step that deletes rows older than a window, with the name of its count."""

    def step(tx: WriteTx, now: datetime, windows: Windows, limit: int) -> PurgedBatch:
        gone = delete(tx, cutoff(now, window(windows)), limit)
        return PurgedBatch(handled=gone, counts={name: gone})

    return step


#: Steps that are repeated together, and the order of all (PIP-57).
ROUNDS: tuple[tuple[Step, ...], ...] = (
    (links, embeddings, tombstones),
    (_old("historyPurged", changes.purge, lambda keep: keep.history),),
    (_old("completedJobsPurged", admin.delete_completed, lambda keep: keep.completed_jobs),),
    (_old("deadJobsPurged", admin.delete_dead, lambda keep: keep.dead_jobs),),
    (summaries,),
    (ended_tasks,),
    (_old("sessionMemoriesPurged", ratings.delete_old_uses, lambda keep: keep.session_memories),),
    (_old("labelsPurged", worth.delete_old, lambda keep: keep.session_memories),),
    (_old("outcomesPurged", worth.delete_old_labels, lambda keep: keep.outcomes),),
    (_old("comparisonsPurged", worth.delete_old_comparisons, lambda keep: keep.outcomes),),
    # Records of injections are stored as long as events (TL-1).
    (_old("injectionsPurged", record.delete_old_injections, lambda keep: keep.telemetry),),
    (_old("telemetryPurged", events.purge, lambda keep: keep.telemetry),),
    (_old("checkpointsPurged", session_checkpoints.delete_old, lambda keep: keep.checkpoints),),
    (_old("auditPurged", audit_log.purge, lambda keep: keep.audit),),
)


def sweep(
    db: Database,
    *,
    windows: Windows,
    now: datetime,
    limit: int = BATCH,
    expired: Callable[[], bool] = lambda: False,
) -> Swept:
    """Run every step until it is complete, and give free pages back.

    If `expired` returns true, it stops between two transactions; the next sweep continues there. Deletes nothing while
    the clock is not trusted (db/clock_jumps.py).
    """
    if not db.read(clock_jumps.allows_deleting, now=now):
        log.warning("retention.held", reason=UNTRUSTED)
        return Swept(counts={}, is_finished=True, held=UNTRUSTED)
    limit = min(limit, BATCH)
    counts: Counter[str] = Counter()
    for steps in ROUNDS:
        handled = limit
        while handled == limit:
            for step in steps:
                if expired():
                    return Swept(counts=counts, is_finished=False)
                batch = db.write_quick(step, now, windows, limit)
                counts.update(batch.counts)
                handled = batch.handled
            time.sleep(PAUSE_SECONDS)
    while db.write_quick(reclaim):
        if expired():
            return Swept(counts=counts, is_finished=False)
        time.sleep(PAUSE_SECONDS)
    return Swept(counts=counts, is_finished=True)


def reclaim(tx: WriteTx) -> bool:
    """Return some free pages to the file system; True if there are more."""
    before = int(tx.value(FREE_PAGES))
    tx.all(cut_off(RECLAIM_PAGES))
    after = int(tx.value(FREE_PAGES))
    return 0 < after < before
