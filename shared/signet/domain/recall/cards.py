"""What the graph knows of the entities a question names: as data (REC-25) and as cards to read (REC-26)."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signet.domain.graph.models import Entity
from signet.domain.recall.models import Hit, Source
from signet.domain.recall.run import Run
from signet.domain.recall.sql import cards as sql

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
class Aspect:
    """One side of an entity with its values: (text, status, importance)."""

    name: str
    values: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known of one entity."""

    entity: Entity
    aspects: tuple[Aspect, ...]
    constraints: tuple[str, ...]
    related: tuple[str, ...]


def profiles(run: Run) -> list[Profile]:
    """Return what the reader may see of each entity that the question names, empty ones left out."""
    focal = run.focal
    if run.query.reader.scope is not None:
        ids = json.dumps([entity.id for entity in focal])
        rows = run.tx.all(sql.IN_SCOPE.format(where=run.where.sql), (ids, *run.where.params))
        inside = {row[0] for row in rows}
        focal = [entity for entity in focal if entity.id in inside]
    found = [_profile(run, entity) for entity in focal]
    return [profile for profile in found if profile.aspects or profile.constraints]


def as_entity(profile: Profile) -> Mapping[str, object]:
    """Return a profile as it stands in the answer (REC-25)."""
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
    """Return a card for each entity, as many as the page has room for below the results (REC-26)."""
    room = min(limit - len(hits), max(MIN_CARDS, math.ceil(CARD_SHARE * limit)))
    below = min((hit.score for hit in hits), default=1.0) - 0.01
    return [_card(profile, below) for profile in profiles[: max(0, room)]]


def density(profile: Profile) -> float:
    """Return how much is known of an entity, 0..1."""
    values = sum(len(aspect.values) for aspect in profile.aspects)
    known = 0.15 * len(profile.aspects) + 0.05 * values + 0.2 * len(profile.constraints)
    return min(1.0, known)


def _profile(run: Run, entity: Entity) -> Profile:
    tx, where = run.tx, run.where
    values_of = sql.VALUES.format(where=where.sql)
    aspects = [
        Aspect(
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
        source=Source.CONSTRUCTED,
        type="semantic",
        importance=CARD_IMPORTANCE,
        created_at="",
        supplementary=True,
    )
