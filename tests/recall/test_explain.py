"""`explain`: why each result is where it is, and why nothing more was returned."""

import itertools
from typing import Any, cast

from recall.world import ask, remember
from signet.db import Database, WriteTx
from signet.domain.recall import answer
from signet.domain.recall.models import Result


def _account(result: Result) -> dict[str, Any]:
    assert result.account is not None
    return cast(dict[str, Any], answer.body(result)["explain"])


def _kettles(tx: WriteTx) -> None:
    for number in range(20):
        remember(tx, f"k{number}", f"A kettle of copper, number {number}")


def test_without_explain_nothing_is_told(db: Database) -> None:
    db.write(_kettles)
    assert "explain" not in answer.body(ask(db, "kettle"))


def test_the_words_that_were_looked_for_and_those_that_were_not(db: Database) -> None:
    db.write(_kettles)
    told = _account(ask(db, "Where is the zinc kettle?", explain=True))
    assert told["words"] == [{"word": "zinc", "memories": 0}, {"word": "kettle", "memories": 20}]
    assert told["dropped_words"] == ["where", "is", "the"]


def test_words_of_what_may_not_be_read_are_not_counted(db: Database) -> None:
    def write(tx: WriteTx) -> None:
        remember(tx, "mine", "A kettle")
        remember(tx, "private", "A kettle of zinc", agent_id="anna", visibility="private")
        remember(tx, "scoped", "A kettle of zinc", scope="trial")
        remember(tx, "gone", "A kettle of zinc", is_deleted=1)

    db.write(write)
    told = _account(ask(db, "zinc kettle", explain=True))
    assert told["words"] == [{"word": "zinc", "memories": 0}, {"word": "kettle", "memories": 1}]


def test_what_each_channel_brought_and_which_was_not_asked(db: Database) -> None:
    db.write(_kettles)
    by_words = _account(ask(db, "kettle", explain=True))
    assert by_words["channels"] == {"keyword": 20, "hint": 0, "vector": None, "graph": 0}
    both = _account(ask(db, "kettle", by_meaning=True, explain=True))
    assert both["channels"]["vector"] == 20
    assert both["candidates"] == 20


def test_the_limit_is_why_nothing_more_was_returned(db: Database) -> None:
    db.write(_kettles)
    told = _account(ask(db, "copper kettle", limit=4, explain=True))
    assert told["left_out"]["beyond_limit"] == 16
    assert told["why_no_more"] == "the limit of 4 is reached"


def test_the_floor_is_why_nothing_more_was_returned(db: Database) -> None:
    db.write(_kettles)
    question = "kettle broken zebra umbrella trombone quartz"
    told = _account(ask(db, question, explain=True))
    assert told["floor"] > 0
    assert told["left_out"]["below_floor"] == 10
    assert told["why_no_more"] == "10 more were not relevant enough"
    best = told["best_below_floor"]
    assert best["words"] == ["kettle"]
    assert best["cosine"] is None
    assert 0 < best["relevance"] < told["floor"]
    assert _account(ask(db, question, explain=True, floor=0.0))["floor"] is None


def test_a_least_score_is_why_nothing_more_was_returned(db: Database) -> None:
    db.write(remember, "a", "A kettle")
    told = _account(ask(db, "kettle", min_score=1.01, explain=True))
    assert told["why_no_more"] == "1 more scored below the minimum"


def test_nothing_at_all_was_found(db: Database) -> None:
    told = _account(ask(db, "kettle", explain=True))
    assert told["candidates"] == 0
    assert told["why_no_more"].startswith("no readable memory")


def test_what_could_not_run_is_named(db: Database) -> None:
    db.write(_kettles)
    db.write(lambda tx: tx.run("DROP TABLE memory_hints"))
    assert "hints" in _account(ask(db, "kettle", explain=True))["degraded"]


def test_a_result_tells_its_raw_scores_and_every_step(db: Database) -> None:
    db.write(_kettles)
    db.write(remember, "a", "The boat is blue")
    body = answer.body(ask(db, "blue boat", by_meaning=True, explain=True))
    first = cast(list[dict[str, Any]], body["results"])[0]["explain"]
    assert first["channels"]["keyword"]["words"] == 2
    assert first["channels"]["keyword"]["bm25"] > 0
    assert 0.6 <= first["relevance"] <= 1
    stages = first["stages"]
    assert stages[0]["stage"] == "page"
    assert all(b["before"] == a["after"] for a, b in itertools.pairwise(stages))
