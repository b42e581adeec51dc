"""The breaker, as a value."""

import pytest

from signet.clock import Clock
from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout, SignetError
from signet.providers.health import (
    CLOCK_SLACK_MS,
    FAILURES,
    FIRST_WAIT_MS,
    LONGEST_WAIT_MS,
    TRIAL_MS,
    Breaker,
    Call,
    Outcome,
    State,
    recorded,
)

NOW = 1_000_000


def a_clock(took_ms: int) -> Clock:
    ticks = iter((500, 500 + took_ms))
    return Clock(wall_ms=lambda: NOW, monotonic_ms=lambda: next(ticks))


def failing(breaker: Breaker, times: int, now_ms: int = NOW) -> Breaker:
    for _ in range(times):
        breaker = breaker.on_failure(now_ms, None)
    return breaker


def admitted(breaker: Breaker, now_ms: int) -> Breaker:
    admission = breaker.before_call(now_ms)
    assert admission.allowed
    return admission.breaker


def test_a_few_failures_in_a_row_do_not_open_it() -> None:
    breaker = failing(Breaker(), FAILURES - 1)
    assert breaker.state is State.CLOSED
    assert breaker.before_call(NOW).allowed


def test_a_success_between_failures_starts_the_count_again() -> None:
    breaker = failing(failing(Breaker(), FAILURES - 1).on_success(), FAILURES - 1)
    assert breaker.state is State.CLOSED


def test_enough_failures_in_a_row_open_it_for_a_while() -> None:
    breaker = failing(Breaker(), FAILURES)
    assert not breaker.before_call(NOW + FIRST_WAIT_MS - 1).allowed
    assert breaker.before_call(NOW + FIRST_WAIT_MS).allowed


def test_a_provider_that_names_a_wait_gets_exactly_that_at_once() -> None:
    breaker = Breaker().on_failure(NOW, 3.0)
    assert (breaker.state, breaker.retry_at_ms) == (State.OPEN, NOW + 3_000)


def test_half_open_lets_one_call_through_and_success_closes_it() -> None:
    trial = admitted(Breaker().on_failure(NOW, 3.0), NOW + 3_000)
    assert trial.state is State.HALF_OPEN
    assert not trial.before_call(NOW + 3_001).allowed
    assert trial.on_success() == Breaker()


def test_a_trial_whose_process_died_does_not_block_it_for_ever() -> None:
    trial = admitted(Breaker().on_failure(NOW, 3.0), NOW + 3_000)
    assert not trial.before_call(NOW + 3_000 + TRIAL_MS - 1).allowed
    assert trial.before_call(NOW + 3_000 + TRIAL_MS).allowed


def test_each_failed_trial_doubles_the_wait_up_to_a_limit() -> None:
    breaker, now_ms, waits = failing(Breaker(), FAILURES), NOW, []
    for _ in range(8):
        waits.append(breaker.retry_at_ms - now_ms)
        now_ms = breaker.retry_at_ms
        breaker = admitted(breaker, now_ms).on_failure(now_ms, None)
    assert waits[:3] == [FIRST_WAIT_MS, 2 * FIRST_WAIT_MS, 4 * FIRST_WAIT_MS]
    assert waits[-1] == LONGEST_WAIT_MS == max(waits)


def test_calls_that_were_under_way_do_not_lengthen_the_wait_by_doubling() -> None:
    breaker = failing(failing(Breaker(), FAILURES), 7, NOW + 10)
    assert breaker.retry_at_ms == NOW + 10 + FIRST_WAIT_MS
    told = Breaker().on_failure(NOW, 60.0)
    assert told.on_failure(NOW + 1, None).retry_at_ms == NOW + 60_000


def test_a_named_wait_stays_as_it_is_after_many_trials() -> None:
    breaker, now_ms = Breaker(), NOW
    for _ in range(10):
        breaker = admitted(breaker, now_ms).on_failure(now_ms, 3.0)
        now_ms = breaker.retry_at_ms
    assert now_ms == NOW + 10 * 3_000


def test_a_clock_that_was_set_back_ends_the_wait() -> None:
    breaker = Breaker().on_failure(NOW, 900.0)
    assert not breaker.before_call(NOW - CLOCK_SLACK_MS).allowed
    assert breaker.before_call(NOW - CLOCK_SLACK_MS - 1).allowed


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ProviderTimeout("late"), Outcome.TIMEOUT),
        (ProviderFailed("late"), Outcome.FAILURE),
        (ProviderDown("late"), Outcome.FAILURE),
    ],
)
def test_a_call_that_fails_leaves_one_record_with_its_reason(
    error: SignetError, outcome: Outcome
) -> None:
    kept: list[Call] = []
    with pytest.raises(type(error)), recorded("ollama:m", kept.append, a_clock(10)):
        raise error
    assert kept == [Call(provider="ollama:m", outcome=outcome, at_ms=NOW, took_ms=10, error="late")]


def test_a_call_that_works_leaves_one_record() -> None:
    kept: list[Call] = []
    with recorded("ollama:m", kept.append, a_clock(7)):
        pass
    assert [(call.outcome, call.took_ms, call.error) for call in kept] == [
        (Outcome.SUCCESS, 7, None)
    ]


def test_a_call_that_is_interrupted_leaves_one_record() -> None:
    kept: list[Call] = []
    with pytest.raises(KeyboardInterrupt), recorded("ollama:m", kept.append):
        raise KeyboardInterrupt
    assert [call.outcome for call in kept] == [Outcome.FAILURE]
