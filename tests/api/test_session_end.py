"""The end of a session over HTTP: what is kept of its transcript, and what is queued."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from signet.domain.sessions import spool
from signet_api import background
from support.http import Answer, Api

LONG = "\n".join(
    f"User: What is step {step} of the heron migration?\nAssistant: Step {step} moves one table."
    for step in range(12)
)


def ends(api: Api, key: str = "s1", *, text: str | None = None, **body: object) -> Answer:
    sent = {"harness": "claude-code", "sessionKey": key, "transcript": text, **body}
    return api.post("/api/hooks/session-end", sent)


def stored(api: Api) -> list[tuple[str, str, str]]:
    rows = api.rows("session_transcripts")
    return [(row["agent_id"], row["session_key"], row["content"]) for row in rows]


def content(api: Api) -> str:
    [(_, _, text)] = stored(api)
    return text


def jobs(api: Api) -> list[dict[str, Any]]:
    return [row for row in api.rows("memory_jobs") if row["job_type"] == "summarize"]


def log(*records: object) -> str:
    return "\n".join(json.dumps(record) for record in records)


CLAUDE = log(
    {"type": "summary", "summary": "A talk"},
    {"type": "user", "uuid": "1", "message": {"role": "user", "content": "Which port?"}},
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "Port\n8080."},
                {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}},
            ],
        },
    },
    {
        "type": "user",
        "message": {"role": "user", "content": [{"type": "tool_result", "content": "a.txt"}]},
    },
)
CODEX = log(
    {"type": "session_meta", "payload": {"id": "1", "instructions": "Be good."}},
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Rules."}],
        },
    },
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Which port?"}},
    {"type": "item.completed", "item": {"type": "command_execution", "command": "ls"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "Port 8080."}},
)


@pytest.mark.parametrize(
    "text",
    [
        CLAUDE,
        CODEX,
        CODEX + "\n{broken",
        log(
            {"role": "user", "content": "Which port?"}, {"role": "assistant", "text": "Port 8080."}
        ),
        log(
            {"speaker": "user", "text": "Which port?"},
            {"speaker": "assistant", "message": "Port 8080."},
        ),
        "User: Which port?\nAssistant: Port 8080.",
    ],
)
def test_every_form_of_a_transcript_is_stored_as_what_was_said(api: Api, text: str) -> None:
    assert ends(api, text=text).body == {"memoriesSaved": 0}
    assert content(api) == "User: Which port?\nAssistant: Port 8080."


def test_what_recall_put_into_a_session_is_not_stored_as_said(api: Api) -> None:
    recalled = (
        '[signet:recall | query="port" | results=1 | engine=hybrid]\n- The port is 1 (May 1)\n'
    )
    said = f"{recalled}\nWhich port?<memory-feedback>rate: m1</memory-feedback>"
    ends(
        api, text=log({"role": "user", "content": said}, {"role": "assistant", "content": "8080."})
    )
    assert content(api) == "User: Which port?\nAssistant: 8080."


def test_a_log_in_which_nobody_speaks_stores_nothing_and_says_so(api: Api) -> None:
    silent = log(*({"type": "event", "number": n} for n in range(40)))
    assert ends(api, text=silent).body == {"memoriesSaved": 0}
    assert stored(api) == []
    assert any(line["event"] == "session.silent" for line in api.logged)


def test_a_long_session_is_stored_whole_and_queued_once(api: Api) -> None:
    answer = ends(api, text=LONG, cwd="/work/heron").body
    assert answer == {"memoriesSaved": 0, "queued": True, "jobId": jobs(api)[0]["id"]}
    assert ends(api, "session:s1 ", text=LONG).body == answer
    assert ends(api, sessionKey=None, sessionId="s1", text=LONG).body == answer
    assert len(jobs(api)) == len(stored(api)) == 1
    [asked] = api.rows("summary_jobs")
    assert (asked["session_id"], asked["project"], asked["transcript"]) == ("s1", "/work/heron", "")
    assert (asked["status"], asked["harness"]) == ("pending", "claude-code")
    assert api.get("/api/pipeline/status").body["queues"]["summary"]["pending"] == 1


def test_a_session_that_goes_on_keeps_its_open_job_and_the_longer_text(api: Api) -> None:
    first = ends(api, text=LONG).body
    more = f"{LONG}\nUser: And now?\nAssistant: Done."
    assert ends(api, text=more).body == first
    assert ends(api, text=LONG).body["queued"]
    assert content(api) == more and len(jobs(api)) == 1


def test_what_was_read_is_not_queued_again_until_more_is_said(api: Api) -> None:
    first = ends(api, text=LONG).body
    api.run("UPDATE memory_jobs SET status = 'completed', completed_at = '2026-05-01'")
    assert ends(api, text=LONG).body == {**first, "queued": False}
    later = ends(api, text=f"{LONG}\nUser: And now?").body
    assert later["queued"] and later["jobId"] != first["jobId"]


def test_a_dead_job_does_not_keep_its_session_from_being_read(api: Api) -> None:
    first = ends(api, text=LONG).body
    api.run("UPDATE memory_jobs SET status = 'dead', failed_at = '2026-05-01', error = 'x'")
    assert api.rows("summary_jobs")[0]["status"] == "failed"
    again = ends(api, text=LONG).body
    assert again["queued"] and again["jobId"] != first["jobId"]


def test_the_file_wins_over_the_text_and_a_bad_path_counts_as_none(
    api: Api, tmp_path: Path
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(CLAUDE, "utf-8")
    ends(api, "file", text="User: inline", transcriptPath=str(file))
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    bad = [
        str(pipe),
        str(folder),
        str(tmp_path / "none"),
        "log.jsonl",
        "/dev/zero",
        "a\0b",
        "~x",
        "",
    ]
    for number, path in enumerate(bad):
        ends(api, f"bad {number}", text="User: inline", transcriptPath=path)
    said = [text for _, _, text in stored(api)]
    assert said == ["User: Which port?\nAssistant: Port 8080.", *["User: inline"] * len(bad)]


def test_nothing_is_kept_of_a_cleared_session_nor_of_our_own_processes(api: Api) -> None:
    assert ends(api, text=LONG, reason="clear").body == {"memoriesSaved": 0}
    sent = {"harness": "codex", "sessionKey": "s", "transcript": LONG}
    own = api.post("/api/hooks/session-end", sent, x_signet_no_hooks="1")
    assert own.body == {"memoriesSaved": 0, "internal": True}
    again = api.post("/api/hooks/session-checkpoint-extract", sent, x_signet_no_hooks="1")
    assert again.body == {"skipped": True, "internal": True}
    assert stored(api) == [] and jobs(api) == []


@pytest.mark.parametrize(
    ("settings", "is_queued"),
    [("enabled: false", False), ("shadowMode: true", True), ("mutationsFrozen: true", True)],
)
def test_the_transcript_is_kept_in_every_mode(api: Api, settings: str, is_queued: bool) -> None:
    api.configure(f"memory:\n  pipelineV2:\n    {settings}\n")
    assert ends(api, text=LONG).body.get("queued", False) is is_queued
    assert content(api) == LONG
    part = {"harness": "claude-code", "sessionKey": "s1"}
    assert (
        api.post("/api/hooks/session-checkpoint-extract", part).body.get("queued", False)
        is is_queued
    )


def test_a_session_belongs_to_the_agent_of_its_key_and_one_without_key_to_its_text(
    api: Api,
) -> None:
    api.add_agent()
    ends(api, "agent:nora:1", text=LONG)
    for _ in range(2):
        ends(api, sessionKey=None, text=LONG)
    (_, first, _), (agent, second, _) = stored(api)
    assert (stored(api)[0][0], first) == ("nora", "agent:nora:1")
    assert agent == "default" and second.startswith("transcript-")
    assert {job["agent_id"] for job in jobs(api)} == {"nora", "default"} and len(jobs(api)) == 2


def test_a_session_without_harness_is_refused(api: Api) -> None:
    for body in ({}, {"harness": " "}, {"harness": 7, "transcript": LONG}):
        answer = api.post("/api/hooks/session-end", body)
        assert (answer.status, answer.error) == (400, "harness is required")
    assert api.post("/api/hooks/session-end", b"[1]").status == 400
    assert api.post("/api/hooks/session-end", b"{").error == "Invalid JSON body"
    refused = api.post("/api/hooks/session-checkpoint-extract", {"harness": "codex"})
    assert (refused.status, refused.error) == (400, "harness and sessionKey are required")


@pytest.mark.parametrize(
    "text",
    [
        "User: " + "x" * 5_000_000,
        ("{" * 300 + "\n") * 5_000,
        log({"role": "user", "content": "a\0b" * 400}),
        "User: \ud800\udc00 \ud800 " + "y" * 600,
        log({"role": "user", "content": "\ud800" * 600}),
        '{"role": "user", "content": "' + "z" * 1_000_000,
        "[memory active | \n" * 20_000,
        "\0" * 1_000,
        "<system-reminder>" * 50_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_transcript_is_too_strange(api: Api, text: str) -> None:
    assert ends(api, text=text).status == 200
    assert all("\0" not in kept for _, _, kept in stored(api))
    assert (
        api.post(
            "/api/hooks/session-checkpoint-extract", {"harness": "x", "sessionKey": "s1"}
        ).status
        == 200
    )


def checkpoint(api: Api, text: str, key: str = "c1") -> dict[str, Any]:
    sent = {"harness": "openclaw", "sessionKey": key, "transcript": text, "project": "/p"}
    answer = api.post("/api/hooks/session-checkpoint-extract", sent)
    assert answer.status == 200, answer.body
    body: dict[str, Any] = answer.body
    return body


def test_a_checkpoint_hands_on_what_is_new_and_only_when_that_is_enough(api: Api) -> None:
    assert checkpoint(api, LONG[:40]) == {"skipped": True}
    first = checkpoint(api, LONG)
    assert first["queued"]
    little = f"{LONG}\nUser: {'é' * 200}"
    assert checkpoint(api, little) == {"skipped": True}
    enough = f"{LONG}\nUser: {'é' * 260}"
    second = checkpoint(api, enough)
    assert second["queued"] and second["jobId"] != first["jobId"]
    assert checkpoint(api, enough) == {"skipped": True}
    assert [row["transcript"] for row in api.rows("summary_jobs")] == [LONG, enough[len(LONG) :]]
    assert content(api) == enough


def test_a_checkpoint_and_the_end_of_one_session_have_jobs_of_their_own(api: Api) -> None:
    part = checkpoint(api, LONG, "both")
    whole = ends(api, "both", text=LONG).body
    assert whole["queued"] and whole["jobId"] != part["jobId"]


def test_what_waits_for_a_daemon_elsewhere_is_not_taken_by_the_one_here(api: Api) -> None:
    folder, body = api.state.workspace.spool_dir, {"content": "The heron listens on 4181."}
    theirs = spool.put(
        folder, "/api/memory/remember", {}, body, daemon="http://elsewhere:1", is_settled=True
    )
    told = {"harness": "claude-code", "sessionKey": "s1", "transcript": LONG}
    ours = spool.put(folder, "/api/hooks/session-end", {}, told, is_settled=True)
    asyncio.run(background.take_all(api.state))
    assert theirs.file.exists() and not ours.file.exists()
    assert content(api) == LONG


def test_a_log_with_lists_where_words_belong_is_kept(api: Api, tmp_path: Path) -> None:
    said = {"type": "user", "message": {"role": "user", "content": "Which queue?"}}
    odd = {"type": "tool_use", "id": ["a"], "name": "signet", "input": {"query": "queue"}}
    lines = log(said, said | {"uuid": "2"}, {"type": ["user"], "message": []}, odd)
    assert ends(api, text=lines).status == 200
    assert content(api) == "User: Which queue?"


def test_the_messages_of_a_models_api_are_a_transcript(api: Api) -> None:
    messages = [
        {"role": "system", "content": "You are a helper."},
        {"role": "user", "content": "Which port has the heron?"},
        {"role": "assistant", "content": [{"type": "text", "text": "Port 8080."}]},
    ]
    body = {"harness": "my-agent", "sessionKey": "s1", "transcript": messages}
    assert api.post("/api/hooks/session-end", body).status == 200
    assert content(api) == "User: Which port has the heron?\nAssistant: Port 8080."
