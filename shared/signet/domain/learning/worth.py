"""What all sessions say of a memory: how often it helped, and by how much its score may be raised or lowered for it.

Two factors, each bounded and made when a label is, so that recall only multiplies. `learned` is that of the posterior
of its labels: from `LEAST_TIMES` on its score is raised by what the lower bound is above an even chance, and lowered by
what the upper bound is below it, so that nothing is lowered for being little known. `rated` is what agents said in so
many words (PR-13).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.injections import ratings
from signet.domain.learning import sql
from signet.domain.learning.models import Worth
from signet.domain.learning.sql import Sums

#: This rule by which labels become factors; another one would have another number.
VERSION = 2
#: Sessions that must have shown something of a memory, and the last of those it was told in that count.
LEAST_TIMES, LAST_SESSIONS = 3, 10
#: The factor of what helps is at most 1 + this, of what hurts 1 − this; a bound so far from an even chance gives it.
MOST, CERTAIN = 0.15, 0.25
#: Of the posterior so much lies below the lower bound, and above the upper.
TAIL = 0.05
#: Ratings that count: so many, not older, and what each prevailing negative one takes (PR-13).
LAST_RATINGS, RATINGS_KEPT, PER_NEGATIVE, LEAST_RATED = 20, timedelta(days=90), 0.1, 0.3
#: Points at which the density of the posterior is added up: two decimals of a bound are exact.
_POINTS = 2_000


def bounds(helped: float, hurt: float) -> tuple[float, float]:
    """Return the lower and the upper bound of the share of sessions that a memory helps, seen these. Pure."""
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
    """Return the factor, 0.3..1, for so many more negative ratings than positive ones. Pure."""
    return max(LEAST_RATED, 1.0 - PER_NEGATIVE * max(0, balance))


class Known(NamedTuple):
    """What is known of an agent's memories as of a change of it, by row number.

    `learned` and `rated` are the factors that are not 1, made when they are read, so that recall only multiplies.
    """

    change: int = 0
    memories: Mapping[int, Worth] = MappingProxyType({})
    seqs: Mapping[str, int] = MappingProxyType({})
    learned: Mapping[int, float] = MappingProxyType({})
    rated: Mapping[int, float] = MappingProxyType({})


class Cache:
    """What is known of memories, by agent, as this process has read it; for any thread."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}

    def of(self, tx: ReadTx, agent_id: str) -> Known:
        """Return what is known, as the snapshot has it."""
        newest = tx.value(sql.WORTH_CHANGES, (agent_id,)) or 0
        held = self._known.get(agent_id, Known())
        if held.change == newest:
            return held
        rows = tx.tuples(sql.WORTH, (agent_id,))
        memories = {seq: Worth(*values) for seq, _, *values in rows}
        self._known[agent_id] = read = Known(
            newest,
            memories,
            {id_: seq for seq, id_, *_ in rows},
            {seq: one.learned for seq, one in memories.items() if one.learned != 1},
            {seq: one.rated for seq, one in memories.items() if one.rated != 1},
        )
        return read


def known(tx: ReadTx, agent_id: str) -> Known:
    """Return what sessions of an agent say of its memories."""
    cache = tx.caches.of(Cache) if tx.caches is not None else Cache()
    return cache.of(tx, agent_id)


def held(tx: ReadTx, memory_ids: Iterable[str]) -> set[str]:
    """Return which memories nothing that was learned may displace: what is pinned, and constraints (PR-19)."""
    return set(tx.column(sql.HELD, (as_list(memory_ids),)))


def by_id(tx: ReadTx, memory_ids: Iterable[str], *, agent_id: str) -> dict[str, Worth]:
    """Return what sessions of an agent say of memories, by id, as far as anything is known."""
    found = known(tx, agent_id)
    return {one: found.memories[found.seqs[one]] for one in memory_ids if one in found.seqs}


def refresh(tx: WriteTx, agent_id: str, memory_ids: Sequence[str], *, now: datetime) -> None:
    """Work out anew what is known of memories, from their labels and ratings."""
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
    """Delete what sessions showed of memories that are deleted."""
    for statement in sql.DELETE_OF_MEMORIES:
        tx.run(statement, (as_list(memory_ids),))


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest labels, work out anew what they were counted for, and return how many there were."""
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
