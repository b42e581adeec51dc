"""How sessions and time move the weight of an aspect."""

import pytest

from signet.domain.graph import feedback
from signet.domain.graph.feedback import Use, WeightBounds

BOUNDS = WeightBounds()


def after(weight: float, use: Use, *, holds_constraint: bool = False) -> float:
    return feedback.moved_weight(
        weight, feedback.aspect_steps(use), BOUNDS, holds_constraint=holds_constraint
    )


def test_each_hit_is_a_step_and_the_top_is_the_end() -> None:
    assert after(0.5, Use(hits=1)) == pytest.approx(0.52)
    assert after(0.5, Use(hits=30)) == 1.0


@pytest.mark.parametrize(
    ("use", "steps"),
    [
        (Use(), 0),
        (Use(rating=-0.1), -1),
        (Use(rating=0.0), 0),
        (Use(hits=2, rating=-1.0), 1),
        (Use(unused=1), 0),
        (Use(unused=2), 0),
        (Use(unused=3), -1),
        (Use(unused=4), 0),
        (Use(unused=6), -1),
    ],
)
def test_a_bad_rating_and_every_third_session_without_use_cost_a_step(use: Use, steps: int) -> None:
    assert feedback.aspect_steps(use) == steps


def test_a_weight_does_not_fall_below_the_least() -> None:
    assert after(0.11, Use(rating=-1.0)) == 0.1
    assert feedback.decayed_weight(0.104, BOUNDS, holds_constraint=False) == 0.1
    assert feedback.decayed_weight(0.5, BOUNDS, holds_constraint=False) == pytest.approx(0.495)


def test_an_aspect_with_a_constraint_never_falls_below_a_half() -> None:
    assert after(0.51, Use(rating=-1.0), holds_constraint=True) == 0.5
    assert feedback.decayed_weight(0.502, BOUNDS, holds_constraint=True) == 0.5


def test_a_weight_that_is_outside_the_bounds_already_is_not_pulled_into_them() -> None:
    assert after(0.3, Use(rating=-1.0), holds_constraint=True) == 0.3
    assert after(1.4, Use(hits=1)) == 1.4
    assert feedback.decayed_weight(0.05, BOUNDS, holds_constraint=False) == 0.05
