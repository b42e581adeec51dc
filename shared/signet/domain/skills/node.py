"""Skills as nodes of the graph, and the edges between them."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import ReadTx, WriteTx, columns
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import VectorSource
from signet.domain.graph import names, skill_nodes
from signet.domain.graph.models import SKILL, Dependency
from signet.domain.graph.skill_nodes import Adopted
from signet.domain.skills import sql
from signet.domain.skills.models import RECONCILER, SkillFile, SkillNode, SkillRules
from signet.errors import Conflict
from signet.ids import DEFAULT_AGENT
from signet.queue import BULK, NewJob, enqueue

REQUIRES, RELATED = "requires", "related_to"
#: Related skills share one trigger, or this number of tags.
SHARED_TAGS = 2
#: Skills that one is related to at most, the nearest ones.
MOST = 8
#: Words shared by more skills than this are ignored.
COMMON = 20


def edges_between(nodes: Sequence[SkillNode]) -> list[Dependency]:
    """Return the edges between skills: each pair at most once as related, `requires` in one direction. Pure."""
    found = list(_required(nodes))
    joined = {frozenset(edge[:2]) for edge in found}
    counts: defaultdict[str, int] = defaultdict(int)
    shared = sorted(_sharing(nodes), key=lambda edge: (-edge[3], edge[:2]))
    for edge in shared:
        ends = frozenset(edge[:2])
        if ends not in joined and all(counts[end] < MOST for end in ends):
            found.append(edge)
            for end in ends:
                counts[end] += 1
    return found


def update_edges(tx: WriteTx, agent_id: str, *, now: datetime) -> None:
    wanted = set(edges_between(sql.nodes(tx, agent_id)))
    skill_nodes.join(tx, wanted, agent_id=agent_id, now=now)


def _required(nodes: Sequence[SkillNode]) -> Iterator[Dependency]:
    by_name = {name: node for node in nodes for name in (node.title, node.name)}
    for node in nodes:
        wanted = {by_name[name].entity_id: name for name in node.requires if name in by_name}
        wanted.pop(node.entity_id, None)
        for target, name in wanted.items():
            yield Dependency(
                node.entity_id, target, REQUIRES, 1.0, f"{node.name} declares that it needs {name}"
            )


def _sharing(nodes: Sequence[SkillNode]) -> Iterator[Dependency]:
    """Yield an edge for each pair that shares enough; its strength is the shared part of the smaller one."""
    words = {n.entity_id: {*map(str.casefold, (*n.triggers, *n.tags))} for n in nodes}
    triggers = {n.entity_id: {*map(str.casefold, n.triggers)} for n in nodes}
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for entity_id, held in words.items():
        for word in held:
            holders[word].append(entity_id)
    pairs = {
        (one, other)
        for held_by in holders.values()
        if len(held_by) <= COMMON
        for one in held_by
        for other in held_by
        if one < other
    }
    for one, other in pairs:
        both = words[one] & words[other]
        if len(both) >= SHARED_TAGS or triggers[one] & triggers[other]:
            strength = len(both) / min(len(words[one]), len(words[other]))
            reason = f"both: {', '.join(sorted(both))}"
            yield Dependency(one, other, RELATED, round(strength, 4), reason)


ENRICH, EMBED, ENTITIES = "skill_enrich", "skill_embed", "skill_entities"
#: A shorter body speaks of nothing.
MIN_BODY_CHARS = 20


class NodeChange(StrEnum):
    INSTALLED = "installed"
    UPDATED = "updated"
    REMOVED = "removed"


def put(
    tx: WriteTx,
    skill: SkillFile,
    *,
    rules: SkillRules,
    now: datetime,
    source: str = RECONCILER,
    agent_id: str = DEFAULT_AGENT,
) -> NodeChange | None:
    """Write the node of a skill and queue its jobs; None if it is up to date.

    Reconciling keeps the source set by an installation. Raises Conflict if another skill's folder differs only in case.
    """
    known = _named(tx, skill.name, agent_id)
    sets_source = source != RECONCILER
    there = known and (known.fingerprint, known.fs_path)
    is_current = there == (skill.fingerprint, str(skill.path))
    if known and is_current and not (sets_source and known.source != source):
        return None
    here = None if known else _namesake(tx, agent_id, skill)
    was: Adopted | None = None
    if known is not None:
        entity_id = known.entity_id
    elif here is not None:
        entity_id, was = here.id, _before(here)
    else:
        entity_id = f"skill:{agent_id}:{skill.name}"
    skill_nodes.put(
        tx,
        entity_id,
        name=skill.name,
        title=skill.title,
        description=skill.description,
        is_new=known is None and here is None,
        agent_id=agent_id,
        now=now,
    )
    row = {
        "id": entity_id,
        "agent": agent_id,
        "source": source,
        "renames": sets_source,
        "adopted": json.dumps(asdict(was)) if was else None,
        "at": clock.to_text(now),
        "importance": rules.importance,
        "decay_rate": rules.decay_rate,
        "version": skill.version,
        "author": skill.author,
        "license": skill.license,
        "role": skill.role,
        "triggers": sql.json_list(skill.triggers),
        "tags": sql.json_list(skill.tags),
        "permissions": sql.json_list(skill.permissions),
        "dependencies": sql.json_list(skill.skills),
        "fingerprint": skill.fingerprint,
        "fs_path": str(skill.path),
    }
    tx.run(sql.PUT_META, row)
    update_edges(tx, agent_id, now=now)
    _queue(tx, entity_id, skill, rules, now)
    return NodeChange.UPDATED if known else NodeChange.INSTALLED


def remove(tx: WriteTx, name: str, *, now: datetime) -> NodeChange | None:
    """Delete the node of a skill with its edges and vector; None if it is missing (SK-23).

    An entity that existed before the skill, and that memories mention, is restored.
    """
    known = _named(tx, name)
    if known is None:
        return None
    embeddings.remove(tx, known.entity_id, source_type=VectorSource.SKILL)
    found = columns.json_object(tx.value(sql.ADOPTED, (known.entity_id,)))
    is_mentioned = found and tx.value(sql.MENTIONED, (known.entity_id,)) is not None
    was = Adopted(**found) if is_mentioned else None
    tx.run(sql.DELETE, (known.entity_id,))
    skill_nodes.remove(tx, known.entity_id, was, now=now)
    update_edges(tx, known.agent_id, now=now)
    return NodeChange.REMOVED


def _named(tx: ReadTx, name: str, agent_id: str = DEFAULT_AGENT) -> SkillNode | None:
    return next((node for node in sql.nodes(tx, agent_id) if node.name == name), None)


def is_thin(skill: SkillFile, rules: SkillRules) -> bool:
    """Return whether a skill's description is too short for search."""
    return len(skill.description) < rules.min_description or not skill.triggers


def job(kind: str, entity_id: str) -> NewJob:
    """Return a job for a skill; one of each kind is open at a time."""
    return NewJob(kind=kind, dedupe_key=entity_id, payload={"entityId": entity_id}, priority=BULK)


def _namesake(tx: WriteTx, agent_id: str, skill: SkillFile) -> sql.Namesake | None:
    here = tx.row(sql.Namesake, sql.NAMESAKE, (agent_id, names.canonical(skill.name)))
    if here is not None and here.fs_path is not None and here.uninstalled_at is None:
        raise Conflict(f"another skill has the name '{skill.name}' in different case")
    return here


def _before(here: sql.Namesake) -> Adopted | None:
    """Return the entity before it becomes a skill; None for a remainder of an older skill."""
    if here.entity_type == SKILL and here.fs_path is not None:
        return None
    return Adopted(name=here.name, type=here.entity_type, description=here.description)


def _queue(tx: WriteTx, entity_id: str, skill: SkillFile, rules: SkillRules, now: datetime) -> None:
    kinds = {
        ENRICH: rules.enrich and is_thin(skill, rules),
        EMBED: rules.embed,
        ENTITIES: rules.entities and len(skill.body.strip()) >= MIN_BODY_CHARS,
    }
    for kind, is_wanted in kinds.items():
        if is_wanted:
            enqueue(tx, job(kind, entity_id), now=now, max_attempts=rules.attempts)
