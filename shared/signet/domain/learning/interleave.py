"""Two orders as one, so that what is used of it tells which was better (team draft). Pure."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from signet.domain.injections.models import Team

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
