"""`GET /api/sessions?state=all`: running and ended sessions, with what each was given and used."""

import json
from pathlib import Path
from typing import Any, get_args

from signet.domain.auth.tokens import TokenScope
from signet.wire.sessions import Outcome
from support.http import Api, an_api
from support.tokens import a_token, bearer

OUTCOMES = get_args(Outcome)


def hook(api: Api, name: str, key: str, cwd: str = "/work/harbour", **body: object) -> None:
    sent = {"harness": "claude-code", "sessionKey": key, "cwd": cwd, **body}
    assert api.post(f"/api/hooks/{name}", sent).status == 200


def listed(api: Api, query: str = "") -> list[dict[str, Any]]:
    answer = api.get(f"/api/sessions?state=all{query}")
    assert answer.status == 200, answer.body
    assert answer.body["count"] == len(answer.body["sessions"])
    return list(answer.body["sessions"])


def play(api: Api, key: str, cwd: str = "/work/harbour") -> None:
    hook(api, "session-start", key, cwd)
    hook(api, "user-prompt-submit", key, cwd, userMessage="Where does the walrus sleep?")


def test_sessions_are_listed_with_what_they_were_given(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The walrus sleeps on the northern pier."})
    play(api, "first")
    play(api, "second", "/work/shed")
    said = [{"role": "user", "content": "Where does  the walrus\nsleep?"}]
    log = "\n".join(json.dumps({"type": "user", "message": one}) for one in said)
    hook(api, "session-end", "first", transcript=log, reason="other")
    first, second = listed(api)
    assert (first["key"], second["key"]) == ("first", "second")
    assert first["endedAt"] == first["lastAt"] and second["endedAt"] is None
    assert first["title"] == "Where does the walrus sleep?" and second["title"] is None
    assert (first["harness"], first["project"]) == ("claude-code", "/work/harbour")
    for one in (first, second):
        assert (one["prompts"], one["agentId"], one["bypassed"]) == (1, "default", False)
        assert one["given"] >= 1 and one["tokens"] > 0 and one["startedAt"] <= one["lastAt"]
        assert one["used"] == 0
    assert [one["key"] for one in listed(api, "&project=/work/shed")] == ["second"]
    assert listed(api, "&harness=codex") == []
    running = api.get("/api/sessions").body
    assert [one["key"] for one in running["sessions"]] == ["second"] and "next" not in running


def test_sessions_are_listed_by_what_came_of_it(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The walrus sleeps on the northern pier."})
    play(api, "ignored")
    play(api, "helped")
    play(api, "running")
    hook(api, "user-prompt-submit", "empty", userMessage="Paint the fence, please.")
    assert len(listed(api)) == 4
    for key, used in (("helped", "said"), ("ignored", "no")):
        of = f"SELECT seq FROM session_injections WHERE session_key = '{key}'"
        api.run(f"UPDATE injected_items SET used = '{used}' WHERE injection_seq IN ({of})")
    found = {one: [row["key"] for row in listed(api, f"&outcome={one}")] for one in OUTCOMES}
    assert found == {"given_nothing": ["empty"], "used_nothing": ["ignored"]}
    assert api.get("/api/sessions?state=all&outcome=lost").status == 400


def test_pages_of_sessions_follow_each_other(api: Api) -> None:
    for number in range(5):
        hook(api, "session-start", f"s{number}")
    every = [one["key"] for one in listed(api)]
    met, cursor = [], ""
    while cursor is not None:
        page = api.get(f"/api/sessions?state=all&limit=2&cursor={cursor}").body
        met += [one["key"] for one in page["sessions"]]
        cursor = page["next"]
    assert met == every and len(met) == 5
    assert api.get("/api/sessions?state=all&cursor=none").status == 400
    assert api.get("/api/sessions?state=lost").status == 400


def test_looking_is_no_use(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The walrus sleeps on the northern pier."})
    play(api, "first")
    api.settle()
    listed(api)
    before = {name: api.rows(name) for name in ("memories", "session_states", "injected_items")}
    listed(api)
    assert before == {name: api.rows(name) for name in before}


def test_a_limited_token_sees_sessions_of_its_own_alone(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: hybrid}\n") as api:
        api.add_agent("bea")
        play(api, "inside", "garden")
        play(api, "outside", "shed")
        play(api, "agent:bea:main", "garden")

        def keys(scope: TokenScope, query: str = "") -> list[str]:
            token = bearer(a_token(api, "agent", scope=scope))
            answer = api.get(f"/api/sessions?state=all{query}", **token)
            return [str(one["key"]) for one in answer.body.get("sessions", ["refused"])]

        assert {"inside"} < set(keys(TokenScope(project="garden")))
        assert "outside" not in keys(TokenScope(project="garden"))
        theirs = [one["key"] for one in listed(api, "&agent_id=bea")]
        assert keys(TokenScope(agent="bea")) == theirs and len(theirs) == 1
        token = bearer(a_token(api, "agent", scope=TokenScope(project="garden")))
        assert api.get("/api/sessions?state=all&project=shed", **token).status == 403
