"""What stands beside a memory: links, who may read it, and a person's verdict."""

from typing import Any

import pytest

from support.http import Api

TOOL = {"x-signet-actor-type": "harness"}
SAID = "Ada Winter painted the gate of Port Ellen green."


def saved(api: Api, text: str = SAID, **body: object) -> str:
    answer = api.post("/api/memory/remember", {"content": text, "importance": 0.8, **body})
    assert answer.status == 200, answer.body
    return str(answer.body["id"])


def judged(api: Api, memory_id: str, verdict: str, **headers: str) -> Any:
    who = {"x-signet-actor-type": "operator"} | headers
    return api.post(f"/api/memory/{memory_id}/review", {"verdict": verdict}, **who)


def row(api: Api, memory_id: str) -> dict[str, Any]:
    [found] = [one for one in api.rows("memories") if one["id"] == memory_id]
    return dict(found)


@pytest.mark.parametrize(
    ("verdict", "importance", "kept", "gone"),
    [("keep", 0.8, 1, 0), ("fade", 0.4, 0, 0), ("wrong", 0.8, 0, 1)],
)
def test_a_verdict_does_what_it_says_and_none_takes_it_back(
    api: Api, verdict: str, importance: float, kept: int, gone: int
) -> None:
    memory_id = saved(api)
    assert judged(api, memory_id, verdict).status == 200
    assert judged(api, memory_id, verdict).body["status"] == "no_changes"
    found = row(api, memory_id)
    assert (found["importance"], found["manual_override"] or 0) == (importance, kept)
    assert found["is_deleted"] == gone
    assert api.get("/api/memories?unreviewed=1").body["memories"] == []
    assert judged(api, memory_id, "none").status == 200
    back = row(api, memory_id)
    assert (back["importance"], back["manual_override"] or 0, back["is_deleted"]) == (0.8, 0, 0)
    [listed] = api.get("/api/memories?unreviewed=1").body["memories"]
    assert listed["id"] == memory_id
    events = [one["event"] for one in api.get(f"/api/memory/{memory_id}/history").body["history"]]
    assert events.count("reviewed") == 2


def test_a_verdict_takes_the_place_of_the_one_before(api: Api) -> None:
    memory_id = saved(api)
    for verdict in ("fade", "wrong", "fade", "keep"):
        assert judged(api, memory_id, verdict).status == 200
    found = row(api, memory_id)
    assert (found["importance"], found["manual_override"], found["is_deleted"]) == (0.8, 1, 0)


def test_what_somebody_brought_back_can_be_wrong_again(api: Api) -> None:
    memory_id = saved(api)
    for _ in range(2):
        assert judged(api, memory_id, "wrong").body["status"] == "updated"
        assert row(api, memory_id)["is_deleted"] == 1
        api.post(f"/api/memory/{memory_id}/recover", {"reason": "it is true"})
    assert row(api, memory_id)["is_deleted"] == 0


def test_a_verdict_is_a_persons_and_of_a_memory_that_is_there(api: Api) -> None:
    memory_id = saved(api)
    refused = judged(api, memory_id, "keep", **TOOL)
    assert (refused.status, refused.body["code"]) == (403, "needs_a_person")
    assert judged(api, memory_id, "splendid").status == 400
    assert judged(api, "nobody", "keep").status == 404
    api.delete(f"/api/memory/{memory_id}?reason=moved")
    assert judged(api, memory_id, "keep").status == 409


def test_links_name_sources_corrections_and_entities(api: Api) -> None:
    old = saved(api)
    new = saved(api, "Ada Winter painted the gate of Port Ellen blue.", supersedes=[old])
    api.run("INSERT INTO memory_sources VALUES (?, 'memory', ?)", new, old)
    of_new, of_old = (api.get(f"/api/memory/{one}/links").body for one in (new, old))
    assert [one["id"] for one in of_new["corrects"]] == [old]
    assert of_new["sources"] == [{"id": old, "content": SAID}]
    assert of_old["correctedBy"]["id"] == of_old["distilled"][0]["id"] == new
    assert {one["name"] for one in of_new["entities"]} == {"Ada Winter", "Port Ellen"}
    assert api.get("/api/memory/nobody/links").status == 404


def test_what_the_reader_may_not_see_is_not_linked(api: Api) -> None:
    api.post("/api/agents", {"name": "mole", "readPolicy": "isolated"})
    secret = saved(api, agent_id="mole", visibility="private")
    shown = saved(api, "The gate of Port Ellen is old.")
    api.run("INSERT INTO memory_sources VALUES (?, 'memory', ?)", shown, secret)
    assert api.get(f"/api/memory/{shown}/links").body["sources"] == []
    assert api.get(f"/api/memory/{secret}/links").status == 404
    assert api.get(f"/api/memory/{secret}/access").status == 404


def test_access_says_what_each_agent_really_gets(api: Api) -> None:
    for name, policy in (("alone", "isolated"), ("all", "shared")):
        assert api.post("/api/agents", {"name": name, "readPolicy": policy}).status < 300
    for name, group in (("red", "r"), ("pink", "r"), ("blue", "b")):
        body = {"name": name, "readPolicy": "group", "policyGroup": group}
        assert api.post("/api/agents", body).status < 300
    rules = {}
    for visibility in ("global", "private"):
        text = f"The {visibility} gate is open."
        memory_id = saved(api, text, agent_id="red", visibility=visibility)
        answer = api.get(f"/api/memory/{memory_id}/access?agent_id=red").body
        assert (answer["owner"], answer["visibility"]) == ("red", visibility)
        for one in answer["agents"]:
            seen = api.get(f"/api/memory/{memory_id}?agent_id={one['id']}").status == 200
            assert one["reads"] is seen, one
        rules[visibility] = {one["id"]: one["rule"] for one in answer["agents"]}
    assert rules == {
        "global": {
            "default": "shared",
            "alone": "isolated",
            "all": "shared",
            "red": "own",
            "pink": "group",
            "blue": "other_group",
        },
        "private": dict.fromkeys(("default", "alone", "all", "pink", "blue"), "private")
        | {"red": "own"},
    }
