"""What brings a memory back: its words, its hints, its meaning, its neighbours."""

from collections.abc import Mapping
from typing import Any

import pytest

from recall.world import MODEL, NOW, SHARED, ask, found, meaning, remember
from signet.db import Database, ReadTx, WriteTx
from signet.domain.embeddings import vectors as embeddings
from signet.domain.recall import view
from signet.domain.recall.models import FoundBy, Query, RecallSettings
from signet.domain.recall.recall import recall


def _hint(tx: WriteTx, memory_id: str, hint: str, agent_id: str = "default") -> None:
    tx.run(
        "INSERT INTO memory_hints (id, memory_id, agent_id, hint, created_at) VALUES (?, ?, ?, ?, ?)",
        (f"{memory_id} {hint}", memory_id, agent_id, hint, "2026-01-01"),
    )


def test_a_word_in_another_form_is_found(db: Database) -> None:
    db.write(remember, "a", "We were hiking along the river for hours")
    db.write(remember, "b", "The oven needs a new door")
    assert found(ask(db, "Who hikes?")) == ["a"]


def test_one_of_many_words_is_enough(db: Database) -> None:
    db.write(remember, "a", "Quarterly report goes to Ines")
    assert found(ask(db, "report deadline tomorrow morning")) == ["a"]


def test_a_question_of_stop_words_alone_still_searches(db: Database) -> None:
    db.write(remember, "a", "You asked me who am I and I said a friend")
    db.write(remember, "b", "Nothing fits here")
    assert found(ask(db, "who am I")) == ["a"]


def test_the_better_match_by_words_comes_first(db: Database) -> None:
    db.write(remember, "weak", "The garden has a fence and many other things beside it all year")
    db.write(remember, "strong", "garden fence paint")
    result = ask(db, "garden fence paint")
    assert found(result) == ["strong", "weak"]
    assert result.hits[0].score > result.hits[1].score


def test_meaning_finds_a_memory_without_a_common_word(db: Database) -> None:
    db.write(remember, "a", "She keeps her vessel in the bay")
    db.write(remember, "b", "Espresso in the morning")
    result = ask(db, "boat", by_meaning=True)
    assert found(result)[0] == "a"
    assert result.hits[0].source is FoundBy.VECTOR
    assert result.method == "hybrid"


def test_the_rarer_a_word_the_more_it_tells_whoever_makes_the_vector(db: Database) -> None:
    db.write(remember, "rare", "The violin has a new bow")
    for number in range(30):
        db.write(remember, f"m{number}", f"Émile went to the harbour, day {number}")
    asked: list[Mapping[str, float]] = []

    def vector(tells: Mapping[str, float]) -> bytes:
        asked.append(tells)
        return meaning("boat" if not tells else "concert")

    query = Query(text="What did Émile say of the long-lost violin?", reader=SHARED, floor=0.0)
    result = db.read(
        lambda tx: recall(
            tx, query, query_vector=vector, settings=RecallSettings(embedding_model=MODEL), now=NOW
        )
    )
    assert asked[0] == {}
    assert set(asked[1]) == {"emile", "say", "long", "lost", "violin"}
    assert asked[1]["emile"] < asked[1]["violin"] < asked[1]["lost"] == asked[1]["long"]
    assert found(result)[0] == "rare"


def test_of_a_script_without_spaces_no_word_tells_more(db: Database) -> None:
    db.write(remember, "a", "我们在港口")
    asked: list[Mapping[str, float]] = []

    def vector(tells: Mapping[str, float]) -> bytes:
        asked.append(tells)
        return meaning("boat")

    query = Query(text="the harbour 港口", reader=SHARED)
    db.read(lambda tx: recall(tx, query, query_vector=vector, settings=RecallSettings(), now=NOW))
    assert asked == [{}, {}]


def test_without_a_vector_the_method_is_keyword(db: Database) -> None:
    db.write(remember, "a", "She keeps her boat in the bay")
    result = ask(db, "boat")
    assert (found(result), result.method) == (["a"], "keyword")
    assert result.hits[0].source is FoundBy.KEYWORD


def test_both_channels_together_are_hybrid_and_beat_one_alone(db: Database) -> None:
    db.write(remember, "both", "The boat is blue")
    db.write(remember, "meaning", "A ship is near")
    result = ask(db, "boat", by_meaning=True)
    assert found(result)[:2] == ["both", "meaning"]
    assert result.hits[0].source is FoundBy.HYBRID


def test_a_memory_that_is_not_embedded_yet_is_found_beside_others(db: Database) -> None:
    db.write(remember, "old", "The boat needs paint")
    db.write(remember, "new", "A boat race on Sunday", embedded=False)
    assert set(found(ask(db, "boat race", by_meaning=True))) == {"old", "new"}


def test_a_long_memory_is_as_near_as_its_best_passage(db: Database) -> None:
    db.write(remember, "long", "Everything about the year", embedded=False)
    passages = [("tea and coffee", meaning("tea coffee")), ("the boat", meaning("boat"))]
    db.write(embeddings.replace, "long", "hash of long", passages, "toy", NOW)
    db.write(remember, "mixed", "boat tea")
    result = ask(db, "sailing", by_meaning=True)
    assert found(result) == ["long", "mixed"]


def test_a_memory_whose_hint_matches_is_found_by_the_hint_alone(db: Database) -> None:
    db.write(remember, "a", "Port 5433 behind the bastion")
    db.write(_hint, "a", "How do I reach the staging server?")
    result = ask(db, "reach staging server")
    assert found(result) == ["a"]


def test_a_hint_does_not_beat_the_text_itself(db: Database) -> None:
    db.write(remember, "hinted", "Port 5433 behind the bastion")
    db.write(_hint, "hinted", "staging server")
    db.write(remember, "direct", "staging server")
    assert found(ask(db, "staging server")) == ["direct", "hinted"]


def test_hints_of_another_agent_are_not_searched(db: Database) -> None:
    db.write(remember, "a", "Port 5433 behind the bastion")
    db.write(_hint, "a", "staging server", agent_id="other")
    assert found(ask(db, "staging server")) == []


def test_hints_can_be_switched_off(db: Database) -> None:
    db.write(remember, "a", "Port 5433 behind the bastion")
    db.write(_hint, "a", "staging server")
    assert found(ask(db, "staging server", settings=RecallSettings(hints=False))) == []


def _conversation(tx: WriteTx) -> None:
    for ordinal, text in enumerate(
        (
            "Good morning",
            "Where did you buy the violin?",
            "From a widow in Cremona",
            "Lovely",
            "Bye",
        )
    ):
        columns: dict[str, Any] = {"source_type": "session", "source_id": "s1", "ordinal": ordinal}
        remember(tx, f"t{ordinal}", text, embedded=False, **columns)


def test_the_answer_beside_a_matching_turn_comes_along(db: Database) -> None:
    db.write(_conversation)
    result = found(ask(db, "where was the violin bought"))
    assert set(result[:2]) == {"t1", "t2"}
    assert "t4" not in result


def test_neighbours_of_another_source_do_not_come_along(db: Database) -> None:
    db.write(_conversation)
    columns: dict[str, Any] = {"source_type": "session", "source_id": "s2", "ordinal": 2}
    db.write(remember, "stranger", "From a shop", embedded=False, **columns)
    assert "stranger" not in found(ask(db, "violin"))


def test_neighbours_obey_the_filters(db: Database) -> None:
    db.write(_conversation)
    db.write(lambda tx: tx.run("UPDATE memories SET visibility = 'archived' WHERE id = 't2'"))
    assert "t2" not in found(ask(db, "violin"))


def test_what_one_project_saved_in_one_piece_comes_along(db: Database) -> None:
    db.write(remember, "q", "Where did you buy the violin?", embedded=False, project="p")
    db.write(remember, "a", "From a widow in Cremona", embedded=False, project="p")
    db.write(remember, "later", "From a shop", embedded=False, project="p", days_ago=0.5)
    db.write(remember, "elsewhere", "From a friend", embedded=False, project="other")
    assert found(ask(db, "violin")) == ["q", "a"]


def test_memories_without_project_and_source_stand_alone(db: Database) -> None:
    db.write(remember, "q", "Where did you buy the violin?", embedded=False)
    db.write(remember, "a", "From a widow in Cremona", embedded=False)
    assert found(ask(db, "violin")) == ["q"]


def test_explain_says_which_channel_found_a_result_and_what_each_stage_did(db: Database) -> None:
    db.write(
        remember, "a", "The boat is blue", access_count=9, last_accessed="2026-02-28T00:00:00Z"
    )
    result = ask(db, "boat", by_meaning=True, explain=True)
    why = result.hits[0].why
    assert why is not None
    assert why.channels["keyword"].items() >= {"score": 1.0, "rank": 1, "words": 1}.items()
    assert why.channels["vector"]["rank"] == 1
    assert [step.stage for step in why.steps][:2] == ["page", "words"]
    assert why.steps[1].after > why.steps[1].before
    assert why.steps[-1].after == pytest.approx(why.relevance)


def _kettles(tx: WriteTx) -> None:
    for number in range(40):
        metal = "copper" if number % 8 == 0 else "plain"
        remember(tx, f"m{number}", f"A {metal} kettle, {number} of many", embedded=False)


def _asked(tx: ReadTx, words: list[str], limit: int) -> list[int]:
    return list(
        view.best_by_words(tx, words, view.view_of(tx, Query(text="", reader=SHARED)), limit)
    )


def test_a_word_of_most_rows_decides_between_equals_only(db: Database) -> None:
    db.write(_kettles)
    assert db.read(_asked, ["kettle", "copper"], 5) == db.read(_asked, ["copper"], 5)


def test_a_word_of_most_rows_brings_what_the_others_do_not(db: Database) -> None:
    db.write(_kettles)
    for words in (["kettle", "copper"], ["kettle", "zinc"], ["kettle"]):
        assert len(db.read(_asked, words, 20)) == 20
    assert len(found(ask(db, "zinc kettle", floor=0.0))) == 10
