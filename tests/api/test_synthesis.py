"""MEMORY.md over HTTP: what may be written, when, and what a run would ask."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from signet import clock
from signet.domain.synthesis import file, run
from signet.process.liveness import Presence
from support.http import Api

TRIGGER, COMPLETE = "/api/synthesis/trigger", "/api/hooks/synthesis/complete"
UNDO = "/api/synthesis/undo"
TEXT = "# Memory\n\n- Heron runs on SQLite."


@contextmanager
def a_worker(api: Api) -> Iterator[None]:
    """Let this process count as the worker."""
    presence = Presence(api.state.workspace.runtime_dir, "worker")
    api.state.db.write(presence.announce, now=clock.now(), queues="sessions")
    try:
        yield
    finally:
        presence.close()


@pytest.fixture
def working(api: Api) -> Iterator[Api]:
    with a_worker(api):
        yield api


def memory_file(api: Api) -> str:
    return (api.state.workspace.root / "MEMORY.md").read_text("utf-8")


def remember(api: Api, text: str = "Heron runs on SQLite.") -> None:
    api.post("/api/memory/remember", {"content": text, "importance": 0.9})


def test_a_text_takes_the_place_of_the_file_and_the_earlier_one_is_kept(working: Api) -> None:
    (working.state.workspace.root / "MEMORY.md").write_text("By hand.", "utf-8")
    assert working.post(COMPLETE, {"content": f"<!-- generated x -->\n\n{TEXT}"}).body == {
        "success": True
    }
    head, _, rest = memory_file(working).partition("\n\n")
    assert head.startswith("<!-- generated 20") and rest == f"{TEXT}\n"
    [backup] = working.state.workspace.memory_dir.glob("MEMORY.backup-*.md")
    assert backup.read_text("utf-8") == "By hand."
    assert clock.parse(working.get("/api/synthesis/status").body["lastRunAt"])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "content is required"),
        (" \n\0", "Refusing to write empty content to MEMORY.md"),
        ("<!-- generated x -->\n", "Refusing to write empty content to MEMORY.md"),
        ('{"a": 1}', "Refusing to write JSON to MEMORY.md"),
        (" [1]\n", "Refusing to write JSON to MEMORY.md"),
    ],
)
def test_what_is_no_memory_file_is_refused(working: Api, content: str | None, error: str) -> None:
    answer = working.post(COMPLETE, {"content": content})
    assert (answer.status, answer.error) == (400, error)
    assert not (working.state.workspace.root / "MEMORY.md").exists()


def test_without_a_worker_nothing_is_written(api: Api) -> None:
    remember(api)
    for path, body in ((COMPLETE, {"content": TEXT}), (TRIGGER, {})):
        answer = api.post(path, body)
        assert (answer.status, answer.error) == (503, "Synthesis worker not running")
    assert not (api.state.workspace.root / "MEMORY.md").exists()


def test_two_writers_do_not_meet(working: Api) -> None:
    with file.alone(working.state.workspace, wait=False):
        answer = working.post(COMPLETE, {"content": TEXT})
    assert (answer.status, answer.error) == (409, "Synthesis already in progress")
    remember(working)
    job_id = working.post(TRIGGER).body["jobId"]
    working.run(
        "UPDATE memory_jobs SET status = 'leased', lease_owner = 'w', lease_until_ms = 1, lease_token = 1"
        " WHERE id = ?",
        job_id,
    )
    assert working.get("/api/synthesis/status").body["running"] is True
    assert working.post(COMPLETE, {"content": TEXT}).status == 409


def test_a_run_is_queued_once_and_again_after_a_change(working: Api) -> None:
    working.add_agent()
    nothing = working.post(TRIGGER).body
    assert nothing == {
        "success": False,
        "skipped": True,
        "reason": "Nothing is new since the last run",
    }
    remember(working)
    first = working.post(TRIGGER, {}).body
    assert (first["success"], first["skipped"]) == (True, False)
    again = working.post(TRIGGER, {}).body
    assert (again["skipped"], again["reason"]) == (True, "Synthesis already in progress")
    working.run("DELETE FROM memory_jobs")
    [row] = working.rows("memories")
    working.state.db.write(run.note_run, "default", now=clock.now(), newest=row["seq"])
    assert working.post(TRIGGER).body == nothing
    for change in ({"content": "Heron runs on MySQL."}, {"content": "Heron runs on SQLite."}):
        path, body = f"/api/memory/{row['id']}", {**change, "reason": "moved"}
        assert working.send("PATCH", path, json.dumps(body).encode()).status == 200
        queued = [one["job_type"] for one in working.rows("memory_jobs")]
        assert queued.count("clean_texts") == 1  # which writes the file anew
        assert working.post(TRIGGER).body["success"]
        working.run("DELETE FROM memory_jobs")
        working.state.db.write(run.note_run, "default", now=clock.now(), newest=row["seq"])
    assert working.post(TRIGGER).body == nothing
    assert working.post(TRIGGER, {"agentId": "../x"}).status == 400


def test_with_the_pipeline_off_no_run_is_queued(working: Api) -> None:
    remember(working)
    working.configure("memory:\n  pipelineV2:\n    enabled: false\n")
    assert working.post(TRIGGER).body["reason"] == "The pipeline is off"


def test_the_request_of_a_run_is_shown_and_nothing_is_written(api: Api) -> None:
    remember(api)
    shown = api.post("/api/hooks/synthesis", {"trigger": "manual"}).body
    assert (shown["harness"], shown["model"], shown["fileCount"]) == ("daemon", "synthesis", 1)
    assert "Heron runs on SQLite." in shown["prompt"]
    assert not (api.state.workspace.root / "MEMORY.md").exists()
    assert [row for row in api.rows("memory_jobs") if row["job_type"] == "synthesize"] == []


def test_the_settings_are_shown_and_the_older_keys_count(api: Api) -> None:
    older = "  synthesis:\n    schedule: weekly\n    max_tokens: 6000\n"
    api.configure(f"memory:\n{older}  pipelineV2:\n    synthesis:\n      idleGapMinutes: 30\n")
    config = api.get("/api/hooks/synthesis/config").body
    assert (config["schedule"], config["maxTokens"], config["idleGapMinutes"]) == (
        "weekly",
        6000,
        30,
    )
    assert (config["enabled"], config["timeout"]) == (True, 120_000)
    assert api.get("/api/synthesis/status").body == {
        "running": False,
        "lastRunAt": None,
        "config": config,
    }


def test_odd_signs_are_written_as_far_as_a_file_can_hold_them(working: Api) -> None:
    odd = "# Memory\n\n- half a pair \ud800 and a NUL \0."
    assert working.post(COMPLETE, json.dumps({"content": odd}).encode()).status == 200
    assert "half a pair \ufffd and a NUL ." in memory_file(working)
    assert (working.state.workspace.root / "MEMORY.md").stat().st_mode & 0o077 == 0


def test_undo_puts_the_earlier_file_back_and_lets_a_new_run_start(working: Api) -> None:
    remember(working)
    assert working.post(UNDO, {}).status == 404
    working.post(COMPLETE, {"content": TEXT})
    working.post(COMPLETE, {"content": "# Memory\n\n- the the the"})
    assert working.post(UNDO, {}).body == {"success": True, "chars": len(TEXT)}
    assert memory_file(working).endswith(f"{TEXT}\n")
    assert working.post(TRIGGER, {}).body["success"], "not only after an hour"


def test_a_second_undo_brings_the_replaced_file_back(working: Api) -> None:
    for text in (TEXT, "# Memory\n\n- Nora prefers short answers."):
        working.post(COMPLETE, {"content": text})
    working.post(UNDO, {})
    working.post(UNDO, {})
    assert "Nora" in memory_file(working)


def test_undo_brings_back_nothing_that_was_forgotten(working: Api) -> None:
    saved = working.post("/api/memory/remember", {"content": "Heron runs on SQLite."}).body["id"]
    working.post(COMPLETE, {"content": f"{TEXT}\n- Nora prefers short answers."})
    working.post(COMPLETE, {"content": "# Memory\n\n- Nora prefers long answers."})
    working.delete(f"/api/memory/{saved}?reason=private")
    working.post(UNDO, {})
    assert "SQLite" not in memory_file(working) and "short answers" in memory_file(working)
