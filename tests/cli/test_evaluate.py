"""`signet eval`, `signet eval replay` and `signet eval run`."""

import gzip
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from cli.program import Program
from cli.test_why import played
from signet.cli.status import learning
from support.processes import eventually

__all__ = ["played"]


def test_it_says_how_many_sessions_are_missing(served: Program) -> None:
    shown = served.run("eval", "--price", "3").out
    assert "Not enough sessions yet: " in shown and " of about 60" in shown
    assert "at 3 a million" in shown
    assert served.run("eval", "--json").json()["isEnough"] is False


def test_the_status_says_that_sessions_are_held_out_and_that_ranking_is_watched(
    served: Program,
) -> None:
    shown = served.run("status").out
    assert "5% of sessions after the first week are given no memories, to compare" in shown
    assert "learning    what helped before is only watched: no session tells yet" in shown


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (None, "off, ranking is the same whatever helped"),
        ((3, 1, None), "only watched: it was better in 3 of 4 sessions that tell"),
        ((0, 1, None), "only watched: it was better in 0 of 1 session that tell"),
        ((0, 0, "2026-03-02T09:00:00.000Z"), "whether that is better · stopped 2026-03-02"),
        ((9, 2, ""), "takes part in ranking: it was better in 9 of 11 sessions that tell"),
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


def test_questions_of_ones_own_are_asked_of_ones_own_memories(
    served: Program, tmp_path: Path
) -> None:
    made = served.run("remember", "The gatehouse of Ellerby has a blue door.", "--json").json()
    queries = [
        {
            "text": "Which door has the gatehouse of Ellerby?",
            "expected": "BLUE  door",
            "category": "a",
        },
        {"text": "What is at the gatehouse of Ellerby?", "expected": [made["id"], "red window"]},
        {"text": "Who sings at noon in Quillingham?", "expected": ["the choir of Quillingham"]},
    ]
    file = tmp_path / "questions.json"
    file.write_text(json.dumps({"queries": queries}))
    found = served.run("eval", "run", str(file), "--json").json()
    assert found["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert [one["places"][0] for one in found["results"][:2]] == [1, 1]
    assert found["results"][1]["places"][1] is None and found["results"][2]["places"] == [None]
    assert (found["all"]["any@1"], found["all"]["all@10"]) == (0.6667, 0.3333)
    assert found["categories"]["a"]["all@1"] == 1
    shown = served.run("eval", "run", str(file)).out
    assert "3 questions" in shown and "  Who sings at noon in Quillingham?" in shown
    memory = served.run("recall", "gatehouse of Ellerby", "--json").json()[0]
    assert memory["accessCount"] == 0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "is not JSON"),
        ("{}", 'has no "queries"'),
        ('[{"text": "Who?"}]', 'Question 1 has no "expected"'),
        ('[{"expected": "x"}]', 'Question 1 has no "text"'),
    ],
)
def test_a_file_that_asks_nothing_is_refused(
    served: Program, tmp_path: Path, content: str, why: str
) -> None:
    file = tmp_path / "questions.json"
    file.write_text(content)
    refused = served.run("eval", "run", str(file))
    assert refused.status == 1 and why in refused.err


def test_a_file_with_its_own_memories_leaves_those_of_the_workspace_alone(
    served: Program, tmp_path: Path
) -> None:
    items = [
        {"id": "one", "text": "Ines keeps the bees of Farrow.", "time": "2024-05-01T10:00:00Z"},
        {"id": "two", "text": "The mill of Farrow grinds rye.", "time": "", "who": "Ines"},
    ]
    document = {
        "stores": {"turns": items},
        "queries": [{"text": "Who keeps the bees of Farrow?", "gold": {"turns": ["one"]}}],
    }
    file = tmp_path / "farrow.json.gz"
    file.write_bytes(gzip.compress(json.dumps(document).encode()))
    # Not below tmp_path: the path of a daemon's socket must be short.
    with tempfile.TemporaryDirectory() as spare:
        found = served.run("eval", "run", str(file), "--json", TMPDIR=spare).json()
        assert list(Path(spare).iterdir()) == []
    assert (found["store"], found["results"][0]["places"]) == ("turns", [1])
    assert served.run("recall", "bees of Farrow", "--json").json() == []
