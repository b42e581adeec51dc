"""What was learned is watched, takes part once it has won, and stops when it loses."""

from typing import Any

import pytest

from api.test_context import hook
from learning.talk import ends
from signet.domain.injections.models import Team
from signet.domain.learning import influence, worth
from support.http import Answer, Api

#: Sentences that share no rare word.
SAYINGS = [
    "The walrus sleeps on the northern pier at night, next to crane 4711.",
    "The falcon hunts mice behind the customs shed at dawn, over gate 88.",
    "The badger keeps its winter store below the old mill, in vault 305.",
    "The heron counts boats from the broken lighthouse on route 617.",
    "The otter repairs nets with the blue twine of merchant 92.",
]
TARGET = SAYINGS[2]
#: Every session is given its memories.
LEARNS = "memory: {{pipelineV2: {{predictor: {{enabled: {}, holdoutShare: 0}}}}}}\n"
HELPED = (
    "INSERT INTO memory_worth (agent_id, memory_id, helped, times, learned, rated)"
    " SELECT 'default', id, 9, 9, 1.15, 1 FROM memories WHERE content = ?"
)


@pytest.fixture
def talk(api: Api) -> "Talk":
    for content in SAYINGS:
        sent = {"content": content, "importance": 0.8}
        assert api.post("/api/memory/remember", sent).status == 200
    api.configure(LEARNS.format("true"))
    return Talk(api)


class Talk:
    """Sessions that each need the same memory."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.count = 0

    def start(self, key: str) -> Any:
        return hook(self.api, "session-start", key).body

    def sessions(self, count: int) -> None:
        for _ in range(count):
            self.count += 1
            key = f"session-{self.count}"
            self.start(key)
            answer = ("assistant", f"I remember: {TARGET}")
            ends(self.api, ("user", "Where is the winter store kept?"), answer, key=key)

    def alpha(self) -> list[float]:
        return [row["alpha"] for row in self.api.rows("predictor_state")]

    def results(self) -> list[int]:
        rows = self.api.rows("predictor_session_comparisons")
        return [(row["margin"] > 0.001) - (row["margin"] < -0.001) for row in rows]

    def until(self, alpha: float, most: int) -> int:
        """Hold sessions until it is so; return how many."""
        for number in range(1, most + 1):
            self.sessions(1)
            if self.alpha() == [alpha]:
                return number
        raise AssertionError(self.results())


def lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what helped be lowered and the rest stay, as a model would that learned the opposite."""
    true = worth.learned
    monkeypatch.setattr(worth, "learned", lambda *sums: 2 - true(*sums))


def test_what_was_learned_takes_part_when_it_has_won_seven_times(talk: Talk) -> None:
    talk.sessions(10)
    assert talk.results() == [1] * 6 and talk.alpha() == [1.0]  # nothing is known in the first four
    before = [one["content"] for one in talk.start("before")["memories"]]
    assert talk.until(0.0, 2) == 1
    after = [one["content"] for one in talk.start("after")["memories"]]
    assert after.index(TARGET) <= 1 < before.index(TARGET)


def test_what_learned_the_opposite_is_off_again_within_twelve_sessions(
    talk: Talk, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.until(0.0, 12)
    lie(monkeypatch)
    talk.sessions(1)  # what it says of a memory is worked out at the end of a session
    assert talk.until(1.0, 12) <= 12
    [state] = api.rows("predictor_state")
    assert state["last_rollback"] is not None
    api.configure(LEARNS.format("false"))
    without = talk.start("without")
    hook(api, "session-end", "without", reason="clear")
    api.configure(LEARNS.format("true"))
    assert talk.start("with") == without


def test_what_lies_from_the_beginning_never_takes_part(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    lie(monkeypatch)
    talk.sessions(15)
    assert talk.alpha() == [1.0] and set(talk.results()) == {-1}


def test_without_the_predictor_nothing_is_compared(talk: Talk, api: Api) -> None:
    api.configure(LEARNS.format("false"))
    api.run("INSERT INTO predictor_state (agent_id, alpha, updated_at) VALUES ('default', 0, '')")
    api.run(
        HELPED,
        TARGET,
    )
    told = [one["content"] for one in talk.start("off")["memories"]]
    assert told.index(TARGET) > 0


@pytest.mark.parametrize("is_on", [True, False])
def test_recall_raises_what_helped_only_once_that_has_proven_to_be_better(
    api: Api, talk: Talk, is_on: bool
) -> None:
    api.run(
        HELPED,
        TARGET,
    )
    api.run(
        "INSERT INTO predictor_state (agent_id, alpha, updated_at) VALUES ('default', ?, '')",
        0.0 if is_on else 1.0,
    )
    asked = {"query": "badger otter heron", "explain": True}
    results = api.post("/api/memory/recall", asked).body["results"]
    [target] = [one for one in results if one["content"] == TARGET]
    stages = [one["says"] for one in target["explain"]["stages"] if one["stage"] == "learned"]
    assert stages == (["it helped in earlier sessions"] if is_on else [])
    assert target["explain"]["helped"] == {"times": 9, "of": 9}


def test_both_orders_choose_in_turn_and_what_both_want_is_nobodys() -> None:
    drawn = influence.drafted("abcdef", "abfedc", str, seed="s")
    assert drawn[:2] == [("a", None), ("b", None)]
    assert sorted(one for one, _ in drawn) == list("abcdef")
    teams = [team for _, team in drawn]
    assert teams.count(Team.BASE) >= 1 <= teams.count(Team.LEARNED)
    assert drawn == influence.drafted("abcdef", "abfedc", str, seed="s")
    first = {
        next(team for _, team in influence.drafted("abcdef", "abfedc", str, seed=str(n)) if team)
        for n in range(20)
    }
    assert first == set(Team)


@pytest.mark.parametrize(
    ("relevance", "expected"),
    [([1, 0.5, 0], 1.0), ([0, 0], 0.0), ([0, 0.5, 1], 0.62), ([0] * 10 + [1], 0.0)],
)
def test_the_gain_of_an_order(relevance: list[float], expected: float) -> None:
    assert influence.ndcg(relevance) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("margins", "is_on", "stops"),
    [
        ([1] * 6, False, 0),
        ([1] * 7, True, 0),
        ([0] * 50, False, 0),
        ([1, -1] * 30, False, 0),
        ([1] * 40, True, 0),
        ([1] * 7 + [-1] * 12, False, 1),
        ([1] * 40 + [-1] * 12, False, 1),
        ([1] * 7 + [-1] * 12 + [1] * 20, True, 1),
    ],
)
def test_where_it_stands_follows_from_the_sessions(
    margins: list[float], is_on: bool, stops: int
) -> None:
    found = influence.standing_after(margins, window=10)
    assert (found.is_on, found.stops) == (is_on, stops)


def test_a_coin_hardly_ever_takes_part() -> None:
    import random

    lives = 200
    lucky = 0
    for seed in range(lives):
        coin = random.Random(seed)
        margins = [coin.choice((1, -1)) for _ in range(60)]
        states = (influence.standing_after(margins[:n], window=10) for n in range(len(margins)))
        lucky += any(one.is_on for one in states)
    assert lucky / lives <= 0.05


def ranks(answer: Answer) -> list[tuple[str, float]]:
    return [(one["id"], one["score"]) for one in answer.body["results"]]


def taking_part(api: Api, helped: str, factor: float = 1.15) -> None:
    api.run("INSERT INTO predictor_state (agent_id, alpha, updated_at) VALUES ('default', 0, '')")
    api.run(HELPED.replace("1.15", str(factor)), helped)


@pytest.mark.parametrize("held", ["type = 'constraint'", "pinned = 1", None])
def test_what_helped_displaces_neither_a_constraint_nor_what_is_pinned(
    api: Api, talk: Talk, held: str | None
) -> None:
    api.configure(f"{LEARNS.format('true')}hooks: {{sessionStart: {{recallLimit: 1}}}}\n")
    rule = SAYINGS[0]
    api.run("UPDATE memories SET importance = 0.85 WHERE content = ?", rule)
    if held:
        api.run(f"UPDATE memories SET {held} WHERE content = ?", rule)
    taking_part(api, TARGET)
    told = {
        one["content"] for n in range(12) for one in talk.start(f"held-{n}")["memories"]
    }  # the coin says who is first
    assert told == ({rule} if held else {rule, TARGET})


@pytest.mark.parametrize("held", ["type = 'constraint'", "pinned = 1", None])
def test_recall_lowers_neither_a_constraint_nor_what_is_pinned(
    api: Api, talk: Talk, held: str | None
) -> None:
    if held:
        api.run(f"UPDATE memories SET {held} WHERE content = ?", TARGET)
    taking_part(api, TARGET, 0.85)
    asked = {"query": "badger otter heron", "explain": True}
    results = api.post("/api/memory/recall", asked).body["results"]
    [target] = [one for one in results if one["content"] == TARGET]
    stages = [one for one in target["explain"]["stages"] if one["stage"] == "learned"]
    assert len(stages) == (held is None)


@pytest.mark.parametrize("table", ["memory_worth", "predictor_state", "session_outcomes"])
def test_where_what_was_learned_cannot_be_read_the_order_is_that_without_it(
    api: Api, talk: Talk, table: str
) -> None:
    hook(api, "session-end", "first", reason="clear")
    api.configure(LEARNS.format("false"))
    before = talk.start("before")["inject"]
    hook(api, "session-end", "before", reason="clear")
    asked = {"query": "badger otter heron"}
    before_by_recall = ranks(api.post("/api/memory/recall", asked))
    api.configure("memory: {pipelineV2: {predictor: {holdoutShare: 0.5}}}\n")
    if table != "session_outcomes":
        taking_part(api, TARGET)
    api.run(f"ALTER TABLE {table} RENAME TO elsewhere")
    for key in ("with", "without", "and again"):  # one of two sessions would be held out
        assert talk.start(key)["inject"] == before
        hook(api, "session-end", key, reason="clear")
    again = api.post("/api/memory/recall", asked)
    assert (again.status, ranks(again)) == (200, before_by_recall)
