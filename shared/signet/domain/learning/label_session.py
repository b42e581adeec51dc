"""One `label_session` job: say what an ended session shows of the memories that it was given, or could have been.

Runs when it is known what the session used, and again when more is known of it: a later run replaces what an earlier
one said. No text is kept, only where in the transcript it stands (PR-2).
"""

import time
from dataclasses import astuple
from datetime import datetime

from signet import clock
from signet.config.pipeline import Predictor
from signet.db import ReadTx, WriteTx
from signet.domain.injections import given, ratings
from signet.domain.injections.given import Given
from signet.domain.learning import compare, influence, labels, sql, worth
from signet.domain.learning.labels import Evidence
from signet.domain.memory import history, lookup
from signet.observe import latency
from signet.queue.job_context import JobContext


def run(job: JobContext, *, settings: Predictor) -> None:
    """Keep the labels and the outcome of the session and complete the job. Raises LeaseLost, Cancelled."""
    agent_id, key = job.lease.agent_id or "", str(job.lease.payload.get("session_key"))
    now = clock.now()
    found, known = job.db.read(_read, agent_id, key, now)
    made = labels.of_session(found, known) if found.is_over else []

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
                compare.of_session(found, made),
                project=found.project,
                at=at,
                window=settings.drift_reset_window,
                now=now,
            )
        return {"labels": sum(one.weight > 0 for one in made)}

    started = time.perf_counter()
    job.commit(write)
    latency.observe(latency.Operation.PREDICTOR_TRAIN, time.perf_counter() - started)


def _read(tx: ReadTx, agent_id: str, key: str, now: datetime) -> tuple[Given, Evidence]:
    found = given.of_session(tx, agent_id, key, now=now)
    rated, corrected = ratings.of_session(tx, agent_id, key)
    since = found.injections[0].created_at if found.injections else clock.to_text(now)
    changed, forgotten = history.taken_back(tx, found.memories, since)
    texts = {one.id: one.content for one in lookup.several(tx, found.memories)}
    evidence = Evidence(
        texts=texts, ratings=rated, corrected=corrected | changed, forgotten=forgotten
    )
    return found, evidence
