"""What a model is asked about: entities, and the memories that say something of them."""

from typing import NamedTuple

from signet.db import ReadTx
from signet.db.dialect import THEN_JOIN, list_rows
from signet.domain.graph.models import Subject
from signet.domain.graph.sql import attributes

_SUBJECT = "SELECT id, name, entity_type, agent_id FROM entities WHERE id = ?"
MEMORIES = f"""
SELECT m.id, m.content FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
 WHERE m.agent_id = ? AND m.is_deleted = 0 ORDER BY j.key"""
NEWEST = f"""
SELECT m.id, m.content FROM memory_entity_mentions n {THEN_JOIN} memories m ON m.id = n.memory_id
 WHERE n.entity_id = ? AND m.is_deleted = 0 AND m.agent_id = ? AND m.type <> 'document_chunk'
 ORDER BY m.created_at DESC, m.seq DESC LIMIT ?"""
NEXT = """
SELECT id, agent_id FROM (
    SELECT id, agent_id, updated_at, last_synthesized_at,
           row_number() OVER (PARTITION BY agent_id ORDER BY mentions DESC, id) AS place
      FROM entities WHERE mentions > 1 AND entity_type NOT IN ('skill', 'chunk_group'))
 WHERE place <= ? AND (last_synthesized_at IS NULL OR last_synthesized_at < updated_at)
 ORDER BY last_synthesized_at, place, id LIMIT 1"""
SYNTHESIZED = "UPDATE entities SET last_synthesized_at = ? WHERE id = ?"


class MemoryText(NamedTuple):
    """A memory and what it says."""

    id: str
    content: str


def subject(tx: ReadTx, entity_id: str) -> Subject | None:
    """Return an entity with its aspects."""
    row = tx.one(_SUBJECT, (entity_id,))
    if row is None:
        return None
    id_, name, type, agent_id = row
    known = tuple(tx.column(attributes.ASPECTS, (entity_id,)))
    return Subject(id=id_, name=name, type=type, agent_id=agent_id, aspects=known)
