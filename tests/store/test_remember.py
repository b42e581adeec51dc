"""Saving texts: what makes two saves one, and what a save leaves behind."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from signet.db import Database, ReadTx, WriteTx
from signet.db.driver import sqlite
from signet.db.visibility import Reader
from signet.domain.graph import link
from signet.domain.memory import history, listing, lookup, remember
from signet.domain.memory.listing import Filter, Order
from signet.domain.memory.models import (
    Actor,
    ExtractionStatus,
    NewMemory,
    Remembered,
    Rules,
    Visibility,
)
from signet.domain.memory.remember import insert_fact
from signet.errors import Frozen, Invalid, NotFound
from support.database import fresh_database

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ACTOR = Actor(name="nora", type="agent", session_id="s-1", request_id="r-1")
READER = Reader()
RULES = Rules()


def save(tx: WriteTx, content: str, *, rules: Rules = RULES, **fields: Any) -> Remembered:
    new = replace(NewMemory(content=content), **fields)
    return remember.remember(tx, new, actor=ACTOR, rules=rules, now=NOON)


def count(tx: ReadTx, table: str) -> int:
    return int(tx.value(f"SELECT count(*) FROM {table}"))


def forget(tx: WriteTx, memory_id: str) -> None:
    assert tx.run("UPDATE memories SET is_deleted = 1 WHERE id = ?", (memory_id,)) == 1


def test_a_saved_text_can_be_read_back_with_its_defaults(tx: WriteTx) -> None:
    saved = save(tx, "  The heron project   ships on Fridays. ")
    memory = lookup.get(tx, saved.id, reader=READER)
    assert memory.content == saved.content == "The heron project   ships on Fridays."
    assert (memory.importance, memory.pinned, memory.tags) == (0.8, False, ())
    assert (memory.type, memory.who, memory.source_type) == ("fact", "daemon", "manual")
    assert (memory.why, memory.version) == ("explicit", 1)
    assert memory.created_at == memory.updated_at == "2026-05-01T12:00:00.000Z"
    assert not saved.deduped
    assert not saved.embedded


def test_the_same_words_with_other_case_spacing_and_ending_are_the_same_memory(tx: WriteTx) -> None:
    first = save(tx, "Dana prefers window seats")
    again = save(tx, "  dana  prefers window\nSEATS!! ", type="rule", importance=0.2)
    assert again.id == first.id
    assert (again.deduped, again.embedded) == (True, True)
    assert (again.type, again.importance) == ("preference", 0.8)
    assert count(tx, "memories") == 1
    kinds = tx.column("SELECT job_type FROM memory_jobs ORDER BY created_at, rowid")
    assert kinds == ["extract", "embed", "clean_texts"]
    assert count(tx, "memory_history") == 2


@pytest.mark.parametrize(
    "other",
    [{"agent_id": "scout"}, {"visibility": Visibility.PRIVATE}, {"scope": "bench"}],
    ids=["owner", "visibility", "scope"],
)
def test_the_same_words_of_another_owner_visibility_or_scope_are_another_memory(
    tx: WriteTx, other: dict[str, Any]
) -> None:
    first = save(tx, "The kiln reaches 1200 degrees.", source_id="note-1")
    second = save(tx, "The kiln reaches 1200 degrees.", source_id="note-1", **other)
    assert second.id != first.id
    assert not second.deduped
    assert save(tx, "the kiln reaches 1200 degrees", **other).id == second.id


def test_a_forgotten_text_can_be_saved_again(tx: WriteTx) -> None:
    first = save(tx, "The pantry code is on the fridge.", source_id="note-2")
    forget(tx, first.id)
    second = save(tx, "The pantry code is on the fridge.", source_id="note-2")
    assert second.id != first.id


def test_the_same_source_is_one_memory_whatever_it_says(tx: WriteTx) -> None:
    first = save(tx, "Version one.", source_type="note", source_id="n-1")
    assert save(tx, "Version two.", source_type="note", source_id="n-1").id == first.id
    assert save(tx, "Version three.", source_type="mail", source_id="n-1").id != first.id


def test_turns_of_one_session_share_a_source_and_differ_by_ordinal(tx: WriteTx) -> None:
    turns = [save(tx, f"Turn {n}.", source_id="s-9", ordinal=n) for n in range(3)]
    assert len({turn.id for turn in turns}) == 3
    assert save(tx, "Turn one, told again.", source_id="s-9", ordinal=1).id == turns[1].id


def test_a_repeated_idempotency_key_answers_the_first_memory_and_writes_nothing(
    tx: WriteTx,
) -> None:
    first = save(tx, "Bread is baked on Mondays.", idempotency_key="k-1")
    again = save(tx, "Something else entirely.", idempotency_key="k-1")
    assert (again.id, again.deduped, count(tx, "memories")) == (first.id, True, 1)
    assert save(tx, "A third text.", idempotency_key="k-1", agent_id="scout").id != first.id


def test_a_repeated_key_of_a_long_text_answers_its_first_piece(tx: WriteTx) -> None:
    text = "The valley floods in spring. " * 60
    first = save(tx, text, idempotency_key="k-2")
    before = count(tx, "memories")
    assert save(tx, text + "More.", idempotency_key="k-2").id == first.id
    assert count(tx, "memories") == before


def test_a_pinned_text_is_critical_and_its_tags_are_a_list(tx: WriteTx) -> None:
    saved = save(tx, "Rotate the signing key in June", pinned=True, tags=("ops", "auth"))
    assert (saved.pinned, saved.importance, saved.tags) == (True, 0.8, ("ops", "auth"))
    assert lookup.get(tx, saved.id, reader=READER).why == "explicit-critical"
    assert json.loads(tx.value("SELECT tags FROM memories")) == ["ops", "auth"]


@pytest.mark.parametrize("content", ["", "  \n ", "\0"])
def test_a_text_without_content_is_refused(tx: WriteTx, content: str) -> None:
    with pytest.raises(Invalid, match="content is required"):
        save(tx, content)
    assert count(tx, "memories") == 0


@pytest.mark.parametrize("importance", [-0.1, 1.01, float("nan")])
def test_an_importance_outside_its_range_is_refused(tx: WriteTx, importance: float) -> None:
    with pytest.raises(Invalid, match="importance"):
        save(tx, "A heron was seen.", importance=importance)


def test_nothing_is_saved_while_changes_are_frozen(tx: WriteTx) -> None:
    with pytest.raises(Frozen, match="kill switch"):
        save(tx, "A heron was seen.", rules=Rules(frozen=True))


def test_a_save_writes_its_first_line_of_history(tx: WriteTx) -> None:
    saved = save(tx, "A heron was seen.")
    (event,) = history.changes_of(tx, saved.id, reader=READER)
    assert (event["event"], event["oldContent"], event["newContent"]) == (
        "created",
        None,
        "A heron was seen.",
    )
    assert (event["changedBy"], event["actorType"]) == ("nora", "agent")
    assert (event["sessionId"], event["requestId"]) == ("s-1", "r-1")


def test_a_save_queues_extraction_and_embedding(tx: WriteTx) -> None:
    saved = save(tx, "A heron was seen.")
    jobs = tx.all("SELECT job_type, memory_id, status FROM memory_jobs ORDER BY job_type")
    assert [tuple(job) for job in jobs] == [
        ("embed", saved.id, "pending"),
        ("extract", saved.id, "pending"),
    ]
    memory = lookup.get(tx, saved.id, reader=READER)
    assert memory.extraction_status == ExtractionStatus.PENDING


def test_a_save_queues_nothing_that_is_switched_off(tx: WriteTx) -> None:
    saved = save(tx, "A heron was seen.", rules=Rules(extract=False, embed=False))
    assert count(tx, "memory_jobs") == 0
    memory = lookup.get(tx, saved.id, reader=READER)
    assert memory.extraction_status == ExtractionStatus.NONE


def test_hints_of_a_sensible_length_are_stored(tx: WriteTx) -> None:
    hints = ("why", "what bird was seen?", "x" * 301, "what bird was seen?")
    saved = save(tx, "A heron was seen.", hints=hints)
    assert saved.hints_written == 1
    found = tx.all("SELECT memory_id, hint FROM memory_hints")
    assert [tuple(row) for row in found] == [(saved.id, "what bird was seen?")]


def test_of_two_transcripts_of_a_session_the_longer_stays(tx: WriteTx) -> None:
    save(tx, "First.", source_id="s-1", transcript="User: hello there")
    save(tx, "Second.", source_id="s-1", transcript="User: hi")
    assert tx.value("SELECT content FROM session_transcripts") == "User: hello there"
    save(tx, "Third.", source_id="s-1", transcript="User: hello there, once more")
    assert tx.value("SELECT content FROM session_transcripts") == "User: hello there, once more"


def test_a_failing_linker_costs_the_links_but_not_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_halfway(tx: WriteTx, *_: object) -> int:
        tx.run(
            "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
            " VALUES ('e', 'E', 'e', 'x', '', '')"
        )
        raise sqlite.IntegrityError("planted")

    monkeypatch.setattr(link, "apply", fail_halfway)
    db = Database(fresh_database(tmp_path / "other.db"))
    saved = db.write(lambda tx: save(tx, "Ada Winter keeps bees near Port Ellen."))
    assert saved.entities_linked == 0
    assert db.read(lookup.get, saved.id, reader=READER).content == saved.content
    assert db.read(count, "entities") == 0
    assert db.read(count, "memory_jobs") == 2
    db.close()


def test_a_given_time_of_creation_is_kept(tx: WriteTx) -> None:
    saved = save(tx, "An old note.", created_at=datetime(2024, 2, 3, tzinfo=UTC))
    memory = lookup.get(tx, saved.id, reader=READER)
    assert memory.created_at == "2024-02-03T00:00:00.000Z"


# -- long texts -----------------------------------------------------------------------------------

SMALL = Rules(max_chars=60, chunk_chars=40)
LONG = (
    "The mill stands by the river. It grinds rye in autumn. The wheel was mended twice last year."
)


def test_a_long_text_becomes_pieces_of_one_group(tx: WriteTx) -> None:
    saved = save(tx, LONG, pinned=True, tags=("mill",), rules=SMALL)
    rows = tx.all(
        "SELECT id, content, source_type, source_id, pinned, tags FROM memories ORDER BY seq"
    )
    assert [row["content"] for row in rows] == [
        "The mill stands by the river.",
        "It grinds rye in autumn.",
        "The wheel was mended twice last year.",
    ]
    assert saved.ids == tuple(row["id"] for row in rows)
    assert saved.id == saved.ids[0]
    assert {(row["source_type"], row["source_id"]) for row in rows} == {("chunk", saved.group_id)}
    assert {(row["pinned"], row["tags"]) for row in rows} == {(1, '["mill"]')}
    assert tx.value("SELECT count(*) FROM memory_jobs WHERE job_type = 'extract'") == 3
    group = tx.one("SELECT * FROM entities WHERE entity_type = 'chunk_group'")
    assert group is not None
    assert (group["name"], group["mentions"]) == (f"chunk-group:{saved.group_id}", 3)
    tied = tx.all(
        "SELECT mention_text, confidence FROM memory_entity_mentions WHERE entity_id = ?",
        (group["id"],),
    )
    assert [tuple(row) for row in tied] == [("chunk", 1.0)] * 3


def test_pieces_that_exist_already_are_skipped_and_not_counted(tx: WriteTx) -> None:
    known = save(tx, "It grinds rye in autumn.")
    saved = save(tx, LONG, rules=SMALL)
    assert len(saved.ids) == 2
    assert known.id not in saved.ids
    assert not saved.deduped


def test_a_long_text_whose_pieces_all_exist_makes_no_group(tx: WriteTx) -> None:
    first = save(tx, LONG, rules=SMALL)
    again = save(tx, LONG, rules=SMALL)
    assert (again.id, again.deduped, again.ids, again.group_id) == (first.id, True, (), None)
    assert tx.value("SELECT count(*) FROM entities WHERE entity_type = 'chunk_group'") == 1


def test_a_long_text_with_a_known_source_is_not_saved_again(tx: WriteTx) -> None:
    first = save(tx, LONG, rules=SMALL, source_type="note", source_id="n-7")
    changed = LONG.replace("mended", "painted")
    again = save(tx, changed, rules=SMALL, source_type="note", source_id="n-7")
    assert (again.id, again.deduped) == (first.id, True)
    short = save(tx, "Short now.", source_type="note", source_id="n-7")
    assert (short.id, short.deduped) == (first.id, True)
    assert count(tx, "memories") == 3


def test_a_text_that_grew_long_is_still_the_memory_of_its_source(tx: WriteTx) -> None:
    first = save(tx, "Short at first.", source_type="note", source_id="n-8")
    again = save(tx, LONG, rules=SMALL, source_type="note", source_id="n-8")
    assert (again.id, again.deduped) == (first.id, True)


def test_a_long_text_of_a_source_is_found_when_its_first_piece_belonged_to_another(
    tx: WriteTx,
) -> None:
    save(tx, "The mill stands by the river.")
    first = save(tx, LONG, rules=SMALL, source_type="note", source_id="n-9")
    assert len(first.ids) == 2
    again = save(tx, LONG + " And more.", rules=SMALL, source_type="note", source_id="n-9")
    assert (again.id, again.deduped) == (first.ids[0], True)
    assert count(tx, "memories") == 3


def test_the_first_piece_of_a_long_text_carries_its_hints(tx: WriteTx) -> None:
    saved = save(tx, LONG, rules=SMALL, hints=("what does the mill grind?",))
    assert saved.hints_written == 1
    assert tx.value("SELECT memory_id FROM memory_hints") == saved.id


# -- facts of the pipeline ------------------------------------------------------------------------


def a_fact(tx: WriteTx, content: str, source_id: str) -> Callable[[], tuple[str, bool]]:
    source = lookup.find(tx, source_id)
    assert source is not None

    def insert() -> tuple[str, bool]:
        written = insert_fact(
            tx,
            content=content,
            type="preference",
            confidence=0.85,
            source=source,
            extraction_model="rules",
            embedding_model=None,
            metadata={"proposedAction": "add"},
            actor=Actor(name="pipeline-v2", type="pipeline"),
            now=NOON,
        )
        return written.id, written.deduped

    return insert


def test_a_fact_belongs_to_the_owner_of_its_source(tx: WriteTx) -> None:
    source = save(
        tx,
        "We spoke about boats and Iris said she likes wooden ones.",
        agent_id="scout",
        visibility=Visibility.PRIVATE,
        scope="bench",
        project="/p",
    )
    fact_id, deduped = a_fact(tx, "Iris likes wooden boats.", source.id)()
    fact = lookup.find(tx, fact_id)
    assert fact is not None
    assert not deduped
    assert (fact.agent_id, fact.visibility, fact.scope, fact.project) == (
        "scout",
        "private",
        "bench",
        "/p",
    )
    assert (fact.who, fact.why, fact.source_type) == (
        "pipeline-v2",
        "extracted-fact",
        "pipeline-v2",
    )
    assert (fact.source_id, fact.importance, fact.type) == (source.id, 0.85, "preference")
    assert fact.extraction_status == ExtractionStatus.COMPLETED
    (event,) = history.changes_of(tx, fact_id, reader=Reader(agent_id="scout"))
    assert (event["event"], event["changedBy"]) == ("created", "pipeline-v2")
    assert event["metadata"] == {"proposedAction": "add"}


def test_a_fact_that_is_known_answers_the_known_memory(tx: WriteTx) -> None:
    source = save(tx, "Iris likes wooden boats.")
    other = a_fact(tx, "Iris owns a yawl.", source.id)
    assert a_fact(tx, "iris likes wooden boats", source.id)() == (source.id, True)
    first, second = other(), other()
    assert (first[0], first[1], second) == (first[0], False, (first[0], True))


# -- reading --------------------------------------------------------------------------------------


def test_a_memory_that_is_forgotten_foreign_or_unknown_is_not_found(tx: WriteTx) -> None:
    private = save(tx, "Mine alone.", visibility=Visibility.PRIVATE)
    forgotten = save(tx, "Gone by now.")
    forget(tx, forgotten.id)
    for memory_id, agent in ((private.id, "scout"), (forgotten.id, "default"), ("no", "default")):
        with pytest.raises(NotFound):
            lookup.get(tx, memory_id, reader=Reader(agent_id=agent))
    assert lookup.get(tx, private.id, reader=READER).id == private.id


def test_history_is_shown_for_forgotten_memories_and_to_readers_only(tx: WriteTx) -> None:
    saved = save(tx, "Mine alone.", visibility=Visibility.PRIVATE)
    forget(tx, saved.id)
    assert len(history.changes_of(tx, saved.id, reader=READER)) == 1
    with pytest.raises(NotFound):
        history.changes_of(tx, saved.id, reader=Reader(agent_id="scout"))


def listed(tx: WriteTx, *, type: str | None = None, limit: int = 100, offset: int = 0) -> list[str]:
    order = Order(limit=limit, offset=offset)
    page = listing.page(tx, Filter(type=type), order, reader=READER)
    return [memory.id for memory in page.memories]


def test_the_list_is_newest_first_and_leaves_out_forgotten_and_scoped_rows(tx: WriteTx) -> None:
    saved = [save(tx, f"Note {n}.") for n in range(4)]
    save(tx, "Only in the bench.", scope="bench")
    forget(tx, saved[1].id)
    ids = listed(tx)
    assert ids == [saved[3].id, saved[2].id, saved[0].id]
    assert listed(tx, limit=1, offset=1) == [saved[2].id]
    assert listed(tx, type="rule") == []


def test_statistics_count_active_embedded_and_critical_memories(tx: WriteTx) -> None:
    critical = save(tx, "The dam opens at noon", importance=1.0)
    save(tx, "A heron was seen.")
    forget(tx, save(tx, "Gone by now.", importance=0.95).id)
    tx.run(
        "INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id, chunk_text,"
        " created_at) VALUES ('v', 'h', x'00000000', 1, 'memory', ?, '', '')",
        (critical.id,),
    )
    stats = lookup.stats(tx, reader=READER)
    assert stats == {"total": 2, "withEmbeddings": 1, "critical": 1}


def test_a_comma_list_of_tags_from_an_older_file_is_read(tx: WriteTx) -> None:
    saved = save(tx, "A heron was seen.")
    tx.run("UPDATE memories SET tags = 'bird, marsh,'")
    assert lookup.get(tx, saved.id, reader=READER).tags == ("bird", "marsh")
