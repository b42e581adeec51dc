"""Restart dead jobs, release stale leases, prune ended jobs, queue sessions again, and sweep expired rows.

Session summaries are ordinary jobs; a row of `summary_jobs` without its job gets a new one.
"""

import json
import os
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.diagnostics import counts as diagnostics
from signet.domain.repair import sql, steps
from signet.domain.repair.models import RefusalReason, RepairDone, RepairOrder, RepairRefused
from signet.domain.repair.steps import RepairWork
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows, cutoff
from signet.domain.summaries import requests
from signet.domain.summaries.requests import KIND as SUMMARIZE
from signet.queue import JobStatus, admin, transitions
from signet.text.plural import count

#: Interval between restarted jobs, so that a recovered provider is not overloaded.
SPREAD_MS = 100
#: Maintenance skips a job that has used up all its attempts this often; a person must look at it.
MOST_LIVES = 3
#: Age up to which failed model calls prevent a restart.
CALLS_COUNT = timedelta(minutes=10)
#: Leases released per run.
MOST_LEASES = 500
#: Jobs archived and deleted per step.
PRUNED_AT_ONCE = 100

#: The columns of a `transitions.Leased`.
_LEASED = ("id", "lease_token", "queue", "attempts", "max_attempts", "crashes")
_ENDED_AT = {"dead": "failed_at", "completed": "completed_at"}


def _ended(row: Row, at: str) -> dict[str, object]:
    return {"id": row["id"], "kind": row["job_type"], "at": row[at], "error": row["error"]}


def preview_requeue(tx: ReadTx, order: RepairOrder) -> RepairDone:
    dead = _dead(tx, order)
    details = steps.sample(dead, lambda row: _ended(row, "failed_at"))
    message = f"dry run: would requeue {_counted(dead)}"
    return RepairDone(len(dead), message, details)


def requeue(tx: WriteTx, order: RepairOrder) -> RepairDone:
    """Restart dead jobs, oldest first; raises Refused while every model call fails (RP-6).

    Old failures do not count: without jobs there are no calls, and they would block forever.
    """
    calls = diagnostics.calls(tx)
    last = clock.parsed(calls.last_at)
    left = CALLS_COUNT - (order.now - last) if last else timedelta(0)
    if left > timedelta(0) and not calls.successes and not order.is_on("force"):
        message = f"none of the last {calls.total} calls of models succeeded; pass force to requeue anyway"
        wait_ms = int(left / timedelta(milliseconds=1))
        raise RepairRefused(RefusalReason.UNAVAILABLE, message, wait_ms=wait_ms)
    dead = _dead(tx, order)
    known = [row["id"] for row in dead if admin.get(tx, row["id"]) is not None]
    moved = transitions.requeue(tx, now=order.now, job_ids=known, limit=len(known)) if known else []
    revived = [
        row["id"]
        for row in dead
        if row["id"] not in known and requests.restart(tx, row["id"], now=order.now)
    ]
    done = [row["id"] for row in dead if row["id"] in {*moved, *revived}]
    admin.spread(tx, done, apart_ms=SPREAD_MS, now=order.now)
    counted = _counted([row for row in dead if row["id"] in done])
    return RepairDone(len(done), f"requeued {counted}")


def release(tx: WriteTx, order: RepairOrder) -> RepairDone:
    """Release jobs with an expired lease; one without attempts left dies (RP-7)."""
    stale = _stale(tx, order)
    for row in stale:
        leased = transitions.Leased(*(row[column] for column in _LEASED))
        transitions.finish(tx, leased, transitions.HUNG, now=order.now)
    alone = [row["id"] for row in tx.all(sql.STALE_SUMMARIES, {"before": _before(order)})]
    back = sum(requests.restart(tx, job_id, now=order.now) for job_id in alone)
    buried = sum(row["attempts"] >= row["max_attempts"] for row in stale)
    released = len(stale) - buried + back
    message = f"released {count(released, 'stale lease')}"
    if buried:
        message += f"; {count(buried, 'job')} had no attempts left and died"
    return RepairDone(released + buried, message)


def preview_prune(tx: ReadTx, order: RepairOrder) -> RepairDone:
    status = str(order.options["status"])
    at = _ENDED_AT[status]
    asked = _ended_of(order, order.number("limit"))
    ended = int(tx.value(sql.COUNT_ENDED_JOBS.format(at=at), asked))
    first = _some_ended(tx, order, steps.SHOWN)
    message = f"dry run: would archive and delete {count(ended, f'{status} job')}"
    details = steps.sample(first, lambda row: _ended(row, at))
    return RepairDone(ended, message, details)


def prune(work: RepairWork) -> RepairDone:
    """Write ended jobs to an archive, one JSON object per line, and delete them.

    A job is deleted after the file is synced. A job restarted meanwhile stays, and is then also in the file.
    """
    order = work.order
    status, most = str(order.options["status"]), order.number("limit")
    folder = work.workspace.daemon_dir / "archive"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = order.now.strftime("%Y%m%dT%H%M%S%f")[:-3]
    archive = folder / f"jobs-{status}-{stamp}Z.ndjson"
    while work.affected < most:
        limit = min(PRUNED_AT_ONCE, most - work.affected)
        found = work.db.read(_some_ended, order, limit)
        if not found:
            break
        lines = "".join(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in found)
        descriptor = os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="replace") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        ids = [row["id"] for row in found]
        if not work.step(partial(admin.delete_ended, status=JobStatus(status), job_ids=ids)):
            break
    where = {"archive": str(archive)} if work.affected else {}
    message = f"archived and deleted {count(work.affected, f'{status} job')}"
    return RepairDone(work.affected, message, where)


def _dead(tx: ReadTx, order: RepairOrder) -> list[Row]:
    limit = order.number("limit")
    lives = MOST_LIVES if order.is_automatic else None
    asked = {**sql.parameters(order.chosen), "limit": limit}
    found = tx.all(sql.DEAD_JOBS, {**asked, "lives": lives})
    if len(found) < limit:
        found += tx.all(sql.DEAD_SUMMARIES, {**asked, "limit": limit - len(found)})
    return found


def _stale(tx: ReadTx, order: RepairOrder) -> list[Row]:
    asked = {
        **sql.parameters(order.chosen),
        "before": _before(order),
        "monotonic": order.monotonic_ms,
        "limit": MOST_LEASES,
    }
    return tx.all(sql.STALE_LEASES, asked)


preview_release = steps.previewing(
    _stale,
    "release {}",
    "stale lease",
    lambda row: {"id": row["id"], "kind": row["job_type"], "at": row["leased_at"]},
)


def _before(order: RepairOrder) -> str:
    timeout = timedelta(milliseconds=order.settings.pipeline.worker.lease_timeout_ms)
    return clock.to_text(order.now - timeout)


def _ended_of(order: RepairOrder, limit: int) -> dict[str, object]:
    status = str(order.options["status"])
    return {**sql.parameters(order.chosen), "status": status, "limit": limit}


def _some_ended(tx: ReadTx, order: RepairOrder, limit: int) -> list[Row]:
    at = _ENDED_AT[str(order.options["status"])]
    return tx.all(sql.ENDED_JOBS.format(at=at), _ended_of(order, limit))


def _counted(dead: Sequence[Row]) -> str:
    summaries = sum(row["job_type"] == SUMMARIZE for row in dead)
    memories = count(len(dead) - summaries, "dead memory job")
    return f"{memories} and {count(summaries, 'dead summary job')}"


def _shown_session(row: Row) -> dict[str, object]:
    return {"id": row["id"], "session": row["session_id"], "at": row["completed_at"]}


_skipped = steps.selecting(sql.SKIPPED_SESSIONS, limit="limit")
preview_sessions = steps.previewing(_skipped, "read {} again", "session", _shown_session)


def backfill_sessions(tx: WriteTx, order: RepairOrder) -> RepairDone:
    """Queue sessions whose job completed without a summary.

    A session without content is skipped: the result would be the same.
    """
    again = [row for row in _skipped(tx, order) if _queue_again(tx, row, order)]
    message = f"requeued {count(len(again), 'session')} without a summary"
    return RepairDone(len(again), message, steps.sample(again, _shown_session))


def _queue_again(tx: WriteTx, row: Row, order: RepairOrder) -> bool:
    admin.delete_ended(tx, JobStatus.COMPLETED, [row["id"]])
    return requests.restart(tx, row["id"], now=order.now)


#: Names of a sweep's counts in answers (RP-9).
_SWEPT = {
    "graphLinksPurged": "graphLinks",
    "entitiesOrphaned": "entitiesOrphaned",
    "embeddingsPurged": "embeddings",
    "tombstonesPurged": "tombstones",
    "historyPurged": "history",
    "completedJobsPurged": "completedJobs",
    "deadJobsPurged": "deadJobs",
    "trainingPairsPurged": "trainingPairs",
    "tasksPurged": "tasks",
    "sessionMemoriesPurged": "sessionMemories",
}


def preview_sweep(tx: ReadTx, order: RepairOrder) -> RepairDone:
    windows = Windows.from_settings(order.settings)
    spans = {
        "tombstones": windows.tombstones,
        "history": windows.history,
        "completedJobs": windows.completed_jobs,
        "deadJobs": windows.dead_jobs,
        "sessionMemories": windows.session_memories,
    }
    due = {
        name: int(tx.value(sql.EXPIRED[name], (cutoff(order.now, span),)))
        for name, span in spans.items()
    }
    total = sum(due.values())
    message = f"dry run: would purge {count(total, 'row')}"
    return RepairDone(total, message, due)


def sweep(work: RepairWork) -> RepairDone:
    def stops() -> bool:
        work.check()
        return False

    settings = work.order.settings.retention
    swept = purge.sweep(
        work.db,
        windows=Windows.from_settings(work.order.settings),
        now=clock.now(),
        limit=settings.batch_limit,
        expired=stops,
    )
    counts = dict.fromkeys(_SWEPT.values(), 0)
    counts |= {_SWEPT.get(name, name): count for name, count in swept.counts.items()}
    work.affected = sum(counts.values())
    message = swept.held or f"retention sweep completed; purged {count(work.affected, 'row')}"
    return RepairDone(work.affected, message, counts)
