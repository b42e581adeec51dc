"""Fill a workspace before a test through the product's own functions, without HTTP."""

import random
from array import array
from dataclasses import replace

from loadtests.corpus import Corpus

from signet import clock, config
from signet.db import Database, WriteTx
from signet.domain.embeddings import vectors as embeddings
from signet.domain.memory import marks, remember
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.paths import Workspace
from signet.queue import pauses

#: Dimensions of all-MiniLM-L6-v2.
DIMENSIONS = 384
GROUP = 100

_ENTITY = """
INSERT INTO entities (id, name, canonical_name, entity_type, mentions, created_at, updated_at)
VALUES (?, ?, ?, 'concept', ?, ?, ?)"""
_EDGE = """
INSERT INTO entity_dependencies (id, source_entity_id, target_entity_id, dependency_type, created_at, updated_at)
VALUES (?, ?, ?, 'related_to', ?, ?)"""

NO_MODEL = "memory:\n  pipelineV2: {}\nembedding:\n  provider: none\n"


def memories(
    workspace: Workspace, corpus: Corpus, count: int, *, jobs: bool, vectors: bool = False
) -> None:
    """Save `count` texts, with their jobs or with a random vector each.

    A random vector costs a search as much as a real one; real ones would take minutes.
    """
    settings = config.load(workspace, {}).settings
    rules = Rules.from_settings(settings)
    if not jobs:
        rules = replace(rules, extract=False, embed=False)
    chance = random.Random(count)
    db = Database(workspace.database)

    def group(tx: WriteTx, first: int) -> None:
        for number in range(first, min(first + GROUP, count)):
            new = NewMemory(content=corpus.memory(number), agent_id="default")
            actor = Actor(name="loadtest", type="operator")
            saved = remember.remember(tx, new, actor=actor, rules=rules, now=clock.now())
            gap = embeddings.gap(tx, saved.id) if vectors else None
            if gap is not None and gap.content_hash is not None:
                passages = [(gap.content, _vector(chance))]
                model = settings.embedding.model
                marks.set_vectors(tx, saved.id, gap.content_hash, passages, model, clock.now())

    for first in range(0, count, GROUP):
        db.write(group, first)
    db.close()


def entities(workspace: Workspace, count: int, edges: int) -> None:
    """Create entities with one to fifty mentions, and edges between near ones, like a graph of several years."""
    now = clock.to_text(clock.now())
    names = [
        (f"entity-{at}", f"Thing {at}", f"thing {at}", 1 + at % 50, now, now) for at in range(count)
    ]
    ends = [(at % count, (at % count + 1 + at // count * 7) % count) for at in range(edges)]
    links = [
        (f"edge-{at}", f"entity-{source}", f"entity-{target}", now, now)
        for at, (source, target) in enumerate(ends)
    ]

    def insert(tx: WriteTx) -> None:
        for entity in names:
            tx.run(_ENTITY, entity)
        for edge in links:
            tx.run(_EDGE, edge)

    db = Database(workspace.database)
    db.write(insert)
    db.close()


def backlog(workspace: Workspace, corpus: Corpus, count: int) -> None:
    """Save `count` texts with their jobs while the queue is paused, then resume it."""
    db = Database(workspace.database)
    db.write(pauses.pause, now=clock.now(), actor="loadtest")
    memories(workspace, corpus, count, jobs=True)
    db.write(pauses.resume)
    db.close()


def _vector(chance: random.Random) -> bytes:
    """Return a random vector of length one."""
    values = [chance.gauss(0, 1) for _ in range(DIMENSIONS)]
    length = sum(value * value for value in values) ** 0.5
    return array("f", [value / length for value in values]).tobytes()
