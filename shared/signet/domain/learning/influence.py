"""Compare learned with original order, and decide from it whether learned ranking is active."""

import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.domain.injections.models import ItemKind, Team
from signet.domain.injections.show import Given, ItemRow
from signet.domain.learning import sql, worth
from signet.domain.learning.labels import Label, LabelReason
from signet.domain.learning.sql import LearningState
from signet.observe import logs, metrics, record
from signet.observe.taxonomy import Code

#: Number of places that count.
PLACES = 10
#: Minimum of known memories per session; a smaller margin is a tie.
LEAST_KNOWN, LEAST_MARGIN = 3, 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The quality (0..1) of the learned and of the base order in one session, and the first memories of each."""

    learned: float
    base: float
    candidates: int
    learned_top: tuple[str, ...]
    base_top: tuple[str, ...]
    relevance: Mapping[str, float]

    @property
    def margin(self) -> float:
        return self.learned - self.base


def ndcg(relevance: Sequence[float]) -> float:
    """Return the nDCG of an order, 0..1, from the relevance of each place; 0 if none is relevant."""
    ideal = _gain(sorted(relevance, reverse=True))
    return _gain(relevance) / ideal if ideal > 0 else 0.0


def reached_memories(order: Sequence[float], relevance: Mapping[str, float]) -> float:
    """Return the nDCG of an order that may lack some relevant memories, 0..1."""
    ideal = _gain(sorted(relevance.values(), reverse=True))
    return _gain(order) / ideal if ideal > 0 else 0.0


def compared(found: Given, labels: Sequence[Label]) -> Comparison | None:
    """Return the comparison of both orders; None if they are equal, or too few memories are known."""
    relevance = {
        one.memory_id: max(0.0, one.label)
        for one in labels
        if one.was_given or one.reason is LabelReason.MISSED
    }
    events = _events(found, relevance)
    known = {one.source_id for items in events for one in items}
    if len(known) < LEAST_KNOWN or all(one.learned == one.base for i in events for one in i):
        return None
    scores = [score for items in events if (score := _session_scores(items, relevance)) is not None]
    if not scores:
        return None
    longest = max(events, key=len)
    return Comparison(
        learned=math.fsum(learned for learned, _ in scores) / len(scores),
        base=math.fsum(base for _, base in scores) / len(scores),
        candidates=len(found.memories),
        learned_top=tuple(_order(longest, by_learned=True)[:PLACES]),
        base_top=tuple(_order(longest, by_learned=False)[:PLACES]),
        relevance={one: relevance[one] for one in sorted(known)},
    )


def _events(found: Given, relevance: Mapping[str, float]) -> list[list[ItemRow]]:
    """Return the memories that were ranked together and have a known outcome."""
    by_injection: dict[int, list[ItemRow]] = {}
    for one in found.items:
        if one.kind == ItemKind.MEMORY and one.base is not None and one.source_id in relevance:
            by_injection.setdefault(one.injection_seq, []).append(one)
    return list(by_injection.values())


def _session_scores(
    items: Sequence[ItemRow], relevance: Mapping[str, float]
) -> tuple[float, float] | None:
    """Return the scores of learned order and base, None if no memory helped or all helped equally."""
    if len({relevance[one.source_id] for one in items}) < 2:
        return None
    if any(one.team for one in items):
        return _credit(items, relevance, Team.LEARNED), _credit(items, relevance, Team.BASE)
    learned, base = (
        ndcg([relevance[one] for one in _order(items, by_learned=way)]) for way in (True, False)
    )
    return learned, base


def _credit(items: Sequence[ItemRow], relevance: Mapping[str, float], team: Team) -> float:
    total = math.fsum(relevance[one.source_id] for one in items if one.team)
    own = math.fsum(relevance[one.source_id] for one in items if one.team == team)
    return own / total if total > 0 else 0.0


def _order(items: Sequence[ItemRow], *, by_learned: bool) -> list[str]:
    """Return the memories best first; ties keep the order of the record."""

    def score(one: ItemRow) -> float:
        return float((one.learned if by_learned else one.base) or 0.0)

    return [one.source_id for one in sorted(items, key=score, reverse=True)]


def _gain(relevance: Sequence[float]) -> float:
    places = enumerate(relevance[:PLACES], start=1)
    return math.fsum(one / math.log2(place + 1) for place, one in places)


T = TypeVar("T")


def drafted(
    base: Sequence[T], learned: Sequence[T], name: Callable[[T], str], *, seed: str
) -> list[tuple[T, Team | None]]:
    """Return both orders merged, each memory with the team that chose it.

    The teams choose their best remaining memory in turn, and a coin decides who is first in each round. A memory that
    both would choose next belongs to neither. The same seed gives the same coins. Both orders contain the same
    memories.
    """
    coin = random.Random(seed)
    left = {Team.BASE: list(reversed(base)), Team.LEARNED: list(reversed(learned))}
    taken: set[str] = set()
    drawn: list[tuple[T, Team | None]] = []
    turns: list[Team] = []
    while len(drawn) < len(base):
        for order in left.values():
            while order and name(order[-1]) in taken:
                order.pop()
        best = {team: order[-1] for team, order in left.items()}
        if name(best[Team.BASE]) == name(best[Team.LEARNED]):
            one, team = best[Team.BASE], None
        else:
            turns = turns or coin.sample(list(Team), 2)
            team = turns.pop()
            one = best[team]
        taken.add(name(one))
        drawn.append((one, team))
    return drawn


#: Evidence from which learning counts as proven.
ENOUGH = 20.0
#: Minimum share of wins among the last counted sessions (PR-30).
LEAST_RATE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedStanding:
    """Wins, losses and ties since the last reset, and the number of resets.

    `recent` has the result of each of the last sessions that counted.
    """

    is_on: bool = False
    wins: int = 0
    losses: int = 0
    ties: int = 0
    stops: int = 0
    recent: tuple[bool, ...] = ()

    @property
    def rate(self) -> float:
        """Return the share of wins, ½ without results."""
        counted = self.wins + self.losses
        return self.wins / counted if counted else 0.5

    @property
    def evidence(self) -> float:
        return evidence(self.wins, self.losses)


def standing_after(margins: Sequence[float], *, window: int) -> LearnedStanding:
    """Return the state after sessions with these margins, oldest first; the last `window` decide about drift."""
    standing = LearnedStanding()
    for margin in margins:
        standing = _after(standing, margin, window)
    return standing


def evidence(wins: int, losses: int) -> float:
    # 2^n · 2 · ∫ p^wins (1−p)^losses over ½..1, as a sum of binomials.
    n = wins + losses
    below = math.fsum(math.comb(n + 1, k) for k in range(wins + 1)) / 2 ** (n + 1)
    whole = 1 / ((n + 1) * math.comb(n, wins))
    return math.ldexp(whole * below, n + 1)


def _after(before: LearnedStanding, margin: float, window: int) -> LearnedStanding:
    if abs(margin) <= LEAST_MARGIN:
        return replace(before, ties=before.ties + 1)
    won = margin > 0
    after = replace(
        before,
        wins=before.wins + won,
        losses=before.losses + (not won),
        recent=(*before.recent, won)[-window:],
    )
    if after.is_on and _drifts(after, window):
        return LearnedStanding(stops=before.stops + 1)
    return replace(after, is_on=after.is_on or after.evidence >= ENOUGH)


def _drifts(one: LearnedStanding, window: int) -> bool:
    has_lost = evidence(one.losses, one.wins) >= ENOUGH
    return has_lost or (len(one.recent) == window and sum(one.recent) < LEAST_RATE * window)


log = logs.get("predictor")

#: Maximum sessions to read: evidence from this many is conclusive.
MOST_SESSIONS = 500
#: The text for an operator when learning stops.
_STOPPED = "what was learned no longer takes part in ranking ({reason}): the order without it holds"
#: The state of an agent without a row.
UNKNOWN = LearningState(1.0, 0.5, 0, None, None)


def is_on(tx: ReadTx, agent_id: str) -> bool:
    alpha = tx.value(sql.ALPHA, (agent_id,))
    return alpha is not None and alpha < 1


def state(tx: ReadTx, agent_id: str) -> LearningState:
    return tx.row(LearningState, sql.STATE, (agent_id,)) or UNKNOWN


def standing_of(tx: ReadTx, agent_id: str, *, window: int) -> LearnedStanding:
    """Return an agent's standing from its sessions since the last reset."""
    since = state(tx, agent_id).judged_since
    return standing_after(tx.column(sql.MARGINS, (agent_id, since, MOST_SESSIONS)), window=window)


def judge(
    tx: WriteTx,
    agent_id: str,
    key: str,
    found: Comparison | None,
    *,
    project: str | None,
    at: str,
    window: int,
    now: datetime,
) -> None:
    """Store a session's comparison, and activate or stop learned ranking by it; None deletes an earlier one."""
    if found is None:
        gone = tx.run(sql.DELETE_COMPARISON, (agent_id, key))
        if not gone:
            return
    else:
        tx.run(sql.PUT_COMPARISON, _row(tx, agent_id, key, found, project, at))
    before = state(tx, agent_id)
    after = standing_of(tx, agent_id, window=window)
    was_on = bool(before.cold_start_exited)
    stopped = was_on and not after.is_on
    _put(tx, agent_id, before, after, rolled_back=now if stopped else None, now=now)
    if was_on != after.is_on:
        _record_change(tx, agent_id, after, "drift" if stopped else "proven", now, session=key)


def rollback(tx: WriteTx, agent_id: str, *, now: datetime) -> None:
    """Restore the original order regardless of evidence; observation restarts from zero."""
    before = state(tx, agent_id)._replace(judged_since=clock.to_text(now))
    _put(tx, agent_id, before, LearnedStanding(), rolled_back=now, now=now)
    _record_change(tx, agent_id, LearnedStanding(), "rollback", now)


def _put(
    tx: WriteTx,
    agent_id: str,
    before: LearningState,
    after: LearnedStanding,
    *,
    rolled_back: datetime | None,
    now: datetime,
) -> None:
    tx.run(
        sql.PUT_STATE,
        {
            "agent": agent_id,
            "alpha": 0.0 if after.is_on else 1.0,
            "rate": after.rate,
            "sessions": after.wins + after.losses + after.ties,
            "is_on": after.is_on,
            "at": clock.to_text(now),
            "since": before.judged_since,
            "rollback": clock.to_text(rolled_back) if rolled_back else None,
        },
    )


def _record_change(
    tx: WriteTx,
    agent_id: str,
    after: LearnedStanding,
    reason: str,
    now: datetime,
    session: str | None = None,
) -> None:
    """Record that learned ranking was activated or stopped (PR-31)."""
    change = "on" if after.is_on else "off"
    counted = after.wins + after.losses + after.ties
    kept = "proven" if after.is_on else "rollback"
    row = (ids.new_ordered_id(), agent_id, worth.VERSION, counted, after.is_on, kept)
    tx.run(sql.PUT_TRAINING, (*row, clock.to_text(now)))
    metrics.labelled(metrics.PREDICTOR_CHANGES, change).inc()
    if not after.is_on:
        record.error(Code.PREDICTOR_TRAIN_FAILURE, _STOPPED.format(reason=reason))
    log.info(
        f"predictor.{change}",
        agent=agent_id,
        session=session,
        reason=reason,
        wins=after.wins,
        losses=after.losses,
    )


def _row(
    tx: ReadTx, agent_id: str, key: str, found: Comparison, project: str | None, at: str
) -> tuple[object, ...]:
    won = found.margin > LEAST_MARGIN
    return (
        ids.new_ordered_id(),
        agent_id,
        key,
        found.learned,
        found.base,
        won,
        found.margin,
        state(tx, agent_id).alpha,
        abs(found.margin) > LEAST_MARGIN,
        project,
        found.candidates,
        json.dumps(found.learned_top),
        json.dumps(found.base_top),
        json.dumps(found.relevance),
        at,
        state(tx, agent_id).success_rate,
    )
