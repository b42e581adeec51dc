"""With which memories a new fact is compared: those of its owner that hold now, however many others are nearer."""

from signet import clock
from signet.db import WriteTx, vectors
from signet.domain.embeddings import vectors as embeddings
from signet.domain.extraction import candidates
from signet.domain.memory import lookup, remember
from signet.domain.memory.models import Actor, Memory, NewMemory, Rules
from signet.domain.memory.modify import supersede

NOW = clock.now()
USER = Actor(name="test")
NEAR, NEARER = vectors.pack((0.9, 0.1)), vectors.pack((1.0, 0.0))
MODEL = "nomic"


def saved(tx: WriteTx, text: str, vector: bytes, agent: str = "ana", model: str = MODEL) -> Memory:
    new = NewMemory(content=text, agent_id=agent)
    memory_id = remember.remember(tx, new, actor=USER, rules=Rules(), now=NOW).id
    found = lookup.find(tx, memory_id)
    assert found is not None
    embeddings.replace(tx, memory_id, found.content_hash or "", [(text, vector)], model, NOW)
    return found


def like(tx: WriteTx, source: Memory) -> dict[str, float]:
    """Return the ids of the memories that are like what no word of theirs says, with how much."""
    found = candidates.like(tx, source, "Xylophone", NEARER, model=MODEL)
    return {one.id: round(one.similarity, 3) for one in found}


def test_many_nearer_ones_of_others_hide_none(tx: WriteTx) -> None:
    vectors.ensure(tx, 2)
    source = saved(tx, "The source itself.", NEARER)
    mine = saved(tx, "The heron depot is in Bergen.", NEAR)
    for number in range(200):
        saved(tx, f"What a stranger says, number {number}.", NEARER, "bob")
    assert like(tx, source) == {mine.id: 0.994}


def test_a_vector_of_another_model_says_nothing(tx: WriteTx) -> None:
    vectors.ensure(tx, 2)
    source = saved(tx, "The source itself.", NEARER)
    saved(tx, "The heron depot is in Bergen.", NEARER, model="older")
    assert like(tx, source) == {}


def test_what_was_replaced_is_no_candidate_until_it_holds_again(tx: WriteTx) -> None:
    source = saved(tx, "The source itself.", NEARER)
    old = saved(tx, "The heron depot is in Bergen.", NEARER)
    new = saved(tx, "The heron depot is in Tromso.", NEAR)
    supersede(tx, [old.id], by=new.id, at=NOW, actor=USER)
    assert like(tx, source) == {new.id: 0.994}
    tx.run("UPDATE memories SET is_deleted = 1 WHERE id = ?", (new.id,))
    assert like(tx, source) == {old.id: 1.0}
