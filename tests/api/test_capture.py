"""What is captured of sessions, and that what is not captured is reported."""

import base64
import json
import os
from pathlib import Path

import pytest

from signet.domain.transcripts import log_files, log_lines, transcript
from support.http import Api

SAID = {"sessionId": "s1", "cwd": "/p/heron", "version": "2.1.332"}


def line(role: str, content: object, minute: int, kind: str | None = None) -> str:
    at = f"2026-05-01T09:{minute:02}:00Z"
    message = {"role": role, "content": content}
    return json.dumps({**SAID, "type": kind or role, "timestamp": at, "message": message}) + "\n"


def image(size: int) -> object:
    data = base64.b64encode(os.urandom(size)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return [
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [{"type": "image", "source": source}],
        }
    ]


def ends(api: Api, path: Path, reason: str = "prompt_input_exit") -> None:
    body = {"harness": "claude-code", "sessionKey": "s1", "transcriptPath": str(path)}
    answer = api.post("/api/hooks/session-end", {**body, "reason": reason})
    assert answer.status == 200, answer.body


def asks(api: Api, prompt: str = "Which separator?") -> None:
    body = {"harness": "claude-code", "sessionKey": "s1", "userPrompt": prompt}
    assert api.post("/api/hooks/user-prompt-submit", body).status == 200


def messages(api: Api) -> list[str]:
    found = api.get("/api/sessions/s1/transcript").body
    return [turn.text for turn in transcript.parse(found["content"])]


def test_a_session_that_grows_past_every_limit_keeps_its_beginning(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_lines, "LINE_BYTES", 100_000)
    monkeypatch.setattr(log_lines, "STRING_BYTES", 20_000)
    monkeypatch.setattr(log_files, "MOST_CHARS", 400)
    path = tmp_path / "s1.jsonl"
    decision = "Decision: the heron exporter writes CSV with semicolons, because of German Excel."
    path.write_text(line("user", decision, 0))
    ends(api, path)
    assert messages(api) == [decision]
    answers = [f"Screenshot {number} is right." for number in range(1, 40)]
    for minute, answer in enumerate(answers, 1):
        with path.open("a") as log:
            log.write(line("user", image(300_000), minute))
            log.write(line("assistant", answer, minute))
        if minute % 10 == 0:
            ends(api, path)
    ends(api, path)
    assert messages(api) == [decision, *answers]
    reading = api.get("/api/sessions/s1/transcript").body["reading"]
    assert (reading["messages"], reading["version"]) == (40, "2.1.332")
    assert reading["leftOut"] > 20
    assert api.get("/api/status").body["capture"]["truncatedSessions"] == 1


def test_a_log_with_the_mark_of_its_encoding_is_a_log(api: Api, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    said = ["Decision: the siskin feed is polled every 90 s.", "And its tail?"]
    lines = [line("user", text, minute) for minute, text in enumerate(said)]
    path.write_text("\ufeff" + "not json {\n\n".join(lines).replace("\n", "\r\n"), "utf-8")
    ends(api, path)
    assert messages(api) == said


def test_records_of_unknown_types_are_counted_once_and_reported(api: Api, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    summary = "This session is being continued. Always run make lint before each commit."
    blobs = [line("user", summary, number, "api-request-blob") for number in range(14)]
    path.write_text(line("user", "Build the importer.", 0) + "".join(blobs))
    ends(api, path)
    ends(api, path)
    assert messages(api) == ["Build the importer."]
    [found] = api.get("/api/status").body["capture"]["unknownRecords"]
    assert found == {
        "harness": "claude-code",
        "version": "2.1.332",
        "type": "api-request-blob",
        "records": 14,
    }
    metrics = str(api.get("/metrics").body)
    assert 'type="api-request-blob",version="2.1.332"} 14.0' in metrics
    assert api.post("/api/sessions/s1/forget", {"mode": "execute", "reason": "no"}).status == 200
    assert api.get("/api/status").body["capture"]["unknownRecords"] == []


def test_a_session_of_which_nothing_is_stored_is_reported_until_one_is(
    api: Api, tmp_path: Path
) -> None:
    assert api.get("/api/status").body["capture"]["harnesses"] == []
    path = tmp_path / "s1.jsonl"
    path.write_text(json.dumps({**SAID, "type": "turn", "body": "a format of next year"}) + "\n")
    asks(api)
    ends(api, path)
    [found] = api.get("/api/status").body["capture"]["harnesses"]
    assert (found["lastMessageAt"], found["emptySession"]) == (None, "s1")
    path.write_text(line("user", "Which separator?", 5))
    ends(api, path)
    [found] = api.get("/api/status").body["capture"]["harnesses"]
    assert found["harness"] == "claude-code"
    assert (found["lastMessageAt"][:16], found["emptySession"]) == ("2026-05-01T09:05", None)


def test_a_session_without_a_prompt_is_not_reported(api: Api, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(json.dumps({**SAID, "type": "mode", "mode": "plan"}) + "\n")
    ends(api, path)
    assert api.get("/api/status").body["capture"]["harnesses"] == []


def test_a_session_that_ended_at_its_first_prompt_is_not_reported(api: Api, tmp_path: Path) -> None:
    asks(api)
    ends(api, tmp_path / "none.jsonl")
    assert api.get("/api/status").body["capture"]["harnesses"] == []
    asks(api)
    ends(api, tmp_path / "none.jsonl")
    [found] = api.get("/api/status").body["capture"]["harnesses"]
    assert (found["lastMessageAt"], found["emptySession"]) == (None, "s1")


def test_a_notification_of_the_harness_is_no_prompt(api: Api, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(json.dumps({**SAID, "type": "mode", "mode": "plan"}) + "\n")
    notification = "<task-notification>\n<task-id>7</task-id>Done.\n</task-notification>"
    asks(api, notification)
    ends(api, path)
    assert api.get("/api/status").body["capture"]["harnesses"] == []
    asks(api, f"{notification} And now?")
    ends(api, path)
    [found] = api.get("/api/status").body["capture"]["harnesses"]
    assert found["emptySession"] == "s1"
