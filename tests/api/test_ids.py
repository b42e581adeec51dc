"""Ids are found by their beginning, by those who may read the memory."""

from support.http import Api


def saved(api: Api, content: str, **fields: object) -> str:
    """Remember a text and return its id."""
    return str(api.post("/api/memory/remember", {"content": content, **fields}).body["id"])


def ids(api: Api, prefix: str, **headers: str) -> list[str]:
    """Return the ids that begin so."""
    found: list[str] = api.get(f"/api/memories/ids?prefix={prefix}", **headers).body["ids"]
    return found


def test_the_beginning_of_an_id_is_enough_also_when_the_memory_is_forgotten(api: Api) -> None:
    first, second = saved(api, "Tea is at four."), saved(api, "Supper is at eight.")
    assert ids(api, first[:18]) == [first]
    assert ids(api, first[:4]) == [first, second]
    assert ids(api, first) == [first]
    assert ids(api, "zz") == ids(api, "") == ids(api, first + "0") == []
    api.send("DELETE", f"/api/memory/{first}?reason=outdated")
    assert ids(api, first[:18]) == [first]


def test_an_id_is_no_way_to_what_may_not_be_read(api: Api) -> None:
    api.add_agent()
    mine = saved(api, "The key is under the mat.", agentId="ada", visibility="private")
    assert ids(api, mine[:18]) == []
    assert ids(api, mine[:18], x_signet_agent_id="ada") == [mine]


def test_no_more_than_ten_are_shown_and_a_beginning_is_needed(api: Api) -> None:
    made = [saved(api, f"Room {number} has a view.") for number in range(12)]
    assert len(ids(api, made[0][:4])) == 10
    assert api.get("/api/memories/ids").error == "prefix is required"
