"""The SQL of structural jobs: entities, the stubs that wait for an aspect, and edges."""

import json
from collections.abc import Sequence

from signet import ids
from signet.db import ReadTx, WriteTx
from signet.domain.graph import names
from signet.domain.graph import store as graph
from signet.domain.graph.models import GENERAL, MAX_ASPECTS, Edge, Item, Placed, Subject

STRENGTH = 0.5
CONFIDENCE = 0.7
CONSTRAINT_IMPORTANCE = 0.85

_SUBJECT = "SELECT id, name, entity_type, agent_id FROM entities WHERE id = ?"
_ASPECTS = "SELECT canonical_name FROM entity_aspects WHERE entity_id = ? ORDER BY weight DESC, canonical_name"
_STUBS = """
SELECT a.id, a.attribute_value, m.id AS memory_id FROM json_each(?) j JOIN entity_attributes a ON a.id = j.value
  JOIN memories m ON m.id = a.source_memory_id AND m.is_deleted = 0
 WHERE a.entity_id = ? AND a.aspect_id IS NULL AND a.status = 'active' ORDER BY j.key"""
_FACTS = """
SELECT m.id, m.content FROM json_each(?) j JOIN memories m ON m.id = j.value
 WHERE m.agent_id = ? AND m.is_deleted = 0 ORDER BY j.key"""
_PLACE = """
UPDATE OR IGNORE entity_attributes SET aspect_id = :aspect, kind = :kind, confidence = :confidence,
       importance = CASE :kind WHEN 'constraint' THEN max(importance, :bound) ELSE importance END, updated_at = :at
 WHERE id = :id AND aspect_id IS NULL AND status = 'active'"""
#: The aspect says it already: the stub gives way to what is there.
_GIVE_WAY = """
UPDATE entity_attributes AS stub SET status = 'superseded', updated_at = :at, superseded_by = (
       SELECT a.id FROM entity_attributes a
        WHERE a.aspect_id = :aspect AND a.status = 'active' AND a.normalized_value = stub.normalized_value)
 WHERE id = :id AND aspect_id IS NULL AND status = 'active'"""
_TYPE = """
UPDATE entities SET entity_type = ?, updated_at = ? WHERE id = ? AND entity_type IN ('extracted', 'unknown')"""
_TARGET = "SELECT id FROM entities WHERE agent_id = ? AND canonical_name = ? AND id <> ?"
_EDGE = """
INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type, strength,
    confidence, reason, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""


def subject(tx: ReadTx, entity_id: str) -> Subject | None:
    """Return an entity with its aspects."""
    row = tx.one(_SUBJECT, (entity_id,))
    if row is None:
        return None
    aspects = tuple(str(one[0]) for one in tx.all(_ASPECTS, (entity_id,)))
    return Subject(
        id=row["id"],
        name=row["name"],
        type=row["entity_type"],
        agent_id=row["agent_id"],
        aspects=aspects,
    )


def stubs(tx: ReadTx, jobs: Sequence[tuple[str, str]], entity_id: str) -> list[Item]:
    """Return the stubs of these (job, attribute) pairs that still wait for an aspect, in order."""
    job_of = {attribute_id: job_id for job_id, attribute_id in jobs}
    rows = tx.all(_STUBS, (json.dumps(list(job_of)), entity_id))
    return [
        Item(
            job_id=job_of[row["id"]],
            memory_id=row["memory_id"],
            text=row["attribute_value"],
            attribute_id=row["id"],
        )
        for row in rows
    ]


def facts(tx: ReadTx, jobs: Sequence[tuple[str, str]], agent_id: str) -> list[Item]:
    """Return the active memories of these (job, memory) pairs, in order."""
    job_of = {memory_id: job_id for job_id, memory_id in jobs}
    rows = tx.all(_FACTS, (json.dumps(list(job_of)), agent_id))
    return [
        Item(job_id=job_of[row["id"]], memory_id=row["id"], text=row["content"]) for row in rows
    ]


def place(tx: WriteTx, subject: Subject, item: Item, placed: Placed, *, at: str) -> None:
    """Put a stub under its aspect; nothing happens when it has one already."""
    known = [row[0] for row in tx.all(_ASPECTS, (subject.id,))]
    name = placed.aspect
    if name not in known and len(known) >= MAX_ASPECTS - 1:
        name = GENERAL
    aspect_id = graph.aspect(tx, subject.id, name, agent_id=subject.agent_id, at=at)
    where = {"id": item.attribute_id, "aspect": aspect_id, "at": at}
    bound = {"kind": placed.kind, "confidence": CONFIDENCE, "bound": CONSTRAINT_IMPORTANCE}
    if not tx.run(_PLACE, where | bound):
        tx.run(_GIVE_WAY, where)


def set_type(tx: WriteTx, entity_id: str, type: str, *, at: str) -> None:
    """Give an entity a type where nobody knew one (KG-5)."""
    tx.run(_TYPE, (type, at, entity_id))


def depend(tx: WriteTx, subject: Subject, edge: Edge, *, at: str) -> int:
    """Join the subject to a known entity of its agent; 0 when there is none, or they are joined so already."""
    target = tx.value(_TARGET, (subject.agent_id, names.canonical(edge.target), subject.id))
    if target is None:
        return 0
    row = (subject.agent_id, subject.id, target, edge.type, STRENGTH, CONFIDENCE, edge.reason)
    return tx.run(_EDGE, (ids.new_ordered_id(), *row, at, at))
