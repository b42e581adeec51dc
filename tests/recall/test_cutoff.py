"""Where a page ends: a question that the store cannot answer returns little instead of a page of noise."""

from recall.world import MODEL, NOW, ask, found, remember
from signet.db import Database, WriteTx, vectors
from signet.domain.embeddings import vectors as embeddings
from signet.domain.recall.models import RecallSettings

THINGS = (
    "lamp",
    "chair",
    "carpet",
    "mirror",
    "curtain",
    "shelf",
    "vase",
    "clock",
    "stove",
    "bench",
)


def _house(tx: WriteTx) -> None:
    """Save thirty memories that all share one word, and one that answers."""
    for number in range(30):
        thing = THINGS[number % len(THINGS)]
        remember(tx, f"m{number}", f"The upstairs room number {number} has a {thing}")
    remember(tx, "boat", "Her boat lies in the harbour of Lagos")


def test_a_question_that_nothing_answers_returns_little(db: Database) -> None:
    db.write(_house)
    question = "which upstairs neighbour played violin at the concert"
    assert found(ask(db, question, by_meaning=True)) == []
    assert len(found(ask(db, question, by_meaning=True, floor=0.0))) == 10


def test_by_words_alone_one_common_word_of_many_is_not_enough(db: Database) -> None:
    db.write(_house)
    question = "which upstairs neighbour played violin at the concert"
    assert found(ask(db, question)) == []
    assert len(found(ask(db, question, floor=0.0))) == 10


def test_what_answers_stays_and_the_noise_behind_it_goes(db: Database) -> None:
    db.write(_house)
    question = "where does her boat lie"
    assert found(ask(db, question, by_meaning=True)) == ["boat"]
    assert found(ask(db, question)) == ["boat"]


def test_an_answer_stands_above_the_message_that_asked(db: Database) -> None:
    db.write(_house)
    asked = (
        "Back from the fair. We sold a hundred mugs there, and the kiln is repaired. Could somebody tell me why "
        "the glaze of the blue mugs cracked?"
    )
    db.write(remember, "asks", asked)
    db.write(remember, "answers", "The glaze cracked because those mugs cooled too quickly")
    question = "why did the glaze of the blue mugs crack"
    for by_meaning in (True, False):
        assert found(ask(db, question, by_meaning=by_meaning))[:2] == ["answers", "asks"]
    assert found(ask(db, "how many mugs did we sell at the fair"))[0] == "asks"


def test_meaning_alone_is_relevant_enough(db: Database) -> None:
    db.write(_house)
    assert found(ask(db, "sailing ship", by_meaning=True)) == ["boat"]


def test_the_only_memory_is_never_hidden(db: Database) -> None:
    db.write(remember, "a", "User prefers vim as the editor of choice")
    for question in ("what is my favourite editor", "editor settings everyone on the team agreed"):
        assert found(ask(db, question)) == ["a"]
        assert found(ask(db, question, by_meaning=True)) == ["a"]


def test_in_a_store_of_few_the_right_one_is_found_by_one_word_of_many(db: Database) -> None:
    for number, text in enumerate(
        (
            "Deploys go out on Thursdays after the stand-up",
            "The staging database listens on port 5433",
            "Ines owns billing",
            "Use pnpm in the web repository, never npm",
        )
    ):
        db.write(remember, f"m{number}", text)
    assert found(ask(db, "which port did we give the new replica"))[:1] == ["m1"]
    assert found(ask(db, "who is responsible for billing questions"))[:1] == ["m2"]


def test_a_caller_who_wants_more_than_a_page_gets_all(db: Database) -> None:
    db.write(_house)
    assert len(found(ask(db, "upstairs neighbour violin orchestra", limit=25))) == 25


def test_a_floor_that_the_caller_names_holds_at_any_limit(db: Database) -> None:
    db.write(_house)
    question = "upstairs neighbour violin orchestra"
    assert found(ask(db, question, limit=25, floor=0.4)) == []


def test_the_floor_can_be_switched_off(db: Database) -> None:
    db.write(_house)
    question = "upstairs neighbour violin orchestra"
    assert len(found(ask(db, question, settings=RecallSettings(floor=0.0)))) == 10


def test_a_least_score_of_the_caller_counts_beside_the_floor(db: Database) -> None:
    db.write(_house)
    assert found(ask(db, "where does her boat lie", min_score=1.01)) == []


def test_what_a_hint_names_is_relevant(db: Database) -> None:
    db.write(_house)
    db.write(
        lambda tx: tx.run(
            "INSERT INTO memory_hints (id, memory_id, agent_id, hint, created_at)"
            " VALUES ('h', 'm7', 'default', 'Who repaired the violins?', '2026-01-01')"
        )
    )
    assert found(ask(db, "who repaired violins")) == ["m7"]


def test_a_caller_who_wants_depth_gets_what_neither_words_nor_meaning_bring_near(
    db: Database,
) -> None:
    db.write(_house)
    asked = found(ask(db, "Where does her boat lie?", by_meaning=True, limit=40))
    assert asked[0] == "boat"
    assert len(asked) == 31
    high = RecallSettings(min_score=0.5)
    assert found(ask(db, "Where does her boat lie?", by_meaning=True, limit=40, settings=high)) == [
        "boat"
    ]


def test_words_that_say_how_to_answer_are_no_match(db: Database) -> None:
    db.write(_house)
    text = "The order of the list: she brought up five items across the conversation"
    db.write(remember, "form", text)
    question = (
        "Can you list the order in which I brought up the upstairs violins across our conversations?"
        " Mention only five items."
    )
    assert found(ask(db, question)) == []
    assert found(ask(db, "which five items did she bring up in the list")) == ["form"]


def test_in_a_long_text_words_meet_by_chance(db: Database) -> None:
    db.write(_house)
    short = "The gardener ordered tulips"
    db.write(remember, "short", short)
    db.write(remember, "long", short + ". The weather stayed as it was" * 40)
    asked = ask(db, "which tulips has the gardener ordered", limit=40, explain=True)
    relevance = {hit.id: hit.why.relevance for hit in asked.hits if hit.why is not None}
    assert (relevance["short"] or 0) > (relevance["long"] or 0)


def test_beside_an_answer_less_is_relevant_enough(db: Database) -> None:
    db.write(_house)
    db.write(remember, "hull", "A hull needs paint")
    question = "has the hull new paint from the chandler in Lagos"
    alone = ask(db, question, floor=0.001, explain=True)
    db.write(remember, "all", "The hull has new paint from the chandler in Lagos")
    beside = ask(db, question, floor=0.001, explain=True)
    first, second = (
        next(hit.why.relevance or 0 for hit in asked.hits if hit.id == "hull" and hit.why)
        for asked in (alone, beside)
    )
    assert second > first  # relevant enough for the page, with a lower score
    scores = {hit.id: hit.score for hit in beside.hits}
    assert scores["hull"] < 0.4 < scores["all"]


def _person(tx: WriteTx) -> None:
    """Save what a person notes, none of it in the words of the questions below."""
    remember(tx, "pets", "Our whippet is called Biscuit, grey about the nose", embedded=False)
    for number in range(12):
        remember(tx, f"m{number}", f"The upstairs room number {number} has a lamp", embedded=False)
        pairs = [(f"lamp {number}", vectors.pack([0.1, 0.2, 0.1, 0.05, 0.1, 0.1, 1.0]))]
        embeddings.replace(tx, f"m{number}", f"hash of m{number}", pairs, MODEL, NOW)
    # As near as a small model puts an answer in other words: a cosine of 0.3.
    pairs = [("pets", vectors.pack([0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.954]))]
    embeddings.replace(tx, "pets", "hash of pets", pairs, MODEL, NOW)


def test_an_answer_in_other_words_is_found_where_it_stands_out(db: Database) -> None:
    db.write(_person)
    answered = ask(db, "animal", by_meaning=True)
    assert found(answered) == ["pets"]
    assert RecallSettings().floor < answered.hits[0].score < 0.9
    assert answered.nearest is None
    assert found(ask(db, "animal", by_meaning=True, floor=0.4)) == []
    assert found(ask(db, "animal", by_meaning=True, settings=RecallSettings(floor=0.8))) == []


def test_where_nothing_stands_out_the_empty_page_says_what_came_nearest(db: Database) -> None:
    db.write(_person)
    answered = ask(
        db, "which violin was played upstairs in the concert hall of Vienna", by_meaning=True
    )
    assert found(answered) == []
    assert answered.nearest is not None and answered.nearest.hit.id.startswith("m")
    assert answered.nearest.why.startswith('only these words match: "upstairs", and the meaning is')
    assert "34% required" in answered.nearest.why
    by_words = ask(db, "who repaired the violin in the upstairs gallery of the museum").nearest
    assert by_words is not None and "the meaning is not compared" in by_words.why


def test_a_least_score_that_nothing_has_says_so(db: Database) -> None:
    db.write(_house)
    nearest = ask(db, "where does her boat lie", by_meaning=True, min_score=1.01).nearest
    assert nearest is not None and nearest.hit.id == "boat"
    assert nearest.why.endswith("is below the minimum of 1.01")


def test_one_shared_word_by_words_alone_is_no_certainty(db: Database) -> None:
    db.write(_house)
    [hit] = ask(db, "which harbour sells fresh mackerel").hits
    assert hit.id == "boat" and hit.score < 0.6
    asked = ask(db, "upstairs lamp", limit=30)
    scores = [hit.score for hit in asked.hits]
    assert scores == sorted(scores, reverse=True)


def test_what_replaced_the_nearest_comes_before_it(db: Database) -> None:
    db.write(_person)
    db.write(remember, "later", "Biscuit lives with an aunt now", embedded=False)
    db.write(lambda tx: tx.run("UPDATE memories SET superseded_by = 'later' WHERE id = 'pets'"))
    assert found(ask(db, "animal", by_meaning=True)) == ["later", "pets"]


def test_a_question_without_its_vector_says_so(db: Database) -> None:
    db.write(_house)
    toy = RecallSettings(embedding_model=MODEL)
    assert ask(db, "where does her boat lie", settings=toy).degraded == ("vector",)
    assert ask(db, "where does her boat lie", settings=toy, by_meaning=True).degraded == ()
    assert ask(db, "where does her boat lie").degraded == ()
