"""Whether memory helps: the few sessions that are held out, and the page that compares them."""

from typing import Any

import pytest

from api.test_context import ASK_FALCON, FALCON, WALRUS, context, hook, prompt, remember
from learning.talk import ends, labels
from signet import clock
from signet.domain.learning import report
from signet.domain.sessions import calls
from support.http import Api

ANSWER = ("assistant", "It hunts mice behind the customs shed at dawn.")
WRONG = ("user", "No, that is wrong: it is the other branch.")
HALF = "memory: {pipelineV2: {predictor: {holdoutShare: 0.5}}}\n"


def keys(count: int, *, held: bool) -> list[str]:
    """Return keys of sessions that a share of a half holds out, or does not."""
    names = (f"session-{number}" for number in range(10_000))
    found = [one for one in names if calls.is_in_share(one, 0.5) is held]
    return found[:count]


def session(api: Api, key: str, *said: tuple[str, object]) -> str:
    told = str(hook(api, "session-start", key).body["inject"]) + prompt(api, ASK_FALCON, key)
    ends(api, ("user", ASK_FALCON), *said, key=key)
    return told


@pytest.fixture
def used(api: Api) -> Api:
    """Return the API of a store that has seen enough sessions for some to be held out."""
    remember(api, FALCON)
    remember(api, WALRUS)
    for number in range(calls.LEAST_SESSIONS):
        api.run(
            "INSERT INTO session_outcomes (agent_id, session_key, is_held_out, prompts, corrections, asked_again,"
            " given, used, missed, tokens, tokens_used, created_at)"
            " VALUES ('default', ?, 0, 1, 0, 0, 1, 1, 0, 10, 10, '2026-01-01')",
            f"before-{number}",
        )
    api.configure(HALF)
    return api


def test_a_session_that_is_held_out_is_given_no_memories_and_says_so(used: Api) -> None:
    [key] = keys(1, held=True)
    begun = hook(used, "session-start", key).body
    assert begun["memories"] == [] and "falcon" not in begun["inject"]
    assert prompt(used, ASK_FALCON, key) == ""
    left = [one for found in context(used, key)["injections"] for one in found["leftOut"]]
    assert {one["reason"] for one in left if one["kind"] == "memory"} == {"held_out"}
    ends(used, ("user", ASK_FALCON), ANSWER, key=key)
    [outcome] = [row for row in used.rows("session_outcomes") if row["session_key"] == key]
    assert (outcome["is_held_out"], outcome["given"], outcome["missed"]) == (1, 0, 1)
    assert "missed" in {reason for _, _, reason in labels(used).values()}


def test_the_other_sessions_are_given_theirs(used: Api) -> None:
    [key] = keys(1, held=False)
    assert FALCON in session(used, key, ANSWER)


def test_a_rule_is_told_in_a_session_that_is_held_out(used: Api) -> None:
    rule = "Always run the harbour checks before a release."
    said = {"content": rule, "type": "rule", "pinned": True}
    used.post("/api/memory/remember", said, x_signet_actor_type="operator")
    [key] = keys(1, held=True)
    assert rule in hook(used, "session-start", key).body["inject"]


@pytest.mark.parametrize(
    "settings",
    [
        "memory: {pipelineV2: {predictor: {holdoutShare: 0}}}\n",
        "memory: {pipelineV2: {predictor: {enabled: false, holdoutShare: 0.5}}}\n",
    ],
)
def test_the_setting_switches_it_off(used: Api, settings: str) -> None:
    used.configure(settings)
    [key] = keys(1, held=True)
    assert FALCON in session(used, key, ANSWER)
    assert used.get("/api/status").body["holdout"] == 0


def test_who_has_just_begun_is_given_everything(api: Api) -> None:
    remember(api, FALCON)
    api.configure(HALF)
    assert FALCON in session(api, keys(1, held=True)[0], ANSWER)


@pytest.mark.parametrize("change", ["created_at = '{now}'", "given = 0"])
def test_many_sessions_of_one_day_or_without_memories_are_a_beginning(
    used: Api, change: str
) -> None:
    used.run(f"UPDATE session_outcomes SET {change.format(now=clock.to_text(clock.now()))}")
    assert FALCON in session(used, keys(1, held=True)[0], ANSWER)


def test_sixty_sessions_tell_the_difference_and_ten_do_not(used: Api) -> None:
    def scripted(count: int, start: int) -> Any:
        for key in keys(count, held=False)[start:]:
            session(used, key, ANSWER)
        for key in keys(count, held=True)[start:]:
            session(used, key, ("assistant", "It hunts fish."), WRONG, ANSWER)
        return used.get("/api/evaluation").body

    few = scripted(5, 0)
    assert (few["isEnough"], few["sessions"], few["neededSessions"]) == (False, 30, 60)
    found = scripted(30, 5)
    assert (found["isEnough"], found["withoutMemory"]["sessions"]) == (True, 30)
    assert found["difference"]["corrections"] == {"mean": -1.0, "low": -1.0, "high": -1.0}
    assert found["withMemory"]["corrections"]["mean"] == 0
    assert found["tokens"]["given"] == found["tokens"]["used"] + found["tokens"]["wasted"] > 0
    assert found["helpful"][0]["content"] == FALCON
    assert found["missed"][0]["content"] == FALCON
    told = [(one["given"], one["helped"]) for one in (found["helpful"][0], found["missed"][0])]
    assert told == [(30, 30)] * 2, "what was used without being given is not counted as its help"
    assert found["holdout"] == 0.5


def test_an_empty_store_has_nothing_to_tell(api: Api) -> None:
    found = api.get("/api/evaluation").body
    assert (found["sessions"], found["isEnough"], found["difference"]["corrections"]) == (
        0,
        False,
        None,
    )


def test_a_difference_has_the_interval_of_its_means() -> None:
    assert report.difference([1, 1], [0]) is None
    found = report.difference([0, 2] * 50, [1, 3] * 50)
    assert found is not None and found["mean"] == -1
    assert found["low"] == pytest.approx(-1.279, abs=0.01)
    assert found["high"] == pytest.approx(-0.721, abs=0.01)
