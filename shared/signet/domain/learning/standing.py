"""Whether what was learned has any influence: it is watched, takes part once it has won, and stops when it loses. Pure.

The evidence is what a bet on "it wins more often than it loses" would have made of 1. It can be looked at after every
session, and for a coin it ever reaches `ENOUGH` in one of twenty lives at most (an e-value). Sessions in which both
orders did alike say nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from signet.domain.learning.compare import LEAST_MARGIN

#: From this evidence on it counts as shown.
ENOUGH = 20.0
#: Of the last counted sessions it must have won this share, or it stops (PR-30).
LEAST_RATE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where it stands: wins, losses and ties since it was last begun anew, and how often it was stopped.

    `recent` is whether it won each of the last sessions that counted.
    """

    is_on: bool = False
    wins: int = 0
    losses: int = 0
    ties: int = 0
    stops: int = 0
    recent: tuple[bool, ...] = ()

    @property
    def rate(self) -> float:
        """Return the share of wins, ½ before anything counted."""
        counted = self.wins + self.losses
        return self.wins / counted if counted else 0.5

    @property
    def evidence(self) -> float:
        """Return how strongly the sessions say that it wins more often than it loses."""
        return evidence(self.wins, self.losses)


def of(margins: Sequence[float], *, window: int) -> Standing:
    """Return where it stands after sessions with these margins, oldest first; drift shows in the last `window`."""
    standing = Standing()
    for margin in margins:
        standing = _after(standing, margin, window)
    return standing


def evidence(wins: int, losses: int) -> float:
    """Return what a bet of 1 on more wins than losses would have become, each rate above ½ being as likely."""
    # 2^n · 2 · ∫ p^wins (1−p)^losses over ½..1, by the sum that the integral of a polynomial is.
    n = wins + losses
    below = math.fsum(math.comb(n + 1, k) for k in range(wins + 1)) / 2 ** (n + 1)
    whole = 1 / ((n + 1) * math.comb(n, wins))
    return math.ldexp(whole * below, n + 1)


def _after(before: Standing, margin: float, window: int) -> Standing:
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
        return Standing(stops=before.stops + 1)
    return replace(after, is_on=after.is_on or after.evidence >= ENOUGH)


def _drifts(one: Standing, window: int) -> bool:
    has_lost = evidence(one.losses, one.wins) >= ENOUGH
    return has_lost or (len(one.recent) == window and sum(one.recent) < LEAST_RATE * window)
