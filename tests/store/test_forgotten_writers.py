"""Whatever writes memories by itself leaves out what was forgotten, and what was only removed it may write again."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from signet.db import Database, WriteTx
from signet.domain.harnesses import notes
from signet.domain.memory import forget, lookup, modify, remember
from signet.domain.memory.lookup import ValueForgotten
from signet.domain.memory.models import Actor, Draft, Forget, Inserted, NewMemory, Patch, Rules
from signet.wire.origin import Origin
from support.database import fresh_database

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ACTOR = Actor()
PIPELINE = Actor(name="pipeline-v2", type="pipeline")
SAID = "I moor the blue boat at the north pier."
FACT = "The user moors the blue boat at the north pier."


def save(tx: WriteTx, text: str) -> str:
    return remember.remember(tx, NewMemory(content=text), actor=ACTOR, rules=Rules(), now=NOON).id


def gone(tx: WriteTx, memory_id: str, *, actor: Actor = ACTOR, is_wrong: bool = False) -> None:
    asked = Forget(memory_id=memory_id, reason="x", is_wrong=is_wrong)
    forget.forget_one(tx, asked, actor=actor, rules=Rules(), now=NOON)


def fact(tx: WriteTx, text: str, source_id: str) -> Inserted:
    source = lookup.find(tx, source_id)
    assert source is not None
    return remember.insert_fact(
        tx,
        content=text,
        type="fact",
        confidence=0.9,
        source=source,
        extraction_model="rules",
        embedding_model=None,
        metadata={},
        actor=PIPELINE,
        now=NOON,
    )


def draft(text: str, source_type: str) -> Draft:
    return Draft(
        content=text,
        type="fact",
        importance=0.5,
        agent_id="default",
        visibility="global",
        who="x",
        why="x",
        source_type=source_type,
        source_id="s",
        updated_by="x",
        origin=Origin.INFERRED,
        created_at=NOON,
    )


@pytest.mark.parametrize("is_wrong", [False, True], ids=["forgotten", "rejected"])
def test_every_writer_of_its_own_leaves_it_out(tx: WriteTx, is_wrong: bool) -> None:
    source = save(tx, "We talked about boats for an hour.")
    gone(tx, save(tx, SAID), is_wrong=is_wrong)
    with pytest.raises(ValueForgotten):
        fact(tx, FACT, source)
    with pytest.raises(ValueForgotten):
        remember.save_told(tx, draft(FACT, "session_end"), actor=PIPELINE, rules=Rules(), now=NOON)
    with pytest.raises(ValueForgotten):
        remember.insert(tx, draft(SAID, "document"), actor=PIPELINE, now=NOON)
    patch = Patch(memory_id=source, reason="x", content=FACT)
    with pytest.raises(ValueForgotten):
        modify.modify(tx, patch, actor=PIPELINE, rules=Rules(), now=NOON)
    assert tx.value("SELECT count(*) FROM memories WHERE is_deleted = 0") == 1
    assert tx.column("SELECT DISTINCT why FROM forgotten_values", ()) == [
        "rejected" if is_wrong else "forgotten"
    ]


def test_what_nobody_asked_to_forget_may_be_written_again(tx: WriteTx) -> None:
    source = save(tx, "We talked about boats for an hour.")
    gone(tx, save(tx, SAID), actor=PIPELINE)
    assert not fact(tx, FACT, source).deduped
    keeper, loser = save(tx, "The pier is made of oak."), save(tx, "The pier: it is made of oak.")
    forget.merge(tx, keeper, [loser], tags=(), actor=ACTOR, now=NOON)
    assert not fact(tx, "The pier: it is made of oak!", source).deduped
    passage = remember.insert(tx, draft("A page about piers.", "document"), actor=ACTOR, now=NOON)
    forget.forget(tx, passage.id, actor=ACTOR, reason="Document deleted: x", now=NOON)
    again = remember.insert(tx, draft("A page about piers.", "document"), actor=ACTOR, now=NOON)
    assert not again.deduped
    assert tx.value("SELECT count(*) FROM forgotten_values") == 0


def test_what_went_with_its_source_is_left_out_too(tx: WriteTx) -> None:
    source, other = save(tx, SAID), save(tx, "We talked about boats for an hour.")
    fact(tx, "The north pier has a crane.", source)
    gone(tx, source)
    with pytest.raises(ValueForgotten):
        fact(tx, "the north pier has a crane", other)


def test_a_note_of_a_harness_is_read_without_it(tmp_path: Path) -> None:
    db = Database(fresh_database(tmp_path / "memories.db"))
    memory_id = db.write(save, SAID)
    db.write(gone, memory_id)
    path = tmp_path / "2026-05-01.md"
    path.write_text(f"{SAID}\n")
    note = notes.load(path)
    assert note is not None
    assert notes.ingest(db, note, rules=Rules(), now=NOON) == 0
    active = db.read(lambda tx: tx.value("SELECT count(*) FROM memories WHERE is_deleted = 0"))
    db.close()
    assert active == 0
