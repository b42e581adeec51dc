"""How the weight of an aspect moves: up when its memories are used, down when they are not or time passes. Pure."""

from dataclasses import dataclass

from signet.config.pipeline import FeedbackSettings

#: An aspect that holds an active constraint never falls below this (KG-26).
CONSTRAINT_FLOOR = 0.5
#: After so many sessions in a row that were given a memory and did not use it, its aspects lose a step.
UNUSED_SESSIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBounds:
    """Between what a weight moves, and in which steps."""

    step: float = 0.02
    low: float = 0.1
    high: float = 1.0
    decay: float = 0.005

    @classmethod
    def of(cls, settings: FeedbackSettings) -> "WeightBounds":
        """Return the bounds that the settings ask for."""
        return cls(
            step=settings.fts_weight_delta,
            low=settings.min_aspect_weight,
            high=settings.max_aspect_weight,
            decay=settings.decay_rate,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How a session used a memory that it was given; `unused` counts sessions in a row that did not use it."""

    hits: int = 0
    rating: float | None = None
    unused: int = 0


def steps(use: Use) -> int:
    """Return by how many steps the aspects of a memory gain by a session, below 0 how many they lose."""
    is_regretted = use.rating is not None and use.rating < 0
    is_unused = use.unused > 0 and use.unused % UNUSED_SESSIONS == 0
    return max(0, use.hits) - (is_regretted or is_unused)


def moved(weight: float, by: float, bounds: WeightBounds, *, holds_constraint: bool) -> float:
    """Return a weight after so many steps up or down."""
    after = weight + by * bounds.step
    if by >= 0:
        return min(max(weight, bounds.high), after)
    return max(_least(weight, bounds, holds_constraint), after)


def decayed(weight: float, bounds: WeightBounds, *, holds_constraint: bool) -> float:
    """Return the weight of an aspect that has not changed for long, one step of decay lower."""
    return max(_least(weight, bounds, holds_constraint), weight - bounds.decay)


def _least(weight: float, bounds: WeightBounds, holds_constraint: bool) -> float:
    """Return how far a weight may fall; one that is lower already is left where it is."""
    low = max(bounds.low, CONSTRAINT_FLOOR) if holds_constraint else bounds.low
    return min(weight, low)
