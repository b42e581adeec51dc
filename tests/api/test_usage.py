"""`GET /api/memory/{id}/usage`: the sessions that a memory was given to, and whether they used it."""

from pathlib import Path
from typing import Any

from signet.domain.auth.tokens import TokenScope
from support.http import Api, an_api
from support.tokens import a_token, bearer


def play(api: Api, key: str, cwd: str, message: str = "Where does the walrus sleep?") -> None:
    said = {"harness": "codex", "sessionKey": key, "cwd": cwd, "userMessage": message}
    assert api.post("/api/hooks/user-prompt-submit", said).status == 200


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def usage(api: Api, memory_id: str, query: str = "", **headers: str) -> dict[str, Any]:
    answer = api.get(f"/api/memory/{memory_id}/usage{query}", **headers)
    assert answer.status == 200, answer.body
    return dict(answer.body)


def test_a_memory_names_the_sessions_it_was_given_to(api: Api) -> None:
    memory_id = remember(api, "The walrus sleeps on the northern pier.")
    assert usage(api, memory_id)["uses"] == []
    play(api, "first", "/work/harbour")
    play(api, "second", "/work/shed")
    found = usage(api, memory_id)
    assert [one["sessionKey"] for one in found["uses"]] == ["second", "first"]
    (one, _) = found["uses"]
    assert (one["given"], one["reason"], one["use"]) == (True, "match", "not known yet")
    assert (one["phase"], one["prompt"], one["harness"]) == ("prompt", 1, "codex")
    assert one["score"] > 0 and one["project"] == "/work/shed"
    assert found["accessCount"] == 2 and found["count"] == 2
    api.run("UPDATE injected_items SET used = 'quoted'")
    assert [one["use"] for one in usage(api, memory_id)["uses"]] == ["used", "used"]
    assert usage(api, memory_id, "?limit=1")["count"] == 1
    assert usage(api, memory_id)["accessCount"] == 2
    assert api.get("/api/memory/none/usage").status == 404


def test_a_limited_token_sees_sessions_of_its_project_alone(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: hybrid}\n") as api:
        memory_id = remember(api, "The walrus sleeps on the northern pier.", project="garden")
        play(api, "inside", "garden")
        play(api, "outside", "shed")
        assert usage(api, memory_id)["count"] == 1, "the shed is given nothing of the garden"
        token = bearer(a_token(api, "agent", scope=TokenScope(project="garden")))
        found = usage(api, memory_id, **token)
        assert [one["sessionKey"] for one in found["uses"]] == ["inside"]
        other = bearer(a_token(api, "agent", scope=TokenScope(project="shed")))
        assert api.get(f"/api/memory/{memory_id}/usage", **other).status == 404
