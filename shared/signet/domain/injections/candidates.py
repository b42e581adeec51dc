"""Record which memories were candidates for a session, and which were injected, for later feedback."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.injections.sql import session_memories as sql


class Scored(NamedTuple):
    """A candidate memory; `source` is the channel that found it."""

    memory_id: str
    score: float
    source: str = "fts_only"


def put_of_start(
    tx: WriteTx,
    agent_id: str,
    key: str,
    found: Sequence[Scored],
    injected: Iterable[str],
    *,
    now: datetime,
) -> None:
    """Store the candidates of a session start, best first, and the injected ones."""
    tx.many(sql.START, _rows(agent_id, key, found, injected, now))


def put_of_prompt(
    tx: WriteTx,
    agent_id: str,
    key: str,
    found: Sequence[Scored],
    injected: Iterable[str],
    *,
    now: datetime,
) -> None:
    """Store the candidates of a prompt, best first, and the injected ones (HK-61)."""
    tx.many(sql.PROMPT, _rows(agent_id, key, found, injected, now))


def _rows(
    agent_id: str, key: str, found: Sequence[Scored], injected: Iterable[str], now: datetime
) -> Iterator[dict[str, object]]:
    given, at = frozenset(injected), clock.to_text(now)
    for rank, one in enumerate(found):
        yield {
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
