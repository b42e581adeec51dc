"""Ratings of what was brought to a session, and what the end of the session makes of them."""

import json

import pytest

from graph.test_browse import ADA, remember
from support.http import Api

SESSION = "agent:default:s1"


def brought(api: Api, memory_id: str, *, injected: bool = True, hits: int = 0) -> None:
    api.run(
        "INSERT INTO session_memories (id, session_key, memory_id, rank, was_injected, fts_hit_count, created_at)"
        " VALUES (?, ?, ?, 1, ?, ?, '')",
        f"{SESSION} {memory_id}",
        SESSION,
        memory_id,
        injected,
        hits,
    )


def rate(api: Api, feedback: object, **more: object) -> dict[str, object]:
    sent = {"sessionKey": SESSION, "feedback": feedback, **more}
    answer = api.post("/api/memory/feedback", sent)
    assert answer.status == 200, answer.body
    assert answer.body["ok"] is True
    found: dict[str, object] = answer.body
    return found


def test_ratings_count_for_what_the_session_has_seen(api: Api) -> None:
    shown = remember(api, "The loom stands in the attic.")
    found = remember(api, "The spindle is in the cellar.")
    never = remember(api, "The bobbin lies in the yard.")
    brought(api, shown)
    brought(api, found, injected=False, hits=1)
    brought(api, never, injected=False)
    answer = rate(api, {shown: 10**400, found[:-1]: -0.5, never: 1, "nobody": 1, shown[:7]: 1})
    assert answer["recorded"] == answer["accepted"] == 2
    assert answer["unknown"] == [never, "nobody", shown[:7]] and answer["rejected"] == 3
    rows = {row["memory_id"]: row for row in api.rows("agent_feedback")}
    assert {one: (row["feedback_type"], row["score"]) for one, row in rows.items()} == {
        shown: ("positive", 1.0),
        found: ("negative", -0.5),
    }
    assert {row["actor"] for row in rows.values()} == {"daemon"}


def test_the_rating_of_a_memory_is_the_mean_of_what_was_said(api: Api) -> None:
    shown = remember(api, "The loom stands in the attic.")
    brought(api, shown)
    for score in (1, 0, -0.4):
        rate(api, {shown: score})
    [row] = api.rows("session_memories")
    assert row["agent_relevance_score"] == pytest.approx(0.2)
    assert row["agent_feedback_count"] == 3


def test_an_agent_rates_only_its_own_sessions(api: Api) -> None:
    api.add_agent()
    shown = remember(api, "The loom stands in the attic.")
    brought(api, shown)
    answer = rate(api, {shown: 1}, agentId="mallory")
    assert answer["recorded"] == 0 and answer["unknown"] == [shown]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"feedback": {"a": 1}}, "sessionKey and feedback required"),
        ({"sessionKey": "s"}, "sessionKey and feedback required"),
        ({"sessionKey": "s", "feedback": {}}, "Invalid feedback format"),
        ({"sessionKey": "s", "feedback": [1]}, "Invalid feedback format"),
        ({"sessionKey": "s", "feedback": {"a": "1"}}, "Invalid feedback format"),
        ({"sessionKey": "s", "feedback": {"a": True}}, "Invalid feedback format"),
        ({"session_id": "s", "memory_id": "m", "feedback_type": "fine"}, "feedback_type must be"),
        ({"session_id": "s", "memory_id": "m", "feedback_type": "correction"}, "correction_text"),
        ({"memory_id": "m", "feedback_type": "positive"}, "session_id and memory_id required"),
    ],
    ids=["session", "none", "empty", "list", "text", "bool", "type", "correction", "whose"],
)
def test_feedback_that_makes_no_sense_is_refused(
    api: Api, body: dict[str, object], error: str
) -> None:
    answer = api.post("/api/memory/feedback", body)
    assert answer.status == 400 and answer.error.startswith(error)
    assert api.send("POST", "/api/memory/feedback", b"{", {}).error == "Invalid JSON body"


def test_one_word_on_one_memory_is_kept(api: Api) -> None:
    api.add_agent()
    shown = remember(api, "The loom stands in the attic.")
    brought(api, shown)
    sent = {"session_id": SESSION, "memory_id": shown, "feedback_type": "negative"}
    assert api.post("/api/memory/feedback", sent).body == {"ok": True, "recorded": 1}
    [row] = api.rows("session_memories")
    assert row["agent_relevance_score"] == -1
    missing = api.post("/api/memory/feedback", sent | {"memory_id": "nobody"})
    assert (missing.status, missing.error) == (404, "not found")
    theirs = api.post("/api/memory/feedback", sent | {"agentId": "mallory"})
    assert theirs.status == 404


def test_a_correction_is_a_proposal_and_changes_nothing(api: Api) -> None:
    shown = remember(api, "The loom stands in the attic.")
    sent = {
        "session_id": SESSION,
        "memory_id": shown,
        "feedback_type": "correction",
        "correction_text": "It stands in the barn.",
    }
    assert api.post("/api/memory/feedback", sent).body["recorded"] == 1
    assert api.get(f"/api/memory/{shown}").body["content"] == "The loom stands in the attic."
    last = api.get(f"/api/memory/{shown}/history").body["history"][-1]
    assert last["event"] == "none"
    assert last["metadata"] == {
        "proposedAction": "update",
        "correctionText": "It stands in the barn.",
        "sessionId": SESSION,
    }


def test_the_way_to_a_rated_memory_counts_more_or_less(api: Api) -> None:
    shown = remember(api, ADA)
    brought(api, shown)
    [aspect] = api.rows("entity_aspects")
    [edge] = api.rows("entity_dependencies")
    path = {"aspect_ids": [aspect["id"], "nobody"], "dependency_ids": [edge["id"]]}
    answer = rate(
        api,
        {shown: 0.5},
        paths={shown: path, "unrated": path},
        rewards={shown: {"dead_end": 10, "update_after_retrieval": 1}},
    )
    assert answer["propagated"] == 2  # 0.5 + 0.5 - 1.5 = -0.5
    [after], [edge_after] = api.rows("entity_aspects"), api.rows("entity_dependencies")
    assert after["weight"] == pytest.approx(aspect["weight"] - 0.01)
    assert edge_after["strength"] == pytest.approx(edge["strength"] - 0.02)
    assert edge_after["confidence"] == pytest.approx(edge["confidence"] - 0.025)
    api.configure("memory:\n  pipelineV2:\n    feedback:\n      enabled: false\n")
    assert rate(api, {shown: 1}, paths={shown: path})["propagated"] == 0


def test_the_end_of_a_session_weighs_what_was_brought_to_it_once(api: Api) -> None:
    served, regretted = remember(api, ADA), remember(api, "We met Ben Summer, who lives in Oban.")
    brought(api, served, hits=2)
    brought(api, regretted)
    rate(api, {regretted: -1})
    body = {"harness": "codex", "sessionKey": SESSION, "transcript": "User: hello"}
    for _ in range(2):
        assert api.post("/api/hooks/session-end", body).status == 200
    weights = {
        attribute["source_memory_id"]: aspect["weight"]
        for aspect in api.rows("entity_aspects")
        for attribute in api.rows("entity_attributes")
        if attribute["aspect_id"] == aspect["id"]
    }
    assert weights[served] == pytest.approx(0.54) and weights[regretted] == pytest.approx(0.48)


def test_a_cleared_session_weighs_nothing(api: Api) -> None:
    served = remember(api, ADA)
    brought(api, served, hits=2)
    body = {"harness": "codex", "sessionKey": SESSION, "reason": "clear"}
    assert api.post("/api/hooks/session-end", body).status == 200
    assert json.dumps([row["weight"] for row in api.rows("entity_aspects")]) == "[0.5]"
