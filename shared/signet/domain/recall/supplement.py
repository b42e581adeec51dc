"""Supplements to the results: reasons of decisions, entities, their cards, transcripts, and skills (SK-41).

Skills are listed in addition to memories, and never rank first among them.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signet.domain.graph.models import SKILL, Entity
from signet.domain.recall.models import Filters, FoundBy, Hit
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading
from signet.domain.recall.sql import supplement as sql
from signet.domain.skills import files as skills
from signet.domain.skills.files import SkillHit
from signet.domain.transcripts import withheld

MAX_ASPECTS = 10
MAX_VALUES = 5
MAX_CONSTRAINTS = 10
MAX_RELATED = 8
MIN_RELATED_STRENGTH = 0.3

CARD_SHARE = 0.3
MIN_CARDS = 3
CARD_CHARS = 900
CARD_IMPORTANCE = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityAspect:
    """An aspect of an entity with its values: (text, status, importance)."""

    name: str
    values: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """An entity with its aspects."""

    entity: Entity
    aspects: tuple[EntityAspect, ...]
    constraints: tuple[str, ...]
    related: tuple[str, ...]


def profiles(run: Run) -> list[Profile]:
    """Return the visible profile of each entity that the question names, without empty ones."""
    focal = run.focal
    if run.query.reader.scope is not None:
        ids = json.dumps([entity.id for entity in focal])
        rows = run.tx.all(sql.IN_SCOPE.format(where=run.where.sql), (ids, *run.where.params))
        inside = {row[0] for row in rows}
        focal = [entity for entity in focal if entity.id in inside]
    found = [_profile(run, entity) for entity in focal]
    return [profile for profile in found if profile.aspects or profile.constraints]


def as_entity(profile: Profile) -> Mapping[str, object]:
    """Return a profile for the answer (REC-25)."""
    return {
        "name": profile.entity.name,
        "type": profile.entity.type,
        "aspects": [
            {
                "name": aspect.name,
                "attributes": [
                    {"content": text, "status": status, "importance": importance}
                    for text, status, importance in aspect.values
                ],
            }
            for aspect in profile.aspects
        ],
    }


def build(profiles: Sequence[Profile], hits: Sequence[Hit], *, limit: int) -> list[Hit]:
    """Return a card for each entity, up to the number of free places on the page (REC-26)."""
    room = min(limit - len(hits), max(MIN_CARDS, math.ceil(CARD_SHARE * limit)))
    below = min((hit.score for hit in hits), default=1.0) - 0.01
    return [_card(profile, below) for profile in profiles[: max(0, room)]]


def density(profile: Profile) -> float:
    """Return how complete a profile is, 0..1."""
    values = sum(len(aspect.values) for aspect in profile.aspects)
    known = 0.15 * len(profile.aspects) + 0.05 * values + 0.2 * len(profile.constraints)
    return min(1.0, known)


def _profile(run: Run, entity: Entity) -> Profile:
    tx, where = run.tx, run.where
    values_of = sql.VALUES.format(where=where.sql)
    aspects = [
        EntityAspect(
            name=name,
            values=tuple(tuple(r) for r in tx.all(values_of, (id_, *where.params, MAX_VALUES))),
        )
        for id_, name in tx.all(sql.ASPECTS, (entity.id, MAX_ASPECTS))
    ]
    constraints = tx.all(
        sql.CONSTRAINTS.format(where=where.sql), (entity.id, *where.params, MAX_CONSTRAINTS)
    )
    related = tx.all(
        sql.RELATED.format(where=where.sql),
        (entity.id, MIN_RELATED_STRENGTH, *where.params, MAX_RELATED),
    )
    return Profile(
        entity=entity,
        aspects=tuple(aspect for aspect in aspects if aspect.values),
        constraints=tuple(row[0] for row in constraints),
        related=tuple(row[0] for row in related),
    )


def _card(profile: Profile, below: float) -> Hit:
    lines = [f"{profile.entity.name} ({profile.entity.type})"]
    lines += [f"{a.name}: {'; '.join(text for text, _, _ in a.values)}" for a in profile.aspects]
    if profile.constraints:
        lines.append(f"Constraints: {'; '.join(profile.constraints)}")
    if profile.related:
        lines.append(f"Related: {', '.join(profile.related)}")
    return Hit(
        id=f"constructed:{profile.entity.name}",
        content="\n".join(lines)[:CARD_CHARS],
        score=max(0.01, min(density(profile), below)),
        source=FoundBy.CONSTRUCTED,
        type="semantic",
        importance=CARD_IMPORTANCE,
        created_at="",
        supplementary=True,
    )


#: Reasons shown with decisions (REC-24).
MAX_RATIONALE = 10
#: Total characters of all transcripts in one answer.
MAX_CHARS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """Supplements of one answer."""

    hits: tuple[Hit, ...] = ()
    entities: tuple[Mapping[str, object], ...] | None = None
    sources: Mapping[str, str] | None = None


def find(run: Run, hits: Sequence[Hit]) -> Extra:
    """Return the supplements that the query requests."""
    query = run.query
    why: list[Hit] = run.attempt("rationale", [], _reasons, run, hits)
    known: list[Profile] = []
    if query.entities or query.cards:
        known = run.attempt("entities", [], profiles, run)
    built = build(known, hits, limit=query.size) if query.cards else []
    sources: Mapping[str, str] = {}
    if query.expand:
        sources = run.attempt("expand", {}, _sources, run, hits)
    return Extra(
        hits=(*why, *built),
        entities=tuple(as_entity(profile) for profile in known) if query.entities else None,
        sources=sources or None,
    )


def _reasons(run: Run, hits: Sequence[Hit]) -> list[Hit]:
    """Return memories of type rationale that share an entity with decisions among the results (REC-24)."""
    decisions = [hit.id for hit in hits if hit.type == "decision"]
    if not decisions or not run.settings.graph:
        return []
    shown = {hit.id for hit in hits}
    entities = run.tx.all(sql.ENTITIES_OF, (json.dumps(decisions),))
    if not entities:
        return []
    is_few = sum(row[1] for row in entities) <= sql.FEW_MENTIONS
    newest = sql.AMONG_MENTIONS if is_few else sql.AMONG_NEWEST
    most = MAX_RATIONALE + len(shown)
    asked = (json.dumps([row[0] for row in entities]), *run.where.params, most)
    found = [row[0] for row in run.tx.all(newest.format(where=run.where.sql), asked)]
    rows = reading.rows(run.tx, found, run.where)
    reached = [
        reading.hit(rows[seq], score=0.0, source=FoundBy.GRAPH, supplementary=True)
        for seq in found
        if seq in rows
    ]
    return [hit for hit in reached if hit.id not in shown][:MAX_RATIONALE]


def _sources(run: Run, hits: Sequence[Hit]) -> dict[str, str]:
    """Return transcripts of the caller's agent by session key, cut to `MAX_CHARS` in total (REC-27).

    The client chose the source names: they give a reader no access to sessions of other projects.
    """
    keys = list(dict.fromkeys(hit.source_id for hit in hits if hit.source_id))
    parents = {row[0]: row[1] for row in run.tx.all(sql.PARENTS, (json.dumps(keys),))}
    wanted = list(dict.fromkeys(parents.get(key, key) for key in keys))
    reader = run.query.reader
    asked = (MAX_CHARS, reader.agent_id, reader.project, json.dumps(wanted))
    known = withheld.statements(run.tx, reader.agent_id)
    rows = run.tx.all(sql.TRANSCRIPTS, asked)
    found = {row[0]: withheld.without(row[1], known) for row in rows}
    kept: dict[str, str] = {}
    room = MAX_CHARS
    for key in wanted:
        if room > 0 and (text := found.get(key)):
            kept[key] = text[:room]
            room -= len(kept[key])
    return kept


#: Skills in an answer with memories.
BESIDE = 2
#: Minimum cosine of a skill for a question that asks for skills.
ASKED_NEAR = 0.2


def find_skills(run: Run, hits: Sequence[Hit]) -> list[Hit]:
    """Return the skills that match the question, best first."""
    query = run.query
    if not run.settings.skills or query.as_of is not None:
        return []
    if query.filters.type == SKILL:
        room = max(0, query.size - len(hits))
        least = query.min_score or 0.0
        return [_skill_hit(one, is_beside=False) for one in _asked(run, room) if one.score >= least]
    if query.filters != Filters() or query.reader.scope or query.reader.project:
        return []
    return [_skill_hit(found, is_beside=True) for found in _near(run, BESIDE, skills.NEAR)]


def _asked(run: Run, room: int) -> list[SkillHit]:
    """Return skills by meaning; by words if that finds none, or without vectors."""
    near = _near(run, room, ASKED_NEAR)
    return near or skills.worded(
        run.tx,
        run.words,
        now=run.now,
        limit=room,
        min_importance=run.settings.skill_importance,
        agent_id=run.query.reader.agent_id,
        limits=run.settings.skill_limits,
    )


def _near(run: Run, limit: int, least: float) -> list[SkillHit]:
    return skills.near(
        run.tx,
        run.query_vector,
        now=run.now,
        model=run.settings.embedding_model,
        limit=limit,
        least=least,
        min_importance=run.settings.skill_importance,
        agent_id=run.query.reader.agent_id,
        limits=run.settings.skill_limits,
    )


def _skill_hit(found: SkillHit, *, is_beside: bool) -> Hit:
    node = found.node
    return Hit(
        id=node.entity_id,
        content=f"{node.name}: {node.description}" if node.description else node.name,
        score=min(1.0, found.score),
        source=FoundBy.SKILL,
        type=SKILL,
        tags=",".join(node.tags) or None,
        importance=round(found.importance, 4),
        created_at=node.installed_at,
        source_type=SKILL,
        source_id=node.name,
        access_count=node.use_count,
        last_accessed=node.last_used_at,
        supplementary=is_beside,
    )
