"""Without a roster there is one agent, whatever its harness calls it (HN-77): OpenClaw calls its own `main`."""

from urllib.parse import quote

import pytest

from support.http import Api

MAIN = "agent:main:main"
CACHE = "Project Atlas uses Valkey as its cache."
KEEL = "The keel of the Marianne weighs nine tonnes."


def saved(api: Api, content: str, **more: object) -> str:
    reply = api.post("/api/memory/remember", {"content": content, "importance": 0.9, **more})
    assert reply.status == 200, reply.body
    return str(reply.body["id"])


def hook(api: Api, name: str, **more: object) -> str:
    asked = {"harness": "openclaw", "runtimePath": "plugin", "sessionKey": MAIN, **more}
    reply = api.post(f"/api/hooks/{name}", asked)
    assert reply.status == 200, reply.body
    return str(reply.body.get("inject", ""))


def test_what_the_default_agent_knows_is_told_to_an_agent_of_any_name(api: Api) -> None:
    saved(api, CACHE)
    (api.state.workspace.root / "MEMORY.md").write_text("Atlas moves to Valkey.\n")
    started = hook(api, "session-start", agentId="main")
    assert CACHE in started and "Atlas moves to Valkey." in started
    prompt = {"userMessage": "Which cache does project Atlas use?", "sessionKey": "agent:main:two"}
    assert CACHE in hook(api, "user-prompt-submit", **prompt)


@pytest.mark.parametrize(
    "path",
    [
        "/api/memories?agent_id=main",
        "/memory/search?q=keel&agent_id=main",
        "/api/memory/{id}?agent_id=main",
        "/api/memory/{id}/history?agent_id=main",
    ],
)
def test_every_read_is_that_of_the_one_agent(api: Api, path: str) -> None:
    """Private memories too: there is nobody from whom they could be kept."""
    memory_id = saved(api, KEEL, visibility="private")
    reply = api.get(path.format(id=quote(memory_id)))
    assert reply.status == 200 and memory_id in str(reply.body)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ({"agentId": "main"}, {}),
        ({"sessionKey": MAIN}, {}),
        ({}, {"x_signet_agent_id": "main"}),
        ({}, {"x_signet_session_key": MAIN}),
    ],
    ids=["body", "session key", "header", "session header"],
)
def test_recall_finds_it_however_the_agent_is_named(
    api: Api, body: dict[str, str], headers: dict[str, str]
) -> None:
    memory_id = saved(api, KEEL)
    reply = api.post("/api/memory/recall", {"query": "keel Marianne", **body}, **headers)
    assert [one["id"] for one in reply.body["results"]] == [memory_id]


def test_what_it_saves_and_says_is_the_default_agents(api: Api) -> None:
    memory_id = saved(api, KEEL, agentId="main")
    assert saved(api, KEEL) == memory_id
    said = f"User: How heavy is the keel?\nAssistant: {KEEL}"
    hook(api, "session-end", transcript=said, reason="agent_end")
    [row] = api.rows("session_transcripts")
    assert (row["session_key"], row["agent_id"]) == (MAIN, "default")
    assert {row["agent_id"] for row in api.rows("memories")} == {"default"}
    for asked in ("", "?agent_id=main", "?agent_id=default"):
        [session] = api.get(f"/api/sessions{asked}").body["sessions"]
        assert session["key"] == MAIN
        assert KEEL in str(api.get(f"/api/sessions/{quote(MAIN)}/transcript{asked}").body)


def test_with_a_roster_an_unknown_agent_sees_its_own_alone(api: Api) -> None:
    api.configure("agents: {roster: [{name: scout}]}\n")
    saved(api, CACHE)
    found = api.post("/api/memory/recall", {"query": "Atlas cache", "agentId": "main"})
    assert found.body["results"] == []
    assert CACHE not in hook(api, "session-start", agentId="main")
    own = saved(api, KEEL, agentId="main")
    found = api.post("/api/memory/recall", {"query": "keel Marianne", "agentId": "main"})
    assert [one["id"] for one in found.body["results"]] == [own]
