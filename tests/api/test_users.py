"""People with keys of their own on one daemon: each has a memory, and what one shares all of them read (AUTH-27)."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from signet.domain.auth.tokens import TokenScope
from support.http import Answer, Api, an_api
from support.tokens import a_token, bearer

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
HERS, HIS = "Anna keeps the crane key in the blue box.", "Bert keeps the crane key in the red box."
SHARED, COMMON = "The crane key opens every gate.", "The crane key is made of brass."


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder: Path = tmp_path_factory.mktemp("users") / "agents"
    with an_api(folder, "auth:\n  mode: hybrid\n") as api:
        _save(api, COMMON, {})
        _save(api, HERS, key(api, "anna"))
        _save(api, HIS, key(api, "bert"))
        _save(api, SHARED, key(api, "bert"), visibility="global")
        yield api


def key(api: Api, user: str) -> Mapping[str, str]:
    return bearer(a_token(api, "agent", sub=f"{user}-laptop", scope=TokenScope(user=user)))


def _save(api: Api, content: str, of: Mapping[str, str], **more: str) -> Answer:
    answer = api.post("/api/memory/remember", {"content": content, **more}, **of)
    assert answer.status == 200, answer.body
    return answer


def _texts(answer: Answer, name: str) -> set[str]:
    assert answer.status == 200, answer.body
    return {one["content"] for one in answer.body[name]}


def test_each_reads_what_is_theirs_and_what_is_shared(api: Api) -> None:
    reads = {"anna": {HERS, SHARED, COMMON}, "bert": {HIS, SHARED, COMMON}}
    for user, expected in reads.items():
        of = key(api, user)
        assert _texts(api.get("/api/memories?limit=50", **of), "memories") == expected
        asked = {"query": "where is the crane key", "limit": 20}
        assert _texts(api.post("/api/memory/recall", asked, **of), "results") == expected
    # What nobody's key has saved is everybody's; what a person keeps is nobody else's.
    assert _texts(api.get("/api/memories?limit=50"), "memories") == {SHARED, COMMON}


def test_what_is_written_is_the_users(api: Api) -> None:
    rows = {row["content"]: row for row in api.rows("memories")}
    assert (rows[HERS]["agent_id"], rows[HERS]["visibility"]) == ("user:anna", "private")
    assert (rows[SHARED]["agent_id"], rows[SHARED]["visibility"]) == ("user:bert", "global")
    history = [row for row in api.rows("memory_history") if row["memory_id"] == rows[HERS]["id"]]
    assert {row["changed_by"] for row in history} == {"anna-laptop"}


def test_what_hooks_save_is_the_users_own(api: Api) -> None:
    call = {"harness": "claude-code", "sessionKey": "hooks-of-anna"}
    said = {"remember": "content", "compaction-complete": "summary"}
    texts = {f"Anna told the hook {hook} of the crane." for hook in said}
    for hook, field in said.items():
        body = {**call, field: f"Anna told the hook {hook} of the crane."}
        answer = api.post(f"/api/hooks/{hook}", body, **key(api, "anna"))
        assert answer.status == 200, answer.body
    kept = {one["content"]: one["visibility"] for one in api.rows("memories")}
    assert {kept[text] for text in texts} == {"private"}
    found = api.get("/api/memories?limit=50", **key(api, "bert"))
    assert texts.isdisjoint(_texts(found, "memories"))


def test_a_harness_may_call_its_agents_as_it_likes(api: Api) -> None:
    of = key(api, "carla")
    for more in ({"agentId": "main"}, {"sessionKey": "agent:main:one"}, {"agentId": "user:carla"}):
        _save(api, f"Carla noted {json.dumps(more)}.", of, **more)
    found = api.get("/api/memories?limit=50&agent_id=main", **of).body["memories"]
    assert {one["agent_id"] for one in found if "Carla" in one["content"]} == {"user:carla"}


def test_another_user_is_refused(api: Api) -> None:
    of, before = key(api, "anna"), len(api.rows("memories"))
    refused = "scope restricted to user 'anna'"
    body = {"content": "Bert said so.", "agentId": "user:bert"}
    for answer in (
        api.post("/api/memory/remember", body, **of),
        api.post("/api/memory/recall", {"query": "key", "agentId": "user:bert"}, **of),
        api.get("/api/memories?agent_id=user:bert", **of),
        api.get("/api/export?agent_id=user:bert", **of),
    ):
        assert (answer.status, answer.error) == (403, refused)
    # What another one shares may be read, not changed.
    theirs = next(row["id"] for row in api.rows("memories") if row["content"] == SHARED)
    assert api.get(f"/api/memory/{theirs}", **of).status == 200
    change = json.dumps({"content": "The key is lost.", "reason": "x"}).encode()
    changed = api.send("PATCH", f"/api/memory/{theirs}", change, of)
    assert (changed.status, changed.error) == (403, refused)
    hers = next(row["id"] for row in api.rows("memories") if row["content"] == HERS)
    assert api.get(f"/api/memory/{hers}", **key(api, "bert")).status == 404
    assert len(api.rows("memories")) == before


def test_sessions_are_the_users_own(api: Api) -> None:
    his, hers = key(api, "bert"), key(api, "anna")
    about = {"harness": "codex", "sessionKey": "s-bert", "project": "/yard"}
    assert api.post("/api/hooks/session-start", about, **his).status == 200
    said = {**about, "transcript": "User: the zeppelin lands at noon\nAssistant: noted"}
    assert api.post("/api/hooks/session-end", said, **his).status == 200
    asked = {"query": "zeppelin"}
    assert api.post("/api/sessions/search", asked, **his).body["count"] == 1
    assert api.post("/api/sessions/search", asked, **hers).body["count"] == 0
    assert api.post("/api/sessions/search", asked).body["count"] == 0
    assert api.get("/api/sessions/s-bert/transcript", **his).status == 200
    assert api.get("/api/sessions/s-bert/transcript", **hers).status == 404
    listed = api.get("/api/sessions?state=all", **hers).body["sessions"]
    assert "s-bert" not in {one["key"] for one in listed}


def test_running_sessions_are_hidden_from_other_users(api: Api) -> None:
    team = bearer(a_token(api, "agent", sub="builder"))
    keys = {"anna": key(api, "anna"), "bert": key(api, "bert"), "team": team}
    for name, of in keys.items():
        body = {"harness": "codex", "sessionKey": f"work-of-{name}", "project": "/work/crane"}
        assert api.post("/api/hooks/session-start", body, **of).status == 200
    shown = {}
    for name, of in {**keys, "admin": bearer(a_token(api, "admin"))}.items():
        there = {one["key"] for one in api.get("/api/sessions", **of).body["sessions"]}
        shown[name] = {one for one in keys if f"work-of-{one}" in there}
    assert shown == {"anna": {"anna"}, "bert": {"bert"}, "team": {"team"}, "admin": set(keys)}


def test_a_session_begins_with_what_its_user_may_read(api: Api) -> None:
    for user, own, other in (("anna", HERS, HIS), ("bert", HIS, HERS)):
        about = {"harness": "codex", "sessionKey": f"start-{user}"}
        began = api.post("/api/hooks/session-start", about, **key(api, user))
        assert own in began.body["inject"] and other not in began.body["inject"]


def test_a_session_leaves_nothing_of_the_daemons_user_to_others(api: Api) -> None:
    api.state.workspace.root.joinpath("USER.md").write_text("# User\n\n- Name: Olga\n", "utf-8")
    about = {"harness": "codex", "sessionKey": "of-the-owner", "project": "/work/crane"}
    summary = {**about, "summary": "Olga sells the crane in spring."}
    assert api.post("/api/hooks/compaction-complete", summary).status == 200
    for of in ({}, key(api, "anna")):
        found = api.get("/api/memories?limit=50", **of)
        assert (summary["summary"] in _texts(found, "memories")) is (not of)
        began = api.post(
            "/api/hooks/session-start", {**about, "sessionKey": f"new-{len(of)}"}, **of
        )
        assert ("Olga" in began.body["inject"]) is (not of)


def test_tools_search_and_save_as_the_user(api: Api) -> None:
    def call(name: str, arguments: object) -> str:
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {**JSON, **key(api, "anna")}
        return json.dumps(api.send("POST", "/mcp", json.dumps(message).encode(), headers).body)

    found = call("memory_search", {"query": "crane key"})
    assert "blue box" in found and "every gate" in found and "red box" not in found
    call("memory_store", {"content": "Anna's tool noted the lever."})
    row = next(row for row in api.rows("memories") if "lever" in row["content"])
    assert (row["agent_id"], row["visibility"]) == ("user:anna", "private")
    assert "restricted to user 'anna'" in call(
        "memory_search", {"query": "key", "agent_id": "user:bert"}
    )


def test_documents_are_the_users_own(api: Api) -> None:
    body = {"source_type": "text", "content": "A page about the pulley.", "title": "Pulley"}
    made = api.post("/api/documents", body, **key(api, "anna"))
    assert made.status == 201
    path = f"/api/documents/{made.body['id']}"
    assert api.get(path, **key(api, "anna")).status == 200
    for of in (key(api, "bert"), {}):
        assert api.get(path, **of).status == 404
        assert made.body["id"] not in json.dumps(api.get("/api/documents", **of).body)


def test_a_token_is_of_an_agent_or_of_a_user(api: Api) -> None:
    admin = bearer(a_token(api, "admin"))
    refused = api.post(
        "/api/auth/token", {"role": "agent", "scope": {"agent": "scout", "user": "anna"}}, **admin
    )
    assert refused.status == 400 and "to an agent or to a user" in refused.error
    made = api.post("/api/auth/token", {"role": "agent", "scope": {"user": "anna"}}, **admin).body
    who = api.get("/api/auth/whoami", **bearer(made["token"])).body["claims"]
    assert (who["sub"], who["scope"]) == ("anna", {"user": "anna"})
