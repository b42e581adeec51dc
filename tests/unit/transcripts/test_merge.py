"""One transcript out of what turns hand over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.transcripts import stored as merge

SAID = [
    f"{who}: Step {number} of the heron migration moves the table of {thing}."
    for number, (who, thing) in enumerate(
        [("User", "eggs"), ("Assistant", "nests"), ("User", "ponds"), ("Assistant", "reeds")] * 3
    )
]
ALL = "\n".join(SAID)


@pytest.mark.parametrize(
    ("harness", "path", "reason", "expected"),
    [
        ("codex", "legacy", "Stop", True),
        ("codex", None, "agent-turn-complete", True),
        ("codex", "legacy", None, False),
        ("openclaw", "plugin", "agent_end", True),
        ("openclaw", "plugin", None, True),
        ("openclaw", "plugin", "session_end", False),
        ("openclaw", "legacy", None, False),
        ("openclaw", "legacy", "new", False),
        ("claude-code", "legacy", "prompt_input_exit", False),
        ("claude-code", "legacy", "SessionEnd", False),
        ("opencode", "plugin", "session.idle", True),
        ("opencode", "plugin", "deleted", False),
    ],
)
def test_what_harnesses_call_a_turn_is_told_from_the_end_of_a_session(
    harness: str, path: str | None, reason: str | None, expected: bool
) -> None:
    assert merge.is_turn_end(harness, path, reason) is expected


@pytest.mark.parametrize("is_turn", [True, False])
def test_a_compacted_transcript_adds_what_follows_and_takes_nothing_away(is_turn: bool) -> None:
    stored, told = "\n".join(SAID[:9]), "\n".join(["User: A summary.", *SAID[4:]])
    assert merge.joined(stored, told, is_turn=is_turn) == ALL


def test_a_message_whose_time_was_corrected_is_the_same_message() -> None:
    """OpenClaw gives a prompt the time of its run at first, and the time when it came with the next turn."""
    first = "User (2026-11-22T19:31:12Z): Hello\nAssistant (2026-11-22T19:31:12Z): Yes."
    told = first.replace("12Z): Hello", "00Z): Hello") + "\nUser (2026-11-22T19:32:00Z): And?"
    assert merge.joined(first, told, is_turn=True) == told


def test_a_turn_by_itself_is_added_once() -> None:
    stored, turn = "\n".join(SAID[:10]), "\n".join(SAID[10:])
    both = merge.joined(stored, turn, is_turn=True)
    assert both == merge.joined(both, turn, is_turn=True) == ALL
    assert merge.joined(stored, turn, is_turn=False) == ALL


def stamped(minute: int, text: str) -> str:
    return f"{'User' if minute % 2 else 'Assistant'} (2026-11-22T19:{minute:02}:00Z): {text}"


@pytest.mark.parametrize("is_turn", [True, False])
def test_a_log_that_lost_its_beginning_takes_no_message_away(is_turn: bool) -> None:
    lines = [
        stamped(minute, f"Step {minute} is done, and it took a while.") for minute in range(40)
    ]
    first, last, whole = lines[:10], lines[20:], "\n".join(lines)
    gap = merge.joined("\n".join(first), "\n".join(last), is_turn=is_turn)
    assert gap == "\n".join(first + last)
    assert merge.joined(gap, whole, is_turn=is_turn) == whole
    assert merge.joined(whole, "\n".join(last), is_turn=is_turn) == whole


def test_a_beginning_that_was_never_stored_is_added_in_front() -> None:
    """An earlier version read only the end of a long log."""
    lines = [stamped(minute, f"Step {minute} is done.") for minute in range(40)]
    stored = "\n".join(lines[30:36])
    assert merge.joined(stored, "\n".join(lines), is_turn=False) == "\n".join(lines)
    other = "\n".join([*lines[:33], *lines[34:]])
    assert merge.joined(stored, other, is_turn=False) == "\n".join(lines)


@given(st.lists(st.text("ab\n", max_size=300), max_size=5), st.booleans())
def test_nothing_that_was_stored_is_ever_shorter_afterwards(told: list[str], is_turn: bool) -> None:
    stored = ""
    for text in told:
        after = merge.joined(stored, text, is_turn=is_turn)
        assert len(after) >= len(stored)
        assert merge.joined(after, text, is_turn=is_turn) == after or not is_turn
        stored = after
