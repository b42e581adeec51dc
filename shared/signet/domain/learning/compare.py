"""Whether what was learned would have ranked the memories of a session better than the order without it. Pure.

Only memories of which the session shows whether they helped are compared: what was given, and what was missed. The
others were not seen, and counting them as useless would favour the order by which the rest was chosen.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from signet.domain.injections.given import Given, ItemRow
from signet.domain.injections.models import Kind, Team
from signet.domain.learning.models import Label, Reason

#: Places that count.
PLACES = 10
#: Memories of one session that must be known; a smaller difference is a tie.
LEAST_KNOWN, LEAST_MARGIN = 3, 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How both orders did in one session, 0..1 each, and the memories that they put first."""

    learned: float
    base: float
    candidates: int
    learned_top: tuple[str, ...]
    base_top: tuple[str, ...]
    relevance: Mapping[str, float]

    @property
    def margin(self) -> float:
        """Return by how much the learned order was better, −1..1."""
        return self.learned - self.base


def ndcg(relevance: Sequence[float]) -> float:
    """Return how near an order is to the best one, 0..1, by the relevance of each place; 0 where none is relevant."""
    ideal = _gain(sorted(relevance, reverse=True))
    return _gain(relevance) / ideal if ideal > 0 else 0.0


def reached(order: Sequence[float], relevance: Mapping[str, float]) -> float:
    """Return the nDCG of an order from which some of what is relevant may be missing, 0..1."""
    ideal = _gain(sorted(relevance.values(), reverse=True))
    return _gain(order) / ideal if ideal > 0 else 0.0


def of_session(found: Given, labels: Sequence[Label]) -> Comparison | None:
    """Return how the orders did; None where they are the same, or too little is known to tell."""
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
    """Return the memories that were ranked together and of which something is known."""
    by_injection: dict[int, list[ItemRow]] = {}
    for one in found.items:
        if one.kind == Kind.MEMORY and one.base is not None and one.source_id in relevance:
            by_injection.setdefault(one.injection_seq, []).append(one)
    return list(by_injection.values())


def _scores(items: Sequence[ItemRow], relevance: Mapping[str, float]) -> tuple[float, float] | None:
    """Return how the learned order and the base did, None where nothing helped and where all helped alike."""
    if len({relevance[one.source_id] for one in items}) < 2:
        return None
    if any(one.team for one in items):
        return _credit(items, relevance, Team.LEARNED), _credit(items, relevance, Team.BASE)
    learned, base = (
        ndcg([relevance[one] for one in _order(items, by_learned=way)]) for way in (True, False)
    )
    return learned, base


def _credit(items: Sequence[ItemRow], relevance: Mapping[str, float], team: Team) -> float:
    """Return which share of what helped, and was chosen by either team, this one has chosen."""
    total = math.fsum(relevance[one.source_id] for one in items if one.team)
    own = math.fsum(relevance[one.source_id] for one in items if one.team == team)
    return own / total if total > 0 else 0.0


def _order(items: Sequence[ItemRow], *, by_learned: bool) -> list[str]:
    """Return the memories best first; what an order holds equal stands in that of the record."""

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
    """Return all of both orders, each with the team that chose it.

    The teams take turns to choose their best of what is left, and a coin says who is first in each round. What both
    would choose next is nobody's. The same seed gives the same coins. Both orders hold the same.
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
