"""Writing into the graph what a new memory's words alone tell (spec/pipeline.md §8).

What they tell is decided by `analysis.py`. Runs inside the transaction of the save; the memory is new, so each
entity gets one mention from it.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import analysis, store
from signet.domain.graph.analysis import Linked
from signet.domain.graph.models import CHUNK_GROUP, EXTRACTED


def apply(tx: WriteTx, memory_id: str, text: str, agent_id: str, now: datetime) -> int:
    """Link a new memory to the entities it names and return how many there are."""
    linked = analysis.link(text, lambda name: store.is_known(tx, name, agent_id=agent_id))
    if not linked.entities:
        return 0
    at = clock.to_text(now)
    entity_ids = {
        entity.canonical: store.mention(
            tx,
            memory_id,
            name=entity.name,
            canonical=entity.canonical,
            type=EXTRACTED,
            text=entity.name,
            confidence=analysis.MENTION_CONFIDENCE,
            agent_id=agent_id,
            at=at,
        )
        for entity in linked.entities
    }
    _attributes(tx, memory_id, linked, entity_ids, agent_id=agent_id, at=at)
    for source, target in linked.pairs:
        store.companions(
            tx,
            entity_ids[source],
            entity_ids[target],
            strength=analysis.EDGE_STRENGTH,
            confidence=analysis.EDGE_CONFIDENCE,
            reason="named together in one memory",
            agent_id=agent_id,
            at=at,
        )
    return len(entity_ids)


def relink(tx: WriteTx, memory_id: str, text: str, agent_id: str, now: datetime) -> int:
    """Link a memory whose text has changed to what it names now, and to that alone; return how many there are.

    What the old text said of an entity is superseded. An entity that is named again keeps its id.
    """
    lost = store.unmention(tx, [memory_id], at=clock.to_text(now))
    linked = apply(tx, memory_id, text, agent_id, now)
    store.drop_orphans(tx, list(lost))
    return linked


def group(
    tx: WriteTx, group_id: str, memory_ids: Iterable[str], *, agent_id: str, now: datetime
) -> None:
    """Tie the pieces of one long text to an entity of their own (MEM-12)."""
    name = f"chunk-group:{group_id}"
    for memory_id in memory_ids:
        store.mention(
            tx,
            memory_id,
            name=name,
            canonical=name,
            type=CHUNK_GROUP,
            text="chunk",
            confidence=1.0,
            agent_id=agent_id,
            at=clock.to_text(now),
        )


def unlink(tx: WriteTx, memory_ids: Sequence[str], *, now: datetime) -> tuple[int, int]:
    """Cut memories that are about to go off the graph; return how many links and entities went.

    An entity goes with its last mention, unless it is a skill, a task or a group of chunks, a person has pinned or
    suppressed it, or something still holds of it (KG-27).
    """
    lost = store.unmention(tx, memory_ids, at=clock.to_text(now))
    return sum(lost.values()), store.drop_orphans(tx, list(lost))


def hand_over(tx: WriteTx, memory_ids: Sequence[str], keeper_id: str, *, now: datetime) -> None:
    """Tie to one memory whatever hangs on others that it is kept instead of (KG-28)."""
    others = [memory_id for memory_id in memory_ids if memory_id != keeper_id]
    store.hand_over(tx, others, keeper_id, at=clock.to_text(now))


def revive(tx: WriteTx, memory_id: str, *, now: datetime) -> None:
    """Let what a recovered memory says of entities hold again."""
    store.revive(tx, memory_id, at=clock.to_text(now))


def erase(tx: WriteTx, memory_id: str, *, now: datetime) -> None:
    """Cut a memory off the graph, and with it everything that it said of an entity."""
    store.drop_attributes(tx, memory_id)
    unlink(tx, [memory_id], now=now)


def _attributes(
    tx: WriteTx,
    memory_id: str,
    linked: Linked,
    entity_ids: dict[str, str],
    *,
    agent_id: str,
    at: str,
) -> None:
    for said in linked.attributes:
        entity_id = entity_ids[said.entity]
        store.attribute(
            tx,
            aspect_id=store.aspect(tx, entity_id, said.aspect, agent_id=agent_id, at=at),
            entity_id=entity_id,
            value=said.content,
            normalized=said.content.lower(),
            kind=linked.kind,
            confidence=analysis.ATTRIBUTE_CONFIDENCE,
            importance=linked.importance,
            memory_id=memory_id,
            agent_id=agent_id,
            at=at,
        )
