"""Compute the factors of a memory's score from all sessions: how often it helped, and its ratings.

Two bounded factors, computed with each label, so that recall only multiplies. `learned` follows the posterior of the
labels: from `LEAST_TIMES` on, it raises by how far the lower bound is above an even chance, and lowers by how far the
upper bound is below it, so a memory with few labels is never lowered. `rated` follows the agents' ratings (PR-13).
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from signet import clock
from signet.config.pipeline import Predictor
from signet.db import ReadTx, WriteTx, barrier
from signet.db.caches import Bounded
from signet.db.dialect import as_list
from signet.domain.injections import ratings, show
from signet.domain.injections.show import Given
from signet.domain.learning import influence, labels, sql
from signet.domain.learning.labels import SessionEvidence, Worth
from signet.domain.learning.sql import Sums
from signet.domain.memory import history, lookup
from signet.observe import latency
from signet.queue.job_context import JobContext

#: Version of the rule from labels to factors.
VERSION = 2
#: Minimum sessions with a sign, and the number of last sessions that count.
LEAST_TIMES, LAST_SESSIONS = 3, 10
#: The maximum change of the factor, and the distance of a bound from an even chance that reaches it.
MOST, CERTAIN = 0.15, 0.25
#: Probability below the lower bound, and above the upper one.
TAIL = 0.05
#: Number and age of ratings that count, the effect of each excess negative one, and the minimum (PR-13).
LAST_RATINGS, RATINGS_KEPT, PER_NEGATIVE, LEAST_RATED = 20, timedelta(days=90), 0.1, 0.3
#: Memories whose factors a process keeps.
MOST_KNOWN = 65_536  # of 490 bytes each
#: Points of the numerical posterior: two decimals of a bound are exact.
_POINTS = 2_000


def bounds(helped: float, hurt: float) -> tuple[float, float]:
    """Return the bounds of the share of sessions that a memory helps, given these. Pure."""
    import numpy as np

    share = (np.arange(_POINTS) + 0.5) / _POINTS
    logs = helped * np.log(share) + hurt * np.log1p(-share)
    below = np.cumsum(np.exp(logs - logs.max()))
    low, high = np.searchsorted(below / below[-1], (TAIL, 1 - TAIL))
    return float(share[low]), float(share[high])


def learned(helped: float, hurt: float, times: int) -> float:
    """Return the factor, 0.85..1.15, of a memory's score by its labels. Pure."""
    if times < LEAST_TIMES:
        return 1.0
    low, high = bounds(helped, hurt)
    sure = max(0.0, low - 0.5) + min(0.0, high - 0.5)
    return 1.0 + MOST * max(-1.0, min(1.0, sure / CERTAIN))


def rated(balance: int) -> float:
    """Return the factor, 0.3..1, for a surplus of negative ratings. Pure."""
    return max(LEAST_RATED, 1.0 - PER_NEGATIVE * max(0, balance))


class KnownWorth(NamedTuple):
    """The factors of an agent's memories as of a change number, by row number.

    Contains only factors other than 1, computed when read, so that recall only multiplies.
    """

    change: int = 0
    memories: Mapping[int, Worth] = MappingProxyType({})
    seqs: Mapping[str, int] = MappingProxyType({})
    learned: Mapping[int, float] = MappingProxyType({})
    rated: Mapping[int, float] = MappingProxyType({})


_NO_WORTH = KnownWorth()


class Cache:
    """The factors by agent, as read by this process; thread-safe."""

    def __init__(self, most: int = MOST_KNOWN) -> None:
        """Keep the factors of at most this many memories; those of the least recently asked agents go first."""
        self._known: Bounded[str, KnownWorth] = Bounded(most, lambda one: 1 + len(one.memories))

    def __len__(self) -> int:
        """Return the number of agents."""
        return len(self._known)

    def worth_of(self, tx: ReadTx, agent_id: str) -> KnownWorth:
        newest = tx.value(sql.WORTH_CHANGES, (agent_id,)) or 0
        held = self._known.get(agent_id) or _NO_WORTH
        if held.change == newest:
            return held
        with barrier.lifted(tx.connection):
            rows = tx.tuples(sql.WORTH, (agent_id,))
        memories = {seq: Worth(*values) for seq, _, *values in rows}
        read = KnownWorth(
            newest,
            memories,
            {id_: seq for seq, id_, *_ in rows},
            {seq: one.learned for seq, one in memories.items() if one.learned != 1},
            {seq: one.rated for seq, one in memories.items() if one.rated != 1},
        )
        self._known.put(agent_id, read)
        return read


def known(tx: ReadTx, agent_id: str) -> KnownWorth:
    cache = tx.caches.get(Cache) if tx.caches is not None else Cache()
    return cache.worth_of(tx, agent_id)


def protected(tx: ReadTx, memory_ids: Iterable[str]) -> set[str]:
    """Return the memories that learned ranking may not displace: pinned ones and constraints (PR-19)."""
    return set(tx.column(sql.HELD, (as_list(memory_ids),)))


def by_id(tx: ReadTx, memory_ids: Iterable[str], *, agent_id: str) -> dict[str, Worth]:
    """Return the known worth of memories from an agent's sessions, by ID."""
    found = known(tx, agent_id)
    return {one: found.memories[found.seqs[one]] for one in memory_ids if one in found.seqs}


def refresh(tx: WriteTx, agent_id: str, memory_ids: Sequence[str], *, now: datetime) -> None:
    """Recompute the worth of memories from labels and ratings."""
    asked = (agent_id, as_list(memory_ids), LAST_SESSIONS)
    sums = {row.memory_id: row for row in tx.rows(Sums, sql.SUMS, asked)}
    balance = ratings.balances(
        tx, agent_id, memory_ids, since=now - RATINGS_KEPT, last=LAST_RATINGS
    )
    shown = [one for one in memory_ids if one in sums or balance.get(one, 0) > 0]
    tx.run(sql.DELETE_WORTH, (agent_id, as_list(memory_ids)))
    tx.many(
        sql.PUT_WORTH,
        [
            (
                agent_id,
                one,
                *_stored(sums.get(one, Sums(one, 0, 0, 0, 0))),
                rated(balance.get(one, 0)),
            )
            for one in shown
        ],
    )


def delete_of_memories(tx: WriteTx, memory_ids: Sequence[str]) -> None:
    for statement in sql.DELETE_OF_MEMORIES:
        tx.run(statement, (as_list(memory_ids),))


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest labels, recompute their memories, and return their number."""
    rows = tx.tuples(sql.OLDEST, (before, limit))
    tx.run(sql.DELETE_ROWS, (as_list(row[0] for row in rows),))
    by_agent: dict[str, list[str]] = {}
    for _, agent_id, memory_id in rows:
        by_agent.setdefault(agent_id, []).append(memory_id)
    for agent_id, memory_ids in by_agent.items():
        refresh(tx, agent_id, list(dict.fromkeys(memory_ids)), now=clock.now())
    return len(rows)


def _stored(sums: Sums) -> tuple[int, int, float]:
    return sums.times_helped, sums.times, learned(sums.helped, sums.hurt, sums.times)


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
        refresh(tx, agent_id, list(changed), now=now)
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
    found = show.given_to_session(tx, agent_id, key, now=now)
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
    return [found[start : start + BATCH] for start in range(0, len(found), BATCH)]


def learn(tx: WriteTx, agent_id: str, memory_ids: Sequence[str], *, now: datetime) -> int:
    """Recompute the factors of memories; return the number of labels used."""
    refresh(tx, agent_id, memory_ids, now=now)
    return int(tx.value(sql.TIMES, (agent_id, as_list(memory_ids))))


def counted(tx: ReadTx, agent_id: str, used: int) -> Learned:
    return Learned(used, max(0, int(tx.value(sql.ALL_LABELS, (agent_id,))) - used))


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
    return tx.run(sql.DELETE_COMPARISONS, (before, limit))


def delete_old_labels(tx: WriteTx, before: str, limit: int) -> int:
    return tx.run(sql.DELETE_OUTCOMES, (before, limit))
