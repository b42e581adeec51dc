"""From triples to rows: entities, relations, dependencies and mentions.

Runs in a transaction of its own after the facts are written. Triples whose ends are no names are passed over:
models report units, dates, file paths and labels as if they were entities.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.graph import names
from signet.domain.graph.models import Source, Triple
from signet.domain.graph.sql import edges, entities


def write(
    tx: WriteTx,
    memory_id: str,
    triples: Sequence[Triple],
    *,
    facts: Sequence[tuple[str, str]] = (),
    agent_id: str,
    now: datetime,
) -> int:
    """Write the triples found in a memory and return how many were kept.

    Both ends are mentioned by the memory, and by each derived fact, given as (id, text), that names them.
    """
    by = Source(memory_id, agent_id, clock.to_text(now))
    kept = 0
    for triple in triples:
        source, target = names.clean(triple.source), names.clean(triple.target)
        relationship = names.canonical(triple.relationship)
        if not (source and target and relationship):
            continue
        if names.canonical(source) == names.canonical(target):
            continue
        edge = {
            "source": _mention(tx, by, facts, source, triple.source_type, triple.confidence),
            "target": _mention(tx, by, facts, target, triple.target_type, triple.confidence),
            "type": relationship,
            "at": by.at,
        }
        mean = tx.value(
            edges.RELATE, {**edge, "id": ids.new_ordered_id(), "confidence": triple.confidence}
        )
        edge |= {"agent": by.agent_id, "reason": f"{source} {relationship} {target}"}
        tx.run(edges.DEPEND, {**edge, "id": ids.new_ordered_id(), "confidence": mean})
        kept += 1
    return kept


def _mention(
    tx: WriteTx,
    by: Source,
    facts: Sequence[tuple[str, str]],
    name: str,
    type: str,
    confidence: float,
) -> str:
    """Mention one end of a triple in the facts that name it and in their source; return the entity's id."""
    canonical = names.canonical(name)
    word = re.compile(rf"(?<!\w){re.escape(canonical)}(?!\w)")
    memory_ids = [id_ for id_, text in facts if word.search(names.canonical(text))]
    entity_id = ""
    for memory_id in (*memory_ids, by.memory_id):
        entity_id = entities.mention(
            tx,
            by._replace(memory_id=memory_id),
            name=name,
            canonical=canonical,
            type=type,
            confidence=confidence,
        )
    return entity_id
