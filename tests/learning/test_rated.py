"""What agents said of a memory, in recall and at a session's start (PR-13)."""

from typing import Any

import pytest

from api.test_context import FALCON, KEY, WALRUS, hook, remember
from api.test_feedback import brought
from learning.talk import work
from support.http import Api

ASK = "walrus falcon"


def rate(api: Api, memory_id: str, ratings: list[float]) -> None:
    if not any(row["memory_id"] == memory_id for row in api.rows("session_memories")):
        brought(api, memory_id)
    for rating in ratings:
        sent = {"sessionKey": "agent:default:s1", "feedback": {memory_id: rating}}
        assert api.post("/api/memory/feedback", sent).body["recorded"] == 1
    work(api)


def stage(api: Api, memory_id: str) -> list[tuple[Any, str]]:
    """Return by what the ratings multiplied the score of a memory, and how that is said."""
    body = api.post("/api/memory/recall", {"query": ASK, "explain": True}).body
    [found] = [one for one in body["results"] if one["id"] == memory_id]
    steps = [one for one in found["explain"]["stages"] if one["stage"] == "rated"]
    return [(pytest.approx(one["after"] / one["before"], abs=0.001), one["says"]) for one in steps]


@pytest.fixture
def walrus(api: Api) -> str:
    remember(api, FALCON)
    return remember(api, WALRUS)


@pytest.mark.parametrize(
    ("ratings", "factor"),
    [([-1] * 10, 0.3), ([-1] * 3, 0.7), ([-1] * 3 + [1], 0.8), ([1] * 30 + [-1] * 20, 0.3)],
)
def test_negative_ratings_lower_a_memory_and_a_later_positive_one_raises_it(
    api: Api, walrus: str, ratings: list[float], factor: float
) -> None:
    rate(api, walrus, ratings)
    assert stage(api, walrus) == [(factor, "agents found it of no use")]


@pytest.mark.parametrize("ratings", [[], [1] * 10, [1, -1]])
def test_without_prevailing_negative_ratings_nothing_changes(
    api: Api, walrus: str, ratings: list[float]
) -> None:
    rate(api, walrus, ratings)
    assert stage(api, walrus) == []


def test_a_pinned_memory_is_not_lowered(api: Api, walrus: str) -> None:
    rate(api, walrus, [-1] * 10)
    api.run("UPDATE memories SET pinned = 1 WHERE id = ?", walrus)
    assert stage(api, walrus) == []


def test_ratings_are_those_of_the_agent_that_asks(api: Api, walrus: str) -> None:
    rate(api, walrus, [-1] * 10)
    api.run("UPDATE memory_worth SET agent_id = 'another'")
    assert stage(api, walrus) == []


def test_a_session_begins_with_what_was_not_rated_down(api: Api, walrus: str) -> None:
    def told() -> Any:
        return [one["content"] for one in hook(api, "session-start", KEY).body["memories"]]

    api.configure("hooks: {sessionStart: {recallLimit: 1}}\n")
    rate(api, walrus, [-1] * 10)
    assert told() == [FALCON]


def test_recall_says_how_often_a_memory_helped(api: Api, walrus: str) -> None:
    rate(api, walrus, [1])
    body = api.post("/api/memory/recall", {"query": ASK, "explain": True}).body
    [found] = [one for one in body["results"] if one["id"] == walrus]
    assert found["explain"]["helped"] == {"times": 1, "of": 1}


STATES = (
    "INSERT INTO entity_attributes (id, agent_id, kind, source_memory_id, entity_id, attribute_value,"
    " normalized_value, created_at, updated_at)"
    " SELECT id, 'default', 'constraint', id, 'e', '', '', '', '' FROM memories"
)


@pytest.mark.parametrize(
    ("hold", "let_go"),
    [
        ("UPDATE memories SET pinned = 1", "UPDATE memories SET pinned = 0"),
        ("UPDATE memories SET type = 'constraint'", "UPDATE memories SET type = 'fact'"),
        (STATES, "UPDATE entity_attributes SET status = 'superseded'"),
        (STATES, "DELETE FROM entity_attributes"),
    ],
)
def test_what_is_held_later_is_lowered_no_more_until_it_is_let_go(
    api: Api, walrus: str, hold: str, let_go: str
) -> None:
    api.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, agent_id, created_at, updated_at)"
        " VALUES ('e', 'pier', 'pier', 'concept', 'default', '', '')"
    )
    rate(api, walrus, [-1] * 10)
    for statement, lowered in ((hold, 0), (let_go, 1)):
        api.run(statement)
        assert len(stage(api, walrus)) == lowered
