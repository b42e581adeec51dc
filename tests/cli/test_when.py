"""Times as people write them, in every option that takes one."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import uuid4

import pytest
import typer

from cli.program import Program
from signet import clock
from signet.cli import when

#: A Wednesday, 00:30 in Berlin: there it is a day later than in UTC.
NOW = datetime(2026, 5, 5, 22, 30, tzinfo=UTC)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process be in Berlin, at a fixed time."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    monkeypatch.setattr(clock, "now", lambda: NOW)
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("today", "2026-05-05T22:00", "2026-05-06T21:59"),
        ("yesterday", "2026-05-04T22:00", "2026-05-05T21:59"),
        ("Yesterday ", "2026-05-04T22:00", "2026-05-05T21:59"),
        ("2 days ago", "2026-05-03T22:00", "2026-05-04T21:59"),
        ("a week ago", "2026-04-28T22:00", "2026-04-29T21:59"),
        ("3 months ago", "2026-02-05T23:00", "2026-02-06T22:59"),
        ("2 hours ago", "2026-05-05T20:30", "2026-05-05T20:30"),
        ("3d", "2026-05-02T22:30", "2026-05-02T22:30"),
        ("90m", "2026-05-05T21:00", "2026-05-05T21:00"),
        ("now", "2026-05-05T22:30", "2026-05-05T22:30"),
        ("2026-05-01", "2026-04-30T22:00", "2026-05-01T21:59"),
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00", "2026-05-01T10:00"),
        ("2026-05", "2026-04-30T22:00", "2026-05-31T21:59"),
        ("2025", "2024-12-31T23:00", "2025-12-31T22:59"),
        ("last week", "2026-04-26T22:00", "2026-05-03T21:59"),
        ("monday", "2026-05-03T22:00", "2026-05-04T21:59"),
        ("1 May 2026", "2026-04-30T22:00", "2026-05-01T21:59"),
        ("january", "2025-12-31T23:00", "2026-01-31T22:59"),
    ],
)
def test_a_time_is_read_as_it_is_meant_here(text: str, first: str, last: str) -> None:
    assert (when.first(text)[:16], when.last(text)[:16]) == (first, last)


@pytest.mark.parametrize(
    "text",
    ["soon", "", "3 x", "2026-02-30", "yesterday or so", "99999999999999w", "9999 years ago"],
)
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="2 weeks ago"):
        when.first(text)


def test_commands_take_such_times(served: Program) -> None:
    word, tag = uuid4().hex, uuid4().hex
    old = f"The {word} sailed."
    served.run("remember", old, "--when", "2 weeks ago", "--tags", tag)

    def hits(*flags: str) -> int:
        return len(served.run("recall", word, *flags, "--json").json())

    assert [hits("--since", text) for text in ("yesterday", "13d", "3 weeks ago")] == [0, 0, 1]
    assert [hits("--until", text) for text in ("yesterday", "3 weeks ago", "today")] == [1, 0, 1]
    assert [hits("--as-of", text) for text in ("yesterday", "last month")] == [0, 0]
    forget = ("memory", "forget", "--tags", tag, "--dry-run", "--json")
    assert served.run(*forget, "--since", "yesterday").json()["count"] == 0
    assert served.run(*forget, "--until", "3d").json()["count"] == 1
    assert served.run("jobs", "list", "--until", "last year").out == "No jobs\n"
    assert served.run("daemon", "logs", "--since", "yesterday", "--json").json()["count"] > 0
    exported = served.run("export", "-o", "-", "--since", "yesterday").out
    assert old in exported
    assert old not in served.run("export", "-o", "-", "--since", "now").out
    for command in (
        ("recall", "x", "--as-of"),
        ("daemon", "logs", "--since"),
        ("jobs", "list", "--until"),
    ):
        wrong = served.run(*command, "whenever")
        assert (wrong.status, "'whenever' is not a time" in wrong.err) == (2, True), wrong.err
