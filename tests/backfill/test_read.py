"""Sessions of real harnesses read by a real worker: word for word, with their times, once."""

import json
import signal
from functools import partial
from pathlib import Path

import pytest

from backfill.world import DAY, REAL, STORES, World
from signet import clock
from signet.domain.backfill import jobs
from signet.domain.transcripts import transcript
from support.processes import eventually

ASKED = "Which port does the heron's API use, and why was it changed last month?"
DECIDED = (
    "We decided that the heron listens on port 4181, because the old one collides with the proxy."
)
MORE = tuple(f"Step {step} of the heron's move is done, and its tests pass." for step in range(10))


def _has_read(world: World, count: int) -> bool:
    return bool(world.status["read"] >= count)


def test_a_session_is_kept_with_its_times_its_project_and_without_secrets(reading: World) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    reading.claude("kept", (ASKED, f"{DECIDED} The token is {token}.", *MORE), days=20)
    reading.read()
    text = reading.text("kept")
    assert DECIDED in text and token not in text and "[masked: GitHub token]" in text
    [row] = [one for one in reading.api.rows("session_transcripts") if one["session_key"] == "kept"]
    assert (row["project"], row["harness"]) == ("/p/heron", "claude-code")
    assert reading.api.get("/api/status").body["capture"]["harnesses"] == []
    assert row["created_at"].startswith("2026-03-22T09:00:00")
    asked = {"harness": "claude-code", "sessionKey": "now", "project": "/p/heron"}
    given = reading.api.post(
        "/api/hooks/user-prompt-submit", {**asked, "userMessage": "Why port 4181 for the heron?"}
    )
    assert DECIDED in given.body["inject"] and "2026-03-22" in given.body["inject"]


@pytest.mark.parametrize("log", sorted(REAL.glob("*.jsonl")), ids=lambda path: path.stem)
def test_what_a_hook_hands_over_too_is_one_session(reading: World, log: Path) -> None:
    text, name = log.read_text("utf-8"), log.stem
    is_codex = name.startswith("codex")
    key = f"0000000{len(name)}-0000-4000-8000-{sum(map(ord, name)):012x}"
    place = f".codex/sessions/2026/03/02/rollout-2026-03-02-{key}.jsonl"
    path = reading.file(place if is_codex else f".claude/projects/-p/{key}.jsonl", text)
    if is_codex:
        key = next(
            (
                one["payload"]["id"]
                for one in map(json.loads, text.splitlines())
                if "payload" in one
            ),
            key,
        )
    ended = reading.api.post(
        "/api/hooks/session-end",
        {"harness": name.split("-")[0], "sessionKey": key, "transcriptPath": str(path)},
    )
    assert ended.status == 200
    before = reading.text(key)
    assert before
    with path.open("a") as file:
        file.write('{"type": "last-prompt"}\n')
    reading.read()
    assert reading.text(key) == before
    [row] = [one for one in reading.api.rows("backfill_sessions") if one["session_key"] == key]
    assert row["state"] == "known"


def test_sessions_of_opencode_and_openclaw_are_read_from_their_databases(reading: World) -> None:
    reading.database(
        ".local/share/opencode/opencode.db", (STORES / "opencode-1.18.33.sql").read_text("utf-8")
    )
    reading.database(
        ".openclaw/agents/main/agent/openclaw-agent.sqlite",
        (STORES / "openclaw-2026.9.6.sql").read_text("utf-8"),
    )
    reading.read()
    for key, asked in (
        ("ses_df634a200ffeVnTWdYfLKqsJt5", "Hello there, call CALL:bash"),
        ("agent:main:explicit:s1", "Hello there"),
    ):
        said = transcript.parse(reading.text(key))
        assert [one.role for one in said] == ["user", "assistant"]
        assert asked in said[0].text and "Decision: Atlas keeps Valkey" in said[1].text
        assert [str(one.at)[:10] for one in said] == ["2026-11-23"] * 2
        [row] = [one for one in reading.api.rows("backfill_sessions") if one["session_key"] == key]
        assert row["project"] == "/home/mara/projects/atlas"


def test_files_of_gemini_cursor_and_earlier_opencode_and_openclaw(reading: World) -> None:
    talk = [("user", ASKED), ("assistant", DECIDED)]
    gemini = {
        "sessionId": "gem",
        "messages": [
            {"id": "1", "type": "user", "content": ASKED, "timestamp": "2026-03-04T08:00:00Z"},
            {"id": "2", "type": "info", "content": "Model changed"},
            {
                "id": "3",
                "type": "gemini",
                "content": [{"text": DECIDED}],
                "timestamp": "2026-03-04T08:01:00Z",
            },
        ],
    }
    reading.file(".gemini/tmp/heron/chats/session-1.json", json.dumps(gemini))
    reading.file(".gemini/projects.json", json.dumps({"projects": {"/p/heron": "heron"}}))
    cursor = [
        {"role": role, "message": {"content": [{"type": "text", "text": text}]}}
        for role, text in talk
    ]
    reading.file(
        ".cursor/projects/p-heron/agent-transcripts/cur/cur.jsonl",
        "\n".join(map(json.dumps, cursor)).replace(
            ASKED, f"<user_query>\\n{ASKED}\\n</user_query>"
        ),
    )
    storage = ".local/share/opencode/storage"
    session = {"id": "old", "directory": "/p/heron", "time": {"updated": DAY.timestamp() * 1000}}
    reading.file(f"{storage}/session/p1/old.json", json.dumps(session))
    for number, (role, text) in enumerate(talk):
        at = {"created": DAY.timestamp() * 1000}
        reading.file(
            f"{storage}/message/old/m{number}.json", json.dumps({"role": role, "time": at})
        )
        part: dict[str, object] = {"type": "text", "text": text}
        if role == "user":  # it typed a command, and our plugin noted that
            part |= {"text": f"Deploy with make ship. {text}", "metadata": {"signet": text}}
        reading.file(f"{storage}/part/m{number}/p1.json", json.dumps(part))
    events: list[object] = [{"type": "session", "id": "claw", "cwd": "/p/heron"}]
    events += [
        {
            "type": "message",
            "timestamp": "2026-03-04T08:00:00Z",
            "message": {"role": role, "content": text},
        }
        for role, text in talk
    ]
    reading.file(".openclaw/agents/main/sessions/claw.jsonl", "\n".join(map(json.dumps, events)))
    reading.file(
        ".openclaw/agents/main/sessions/sessions.json",
        json.dumps({"agent:main:main": {"sessionId": "claw"}}),
    )
    reading.read()
    for key, project in (
        ("gem", "/p/heron"),
        ("cur", None),
        ("old", "/p/heron"),
        ("agent:main:main", "/p/heron"),
    ):
        said = transcript.parse(reading.text(key))
        assert [(one.role, one.text) for one in said] == talk, key
        assert all(str(one.at).startswith("2026-03-0") for one in said), key
        [row] = [
            one for one in reading.api.rows("session_transcripts") if one["session_key"] == key
        ]
        assert row["project"] == project


def test_what_was_bypassed_or_cleared_is_not_read_later(reading: World) -> None:
    hook: dict[str, object] = {"harness": "claude-code", "project": "/p/heron"}
    for key in ("bypassed", "cleared"):
        reading.api.post("/api/hooks/session-start", {**hook, "sessionKey": key})
    reading.api.post("/api/sessions/bypassed/bypass", {"enabled": True})
    for key, reason in (("bypassed", "exit"), ("cleared", "clear")):
        path = reading.claude(key, (ASKED, DECIDED, *MORE), days=3)
        ended = {"sessionKey": key, "reason": reason, "transcriptPath": str(path)}
        assert reading.api.post("/api/hooks/session-end", {**hook, **ended}).status == 200
    reading.read()
    assert reading.text("bypassed") == reading.text("cleared") == ""


def test_what_was_forgotten_does_not_come_back(reading: World) -> None:
    secret = "The heron's owner is Nadia Quill, who lives in Tromso since October."
    saved = reading.api.post("/api/memory/remember", {"content": secret}).body["id"]
    assert reading.api.delete(f"/api/memory/{saved}?reason=wrong").status == 200
    reading.claude("forgotten", ("Who owns the heron?", secret, *MORE), days=4)
    reading.read()
    eventually(
        lambda: not [one for one in reading.api.rows("memory_jobs") if one["status"] == "pending"]
    )
    held = [one["content"] for one in reading.api.rows("memories") if not one["is_deleted"]]
    assert not [text for text in held if "Tromso" in text]
    given = reading.api.post(
        "/api/memory/context", {"prompt": "Who owns the heron, and where is home?"}
    )
    assert "Tromso" not in json.dumps(given.body)


def test_a_session_that_was_forgotten_is_not_read_again(reading: World) -> None:
    path = reading.claude("unwanted", (ASKED, DECIDED, *MORE), days=6)
    reading.read()
    assert DECIDED in reading.text("unwanted")
    address = "/api/sessions/unwanted/forget"
    done = reading.api.post(address, {"mode": "execute", "reason": "private"})
    assert done.status == 200, done.body
    path.touch()
    assert reading.read(projects=["/p/heron"])["failed"] == 0
    assert reading.text("unwanted") == ""


def test_a_copy_of_a_resumed_session_is_not_a_second_one(reading: World) -> None:
    talk = ("What is a gannet's dive?", "It folds its wings at thirty metres.", *MORE)
    reading.claude("copied-first", talk[:6], days=5)
    reading.claude("copied-whole", talk, days=5)
    # The longer one is newer.
    whole = reading.home / ".claude/projects/-p-heron/copied-whole.jsonl"
    whole.touch()
    reading.read()
    assert "thirty metres" in reading.text("copied-whole")
    assert reading.text("copied-first") == ""


def test_a_file_that_is_gone_is_told_and_the_others_are_read(world: World) -> None:
    gone = world.claude("gone", (ASKED, DECIDED), days=8)
    world.claude("there", (ASKED, DECIDED), days=7)
    world.start()
    gone.write_bytes(b"")
    gone.unlink()
    world.database(
        ".local/share/opencode/opencode.db", (STORES / "opencode-1.18.33.sql").read_text()
    )
    world.start()
    (world.home / ".local/share/opencode/opencode.db").unlink()
    with world.worker():
        eventually(lambda: world.status["state"] == "done")
    status = world.status
    assert (status["read"], status["failed"]) == (1, 1)
    assert "is gone" in status["failures"][0]["reason"]


def test_a_log_of_an_odd_form_or_still_being_written_does_not_stop_the_others(
    reading: World,
) -> None:
    odd = reading.claude("odd-form", (ASKED, DECIDED), days=9)
    odd.write_text(odd.read_text() + '{"type": ["user"], "message": []}\n')
    written = reading.claude("half-written", (ASKED, DECIDED), days=8)
    first, second = written.read_text().splitlines()
    written.write_text(f"{first}\n{second[:60]}")
    assert reading.read()["failed"] == 0
    assert DECIDED in reading.text("odd-form")
    assert reading.text("half-written").startswith("User (") and "{" not in reading.text(
        "half-written"
    )


def test_killed_at_will_and_with_no_model_for_vectors_everything_is_read_once(world: World) -> None:
    nobody = "embedding: {provider: ollama, base_url: 'http://127.0.0.1:9'}\n"
    (world.api.state.workspace.root / "agent.yaml").write_text(nobody)
    for number in range(12):
        world.claude(f"s{number}", (f"Talk {number}: {ASKED}", DECIDED, *MORE), days=number)
    world.start()
    for _ in range(3):
        before = world.status["read"]
        with world.worker() as worker:
            eventually(partial(_has_read, world, min(before + 1, 12)))
            worker.send_signal(signal.SIGKILL)
            worker.wait()
    with world.worker():
        eventually(partial(_has_read, world, 12))
        # What was killed twice waits for half a minute.
        assert world.api.post("/api/pipeline/nudge").status == 200
        eventually(lambda: world.status["state"] == "done")
    assert (world.status["read"], world.status["failed"]) == (12, 0)
    texts = [one["content"] for one in world.api.rows("session_transcripts")]
    assert len(texts) == 12 and all(text.count("4181") == 1 for text in texts)
    chunks = [(one["source_id"], one["position"]) for one in world.api.rows("episode_chunks")]
    assert len(chunks) == len(set(chunks))
    assert world.api.rows("chunk_vectors") == []
    found = world.api.post("/api/memory/context", {"prompt": ASKED, "project": "/p/heron"})
    assert "port 4181" in found.body["context"]
    assert world.start()["newSessions"] == 0


RULE = "Always run make lint before each commit."
SUMMARY = f"This session is being continued from a previous conversation. Summary: {RULE}"


def _stored_by_an_earlier_reader(world: World, key: str, text: str) -> None:
    """Store a transcript without counts, as before there were any, and a memory that was read from it."""
    world.api.run(
        "INSERT INTO session_transcripts (agent_id, session_key, content, harness, project, created_at, updated_at)"
        " VALUES ('default', ?, ?, 'claude-code', '/p/heron', '2026-03-02T09:00:00Z', '2026-03-02T09:04:00Z')",
        key,
        text,
    )


def _said(world: World, key: str, kind: str, minute: int, text: str) -> str:
    role = "assistant" if kind == "assistant" else "user"
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    at = f"2026-03-02T09:{minute:02}:00Z"
    return json.dumps({"type": kind, "cwd": "/p/heron", "timestamp": at, "message": message}) + "\n"


def test_sessions_of_an_earlier_reader_are_read_again(reading: World) -> None:
    log = [("user", ASKED), ("assistant", DECIDED), ("api-request-blob", SUMMARY)]
    log += [("user", "Now add its tests, please."), ("assistant", MORE[0])]
    lines = "".join(_said(reading, "blob", kind, n, text) for n, (kind, text) in enumerate(log))
    reading.file(".claude/projects/-p-heron/blob.jsonl", lines)
    at = [f"2026-03-02T09:0{minute}:00Z" for minute in range(5)]
    _stored_by_an_earlier_reader(
        reading,
        "blob",
        f"User ({at[0]}): {ASKED}\nAssistant ({at[1]}): {DECIDED}\nUser: {SUMMARY}"
        f"\nUser ({at[3]}): Now add its tests, please.\nAssistant ({at[4]}): {MORE[0]}",
    )
    save = {"content": RULE, "who": "claude-code", "sourceType": "session_end", "sourceId": "blob"}
    assert reading.api.post("/api/memory/remember", save).status == 200
    survey = reading.poll()
    assert survey["newSessions"] >= 1
    reading.api.run("DELETE FROM runtime_settings WHERE key = 'transcripts:reader'")
    reading.api.state.db.write(partial(jobs.read_again, now=clock.now()))
    eventually(lambda: SUMMARY not in reading.text("blob"))
    said = transcript.parse(reading.text("blob"))
    assert [turn.text for turn in said] == [text for kind, text in log if kind != log[2][0]]
    eventually(lambda: _is_hidden(reading, RULE))
    eventually(lambda: reading.status["state"] == "done")
    before = reading.text("blob")
    reading.read()
    assert reading.text("blob") == before
    assert reading.poll()["newSessions"] == 0


def _is_hidden(world: World, content: str) -> bool:
    [row] = [one for one in world.api.rows("memories") if one["content"] == content]
    return bool(row["is_deleted"])


def test_what_a_hook_has_missed_is_read_from_the_file(reading: World) -> None:
    path = reading.claude("missed", (ASKED, DECIDED), days=1)
    body = {"harness": "claude-code", "sessionKey": "missed", "transcriptPath": str(path)}
    assert reading.api.post("/api/hooks/session-end", body).status == 200
    assert reading.poll()["newSessions"] == 0
    reading.claude("missed", (ASKED, DECIDED, *MORE[:4]), days=1)
    assert reading.poll()["newSessions"] == 1
    reading.read()
    assert MORE[3] in reading.text("missed")
    assert reading.poll()["newSessions"] == 0
