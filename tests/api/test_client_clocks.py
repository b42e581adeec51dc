"""Times that clients state, by clocks that are wrong: corrected by the offset at sending, and never in the future."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from signet import clock
from support.http import Api

HOUR = timedelta(hours=1)
REMEMBER = "/api/memory/remember"


def at(offset: timedelta) -> str:
    return clock.to_text(clock.now() + offset)


def ago(api: Api, column: str = "created_at", table: str = "memories") -> float:
    """Return how many seconds before now the only row says that it was made."""
    (row,) = api.rows(table)
    made = clock.parsed(row[column])
    assert made is not None
    return (clock.now() - made).total_seconds()


@pytest.mark.parametrize("ahead", [HOUR, -HOUR, timedelta(days=400), timedelta(seconds=40)])
def test_a_stated_time_is_shifted_by_the_clocks_difference(api: Api, ahead: timedelta) -> None:
    said = {"content": "We use Bun.", "createdAt": at(ahead - timedelta(minutes=10))}
    assert api.post(REMEMBER, said, x_signet_sent_at=at(ahead)).status == 200
    assert 590 <= ago(api) <= 630


@pytest.mark.parametrize("sent", ["", "soon", "9999-12-31T23:59:59Z"])
def test_no_time_after_now_is_stored(api: Api, sent: str) -> None:
    headers = {"x_signet_sent_at": sent} if sent else {}
    said = {"content": "We use Bun.", "createdAt": at(HOUR)}
    assert api.post(REMEMBER, said, **headers).status == 200
    assert ago(api) >= 0


def test_a_time_stays_where_the_clocks_agree_or_are_unknown(api: Api) -> None:
    said = {"content": "We use Bun.", "createdAt": "2025-04-07T09:00:00.000Z"}
    assert api.post(REMEMBER, said, x_signet_sent_at=at(timedelta(seconds=-2))).status == 200
    assert api.rows("memories")[0]["created_at"] == "2025-04-07T09:00:00.000Z"


def test_messages_of_another_machine_are_dated_by_this_clock(api: Api) -> None:
    before = clock.now().replace(microsecond=0)
    turns = [
        {"role": "user", "content": "Which port? " * 50, "timestamp": at(HOUR)},
        {"role": "assistant", "content": "Port 8080. " * 50, "timestamp": at(2 * HOUR)},
    ]
    body = {"harness": "codex", "sessionKey": "s1", "transcript": "\n".join(map(json.dumps, turns))}
    assert api.post("/api/hooks/session-end", body, x_signet_sent_at=at(HOUR)).status == 200
    text = api.rows("session_transcripts")[0]["content"]
    first, last = (clock.parse(part[:20]) for part in text.split(" (")[1:])
    assert before <= first <= clock.now() and last <= clock.now()


def test_a_log_of_a_clock_that_was_ahead_is_stored_once_and_not_after_now(
    api: Api, tmp_path: Path
) -> None:
    turns = [
        {"type": role, "message": {"role": role, "content": said}, "timestamp": at(HOUR)}
        for role, said in (("user", "Which port?"), ("assistant", "Port 8080."))
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, turns)))
    body = {"harness": "claude-code", "sessionKey": "s1", "transcriptPath": str(log)}
    for _ in range(2):
        assert api.post("/api/hooks/session-end", body).status == 200
    [row] = api.rows("session_transcripts")
    assert [row["content"].count(one) for one in ("Which port?", "Port 8080.")] == [1, 1]
    assert max(row["updated_at"], row["created_at"]) <= clock.to_text(clock.now())


def test_an_import_dates_nothing_after_now(api: Api) -> None:
    record = {"record": "memory", "id": "m1", "content": "We use Bun.", "created_at": at(HOUR)}
    answer = api.post("/api/import", {"records": [record]})
    assert answer.body["new"] == 1, answer.body
    assert ago(api) >= 0 and ago(api, "updated_at") >= 0
