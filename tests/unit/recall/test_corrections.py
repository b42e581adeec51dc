import math

import pytest

from signet.domain.recall import dampen, rehearse


def test_a_result_that_hangs_only_on_hubs_is_lowered() -> None:
    degrees = {1: [40], 2: [40, 2], 3: [3]}
    scores = dampen.hubs({1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0}, degrees, memories=100)
    assert scores == pytest.approx({1: 0.7, 2: 1.0, 3: 1.0, 4: 1.0})


def test_in_a_small_store_nothing_is_a_hub() -> None:
    assert dampen.hubs({1: 1.0}, {1: [2]}, memories=10) == {1: 1.0}
    assert dampen.hubs({1: 1.0}, {}, memories=10) == {1: 1.0}


def test_what_settles_something_is_raised() -> None:
    assert dampen.resolution({1: 0.5, 2: 0.5}, {1}, boost=1.2) == pytest.approx({1: 0.6, 2: 0.5})


@pytest.mark.parametrize(
    ("type_", "content", "resolved"),
    [
        ("decision", "Yes", True),
        ("constraint", "Never on Fridays", True),
        ("fact", "The release went out on 2026-02-03 after all of the tests", True),
        ("fact", "The release went out on the 3rd of February after the tests", True),
        ("fact", "The release went out in February 2026 after all of the tests", True),
        ("fact", "They may march on and on until the whole of the work is done", False),
        ("fact", "On 2026-02-03", False),
        ("fact", "On 2026-02-03 " + "it went on " * 60, False),
    ],
)
def test_a_date_settles_in_a_text_of_a_passage(type_: str, content: str, resolved: bool) -> None:
    assert dampen.is_resolved(type_, content) is resolved


def test_use_raises_and_fades_with_time() -> None:
    fresh = rehearse.factor(9, 0.0, weight=0.1, half_life_days=30)
    assert fresh == pytest.approx(1 + 0.1 * math.log(10))
    assert rehearse.factor(9, 30.0, weight=0.1, half_life_days=30) == pytest.approx(
        1 + 0.05 * math.log(10)
    )
    assert rehearse.factor(0, 0.0, weight=0.1, half_life_days=30) == 1.0


def test_no_date_counts_as_one_half_life_and_the_future_as_now() -> None:
    without = rehearse.factor(9, None, weight=0.1, half_life_days=30)
    assert without == rehearse.factor(9, 30.0, weight=0.1, half_life_days=30)
    ahead = rehearse.factor(9, -5.0, weight=0.1, half_life_days=30)
    assert ahead == rehearse.factor(9, 0.0, weight=0.1, half_life_days=30)
