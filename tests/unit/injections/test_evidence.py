"""What counts as a use of a text, and what does not."""

from collections.abc import Callable

import pytest

from signet.domain.injections import trace
from signet.domain.injections.models import Used
from signet.domain.injections.trace import TextMarks

RULE = (
    "Final: retry any 5xx and exactly 429 or 408, at most 4 attempts; the backoff is capped at 30 seconds. "
    "Never any other client error, because the auth service locks accounts out. See net/retry.py and MAX_ATTEMPTS."
)
PROMPT = "The HTTP client keeps retrying calls that failed with 401 in net/retry.py. Please fix the retry decision."


def use(
    said: str,
    text: str = RULE,
    *,
    prompt: str = PROMPT,
    names: tuple[str, ...] = (),
    is_rare: Callable[[str], bool] = lambda word: True,
) -> Used | None:
    before = trace.read_marks(prompt)
    return trace.evidence_of(
        names, text, trace.read_marks(text), trace.read_said(said), before, is_rare
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("As 0197ab42 says, the limit is wrong.", Used.NAMED),
        ("The backoff is capped at 30 seconds, I kept that.", Used.QUOTED),
        ("RETRYABLE = {429, 408}", Used.VALUES),
        ("max_attempts = 4  # MAX_ATTEMPTS", None),
        (
            "Attempts end early, with capped backoff, since accounts get locked by the service.",
            Used.WORDS,
        ),
        ("I looked at net/retry.py: a 401 must not be tried again.", None),
        ("Done, all tests pass.", None),
        ("", None),
    ],
)
def test_names_runs_values_and_words_are_uses(said: str, expected: Used | None) -> None:
    assert use(said, names=("0197ab42",)) == expected


def test_what_was_said_before_is_no_use() -> None:
    said = "RETRYABLE = {429, 408}"
    assert use(said, prompt=f"{PROMPT} Perhaps {{408, 429}}?") is None


def test_a_run_of_words_that_many_sessions_have_is_no_quotation() -> None:
    greeting = "Long time no talk, lovely hearing from you."
    assert use(f"Hi! {greeting}", greeting, prompt="") == Used.QUOTED
    assert use(f"Hi! {greeting}", greeting, prompt="", is_rare=lambda words: False) is None


def test_what_stands_in_many_other_places_is_no_use() -> None:
    said = "RETRYABLE = {429, 408}"
    assert use(said, is_rare=lambda word: word not in ("429", "408")) is None


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("The port is 8080.", "uvicorn.run(app, port=8080)", Used.VALUES),
        ("The port is 80.", "uvicorn.run(app, port=80)", None),
        ("Ana prefers spaces.", "Formatted with spaces, which Ana prefers.", Used.WORDS),
        ("Ana prefers spaces.", "Formatted as Ana asked.", None),
    ],
)
def test_of_a_short_text_half_is_enough(text: str, said: str, expected: Used | None) -> None:
    assert use(said, text, prompt="Please format it.") == expected


def test_marks_are_values_and_the_beginnings_of_words_also_inside_of_identifiers() -> None:
    found = trace.read_marks(
        "Use ROUND_HALF_DOWN, see money.quantize and orderTotal for 2.125 amounts"
    )
    assert {"round_half_down", "money.quantize", "ordertotal", "2.125"} == found.values
    assert {"round", "half", "down", "quanti", "order", "total", "amount"} <= found.words
    assert trace.read_marks("") == TextMarks()
