"""From a model's triples to rows: entities, relations, edges and mentions (spec/pipeline.md §9).

Runs in a transaction of its own after the facts are written. Triples whose ends are no names are passed over:
models report units, dates, file paths and labels as if they were things.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import names, store
from signet.domain.graph.models import Triple


def write(
    tx: WriteTx,
    memory_id: str,
    found: Sequence[Triple],
    *,
    facts: Sequence[tuple[str, str]] = (),
    agent_id: str,
    now: datetime,
) -> int:
    """Write the triples found in a memory and return how many were kept.

    Both ends are mentioned by the memory, and by each derived fact, given as (id, text), that names them.
    """
    at = clock.to_text(now)
    kept = 0
    for triple in found:
        source, target = names.clean(triple.source), names.clean(triple.target)
        relationship = names.canonical(triple.relationship)
        if not (source and target and relationship):
            continue
        if names.canonical(source) == names.canonical(target):
            continue
        source_id = _mention(tx, memory_id, facts, triple, source, triple.source_type, agent_id, at)
        target_id = _mention(tx, memory_id, facts, triple, target, triple.target_type, agent_id, at)
        store.relate(
            tx,
            source_id,
            target_id,
            type=relationship,
            confidence=triple.confidence,
            reason=f"{source} {relationship} {target}",
            agent_id=agent_id,
            at=at,
        )
        kept += 1
    return kept


def _mention(
    tx: WriteTx,
    memory_id: str,
    facts: Sequence[tuple[str, str]],
    triple: Triple,
    found: str,
    type: str,
    agent_id: str,
    at: str,
) -> str:
    """Mention one end of a triple in the facts that name it and in their source; return the entity's id."""
    canonical = names.canonical(found)
    mention = partial(
        store.mention,
        tx,
        name=found,
        canonical=canonical,
        type=type,
        text=found,
        confidence=triple.confidence,
        agent_id=agent_id,
        at=at,
    )
    word = re.compile(rf"(?<!\w){re.escape(canonical)}(?!\w)")
    for fact_id, text in facts:
        if word.search(names.canonical(text)):
            mention(fact_id)
    return mention(memory_id)
