"""Days are those of the machine, in everything that is shown, asked for and grouped: with real processes."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from cli.program import Program, running
from support.processes import eventually

#: Where it is another day now than in UTC: behind or ahead of the date line.
ZONE = "Pacific/Kiritimati" if datetime.now(UTC).hour >= 11 else "Etc/GMT+12"


@pytest.fixture(scope="module")
def abroad(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with running(tmp_path_factory.mktemp("abroad"), zone=ZONE) as program:
        yield program


def today() -> datetime:
    return datetime.now(ZoneInfo(ZONE))


def hook(program: Program, event: str, **sent: object) -> str:
    return program.run("hook", event, "-H", "codex", stdin=json.dumps(sent)).out


def test_what_is_saved_now_is_of_today_everywhere(abroad: Program) -> None:
    assert abroad.run("remember", "The condor release was approved").status == 0
    day = today()
    for command in (("recall", "condor release"), ("memory", "list")):
        assert abroad.run(*command).out.startswith(f"{day:%Y-%m-%d} ")
    start = hook(abroad, "session-start", session_id="a")
    assert f"Today is {day:%A, %B} {day.day}, {day.year}" in start
    prompt = hook(abroad, "user-prompt-submit", session_id="b", prompt="Was the condor released?")
    assert f"approved ({day:%b} {day.day}, {day.year}, said by the user)" in prompt
    listed = abroad.run("memory", "list", "--since", "today", "--json").json()["memories"]
    assert [one["content"] for one in listed] == ["The condor release was approved"]
    assert abroad.run("memory", "list", "--until", "yesterday").out == "No memories\n"


def test_an_event_is_shown_and_found_by_its_own_day(abroad: Program) -> None:
    abroad.run("remember", "The robin audit took place", "--when", "2024-02-29")
    first, second = abroad.run("recall", "robin audit").out.splitlines()[:2]
    assert first.startswith("2024-02-29 ") and f"saved {today():%Y-%m-%d} · " in second
    window = ("--since", "2024-02-29", "--until", "2024-02-29")
    assert "robin audit" in abroad.run("recall", "robin audit", *window).out
    assert "robin audit" in abroad.run("memory", "list", *window).out
    assert "robin" not in abroad.run("memory", "list", "--since", "2024-03-01").out
    prompt = hook(abroad, "user-prompt-submit", session_id="z", prompt="When was the robin audit?")
    day = today()
    assert f"(happened Feb 29, 2024, saved {day:%b} {day.day}, {day.year}, said by" in prompt


def test_a_day_in_words_is_a_local_one_and_never_lies_ahead(abroad: Program) -> None:
    for word, days in (("today", 0), ("yesterday", 1)):
        saved = abroad.run("remember", f"Sail {uuid4()}", "--when", word, "--json").json()
        shown = abroad.run("memory", "show", saved["id"], "--json").json()
        event = datetime.fromisoformat(shown["event_at"])
        assert event <= datetime.now(UTC)
        assert event.astimezone(ZoneInfo(ZONE)).date() == today().date() - timedelta(days=days)


@pytest.mark.parametrize(
    ("zone", "text", "instant"),
    [
        ("America/New_York", "2026-03-08T01:59:00", "2026-03-08T06:59:00.000Z"),
        ("America/New_York", "2026-03-08T03:00:00", "2026-03-08T07:00:00.000Z"),
        ("America/New_York", "2026-11-01T00:30:00", "2026-11-01T04:30:00.000Z"),
        ("America/New_York", "2026-11-01T03:30:00", "2026-11-01T08:30:00.000Z"),
        ("Pacific/Auckland", "2026-09-27T03:30:00", "2026-09-26T14:30:00.000Z"),
        ("Asia/Kathmandu", "2026-01-01T00:10:00", "2025-12-31T18:25:00.000Z"),
        ("Asia/Kathmandu", "2026-01-01T00:10:00+02:00", "2025-12-31T22:10:00.000Z"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T22:00:00.000Z"),
        ("Africa/Cairo", "2026-04-24T00:30:00", "2026-04-23T22:30:00.000Z"),
    ],
)
def test_a_time_without_a_zone_is_local(
    abroad: Program, zone: str, text: str, instant: str
) -> None:
    saved = abroad.run("remember", f"Ferry {uuid4()}", "--when", text, "--json", TZ=zone).json()
    assert abroad.run("memory", "show", saved["id"], "--json").json()["event_at"] == instant


def test_a_day_on_which_clocks_change_has_all_its_hours(abroad: Program) -> None:
    kind, zone = uuid4().hex, {"TZ": "America/New_York"}
    for at in ("2026-03-07T23:50", "2026-03-08T00:10", "2026-03-08T23:50", "2026-03-09T00:10"):
        abroad.run("remember", f"Bell {at}", "--type", kind, "--when", f"{at}:00", **zone)
    window = ("--since", "2026-03-08", "--until", "2026-03-08")
    found = abroad.run("memory", "list", "--type", kind, *window, "--json", **zone).json()
    assert [one["content"] for one in found["memories"]] == [
        "Bell 2026-03-08T23:50",
        "Bell 2026-03-08T00:10",
    ]


def test_a_day_without_midnight_begins_when_its_clocks_do(abroad: Program) -> None:
    kind, zone = uuid4().hex, {"TZ": "Africa/Cairo"}
    for at in ("2026-04-23T23:59:59", "2026-04-24", "2026-04-25T00:00:00"):
        abroad.run("remember", f"Dam {at}", "--type", kind, "--when", at, **zone)
    window = ("--since", "2026-04-24", "--until", "2026-04-24")
    found = abroad.run("memory", "list", "--type", kind, *window, "--json", **zone).json()
    assert [one["content"] for one in found["memories"]] == ["Dam 2026-04-24"]


def test_imports_read_epoch_times_and_refuse_what_is_no_time(abroad: Program) -> None:
    times = [1721990976, 1721990976000, "1721990976", "1721990976.5", "2024-07-26T03:49:36-07:00"]
    refused = ["soon", 5, True, {"at": 1}, 17219909760000000, "99999999999999"]
    rows = [
        {"memory": f"Imported {n} {uuid4()}", "created_at": at}
        for n, at in enumerate([*times, *refused])
    ]
    path = abroad.home / "mem0.json"
    path.write_text(json.dumps({"results": rows}))
    done = abroad.run("import", str(path), "--from", "mem0")
    assert f"{len(times)} new, 0 known, {len(refused)} refused" in done.out
    stored = abroad.run("memory", "list", "--who", "mem0", "--json").json()["memories"]
    assert {one["created_at"][:16] for one in stored} == {"2024-07-26T10:49"}


def test_the_messages_of_a_session_are_shown_in_local_time(abroad: Program) -> None:
    # Another day there, whichever of the two zones it is.
    at = (datetime.now(UTC) - timedelta(days=2)).replace(hour=11, minute=30, microsecond=0)
    log = abroad.home / "talk.jsonl"
    turns = (("user", "We moored the ferry at pier nine."), ("assistant", "Noted: pier nine."))
    lines = (
        {"type": role, "message": {"role": role, "content": text}, "timestamp": at.isoformat()}
        for role, text in turns
    )
    log.write_text("\n".join(map(json.dumps, lines)))
    ended = {"session_id": "moored", "transcript_path": str(log)}
    abroad.run("hook", "session-end", "-H", "claude-code", stdin=json.dumps(ended))
    eventually(lambda: abroad.run("sessions", "show", "moored").status == 0)
    shown = abroad.run("sessions", "show", "moored").out
    local = at.astimezone(ZoneInfo(ZONE))
    assert f"User ({local:%Y-%m-%d %H:%M}): We moored the ferry" in shown
    assert f"{at:%Y-%m-%d}" not in shown
