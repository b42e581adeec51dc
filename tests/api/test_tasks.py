"""Tasks over HTTP: made, changed, listed, refused; what runs them is tests/worker/test_tasks.py."""

import json
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from support.harness import install
from support.http import Answer, Api

FIELDS = {"name": "Tidy", "prompt": "tidy up", "cronExpression": "0 9 * * *", "harness": "codex"}


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two of the three harnesses be installed."""
    only = install(tmp_path / "bin", monkeypatch, "codex", "claude")
    monkeypatch.setenv("PATH", str(only))


def made(api: Api, **fields: object) -> str:
    """Make a task and return its id."""
    answer = api.post("/api/tasks", FIELDS | fields)
    assert answer.status == 201, answer.body
    return str(answer.body["id"])


def patch(api: Api, task_id: str, **fields: object) -> Answer:
    """Change a task."""
    return api.send("PATCH", f"/api/tasks/{task_id}", json.dumps(fields).encode())


def task(api: Api, task_id: str) -> Any:
    """Return a task."""
    return api.get(f"/api/tasks/{task_id}").body["task"]


def test_a_task_is_listed_with_the_presets(api: Api) -> None:
    first = made(api)
    second = made(api, name="Water", cronExpression="*/15 * * * *", timezone="UTC")
    body = api.get("/api/tasks").body
    assert [one["id"] for one in body["tasks"]] == [second, first]
    assert body["presets"][0] == {"label": "Every 15 min", "expression": "*/15 * * * *"}
    one = body["tasks"][1]
    assert (one["enabled"], one["skip_permissions"], one["last_run_status"]) == (True, False, None)
    assert one["next_run_at"] > one["created_at"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": None}, "name, prompt, cronExpression, and harness are required"),
        ({"prompt": ""}, "name, prompt, cronExpression, and harness are required"),
        ({"cronExpression": "daily", "harness": "vim"}, "Invalid cron expression"),
        ({"harness": "vim"}, "harness must be 'claude-code', 'codex', or 'opencode'"),
        ({"skillName": "../etc", "skillMode": "inject"}, "Invalid skill name"),
        ({"skillName": "a/b"}, "Invalid skill name"),
        (
            {"skillName": "recall"},
            "skillMode must be 'inject' or 'slash' when skillName is set",
        ),
        ({"harness": "opencode"}, "CLI for opencode not found on PATH"),
        ({"workingDirectory": "/nowhere/at/all"}, "workingDirectory does not exist"),
        ({"workingDirectory": "x" * 300}, "workingDirectory does not exist"),
        ({"timezone": "Mars/Olympus"}, "timezone must be the name of a time zone"),
        ({"prompt": "a\0b"}, "NUL"),
        ({"prompt": "x" * 65_537}, "prompt is longer than"),
        ({"name": " "}, "name must not be empty"),
        ({"prompt": 7}, "prompt: "),
    ],
)
def test_what_no_run_could_use_is_refused(api: Api, fields: dict[str, object], words: str) -> None:
    refused = api.post("/api/tasks", FIELDS | fields)
    assert refused.status == 400
    assert words in refused.error
    assert api.rows("scheduled_tasks") == []
    assert refused.body.get("warning", False) == ("PATH" in words)


def test_a_change_is_checked_like_a_new_task(api: Api) -> None:
    task_id = made(api)
    for field, value, words in (
        ("harness", "vim", "harness must be"),
        ("harness", "opencode", "not found on PATH"),
        ("name", "", "must not be empty"),
        ("workingDirectory", "/nowhere/at/all", "does not exist"),
        ("cronExpression", "x", "Invalid cron expression"),
        ("skillName", "..", "Invalid skill name"),
    ):
        assert words in patch(api, task_id, **{field: value}).error
    assert patch(api, "none", name="x").error == "Task not found"


def test_changes_move_the_next_run_only_where_they_should(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)  # it must not become nine o'clock in between
    task_id = made(api)
    due = task(api, task_id)["next_run_at"]
    assert patch(api, task_id, name="Tidier", enabled=False).body == {"success": True}
    assert (task(api, task_id)["name"], task(api, task_id)["next_run_at"]) == ("Tidier", due)
    api.run("UPDATE scheduled_tasks SET next_run_at = '2020-01-01T00:00:00.000Z'")
    patch(api, task_id, enabled=True)
    assert task(api, task_id)["next_run_at"] == due
    patch(api, task_id, cronExpression="0 10 * * *")
    assert task(api, task_id)["next_run_at"] != due


def test_what_may_be_empty_is_emptied_by_nothing(api: Api, tmp_path: Path) -> None:
    task_id = made(
        api, workingDirectory=str(tmp_path), skillName="recall", skillMode="slash", timezone="UTC"
    )
    patch(api, task_id, workingDirectory="", skillName="", timezone="")
    now = task(api, task_id)
    assert [now[key] for key in ("working_directory", "skill_name", "skill_mode", "timezone")] == [
        None
    ] * 4


def test_a_run_waits_for_a_worker_and_is_alone(api: Api) -> None:
    task_id = made(api)
    patch(api, task_id, enabled=False)
    started = api.post(f"/api/tasks/{task_id}/run")
    assert (started.status, started.body["status"]) == (202, "running")
    again = api.post(f"/api/tasks/{task_id}/run")
    assert (again.status, again.error) == (409, "Task is already running")
    page = api.get(f"/api/tasks/{task_id}/runs").body
    assert (page["total"], page["hasMore"]) == (1, False)
    assert (page["runs"][0]["id"], page["runs"][0]["status"]) == (started.body["runId"], "pending")
    (job,) = [job for job in api.rows("memory_jobs") if job["job_type"] == "task_run"]
    assert job["id"] == started.body["runId"]
    assert api.get("/api/tasks").body["tasks"][0]["last_run_status"] == "pending"


def test_a_task_goes_with_its_runs_and_with_the_job_of_the_one_that_is_on(api: Api) -> None:
    task_id = made(api)
    api.post(f"/api/tasks/{task_id}/run")
    assert api.delete(f"/api/tasks/{task_id}").body == {"success": True}
    assert api.rows("task_runs") == []
    assert [row["status"] for row in api.rows("memory_jobs")] == ["dead"]
    assert api.delete(f"/api/tasks/{task_id}").error == "Task not found"


def test_runs_come_in_pages(api: Api) -> None:
    task_id = made(api)
    for number in range(3):
        api.run(
            "INSERT INTO task_runs (id, task_id, status, started_at) VALUES (?, ?, 'completed', ?)",
            f"r{number}",
            task_id,
            f"2026-05-0{number + 1}T00:00:00.000Z",
        )
    page = api.get(f"/api/tasks/{task_id}/runs?limit=2").body
    assert ([run["id"] for run in page["runs"]], page["total"]) == (["r2", "r1"], 3)
    assert page["hasMore"] is True
    rest = api.get(f"/api/tasks/{task_id}/runs?limit=2&offset=2").body
    assert ([run["id"] for run in rest["runs"]], rest["hasMore"]) == (["r0"], False)
