"""Synthesis of dependencies: the entities most spoken of are looked at anew, in turn, with all that is told of them.

Only with `structural.synthesisEnabled`. An entity comes again when something new was told of it.
"""

from datetime import datetime

from signet import clock
from signet.config.pipeline import Structural
from signet.db import ReadTx, WriteTx
from signet.domain.graph.models import Item
from signet.queue import BULK, MAX_ATTEMPTS, Job, enqueue

_NEXT = """
SELECT id, agent_id FROM (
    SELECT id, agent_id, updated_at, last_synthesized_at,
           row_number() OVER (PARTITION BY agent_id ORDER BY mentions DESC, id) AS place
      FROM entities WHERE mentions > 1 AND entity_type NOT IN ('skill', 'chunk_group'))
 WHERE place <= ? AND (last_synthesized_at IS NULL OR last_synthesized_at < updated_at)
 ORDER BY last_synthesized_at, place, id LIMIT 1"""
_FACTS = """
SELECT m.id, m.content FROM memory_entity_mentions n JOIN memories m ON m.id = n.memory_id
 WHERE n.entity_id = ? AND m.is_deleted = 0 AND m.agent_id = ? AND m.type <> 'document_chunk'
 ORDER BY m.created_at DESC, m.seq DESC LIMIT ?"""


def next_one(tx: ReadTx, settings: Structural) -> tuple[str, str] | None:
    """Return the entity whose turn it is, with its agent."""
    row = tx.one(_NEXT, (settings.synthesis_top_entities,))
    return None if row is None else (row["id"], row["agent_id"])


def queue(
    tx: WriteTx, entity_id: str, agent_id: str, *, attempts: int = MAX_ATTEMPTS, now: datetime
) -> None:
    """Queue a look at all that is told of an entity; its turn is over, so that one that fails holds up no other."""
    job = Job(
        kind="structural_dependency",
        dedupe_key=f"synthesis:{entity_id}",
        agent_id=agent_id,
        payload={"entity_id": entity_id, "synthesis": True},
        priority=BULK,
    )
    enqueue(tx, job, now=now, max_attempts=attempts)
    at = clock.to_text(now)
    tx.run("UPDATE entities SET last_synthesized_at = ? WHERE id = ?", (at, entity_id))


def facts(tx: ReadTx, job_id: str, entity_id: str, agent_id: str, *, most: int) -> list[Item]:
    """Return the newest memories that name an entity."""
    rows = tx.all(_FACTS, (entity_id, agent_id, most))
    return [Item(job_id=job_id, memory_id=row["id"], text=row["content"]) for row in rows]
