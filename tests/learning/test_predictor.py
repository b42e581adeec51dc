"""The routes about learned ranking."""

from typing import Any

from api.test_context import prompt
from learning.talk import ends
from learning.test_proof import TARGET, Talk, talk
from signet import clock
from signet.domain.learning import worth
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows
from support.http import Api

__all__ = ["talk"]


def get(api: Api, path: str) -> Any:
    answer = api.get(f"/api/predictor/{path}")
    assert answer.status == 200, answer.body
    return answer.body


def test_an_empty_store_has_learned_nothing(api: Api) -> None:
    found = get(api, "status")
    assert (found["enabled"], found["alive"], found["crashDisabled"]) == (True, True, False)
    assert found["status"]["trained"] is False and found["status"]["training_pairs"] == 0
    assert (found["state"]["alpha"], found["state"]["minSessions"]) == (1.0, 7)
    assert get(api, "comparisons") == {"total": 0, "limit": 50, "offset": 0, "items": []}
    for path in ("comparisons/by-project", "comparisons/by-entity", "training"):
        assert get(api, path) == {"items": []}
    assert get(api, "training-pairs-count") == {"count": 0}


def test_switched_off_it_says_only_that(api: Api) -> None:
    api.configure("memory: {pipelineV2: {predictor: {enabled: false}}}\n")
    assert get(api, "status") == {"enabled": False, "status": None}


def test_sessions_are_listed_with_both_orders(api: Api, talk: Talk) -> None:
    talk.sessions(6)
    target = next(row["id"] for row in api.rows("memories") if row["content"] == TARGET)
    page = get(api, "comparisons?limit=1")
    assert (page["total"], len(page["items"])) == (2, 1)
    [one] = page["items"]
    assert (one["sessionKey"], one["project"], one["predictorWon"]) == (
        "session-6",
        "/work/harbour",
        True,
    )
    assert one["predictorTopIds"][0] == target != one["baselineTopIds"][0]
    assert one["relevanceScores"][target] == 1 and one["margin"] > 0
    assert get(api, "comparisons?project=/elsewhere")["total"] == 0
    assert get(api, "comparisons?since=2999-01-01")["total"] == 0
    [project] = get(api, "comparisons/by-project")["items"]
    assert (project["wins"], project["losses"], project["winRate"]) == (2, 0, 1.0)
    assert get(api, "training-pairs-count") == {"count": 6}
    state = get(api, "status")["state"]
    assert (state["wins"], state["losses"], state["sessions"]) == (2, 0, 2)
    shown = api.get("/api/diagnostics/predictor").body
    assert (shown["status"], shown["trainingSessions"]) == ("cold_start", 6)


def test_a_session_is_listed_with_what_it_was_about(api: Api, talk: Talk) -> None:
    talk.sessions(4)
    api.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, agent_id, mentions, created_at, updated_at)"
        " VALUES ('e1', 'harbour', 'harbour', 'project', 'default', 9, '', '')"
    )
    talk.start("about")
    prompt(api, "How far is the harbour project?", "about")
    ends(api, ("user", "Where?"), ("assistant", f"I remember: {TARGET}"), key="about")
    [one] = get(api, "comparisons/by-entity")["items"]
    assert (one["entityId"], one["entityName"], one["wins"]) == ("e1", "harbour", 1)


def test_rolling_back_restores_the_order_without_it_until_it_has_won_again(
    api: Api, talk: Talk
) -> None:
    talk.until(0.0, 12)
    assert get(api, "status")["state"]["activeVersion"] == worth.VERSION
    assert api.post("/api/predictor/rollback", {}).body == {"activeVersion": None}
    state = get(api, "status")["state"]
    assert (state["alpha"], state["wins"], state["activeVersion"]) == (1.0, 0, None)
    assert state["lastRollback"] is not None
    stopped, begun = get(api, "training")["items"]
    assert (stopped["accepted"], stopped["reason"], begun["accepted"], begun["reason"]) == (
        False,
        "rollback",
        True,
        "proven",
    )
    assert begun["sampleCount"] >= 7
    [noted] = api.get("/api/analytics/errors?stage=predictor").body["errors"]
    assert noted["code"] == "PREDICTOR_TRAIN_FAILURE" and "(rollback)" in noted["message"]
    talk.sessions(6)
    assert talk.alpha() == [1.0]
    talk.sessions(1)
    assert talk.alpha() == [0.0]


def test_comparisons_are_kept_as_long_as_outcomes(api: Api, talk: Talk) -> None:
    talk.sessions(6)
    windows = Windows()
    for later, left in ((windows.outcomes / 2, 2), (windows.outcomes * 2, 0)):
        purge.sweep(api.state.db, windows=windows, now=clock.now() + later)
        assert get(api, "comparisons")["total"] == left


def test_a_bad_instant_is_refused_and_a_number_brought_within_bounds(api: Api) -> None:
    assert api.get("/api/predictor/comparisons?since=soon").status == 400
    assert get(api, "comparisons?limit=9999&offset=-1")["limit"] == 200


def test_learning_anew_gives_what_each_session_gave(api: Api, talk: Talk) -> None:
    talk.sessions(6)
    before = api.rows("memory_worth")
    api.run("UPDATE memory_worth SET learned = 1, times = 99")
    answer = api.post("/api/predictor/train", {"limit": 100, "epochs": 1})
    assert answer.status == 200, answer.body
    labels = api.rows("memory_labels")
    counted = sum(row["weight"] > 0 for row in labels)
    assert (answer.body["samples_used"], answer.body["samples_skipped"]) == (
        counted,
        len(labels) - counted,
    )
    assert (answer.body["checkpoint_saved"], answer.body["step"]) == (True, worth.VERSION)
    assert api.rows("memory_worth") == before
    assert api.get("/api/analytics/latency").body["predictor_train"]["count"] > 0


def test_learning_from_nothing_saves_nothing(api: Api) -> None:
    answer = api.send("POST", "/api/predictor/train", b"")
    assert (answer.status, answer.body["samples_used"], answer.body["checkpoint_saved"]) == (
        200,
        0,
        False,
    )


def test_learning_anew_is_refused_with_bad_bounds_and_while_it_is_off(api: Api) -> None:
    for sent in ({"limit": 0}, {"limit": "many"}, {"epochs": 101}):
        assert api.post("/api/predictor/train", sent).status == 400
    api.configure("memory: {pipelineV2: {predictor: {enabled: false}}}\n")
    answer = api.post("/api/predictor/train", {})
    assert (answer.status, answer.body["error"]) == (400, "Predictor is not enabled")


def test_there_is_no_earlier_version_to_roll_back_to(api: Api) -> None:
    assert api.post("/api/predictor/rollback", {"version": 7}).status == 404
    assert api.post("/api/predictor/rollback", {"version": "x"}).status == 400
    assert get(api, "training") == {"items": []}
