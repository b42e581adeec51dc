"""Named agents: from agent.yaml to rows, and from the interface back to agent.yaml."""

from pathlib import Path

import pytest

from signet.domain.agents import registry
from support.http import SETTINGS, Api, an_api

CREW = """agents:
  roster:
    # reads everything
    - name: anna
      read_policy: shared

    # works with cleo
    - name: bert
      read_policy: group
      policy_group: crew
# what follows is about search
search:
  alpha: 0.5
"""


def policies(api: Api) -> dict[str, str]:
    return {row["id"]: row["read_policy"] for row in api.get("/api/agents").body["agents"]}


def written(api: Api) -> str:
    """Return what agent.yaml says behind the settings of every test."""
    text = (api.state.workspace.root / "agent.yaml").read_text("utf-8")
    assert text.startswith(SETTINGS)
    return text.removeprefix(SETTINGS)


def test_the_roster_is_known_from_the_start_and_follows_the_file(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", CREW) as api:
        assert policies(api) == {"default": "shared", "anna": "shared", "bert": "group"}
        before = api.get("/api/agents/bert").body
        assert (before["policy_group"], before["name"]) == ("crew", "bert")
        api.configure("agents:\n  roster:\n    - name: anna\n    - name: Not A Name\n")
        # Whoever is no longer listed is still known (HN-70).
        assert policies(api) == {"default": "shared", "anna": "isolated", "bert": "group"}
        assert api.get("/api/agents/bert").body == before


def test_without_a_roster_there_is_the_default_agent_alone(api: Api) -> None:
    [only] = api.get("/api/agents").body["agents"]
    assert (only["id"], only["read_policy"], only["memories"]) == ("default", "shared", 0)
    assert not (api.state.workspace.root / "agents").exists()


def test_an_agent_is_named_and_its_entry_stands_in_the_file(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", CREW) as api:
        made = api.post(
            "/api/agents", {"name": "cleo", "read_policy": "group", "policy_group": "crew"}
        )
        assert made.status == 201
        assert made.body.keys() == {
            "id",
            "name",
            "read_policy",
            "policy_group",
            "reads",
            "created_at",
            "updated_at",
        }
        assert written(api) == CREW.replace(
            "      policy_group: crew\n",
            "      policy_group: crew\n"
            "    - name: cleo\n      read_policy: group\n      policy_group: crew\n",
        )
        own = api.state.workspace.root / "agents" / "cleo"
        assert (own / "SOUL.md").read_text() == ""
        assert "- name: cleo" in (own / "IDENTITY.md").read_text()
        assert api.get("/api/agents/cleo").body["files"] == ["IDENTITY.md", "SOUL.md"]
        api.state.live.poll()
        assert policies(api)["cleo"] == "group"


def test_naming_and_removing_leave_the_file_as_it_was(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", CREW) as api:
        api.post("/api/agents", {"name": "true", "read_policy": "shared"})
        assert '- name: "true"' in written(api)
        assert api.delete("/api/agents/true").body == {"success": True, "purged": False}
        assert written(api) == CREW
        api.delete("/api/agents/anna")
        assert "anna" not in written(api)
        assert "# reads everything" in written(api) and "# works with cleo" in written(api)
        api.state.live.poll()
        assert policies(api) == {"default": "shared", "bert": "group"}
        # The folder is a person's: it stays.
        assert (api.state.workspace.root / "agents" / "true" / "SOUL.md").exists()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "default"},
        {"name": "Anna"},
        {"name": "../up"},
        {"name": "a" * 65},
        {"name": "anna", "read_policy": "everything"},
        {"name": "anna", "read_policy": "group"},
        {"name": "anna", "read_policy": "group", "policy_group": " "},
        {"name": 7},
    ],
    ids=[
        "none",
        "empty",
        "default",
        "capital",
        "path",
        "long",
        "policy",
        "group",
        "blank",
        "number",
    ],
)
def test_a_name_or_policy_that_is_none_is_refused(api: Api, body: dict[str, object]) -> None:
    refused = api.post("/api/agents", body)
    assert refused.status == 400 and refused.error
    assert written(api) == ""


def test_one_name_is_given_once(api: Api) -> None:
    assert api.post("/api/agents", {"name": "anna"}).status == 201
    again = api.post("/api/agents", {"name": "anna", "read_policy": "shared"})
    assert (again.status, again.body["code"]) == (409, "agent_exists")
    assert policies(api)["anna"] == "isolated"
    assert api.get("/api/agents/bert").status == 404
    assert api.delete("/api/agents/bert").status == 404
    assert api.delete("/api/agents/default").status == 400


def test_a_file_that_cannot_be_read_is_left_alone(api: Api) -> None:
    path = api.state.workspace.root / "agent.yaml"
    path.write_text("agents: [")
    assert api.post("/api/agents", {"name": "anna"}).status == 400
    assert path.read_text() == "agents: ["
    assert policies(api) == {"default": "shared"}


def save(api: Api, content: str, **more: object) -> str:
    return str(api.post("/api/memory/remember", {"content": content, **more}).body["id"])


def test_memories_of_a_removed_agent_are_kept_where_nobody_reads_them(api: Api) -> None:
    api.post("/api/agents", {"name": "anna", "read_policy": "shared"})
    hers = [save(api, f"The mast is {n} metres high.", agentId="anna") for n in range(130)]
    private = save(api, "The mast is 7 metres high.", agentId="anna", visibility="private")
    mine = save(api, "The mast is made of oak.")
    assert api.get("/api/agents/anna").body["memories"] == {"global": 130, "private": 1}
    assert api.delete("/api/agents/anna").body["purged"] is False
    assert {row["visibility"] for row in api.rows("memories") if row["agent_id"] == "anna"} <= {
        "archived",
        "private",
    }
    for agent in ("anna", "default"):
        found = api.post("/api/memory/recall", {"query": "how high is the mast", "agentId": agent})
        assert [hit["id"] for hit in found.body["results"]] in ([], [mine])
    for memory_id in (hers[0], private):
        assert api.get(f"/api/memory/{memory_id}?agent_id=anna").status == 404
    reasons = {row["reason"] for row in api.rows("memory_history") if row["event"] != "created"}
    assert reasons == {"its agent was removed"}


def test_memories_of_a_purged_agent_are_gone(api: Api) -> None:
    api.post("/api/agents", {"name": "anna"})
    for n in range(3):
        save(api, f"The mast is {n} metres high, says Ada Winter.", agentId="anna", pinned=True)
    api.send(
        "DELETE", f"/api/memory/{save(api, 'Gone already.', agentId='anna')}?reason=x&agent_id=anna"
    )
    assert api.get("/api/agents/anna").body["memories"] == {"global": 3}
    mine = save(api, "The mast is made of oak.")
    assert api.delete("/api/agents/anna?purge=true").body == {"success": True, "purged": True}
    assert [row["id"] for row in api.rows("memories")] == [mine]
    assert api.delete("/api/agents/anna").status == 404


def test_an_agents_own_files_win_and_its_workspace_is_written_once(api: Api) -> None:
    workspace = api.state.workspace
    root = workspace.root
    for name, text in (
        ("AGENTS.md", "# Rules\nBe kind.\n"),
        ("SOUL.md", "Calm."),
        ("USER.md", "Ana."),
    ):
        (root / name).write_text(text)
    api.post("/api/agents", {"name": "scout"})
    assert registry.find(workspace, "scout", "SOUL.md") == root / "SOUL.md"  # its own is empty
    [path] = registry.write_workspaces(workspace, ["scout", "default", "No Name"])
    assert path == root / "agents" / "scout" / "workspace" / "AGENTS.md"
    assert path.read_text() == (
        "# Rules\nBe kind.\n\n## Soul\n\nCalm.\n\n## Identity\n\n# Identity\n\n- name: scout\n\n"
        "## About Your User\n\nAna.\n"
    )
    assert registry.write_workspaces(workspace, ["scout"]) == []
    (root / "agents" / "scout" / "SOUL.md").write_text("Bold.")
    (root / "agents" / "scout" / "MEMORY.md").write_text("The sea is near.")
    (root / "MEMORY.md").write_text("Of the default agent.")
    assert registry.write_workspaces(workspace, ["scout"]) == [path]
    assert "## Soul\n\nBold.\n" in path.read_text()
    assert path.read_text().endswith("## Working Memory\n\nThe sea is near.\n")
