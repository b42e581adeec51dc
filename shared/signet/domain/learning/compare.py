"""Compare the learned order of a session's memories with the original one. Pure.

Only memories with a known outcome are compared: injected and missed ones. Counting the others as useless would favour
the order that chose the injected ones.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from signet.domain.injections.given import Given, ItemRow
from signet.domain.injections.models import Kind, Team
from signet.domain.learning.models import Label, Reason

#: Number of places that count.
PLACES = 10
#: Minimum of known memories per session; a smaller margin is a tie.
LEAST_KNOWN, LEAST_MARGIN = 3, 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The results of both orders in one session, 0..1 each, and their first memories."""

    learned: float
    base: float
    candidates: int
    learned_top: tuple[str, ...]
    base_top: tuple[str, ...]
    relevance: Mapping[str, float]

    @property
    def margin(self) -> float:
        """Return how much better the learned order was, −1..1."""
        return self.learned - self.base


def ndcg(relevance: Sequence[float]) -> float:
    """Return the nDCG of an order, 0..1, from the relevance of each place; 0 if none is relevant."""
    ideal = _gain(sorted(relevance, reverse=True))
    return _gain(relevance) / ideal if ideal > 0 else 0.0


def reached(order: Sequence[float], relevance: Mapping[str, float]) -> float:
    """Return the nDCG of an order that may lack some relevant memories, 0..1."""
    ideal = _gain(sorted(relevance.values(), reverse=True))
    return _gain(order) / ideal if ideal > 0 else 0.0


def of_session(found: Given, labels: Sequence[Label]) -> Comparison | None:
    """Return the comparison of both orders; None if they are equal, or too few memories are known."""
    relevance = {
        one.memory_id: max(0.0, one.label)
        for one in labels
        if one.was_given or one.reason is Reason.MISSED
    }
    events = _events(found, relevance)
    known = {one.source_id for items in events for one in items}
    if len(known) < LEAST_KNOWN or all(one.learned == one.base for i in events for one in i):
        return None
    scores = [score for items in events if (score := _scores(items, relevance)) is not None]
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
        if one.kind == Kind.MEMORY and one.base is not None and one.source_id in relevance:
            by_injection.setdefault(one.injection_seq, []).append(one)
    return list(by_injection.values())


def _scores(items: Sequence[ItemRow], relevance: Mapping[str, float]) -> tuple[float, float] | None:
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
    """Return this team's share of the useful memories chosen by either team."""
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
