"""One `label_session` job: derive labels for the memories that an ended session received, or could have received.

Runs when the session's use is known, and again when more is known: a later run replaces the earlier labels. Stores no
text, only positions in the transcript (PR-2).
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.config.pipeline import Predictor
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.injections import given, ratings
from signet.domain.injections.given import Given
from signet.domain.learning import influence, labels, sql, worth
from signet.domain.learning.labels import SessionEvidence
from signet.domain.memory import history, lookup
from signet.observe import latency
from signet.queue.job_context import JobContext


def run_label(job: JobContext, *, settings: Predictor) -> None:
    """Store the session's labels and outcome, and complete the job. Raises LeaseLost, Cancelled."""
    agent_id, key = job.lease.agent_id or "", str(job.lease.payload.get("session_key"))
    now = clock.now()
    found, known = job.db.read(_read, agent_id, key, now)
    made = labels.session_labels(found, known) if found.is_over else []

    def write(tx: WriteTx) -> dict[str, object]:
        if not found.is_over:
            return {"skipped": "session goes on"}
        before = tx.column(sql.LABELLED, (agent_id, key))
        tx.run(sql.DELETE_LABELS, (agent_id, key))
        at = found.injections[0].created_at if found.injections else clock.to_text(now)
        tx.many(sql.INSERT_LABEL, [(agent_id, key, *astuple(one), at) for one in made])
        if found.injections:
            tx.run(sql.PUT_OUTCOME, (agent_id, key, *astuple(labels.outcome(found))))
        changed = dict.fromkeys([*before, *(one.memory_id for one in made)])
        worth.refresh(tx, agent_id, list(changed), now=now)
        if settings.enabled and found.injections:
            influence.judge(
                tx,
                agent_id,
                key,
                influence.compared(found, made),
                project=found.project,
                at=at,
                window=settings.drift_reset_window,
                now=now,
            )
        return {"labels": sum(one.weight > 0 for one in made)}

    started = time.perf_counter()
    job.commit(write)
    latency.observe(latency.TimedOperation.PREDICTOR_TRAIN, time.perf_counter() - started)


def _read(tx: ReadTx, agent_id: str, key: str, now: datetime) -> tuple[Given, SessionEvidence]:
    found = given.given_to_session(tx, agent_id, key, now=now)
    rated, corrected = ratings.of_session(tx, agent_id, key)
    since = found.injections[0].created_at if found.injections else clock.to_text(now)
    changed, forgotten = history.taken_back(tx, found.memories, since)
    texts = {one.id: one.content for one in lookup.several(tx, found.memories)}
    evidence = SessionEvidence(
        texts=texts, ratings=rated, corrected=corrected | changed, forgotten=forgotten
    )
    return found, evidence


#: Memories per transaction, which takes some milliseconds.
BATCH = 200


class Learned(NamedTuple):
    """Labels that count for a memory, and those that do not: no sign, or older than the last sessions."""

    used: int
    skipped: int


def batches(tx: ReadTx, agent_id: str) -> list[Sequence[str]]:
    """Return an agent's memories with labels or learned factors, in batches for transactions."""
    found = tx.column(sql.KNOWN_MEMORIES, (agent_id,))
    return list(_cut(found))


def learn(tx: WriteTx, agent_id: str, memory_ids: Sequence[str], *, now: datetime) -> int:
    """Recompute the factors of memories, and return the number of labels used."""
    worth.refresh(tx, agent_id, memory_ids, now=now)
    return int(tx.value(sql.TIMES, (agent_id, as_list(memory_ids))))


def counted(tx: ReadTx, agent_id: str, used: int) -> Learned:
    """Return the labels that count, and the others."""
    return Learned(used, max(0, int(tx.value(sql.ALL_LABELS, (agent_id,))) - used))


def _cut(found: Sequence[str]) -> Iterator[Sequence[str]]:
    return (found[start : start + BATCH] for start in range(0, len(found), BATCH))


def experience(tx: ReadTx, agent_id: str) -> tuple[int, str | None]:
    """Return an agent's number of ended sessions with memories, and the end of the first one."""
    [(sessions, first)] = tx.tuples(sql.EXPERIENCE, (agent_id,))
    return sessions, first


def helped(tx: ReadTx, agent_id: str, limit: int) -> list[str]:
    """Return the keys of sessions in which a memory helped, newest first."""
    return tx.column(sql.HELPED_IN, (agent_id, limit))


def relevance(tx: ReadTx, agent_id: str, key: str) -> dict[str, float]:
    """Return the relevance of memories to a session, 0..1, by ID; 0 without a sign."""
    return dict(tx.tuples(sql.RELEVANCE, (agent_id, key)))


def delete_old_comparisons(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest comparisons and return their number."""
    return tx.run(sql.DELETE_COMPARISONS, (before, limit))


def delete_old_labels(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest outcomes and return their number."""
    return tx.run(sql.DELETE_OUTCOMES, (before, limit))
