"""The repository of a workspace over HTTP; pulling and pushing themselves: tests/unit/gitsync."""

from pathlib import Path

import pytest

from support.http import Api
from support.repositories import lonely, needs_git, trio


def test_without_a_repository_all_is_told_and_nothing_is_done(api: Api) -> None:
    assert api.get("/api/git/status").body == {
        "isRepo": False,
        "branch": None,
        "remote": None,
        "hasCredentials": False,
        "authMethod": "none",
        "autoSync": True,
        "lastSync": None,
        "uncommittedChanges": 0,
        "unpushedCommits": 0,
        "unpulledCommits": 0,
        "problem": None,
    }
    for verb in ("pull", "push", "sync"):
        answer = api.post(f"/api/git/{verb}")
        assert (answer.status, answer.body) == (
            200,
            {"success": False, "message": "Not a git repository"},
        )


@needs_git
def test_a_change_goes_to_the_remote(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lonely(monkeypatch, tmp_path / "home")
    three = trio(tmp_path, api.state.workspace)
    three.here.commit("USER.md", "Ada\n")
    three.here.write("new.md", "new")
    body = api.get("/api/git/status").body
    assert (body["isRepo"], body["branch"], body["remote"]) == (True, "main", str(three.remote))
    assert (body["uncommittedChanges"], body["unpushedCommits"], body["hasCredentials"]) == (
        1,
        1,
        True,
    )
    assert api.post("/api/git/sync").body == {
        "success": True,
        "message": "Sync complete",
        "pulled": 0,
        "pushed": 1,
    }
    assert api.get("/api/git/status").body["lastSync"]
    assert api.post("/api/git/pull").body == {
        "success": True,
        "message": "Already up to date",
        "changes": 0,
    }


@needs_git
def test_the_branch_is_that_of_the_repository_unless_one_is_set(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert api.get("/api/git/config").body["branch"] is None, "no repository yet"
    lonely(monkeypatch, tmp_path / "home")
    here = trio(tmp_path, api.state.workspace).here
    assert api.get("/api/git/config").body["branch"] == "main"
    changed = api.post("/api/git/config", {"autoSync": False}).body["config"]
    assert changed["branch"] == "main"
    assert "branch" not in (api.state.workspace.root / "agent.yaml").read_text("utf-8")
    here.git("remote", "set-head", "origin", "--delete")
    here.git("checkout", "-q", "-b", "trunk")
    assert api.get("/api/git/config").body["branch"] == "trunk"
    api.post("/api/git/config", {"branch": "other"})
    api.state.live.poll()
    assert api.get("/api/git/config").body["branch"] == "other"


def test_settings_are_written_to_the_file(api: Api) -> None:
    changed = api.post(
        "/api/git/config", {"autoSync": False, "syncInterval": 900, "branch": "trunk"}
    )
    wanted = {
        "enabled": True,
        "autoCommit": True,
        "autoSync": False,
        "syncInterval": 900,
        "remote": "origin",
        "branch": "trunk",
    }
    assert changed.body == {"success": True, "config": wanted}
    api.state.live.poll()
    assert api.get("/api/git/config").body == wanted


@pytest.mark.parametrize(
    "body",
    [
        {"syncInterval": 59},
        {"syncInterval": 86_401},
        {"syncInterval": "300"},
        {"syncInterval": True},
        {"autoSync": "yes"},
        {"remote": "-x"},
        {"branch": "a b"},
        {"branch": "a..b"},
        {"branch": ""},
        {"autoSync": False, "remote": "x;y"},
    ],
)
def test_settings_that_make_no_sense_change_nothing(api: Api, body: object) -> None:
    file = api.state.workspace.root / "agent.yaml"
    before = file.read_bytes()
    assert api.post("/api/git/config", body).status == 400
    assert file.read_bytes() == before
