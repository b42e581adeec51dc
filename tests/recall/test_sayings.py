"""One saying takes one place of a page: pieces of a text, a fact and its source, copies; the rest are its parts."""

from collections.abc import Mapping
from typing import Any

import pytest

from recall.world import NOW, ask, found, remember
from signet.db import Database, WriteTx
from signet.domain.memory.models import Actor
from signet.domain.memory.modify import supersede
from signet.domain.recall.models import Filters, PartKind, Result

PASSAGE, FACT, COPY = PartKind.PASSAGE, PartKind.FACT, PartKind.COPY


def _fill(db: Database, texts: Mapping[str, str], **columns: Any) -> None:
    def write(tx: WriteTx) -> None:
        for memory_id, text in texts.items():
            remember(tx, memory_id, text, embedded=False, **columns)

    db.write(write)


def _pieces(db: Database, group: str, *texts: str, **columns: Any) -> None:
    named = {f"{group}{number}": text for number, text in enumerate(texts)}
    for ordinal, (memory_id, text) in enumerate(named.items()):
        where = {"source_type": "chunk", "source_id": group, "ordinal": ordinal, **columns}
        _fill(db, {memory_id: text}, **where)


def _fact(db: Database, memory_id: str, text: str, source: str, **columns: Any) -> None:
    _fill(db, {memory_id: text}, source_type="pipeline-v2", source_id=source, **columns)


def _parts(result: Result) -> dict[str, list[tuple[str, PartKind]]]:
    return {hit.id: [(part.id, part.kind) for part in hit.parts] for hit in result.hits}


def test_the_pieces_of_a_text_are_one_result_shown_by_the_best_of_them(db: Database) -> None:
    _pieces(db, "log", "The kiln smokes", "The kiln in Porto is cold", "Clay for the kiln came")
    _fill(db, {"note": "Buy a kiln brush in Porto"}, days_ago=9.0)
    asked = ask(db, "kiln in Porto", floor=0.0)
    assert found(asked) == ["log1", "note"]
    assert _parts(asked) == {"log1": [("log0", PASSAGE), ("log2", PASSAGE)], "note": []} or (
        _parts(asked) == {"log1": [("log2", PASSAGE), ("log0", PASSAGE)], "note": []}
    )
    assert {part.content for part in asked.hits[0].parts} == {
        "The kiln smokes",
        "Clay for the kiln came",
    }


def test_a_page_has_as_many_sayings_as_were_asked_for_where_there_are(db: Database) -> None:
    _pieces(db, "log", *(f"The kiln in Porto burns wood of kind {n}" for n in range(30)))
    _fill(db, {f"n{n}": f"Somebody said that a kiln is number {n} of them" for n in range(12)})
    for limit in (3, 10, 20):
        results = found(ask(db, "kiln in Porto", limit=limit, floor=0.0))
        assert len(results) == min(limit, 13)
        assert len({one[:3] if one.startswith("log") else one for one in results}) == len(results)


def test_a_fact_and_its_source_are_one_result_with_the_words_of_the_source(db: Database) -> None:
    _fill(db, {"turn": "Nora: I keep the boat in Kiel since the storm, it is safer there."})
    _fact(db, "fact", "Nora keeps the boat in Kiel.", "turn")
    asked = ask(db, "Where does Nora keep the boat?")
    assert _parts(asked) == {"turn": [("fact", FACT)]}
    assert asked.hits[0].content.startswith("Nora: I keep")


def test_a_fact_of_a_piece_belongs_to_the_text_and_shows_its_piece(db: Database) -> None:
    _pieces(
        db, "talk", "We spoke of tea", "I keep the boat in Kiel since the storm", "Then it rained"
    )
    _fact(db, "fact", "Nora keeps the boat in Kiel.", "talk1")
    asked = ask(db, "Where does Nora keep the boat?", floor=0.0)
    assert found(asked) == ["talk1"]
    assert ("fact", FACT) in _parts(asked)["talk1"]


def test_a_fact_stands_alone_where_its_source_may_not_be_shown_or_is_long(db: Database) -> None:
    _fill(db, {"turn": "I keep the boat in Kiel"}, type="episodic")
    _fact(db, "fact", "Nora keeps the boat in Kiel.", "turn", type="fact")
    asked = ask(db, "Nora boat Kiel", filters=Filters(type="fact"))
    assert _parts(asked) == {"fact": []}
    _fill(db, {"book": "Chapters about tides. " * 60 + "Bert moors the raft in Emden."})
    _fact(db, "raft", "Bert moors the raft in Emden.", "book")
    assert _parts(ask(db, "Where does Bert moor the raft?")) == {"raft": [("book", PASSAGE)]}


@pytest.mark.parametrize(
    ("one", "other", "is_copy"),
    [
        ("The deploy runs on Friday.", "the deploy runs on Friday", True),
        ("We deploy on the Friday!", "We also deploy on Friday", True),
        ("Anna prefers tea over coffee", "Anna prefers coffee over tea", False),
        ("Alice reports to Bob", "Bob reports to Alice", False),
        ("The deploy is not on Friday", "The deploy is on Friday", False),
        ("The port is 8080", "The port is 8090", False),
        ("The parser is written in C++", "The parser is written in C#", False),
        ("Nora: I like tea", "Bert: I like tea", False),
    ],
)
def test_only_what_says_the_same_of_the_same_is_a_copy(
    db: Database, one: str, other: str, is_copy: bool
) -> None:
    _fill(db, {"one": one, "other": other})
    asked = ask(db, one, floor=0.0)
    assert len(asked.hits) == (1 if is_copy else 2)
    if is_copy:
        assert {*found(asked), *(part.id for part in asked.hits[0].parts)} == {"one", "other"}
        assert asked.hits[0].parts[0].kind is COPY


def test_a_replaced_fact_stands_below_its_source_and_what_replaced_it_stands_first(
    db: Database,
) -> None:
    _fill(db, {"before": "The boat of Nora sleeps in Hamburg harbour, she told me"})
    _fact(db, "old", "The boat of Nora sleeps in Hamburg harbour.", "before")
    _fill(db, {"new": "It lies in Kiel"})
    assert db.write(supersede, ["before", "old"], by="new", at=NOW, actor=Actor(name="nora"))
    asked = ask(db, "Where does the boat of Nora sleep, in Hamburg harbour?", floor=0.0)
    assert found(asked) == ["new", "before"]
    assert asked.hits[1].superseded_by == "new"
    assert _parts(asked)["before"] == [("old", FACT)]


def test_a_long_text_does_not_win_by_its_length(db: Database) -> None:
    _pieces(db, "long", *(f"The crane needs grease of grade {n}" for n in range(20)))
    _pieces(db, "short", "The crane needs grease of some grade", "Thanks for that")
    assert found(ask(db, "crane grease grade", floor=0.0))[0].startswith("short")


def test_what_is_asked_of_the_past_is_what_the_parts_said_then(db: Database) -> None:
    _pieces(db, "log", "The kiln smokes", "The kiln in Porto is cold", days_ago=9.0)
    asked = ask(db, "kiln in Porto", as_of=NOW, floor=0.0)
    assert _parts(asked) == {"log1": [("log0", PASSAGE)]}
