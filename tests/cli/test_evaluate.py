"""`signet eval` and `signet eval replay`."""

from typing import Any

import pytest

from cli.program import Program
from cli.test_why import played
from signet.cli.status import learning
from support.processes import eventually

__all__ = ["played"]


def test_it_says_how_many_sessions_are_missing(served: Program) -> None:
    shown = served.run("eval", "--price", "3").out
    assert "every session gets its memories. To compare: signet eval on" in shown
    assert "at 3 a million" in shown
    assert served.run("eval", "--json").json()["isEnough"] is False


def test_no_session_is_held_out_until_a_person_asks_for_it(served: Program) -> None:
    def holds(share: float) -> bool:
        return bool(served.run("status", "--json").json()["holdout"] == share)

    said = "5% of sessions after the first week receive no memories, for comparison"
    assert holds(0) and said not in served.run("status").out
    assert served.run("eval", "on").out.startswith("From now on 5% of sessions get no memories")
    eventually(lambda: holds(0.05))
    assert said in served.run("status").out
    assert served.run("eval", "off", "--json").json()["holdout"] == 0
    eventually(lambda: holds(0))


def test_the_status_says_that_ranking_is_watched(served: Program) -> None:
    shown = served.run("status").out
    assert "learning    collecting data, results unchanged: no comparable session yet" in shown


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (None, "off, results unchanged"),
        ((3, 1, None), "results unchanged: better in 3 of 4 sessions with a result"),
        ((0, 1, None), "results unchanged: better in 0 of 1 session with a result"),
        ((0, 0, "2026-03-02T09:00:00.000Z"), "no comparable session yet · stopped 2026-03-02"),
        ((9, 2, ""), "active, better in 9 of 11 sessions with a result"),
    ],
)
def test_the_status_says_whether_ranking_learns(
    state: tuple[int, int, str | None] | None, said: str
) -> None:
    wins, losses, stopped = state or (0, 0, None)
    is_on = stopped == ""
    told = {"wins": wins, "losses": losses, "coldStartExited": is_on, "lastRollback": stopped}
    assert said in learning({"enabled": state is not None, "state": told})


def test_past_sessions_are_asked_again_with_settings_beside_those_in_force(
    served: Program, played: tuple[str, str]
) -> None:
    floor = "--against=hooks.userPromptSubmit.minScore=1"

    def replayed() -> Any:
        return served.run("eval", "replay", floor, "--sessions=500", "--json").json()

    eventually(lambda: replayed()["sessions"] >= 1)
    found = replayed()
    assert found["settings"] == {"hooks.userPromptSubmit.minScore": 1}
    assert found["now"]["found"] == found["other"]["found"] == 1
    assert found["now"]["carried"] == 1 > found["other"]["carried"]
    assert found["difference"]["mean"] == 0
    shown = served.run("eval", "replay", floor).out
    assert "found by recall           100%" in shown and "this may be chance" in shown


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("search.alpha", "write it as KEY=VALUE"),
        ("search.nothing=1", "search.nothing: unknown key"),
    ],
)
def test_a_setting_that_cannot_be_compared_is_refused(
    served: Program, played: tuple[str, str], value: str, why: str
) -> None:
    eventually(lambda: served.run("eval", "replay", "--json").json()["sessions"] >= 1)
    refused = served.run("eval", "replay", f"--against={value}")
    assert refused.status != 0 and why in refused.err
