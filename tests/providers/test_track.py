"""Deadlines follow the measured speed, and a weak or slow model is named with numbers."""

import pytest

from signet.providers.track import LONGEST_SECONDS, SILENCE_SECONDS, Timing, Track


def track(seconds: float, *, output: int = 100, calls: int = 10) -> Track:
    found = Track()
    found.calls.extend([Timing(seconds, 0, output, False)] * calls)
    return found


@pytest.mark.parametrize(
    ("known", "late", "deadline"),
    [
        (Track(), 0, 90),
        (Track(), 1, 270),
        (track(1), 0, 90),
        (track(50), 0, 768),
        (track(50), 1, 1800),
        (track(500), 0, 1800),
    ],
)
def test_a_deadline_follows_the_speed_and_grows_after_each_late_call(
    known: Track, late: int, deadline: float
) -> None:
    known.late = late
    assert known.deadline(0, 1024, 90) == pytest.approx(deadline)


def test_silence_is_short_however_long_an_answer_may_take() -> None:
    slow = track(600, output=3_000)
    assert slow.deadline(0, 4_096, 90) > 1_000
    assert slow.silence(100) == SILENCE_SECONDS
    assert slow.silence(6_000) == pytest.approx(3 * 600 * 600 / 3_000)
    slow.late = 1
    assert slow.silence(100) == 3 * SILENCE_SECONDS


def test_a_whole_answer_is_waited_for_as_long_as_the_slowest_of_its_size_took() -> None:
    known = Track()
    known.calls.extend([Timing(seconds, 500, 60, False, 256) for seconds in (8, 9, 50, 7)])
    assert known.whole(500, 256) == LONGEST_SECONDS, "too few are known"
    known.calls.append(Timing(6, 500, 60, False, 256))
    assert known.whole(500, 256) == 150
    assert known.whole(500, 64) == 150, "those that may be longer count too"
    assert known.whole(1_000, 256) == 300, "a longer text takes longer"
    assert known.whole(500, 4_096) == LONGEST_SECONDS, "no answer of that size is known"
    known.late = 1
    assert known.whole(500, 256) == 450


def test_a_deadline_is_never_shorter_than_the_setting() -> None:
    assert track(1).deadline(0, 10, 7200) == 7200


def test_a_good_model_has_no_fault() -> None:
    known = track(2)
    known.answers.extend([True] * 9 + [False])
    known.facts.extend([True] * 20)
    assert list(known.faults()) == []


def test_a_weak_and_slow_model_is_named_with_its_numbers() -> None:
    known = track(40)
    known.answers.extend([True] * 2 + [False] * 10)
    known.facts.extend([True] * 3 + [False] * 17)
    assert list(known.faults()) == [
        "2 of its last 12 answers could be used",
        "3 of its last 20 facts were supported by their text",
        "it writes 2.5 tokens a second: an answer takes 40 s",
    ]


def test_a_long_queue_makes_a_model_slow() -> None:
    [fault] = track(10).faults(waiting=900)
    assert fault.endswith("an answer takes 10 s, the 900 waiting jobs at least 150 min")
    assert list(track(10).faults(waiting=100)) == []


def test_too_few_calls_say_nothing() -> None:
    known = track(40, calls=9)
    known.answers.extend([False] * 9)
    assert list(known.faults()) == []
