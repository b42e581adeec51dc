"""What there is to read, which of it is asked for, and that nothing is read before somebody asks."""

from pathlib import Path

import pytest

from backfill.world import World

TALK = ("Which queue does the heron use?", "It uses the table of jobs, as we decided in March.")


def test_a_dry_run_counts_and_changes_nothing(world: World) -> None:
    world.claude("s1", TALK, days=1)
    world.claude("s2", TALK, days=9, project="/p/gannet")
    found = world.poll()
    [claude] = found["harnesses"]
    assert (found["sessions"], found["newSessions"]) == (2, 2)
    assert (claude["name"], claude["oldest"][:10], claude["newest"][:10]) == (
        "Claude Code",
        "2026-03-03",
        "2026-03-11",
    )
    assert {one["project"]: one["sessions"] for one in found["projects"]} == {
        "/p/heron": 1,
        "/p/gannet": 1,
    }
    assert found["bytes"] > 0 and found["dryRun"] is True
    assert world.api.rows("backfill_sessions") == [] and world.api.rows("memory_jobs") == []
    assert world.status["state"] == "none"


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({"since": "2026-03-05"}, 1),
        ({"projects": ["gannet"]}, 1),
        ({"projects": ["/p"]}, 2),
        ({"projects": ["/p/her"]}, 0),
        ({"harnesses": ["codex"]}, 0),
    ],
)
def test_only_what_is_asked_for(world: World, wanted: dict[str, object], count: int) -> None:
    world.claude("s1", TALK, days=1)
    world.claude("s2", TALK, days=9, project="/p/gannet")
    assert world.poll(**wanted)["sessions"] == count


def test_sessions_of_private_folders_are_not_there(world: World) -> None:
    world.claude("s1", TALK, days=1)
    world.claude("s2", TALK, days=9, project="/p/gannet/colony")
    world.api.configure("hooks:\n  privateFolders: [/p/gannet]\n")
    found = world.poll()
    assert [one["project"] for one in found["projects"]] == ["/p/heron"]


def test_an_unknown_harness_is_refused_with_those_that_are_known(world: World) -> None:
    refused = world.api.post("/api/backfill", {"harnesses": ["claude"]})
    assert refused.status == 400
    assert "Unknown harness: claude" in refused.error and "claude-code, codex" in refused.error


def test_harnesses_have_the_names_by_which_they_are_connected(world: World) -> None:
    refused = world.api.post("/api/backfill", {"harnesses": ["unknown"]}).error
    known = refused.partition("Known: ")[2].split(", ")
    connected = {one["id"] for one in world.api.get("/api/harnesses").body["harnesses"]}
    assert set(known) <= connected, known


def test_logs_of_helpers_and_folders_that_cannot_be_read_are_left_out(world: World) -> None:
    world.claude("agent-77", TALK)
    world.file(".claude/projects/-p/s9/subagents/agent-1.jsonl", "{}\n")
    world.file(".claude/projects/-p/odd.jsonl", "no log at all\n\x00\xff")
    world.file(".gemini/tmp/abc/chats/session-1.json", "[1, 2")
    world.file(".local/share/opencode/opencode.db", "no database")
    assert world.poll()["sessions"] == 0


def test_what_other_programs_wrote_oddly_does_not_hide_the_other_sessions(world: World) -> None:
    world.claude("sane", TALK)
    world.claude("a \udce9", TALK)  # a file name that is no UTF-8
    world.claude("long", TALK, project="/p/" + "x" * 300)
    world.file(
        ".claude/projects/-p/odd.jsonl",
        '{"type":"user","cwd":"/p\\ud800","message":{"role":"user","content":"Which queue?"}}\n',
    )
    world.file(".gemini/projects.json", '{"projects": [1]}')
    world.file(".gemini/trustedFolders.json", '{"/p\\ud800": 1}')
    said = '"messages": [{"type": "user", "content": "Which queue?"}]'
    world.file(".gemini/tmp/abc/chats/session-1.json", f'{{"sessionId": "\\ud800", {said}}}')
    world.file(".config/Cursor/User/workspaceStorage/a/workspace.json", '{"folder": "file://[x/y"}')
    assert world.start()["sessions"] == 2


def test_a_session_that_begins_with_a_picture_is_found_with_its_project(world: World) -> None:
    world.claude("picture", ("x" * 300_000, *TALK))
    assert world.poll()["projects"] == [{"project": "/p/heron", "sessions": 1}]


def test_commits_of_known_projects_are_read_too(world: World, tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    for folder in ("objects", "refs"):
        (repository / ".git" / folder).mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    world.claude("s1", TALK, project=str(repository))
    assert world.start()["repositories"] == 1
    kinds = sorted(one["job_type"] for one in world.api.rows("memory_jobs"))
    assert kinds == ["backfill", "index_commits"]


def test_stopping_leaves_the_rest_for_the_next_start(world: World) -> None:
    world.claude("s1", TALK)
    world.claude("s2", TALK, days=1)
    world.start()
    assert (world.status["state"], world.status["waiting"]) == ("running", 2)
    assert world.api.post("/api/backfill/stop").body == {"stopped": 2}
    assert world.status["state"] == "none"
    assert world.start()["newSessions"] == 2
    # The job of the first start still waits, and is the one that goes on.
    assert len(world.api.rows("memory_jobs")) == 1


def test_a_job_that_died_is_told_and_taken_up_again(world: World) -> None:
    world.claude("s1", TALK)
    world.start()
    world.api.run("UPDATE memory_jobs SET status = 'dead', failed_at = updated_at, attempts = 1")
    assert world.status["state"] == "stopped"
    world.start()
    assert world.status["state"] == "running"
