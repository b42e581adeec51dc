"""Harnesses over HTTP: which are there, when they were heard of, and their files made anew."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site
from support.http import Api, an_api

IDS = list(registry.HARNESSES)[:4]


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "person"
    (home / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


@pytest.fixture
def api(tmp_path: Path, person: Path) -> Iterator[Api]:
    with an_api(tmp_path / "agents") as opened:
        yield opened


def listed(api: Api) -> dict[str, dict[str, object]]:
    answer = api.get("/api/harnesses")
    assert answer.status == 200
    return {one["id"]: one for one in answer.body["harnesses"]}


def test_every_harness_is_listed_with_its_file(api: Api, person: Path) -> None:
    found = listed(api)
    assert list(found) == list(registry.HARNESSES)
    assert found["claude-code"] == {
        "name": "Claude Code",
        "id": "claude-code",
        "path": str(person / ".claude/settings.json"),
        "exists": False,
        "lastSeen": None,
        "connected": False,
        "plugin": False,
        "problems": [],
        "notices": [],
    }
    root = api.state.workspace.root
    assert [found[one]["path"] for one in IDS[1:]] == [
        str(person / ".config/opencode/AGENTS.md"),
        str(root / "AGENTS.md"),
        str(person / ".codex/config.toml"),
    ]
    (person / ".claude/settings.json").write_text("{}")
    assert listed(api)["claude-code"]["exists"] is True


def test_a_harness_that_calls_is_seen(api: Api) -> None:
    asked = {"harness": "codex", "sessionKey": "s", "transcript": "User: hello"}
    assert api.post("/api/hooks/session-end", asked).status == 200
    assert str(listed(api)["codex"]["lastSeen"]).endswith("Z")
    assert listed(api)["opencode"]["lastSeen"] is None


def test_connections_are_brought_up_to_date_and_what_fails_is_told(api: Api, person: Path) -> None:
    target = person / ".claude/CLAUDE.md"
    assert api.post("/api/harnesses/regenerate").body["success"] is True
    assert not target.exists(), "nothing is connected"
    site = Site(workspace=api.state.workspace, home=person, port=4001)
    assert registry.connect(site, "claude-code").success
    done = api.post("/api/harnesses/regenerate").body
    assert done["success"] is True and f"Wrote {target}" in done["output"]
    assert "http://127.0.0.1:3850" in target.read_text()
    assert api.post("/api/harnesses/regenerate").body["output"] == "Everything up to date"
    settings = person / ".claude/settings.json"
    settings.write_text("{ broken")
    failed = api.post("/api/harnesses/regenerate")
    assert (failed.status, failed.body["success"]) == (200, False)
    assert f"Failed: claude-code: {settings}" in failed.body["output"]
