"""Past sessions once more: what their prompts would be given now, and with other settings."""

import pytest

from api.test_context import ASK_WALRUS, KEY, told_both
from learning.talk import ends
from learning.test_labels import SAID
from support.http import Api


def replay(api: Api, **sent: object) -> object:
    answer = api.post("/api/evaluation/replay", {"sessionKey": KEY, **sent})
    assert answer.status == 200, answer.body
    return answer.body


def test_a_replay_finds_what_helped_and_leaves_no_trace(api: Api) -> None:
    told_both(api)
    ends(api, *SAID)
    assert api.get("/api/evaluation/sessions").body == {"sessions": [KEY]}
    tables = ("memories", "memory_jobs", "session_injections", "memory_labels")
    before = {name: api.rows(name) for name in tables}
    found = replay(api, settings={"hooks.userPromptSubmit.enabled": False})
    assert isinstance(found, dict)
    now, other = found["now"], found["other"]
    assert (now["prompts"], now["helped"], now["found"], now["carried"]) == (2, 1, 1, 1)
    assert now["ndcg"] == 1 and now["tokens"] > 0
    assert (other["found"], other["carried"], other["tokens"]) == (1, 0, 0)
    assert {name: api.rows(name) for name in tables} == before


def test_what_was_learned_later_is_not_found(api: Api) -> None:
    told_both(api)
    ends(api, *SAID)
    api.run("UPDATE memories SET created_at = '2999-01-01T00:00:00.000Z'")
    api.run("UPDATE memories SET updated_at = created_at")
    found = replay(api)
    assert isinstance(found, dict)
    assert (found["now"]["found"], found["other"]) == (0, None)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"sessionKey": "unknown"}, 404),
        ({}, 400),
        ({"sessionKey": KEY, "settings": {"search.alpha": "much"}}, 400),
        ({"sessionKey": KEY, "settings": {}}, 400),
    ],
)
def test_what_cannot_be_replayed_is_refused(api: Api, sent: dict[str, object], status: int) -> None:
    told_both(api)
    ends(api, ("user", ASK_WALRUS), ("assistant", "At the pier."))
    assert api.post("/api/evaluation/replay", sent).status == status
