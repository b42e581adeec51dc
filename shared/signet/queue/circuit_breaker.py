"""The circuit breaker of a queue whose provider is down: it limits the jobs that may start.

When a run ends with `ProviderDown`, its queue claims nothing until the provider's waiting time has passed; then one job
runs as a probe. Its success closes the breaker, its failure opens it again, and any other end allows the next probe.
The state is a row, so that it holds across processes and restarts: while a provider is down, it gets at most one call
per probe interval.

After `ProviderFailed` the cause is unclear. The first failure adds a row in state `closed`, which the next success
deletes. Several failures of one kind in different jobs since then mean that the provider is failing: the breaker opens,
and those failures do not use up attempts. A job uses up attempts if it keeps failing while others succeed, or fails
again after each outage. A job that died with no other job for comparison is retried once after the provider has
answered another.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.db.dialect import LIST, list_of
from signet.errors import PROVIDER_FAILURES, PROVIDER_ILL, NotNow, ProviderDown
from signet.observe import logs
from signet.queue.enqueue import DUE
from signet.queue.kinds import ERRORS_KEPT, breaker_of, queues_behind

log = logs.get("pipeline")

#: Waits between probes: doubled with each failure up to this, so that work starts within five seconds of a provider's
#: recovery. A provider may ask for longer, up to MAX_PROBE_MS.
FIRST_PROBE_MS = 1_000
LAST_PROBE_MS = 4_000
#: The longest wait that a provider may ask for; a proxy that says "tomorrow" is probed anyway.
MAX_PROBE_MS = 600_000
#: An unfinished probe expires after this time, and another may start.
PROBE_MS = 120_000

#: Failures of one kind since the last answer, not all of one job, after which the breaker opens.
ILL_AFTER = 3
#: Older failures do not count for that.
ILL_WITHIN = timedelta(minutes=10)
#: Outages for which one job is excused: some requests make a healthy server fail.
MAX_OUTAGES = 3

#: `updated_at` is the beginning of the trouble, until the row is deleted.
_READ = "SELECT state, failures, retry_at_ms, probe, updated_at FROM provider_breakers WHERE provider = ?"
_ANY_OPEN = "SELECT 1 FROM provider_breakers WHERE state <> 'closed' LIMIT 1"
_SUSPECT = """
INSERT INTO provider_breakers (provider, state, updated_at) VALUES (?, 'closed', ?) ON CONFLICT DO NOTHING"""
_WRITE = """
INSERT INTO provider_breakers (provider, state, failures, retry_at_ms, updated_at) VALUES (?, 'open', ?, ?, ?)
ON CONFLICT (provider) DO UPDATE SET state = excluded.state, failures = excluded.failures,
       retry_at_ms = excluded.retry_at_ms, probe = NULL"""
_PROBE = "UPDATE provider_breakers SET state = 'half_open', probe = ?, retry_at_ms = ? WHERE provider = ?"
_PROBE_LOST = """
UPDATE provider_breakers SET state = 'open', probe = NULL, retry_at_ms = ? WHERE provider = ? AND probe = ?"""
_LATE = f"retry_at_ms > :wall + {MAX_PROBE_MS}"
_IS_LATE = f"SELECT 1 FROM provider_breakers WHERE {_LATE} LIMIT 1"
_BRING_FORWARD = f"UPDATE provider_breakers SET retry_at_ms = :wall WHERE {_LATE}"
_DUE_NOW = f"""
UPDATE memory_jobs SET due_ms = ?, updated_at = ?
 WHERE queue IN {LIST} AND status = 'pending' AND last_error_code = ? AND due_ms > ?"""
_CLOSE = "DELETE FROM provider_breakers WHERE provider = ? RETURNING updated_at, state"
_NO_SUSPECT = "DELETE FROM provider_breakers WHERE provider = ? AND state = 'closed' RETURNING updated_at, state"
_CODES = list_of(":codes")
#: Failures of this kind since then, as far as the row records them.
_TIMES = f"""
(SELECT COUNT(*) FROM json_each(CASE WHEN json_valid(errors) THEN errors ELSE '[]' END)
  WHERE value ->> 'at' >= :since AND value ->> 'code' IN {_CODES})"""
#: Jobs that failed since then have later due times.
_FAILED = f"""
SELECT id, {_TIMES} AS failures FROM memory_jobs WHERE id IN (
    SELECT id FROM memory_jobs WHERE status = 'pending' AND priority IN (0, 1, 2) AND due_ms >= :since_ms
       AND queue IN {list_of(":queues")} AND last_error_code IN {_CODES} AND updated_at >= :since
    UNION SELECT id FROM memory_jobs WHERE status = 'leased'
       AND queue IN {list_of(":queues")} AND last_error_code IN {_CODES}
    UNION SELECT id FROM memory_jobs WHERE status = 'dead' AND failed_at >= :since
       AND queue IN {list_of(":queues")} AND last_error_code IN {_CODES})"""
_OUTAGES = "SELECT outage_since, COALESCE(outages, 0) FROM memory_jobs WHERE id = ?"
_EXCUSE = """
UPDATE memory_jobs SET outage_since = :since, outages = COALESCE(outages, 0) + 1
 WHERE id = :id AND outage_since IS NOT :since"""
_NO_TWIN = """
NOT EXISTS (SELECT 1 FROM memory_jobs open WHERE open.dedupe_key = memory_jobs.dedupe_key AND open.id <> memory_jobs.id
               AND open.status IN ('pending', 'leased'))"""
_GIVE_BACK = f"""
UPDATE memory_jobs
   SET attempts = MAX(attempts - :failures, 0), updated_at = :now, failed_at = NULL,
       due_ms = CASE status WHEN 'leased' THEN due_ms ELSE :due END,
       status = CASE status WHEN 'dead' THEN 'pending' ELSE status END
 WHERE id = :id AND (status IN ('pending', 'leased') OR (status = 'dead' AND {_NO_TWIN}))"""
#: Once for each job, and only if all its attempts fell into the time without any answer.
_REVIVE = f"""
UPDATE memory_jobs
   SET status = 'pending', attempts = 0, failed_at = NULL, due_ms = :wall, updated_at = :now,
       revived_at = :now
 WHERE id IN (SELECT min(id) FROM memory_jobs WHERE status = 'dead' AND failed_at >= :since
                 AND queue IN {list_of(":queues")} AND last_error_code IN {_CODES}
                 AND revived_at IS NULL AND {_TIMES} >= MIN(max_attempts, {ERRORS_KEPT})
                 AND {_NO_TWIN}
               GROUP BY COALESCE(dedupe_key, id))"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How many jobs may be claimed, and when to check again if that is fewer than requested."""

    jobs: int
    again_at_ms: int | None = None
    is_probe: bool = False


def allowance(tx: ReadTx, queue: str, room: int, *, now_ms: int) -> Allowance:
    """Return how many of `room` jobs may start; an open breaker whose wait has ended allows one, the probe."""
    row = _opened(tx, queue)
    if row is None:
        return Allowance(jobs=room)
    if row["retry_at_ms"] > now_ms:
        return Allowance(jobs=0, again_at_ms=row["retry_at_ms"])
    return Allowance(jobs=1, is_probe=True)


def is_any_open(tx: ReadTx) -> bool:
    return tx.one(_ANY_OPEN) is not None


def note_probe(tx: WriteTx, queue: str, job_id: str, *, now_ms: int) -> int:
    """Record this job as the probe; return until when (ms since 1970) no other may start."""
    again = now_ms + PROBE_MS
    tx.run(_PROBE, (job_id, again, breaker_of(queue)))
    return again


def probe_lost(tx: WriteTx, queue: str, job_id: str, *, now: datetime) -> None:
    """Allow another probe now if this job was the last one: it ended without an answer."""
    tx.run(_PROBE_LOST, (int(now.timestamp() * 1000), breaker_of(queue), job_id))


def reset(tx: WriteTx, queue: str, *, now: datetime) -> None:
    """Close the breaker and make its waiting jobs due: the provider of this queue has changed."""
    close_breaker(tx, queue, now=now)
    for code in (ProviderDown.code, *PROVIDER_FAILURES):
        _make_due(tx, queue, code, now)


def settings_allow(tx: WriteTx, queue: str, *, now: datetime) -> None:
    """Make jobs due that waited for a change of settings."""
    _make_due(tx, queue, NotNow.code, now)


def _make_due(tx: WriteTx, queue: str, code: str, now: datetime) -> None:
    now_ms = int(now.timestamp() * 1000)
    together = json.dumps(queues_behind(breaker_of(queue)))
    tx.run(_DUE_NOW, (now_ms, clock.to_text(now), together, code, now_ms))
    tx.signal(DUE)


def open_breaker(
    tx: WriteTx, queue: str, job_id: str, *, retry_after_ms: int | None, now: datetime
) -> int:
    """Stop the queue for its provider's waiting time; return when (ms since 1970) this job may retry.

    A job that was running already when the breaker opened changes nothing.
    """
    row = _opened(tx, queue)
    now_ms = int(now.timestamp() * 1000)
    if row is not None and row["retry_at_ms"] > now_ms and row["probe"] != job_id:
        # While a probe runs, the row only has the time at which it expires.
        return now_ms + FIRST_PROBE_MS if row["probe"] else int(row["retry_at_ms"])
    failures = (row["failures"] if row else 0) + 1
    wait: int = min(FIRST_PROBE_MS * 2 ** min(failures - 1, 10), LAST_PROBE_MS)
    retry_at = now_ms + min(max(wait, retry_after_ms or 0), MAX_PROBE_MS)
    if row is None:
        _give_back(tx, queue, due_ms=retry_at, now=now)
        queues = queues_behind(breaker_of(queue))
        log.warning("provider.held_back", queues=queues, until=clock.ms_to_text(retry_at))
    tx.run(_WRITE, (breaker_of(queue), failures, retry_at, clock.to_text(now)))
    return retry_at


def is_ill(tx: WriteTx, queue: str, job_id: str, code: str, *, now: datetime) -> bool:
    """Record a provider failure of this job; return whether the provider is at fault.

    While the breaker is open, failures of other kinds count too: a recovering server fails in several ways.
    """
    tx.run(_SUSPECT, (breaker_of(queue), clock.to_text(now)))
    row = tx.one(_READ, (breaker_of(queue),))
    assert row is not None
    is_open, since = row["state"] != "closed", row["updated_at"]
    outage, outages = _outages(tx, job_id)
    if outages >= MAX_OUTAGES and outage != since:
        return False
    still = is_open and code in PROVIDER_ILL
    if still:
        failed = _failed(tx, queue, PROVIDER_ILL, since=since)
    else:
        recent = max(since, clock.to_text(now - ILL_WITHIN))
        failed = _failed(tx, queue, (code,), since=recent)
    is_only_one = not failed.keys() - {job_id}
    if is_only_one or (not still and sum(failed.values()) + 1 < ILL_AFTER):
        return False
    _excuse(tx, job_id, since)
    return True


def is_late(tx: ReadTx, *, now: datetime) -> bool:
    """Return whether a provider's wait exceeds all our waits: the clock was ahead."""
    return tx.one(_IS_LATE, {"wall": int(now.timestamp() * 1000)}) is not None


def bring_forward(tx: WriteTx, *, now: datetime) -> None:
    """Allow probes of those providers now."""
    tx.run(_BRING_FORWARD, {"wall": int(now.timestamp() * 1000)})


def close_breaker(tx: WriteTx, queue: str, *, now: datetime) -> None:
    """Reopen the queue: its provider has answered."""
    _revive(tx, queue, tx.all(_CLOSE, (breaker_of(queue),)), now)


def note_answer(tx: WriteTx, queue: str, *, now: datetime) -> None:
    """Forget failures that were too few to open the breaker: the provider has answered."""
    _revive(tx, queue, tx.all(_NO_SUSPECT, (breaker_of(queue),)), now)


def breaker_retry_at(tx: ReadTx, queue: str) -> int | None:
    """Return until when the queue is stopped, None if it runs."""
    row = _opened(tx, queue)
    return None if row is None else int(row["retry_at_ms"])


def _opened(tx: ReadTx, queue: str) -> Row | None:
    row = tx.one(_READ, (breaker_of(queue),))
    return None if row is None or row["state"] == "closed" else row


def _failed(tx: ReadTx, queue: str, codes: Sequence[str], *, since: str) -> dict[str, int]:
    asked = _asked(queue, codes, since)
    return {row["id"]: row["failures"] for row in tx.all(_FAILED, asked) if row["failures"]}


def _give_back(tx: WriteTx, queue: str, *, due_ms: int, now: datetime) -> None:
    """Undo the attempts and deaths of jobs from failures since the provider last answered."""
    row = tx.one(_READ, (breaker_of(queue),))
    if row is None:
        return
    for job_id, failures in _failed(tx, queue, PROVIDER_FAILURES, since=row["updated_at"]).items():
        if _outages(tx, job_id)[1] >= MAX_OUTAGES:
            continue
        back = {"id": job_id, "failures": failures, "due": due_ms, "now": clock.to_text(now)}
        tx.run(_GIVE_BACK, back)
        _excuse(tx, job_id, row["updated_at"])


def _excuse(tx: WriteTx, job_id: str, since: str) -> None:
    tx.run(_EXCUSE, {"id": job_id, "since": since})


def _outages(tx: ReadTx, job_id: str) -> tuple[str | None, int]:
    row = tx.one(_OUTAGES, (job_id,))
    return (None, 0) if row is None else (row[0], row[1])


def _revive(tx: WriteTx, queue: str, closed: Sequence[Row], now: datetime) -> None:
    """Retry jobs that died while the provider answered no job."""
    for row in closed:
        if row["state"] != "closed":
            log.info("provider.answers_again", queue=queue, since=row["updated_at"])
        asked = _asked(queue, PROVIDER_FAILURES, row["updated_at"])
        times = {"wall": int(now.timestamp() * 1000), "now": clock.to_text(now)}
        revived = tx.run(_REVIVE, asked | times)
        if revived:
            log.info("job.revived", queue=queue, count=revived)
            tx.signal(DUE)


def _asked(queue: str, codes: Sequence[str], since: str) -> dict[str, object]:
    return {
        "queues": json.dumps(queues_behind(breaker_of(queue))),
        "codes": json.dumps(list(codes)),
        "since": since,
        "since_ms": int(clock.parse(since).timestamp() * 1000),
    }
