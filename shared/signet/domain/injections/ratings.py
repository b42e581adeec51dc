"""Ratings of memories by the session's agent.

A rating counts only for a memory that the session received or its prompts found. `session_memories` holds the running
mean, `agent_feedback` each rating. A correction changes nothing automatically: it is a proposal in the memory's
history (PR-14).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.agents import registry as agents
from signet.domain.graph.feedback import Use
from signet.domain.injections import record as queue
from signet.domain.injections import sql
from signet.domain.injections.models import Phase
from signet.domain.injections.sql import Shown
from signet.domain.memory import history, lookup
from signet.domain.memory.models import Actor, Event

#: Minimum length of an ID prefix (PR-11).
LEAST_PREFIX = 8


class Feedback(StrEnum):
    """Kinds of feedback on a memory."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Accepted scores by full ID, and IDs that the session did not receive."""

    scores: Mapping[str, float]
    unknown: Sequence[str] = ()


def record(
    tx: WriteTx,
    session_key: str,
    ratings: Mapping[str, float],
    *,
    agent_id: str,
    actor: Actor,
    now: datetime,
) -> Recorded:
    """Store ratings of a session's memories, each clamped to -1..1; IDs may be prefixes of eight characters."""
    shown = tx.column(sql.RATEABLE, (agent_id, session_key))
    scores: dict[str, float] = {}
    unknown: list[str] = []
    for named, rating in ratings.items():
        memory_id = _whole(named, shown)
        if memory_id is None:
            unknown.append(named)
            continue
        scores[memory_id] = score = min(1.0, max(-1.0, rating))
        _rate(tx, session_key, memory_id, score, agent_id=agent_id, actor=actor, now=now)
    queue.queue_label(tx, agent_id, session_key, now=now)
    return Recorded(scores=scores, unknown=unknown)


def say(
    tx: WriteTx,
    session_key: str,
    memory_id: str,
    feedback: Feedback,
    *,
    correction: str = "",
    agent_id: str,
    actor: Actor,
    now: datetime,
) -> None:
    """Store one feedback on a memory that the agent may read; raises NotFound.

    A correction is added to the memory's history: raises ScopeDenied if it is not the caller's.
    """
    lookup.get(tx, memory_id, reader=agents.reader(tx, agent_id))
    queue.queue_label(tx, agent_id, session_key, now=now)
    if feedback is not Feedback.CORRECTION:
        score = 1.0 if feedback is Feedback.POSITIVE else -1.0
        _rate(tx, session_key, memory_id, score, agent_id=agent_id, actor=actor, now=now)
        return
    lookup.known(tx, memory_id, agent_id=agent_id)
    said = (agent_id, memory_id, session_key, feedback, None, correction)
    tx.run(sql.INSERT_FEEDBACK, (ids.new_ordered_id(), *said, actor.name, clock.to_text(now)))
    proposed = {"proposedAction": "update", "correctionText": correction, "sessionId": session_key}
    history.record(
        tx, memory_id, Event.NONE, actor=actor, at=now, reason="correction", metadata=proposed
    )


def of_session(tx: ReadTx, agent_id: str, key: str) -> tuple[dict[str, float], frozenset[str]]:
    """Return the mean rating of each memory in a session, and the memories with corrections."""
    rows = tx.tuples(sql.SAID_IN_SESSION, (agent_id, key))
    rated = {memory_id: score for memory_id, score, _ in rows if score is not None}
    return rated, frozenset(memory_id for memory_id, _, corrected in rows if corrected)


def balances(
    tx: ReadTx, agent_id: str, memory_ids: Sequence[str], *, since: datetime, last: int
) -> dict[str, int]:
    """Return by memory the surplus of negative ratings among its `last` ones since then."""
    asked = (agent_id, as_list(memory_ids), clock.to_text(since), last)
    return dict(tx.tuples(sql.BALANCES, asked))


def delete_of_memories(tx: WriteTx, memory_ids: Sequence[str]) -> None:
    for statement in sql.DELETE_OF_MEMORIES:
        tx.run(statement, (as_list(memory_ids),))


def _rate(
    tx: WriteTx,
    session_key: str,
    memory_id: str,
    score: float,
    *,
    agent_id: str,
    actor: Actor,
    now: datetime,
) -> None:
    rated = {"agent": agent_id, "session": session_key, "memory": memory_id, "score": score}
    tx.run(sql.RATE, rated)
    feedback = Feedback.POSITIVE if score > 0 else Feedback.NEGATIVE
    said = (agent_id, memory_id, session_key, feedback, score, None)
    tx.run(sql.INSERT_FEEDBACK, (ids.new_ordered_id(), *said, actor.name, clock.to_text(now)))


def _whole(named: str, shown: Sequence[str]) -> str | None:
    """Return the only ID with this prefix, if it is unique."""
    if named in shown:
        return named
    found = [one for one in shown if len(named) >= LEAST_PREFIX and one.startswith(named)]
    return found[0] if len(found) == 1 else None


class Scored(NamedTuple):
    """A candidate memory; `source` is the channel that found it."""

    memory_id: str
    score: float
    source: str = "fts_only"


def put(
    tx: WriteTx,
    phase: Phase,
    agent_id: str,
    key: str,
    found: Sequence[Scored],
    injected: Iterable[str],
    *,
    now: datetime,
) -> None:
    """Store the candidates of a session start or a prompt, and which of them were injected."""
    given, at = frozenset(injected), clock.to_text(now)
    rows = [
        {
            "id": ids.new_ordered_id(),
            "agent": agent_id,
            "key": key,
            "memory": one.memory_id,
            "source": one.source,
            "score": one.score,
            "rank": rank,
            "injected": one.memory_id in given,
            "at": at,
        }
        for rank, one in enumerate(found)
    ]
    tx.many(sql.START if phase is Phase.START else sql.PROMPT, rows)


def take(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> Mapping[str, Use]:
    """Return by memory how it served a session, each once: a second call returns nothing new."""
    rows = tx.rows(sql.UseRow, sql.TAKE_USES, (clock.to_text(now), agent_id, key))
    listed = as_list(row.memory_id for row in rows)
    unused = dict(tx.tuples(sql.UNUSED_SESSIONS, (agent_id, listed)))
    return {
        row.memory_id: Use(hits=row.hits, rating=row.rating, unused=unused.get(row.memory_id, 0))
        for row in rows
    }


def shown(tx: ReadTx, agent_id: str, key: str) -> list[Shown]:
    """Return a session's injected memories that still exist, best first."""
    return tx.rows(sql.Shown, sql.SHOWN, (agent_id, key))


def set_relevance(
    tx: WriteTx, agent_id: str, key: str, judged: Iterable[tuple[str, float]]
) -> None:
    tx.many(sql.SET_RELEVANCE, [(value, agent_id, key, memory_id) for memory_id, value in judged])


def delete_old_uses(tx: WriteTx, before: str, limit: int) -> int:
    return tx.run(sql.DELETE_OLD, (before, limit))
