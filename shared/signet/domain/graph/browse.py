"""Reading entities: lists, one with its attributes, and the picture of the whole graph."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import permutations
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.db.columns import part
from signet.db.dialect import TABLES, as_list
from signet.db.driver import sqlite
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.feedback import WeightBounds
from signet.domain.graph.models import FILE, PROJECT, UnknownEntity
from signet.domain.graph.sql import browse as sql
from signet.domain.graph.sql.visible import Visible
from signet.observe import logs
from signet.wire import knowledge as wire
from signet.wire.knowledge import Coverage, EntityHealth, GraphCounts, KnowledgeStats, PinnedEntity
from signet.wire.memory_links import LinkedEntity


class _Entity(wire.StoredEntity):
    aspectCount: int
    attributeCount: int
    constraintCount: int
    incoming: int
    outgoing: int


class _Aspect(wire.Aspect):
    attributeCount: int
    constraintCount: int


class _DrawnAspect(wire.NamedAspect):
    entityId: str


class _DrawnAttribute(wire.DrawnAttribute):
    aspectId: str


#: Edges of a map for each of its entities at most: more make it no clearer.
EDGES_PER_NODE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much of the graph to draw."""

    entities: int = 150
    aspects_per_entity: int = 6
    attributes_per_aspect: int = 4
    dependencies: int = 500


def named_in(tx: ReadTx, memory_id: str, *, reader: Reader, limit: int) -> list[LinkedEntity]:
    return Visible(tx, reader).records(LinkedEntity, sql.NAMED_IN, memory=memory_id, limit=limit)


def entities(
    tx: ReadTx, *, reader: Reader, type: str | None, q: str | None, limit: int, offset: int
) -> tuple[list[wire.CountedEntity], int]:
    visible, part_of_name = Visible(tx, reader), names.canonical(q) if q else None
    total = int(visible.value(sql.TOTAL, type=type, q=part_of_name))
    rows = visible.records(_Entity, sql.PAGE, type=type, q=part_of_name, limit=limit, offset=offset)
    return [{"entity": part(wire.StoredEntity, row), **_counts(row)} for row in rows], total


def detail(tx: ReadTx, entity_id: str, *, reader: Reader) -> wire.WholeEntity:
    """Return an entity with its task or skill fields; raises UnknownEntity."""
    for row in Visible(tx, reader).records(_Entity, sql.ONE, id=entity_id):
        counts = _counts(row)
        found: wire.WholeEntity = {
            "entity": part(wire.StoredEntity, row),
            "structuralDensity": counts,
            "aspectCount": counts["aspectCount"],
            "attributeCount": counts["attributeCount"],
            "constraintCount": counts["constraintCount"],
            "dependencyCount": counts["dependencyCount"],
            "incomingDependencyCount": row["incoming"],
            "outgoingDependencyCount": row["outgoing"],
            "suppressed": tx.value(sql.IS_SUPPRESSED, (entity_id,)) is not None,
        }
        if task := tx.record(wire.EntityTask, sql.TASK, (entity_id,)):
            found["task"] = task
        if skill := tx.record(wire.EntitySkill, sql.SKILL, (entity_id,)):
            found["skill"] = skill
        return found
    raise UnknownEntity(entityId=entity_id)


def aspects(tx: ReadTx, entity_id: str, *, reader: Reader) -> list[wire.CountedAspect]:
    """Return the aspects of an entity by weight; raises UnknownEntity."""
    name(tx, entity_id, reader=reader)
    return [
        {
            "aspect": part(wire.Aspect, row),
            "attributeCount": row["attributeCount"],
            "constraintCount": row["constraintCount"],
        }
        for row in Visible(tx, reader).records(_Aspect, sql.ASPECTS, id=entity_id)
    ]


def attributes(tx: ReadTx, *, reader: Reader, **asked: object) -> list[wire.Attribute]:
    """Return a page of an aspect's attributes, most important first.

    Takes `id` (of the entity), `aspect`, `kind` and `status` (None for any), `limit` and `offset`.
    """
    return Visible(tx, reader).records(wire.Attribute, sql.ATTRIBUTES, **asked)


def dependencies(
    tx: ReadTx, entity_id: str, direction: str, *, reader: Reader
) -> list[wire.EntityDependency]:
    """Return the `incoming`, `outgoing` or `both` edges of an entity, strongest first; raises UnknownEntity."""
    name(tx, entity_id, reader=reader)
    return Visible(tx, reader).records(wire.EntityDependency, sql.EDGES[direction], id=entity_id)


def name(tx: ReadTx, entity_id: str, *, reader: Reader) -> str:
    """Return the name of an entity; raises UnknownEntity if the reader may not see it."""
    found: str | None = Visible(tx, reader).value(sql.NAME, id=entity_id)
    if found is None:
        raise UnknownEntity(entityId=entity_id)
    return found


def draw(tx: ReadTx, extent: Extent, *, reader: Reader) -> wire.Constellation:
    """Return the most important entities with their visible aspects, attributes and edges."""
    visible = Visible(tx, reader)
    entities = visible.records(wire.NamedEntity, sql.DRAWN_ENTITIES, most=extent.entities)
    drawn: dict[str, wire.DrawnEntity] = {one["id"]: {**one, "aspects": []} for one in entities}
    ids = as_list(drawn)
    under: dict[str, wire.DrawnAspect] = {}
    for aspect in visible.records(
        _DrawnAspect, sql.DRAWN_ASPECTS, ids=ids, most=extent.aspects_per_entity
    ):
        under[aspect["id"]] = {**part(wire.NamedAspect, aspect), "attributes": []}
        drawn[aspect["entityId"]]["aspects"].append(under[aspect["id"]])
    for said in visible.records(
        _DrawnAttribute, sql.DRAWN_ATTRIBUTES, ids=as_list(under), most=extent.attributes_per_aspect
    ):
        under[said["aspectId"]]["attributes"].append(part(wire.DrawnAttribute, said))
    edges = visible.records(wire.DrawnEdge, sql.DRAWN_EDGES, ids=ids, most=extent.dependencies)
    return {"dependencies": edges, "entities": list(drawn.values())}


def columns(
    tx: ReadTx,
    *,
    limit: int,
    least: int,
    kinds: Sequence[str],
    project: str | None = None,
    files: Sequence[tuple[str, str, int]] = (),
    reader: Reader,
) -> wire.GraphColumns:
    """Return the most mentioned entities and their edges, as columns.

    Projects and `files` (project, path and number of sessions) are entities too. Excludes groups of pieces, and
    unpinned entities with fewer than `least` mentions.
    """
    visible = Visible(tx, reader)
    asked = {"least": least, "kinds": as_list(kinds) if kinds else None, "project": project}
    nodes = visible.rows(sql.Node, sql.NODES, most=limit, **asked)
    ids = as_list(node.id for node in nodes)
    links = _seen_links(visible, [node.id for node in nodes])[: EDGES_PER_NODE * limit]
    mentions = visible.tuples(sql.PROJECTS_OF, ids=ids, project=project)
    named = {node.community_id: node.name for node in sorted(nodes, key=lambda one: one.mentions)}
    nodes, links = _with_projects(nodes, links, mentions, files, set(kinds))
    members = Counter(node.community_id for node in nodes if node.community_id)
    known = [community for community, _ in members.most_common()]
    kind_names = sorted({node.kind for node in nodes})
    places = {community: place for place, community in enumerate(known)}
    kind_places = {kind: place for place, kind in enumerate(kind_names)}
    return {
        "ids": [node.id for node in nodes],
        "names": [node.name for node in nodes],
        "kinds": [kind_places[node.kind] for node in nodes],
        "mentions": [node.mentions for node in nodes],
        "communities": [places.get(node.community_id or "", -1) for node in nodes],
        "pinned": [int(bool(node.pinned)) for node in nodes],
        "kindNames": kind_names,
        "communityNames": [named.get(one, _short(one)) for one in known],
        "sources": [source for source, _ in links],
        "targets": [target for _, target in links],
        "total": nodes[0].total if nodes else 0,
    }


def _with_projects(
    nodes: Sequence[sql.Node],
    links: Sequence[tuple[int, int]],
    mentions: Sequence[tuple[int, str, int]],
    files: Sequence[tuple[str, str, int]],
    kinds: set[str],
) -> tuple[list[sql.Node], list[tuple[int, int]]]:
    """Add the nodes and links of projects and files; an entity mostly of one project joins its cluster."""
    sizes: Counter[str] = Counter()
    mostly: dict[int, str] = {}
    for place, project, times in mentions:
        sizes[project] += times
        if 2 * times > nodes[place].mentions:
            mostly[place] = project
    sizes.update(project for project, _, _ in files)
    projects = [one for one, _ in sizes.most_common()] if not kinds or PROJECT in kinds else []
    # A name that a project has, in any case, is the project.
    named = {node.name.casefold(): place for place, node in enumerate(nodes)}
    own = {one: named[name] for one in projects if (name := _short(one).casefold()) in named}
    projects, of_place = [one for one in projects if one not in own], {v: k for k, v in own.items()}
    shown = files if not kinds or FILE in kinds else ()
    total = (nodes[0].total if nodes else 0) + len(projects) + len(shown)
    clustered = (
        node._replace(
            total=total,
            kind=PROJECT if place in of_place else node.kind,
            community_id=of_place.get(place) or mostly.get(place, node.community_id),
        )
        for place, node in enumerate(nodes)
    )
    added = [
        *(
            sql.Node(f"project:{one}", _short(one), PROJECT, sizes[one], one, 0, total)
            for one in projects
        ),
        *(
            sql.Node(
                f"file:{path}", path.removeprefix(f"{project}/"), FILE, times, project, 0, total
            )
            for project, path, times in shown
        ),
    ]
    places = own | {project: len(nodes) + at for at, project in enumerate(projects)}
    of_files = ((len(nodes) + len(projects) + at, one[0]) for at, one in enumerate(shown))
    of_entities = ((place, project) for place, project, _ in mentions)
    new = [(at, places[one]) for at, one in (*of_entities, *of_files) if places.get(one, at) != at]
    return [*clustered, *added], [*links, *new]


def _short(name: str) -> str:
    return name.rpartition("/")[2] or name


def _seen_links(visible: Visible, ids: Sequence[str]) -> list[tuple[int, int]]:
    """Return the visible edges as positions, strongest first.

    An edge names no memory (see `Visible`): it is visible if some visible memory names both ends. Only edges between
    entities that a hidden memory names together need that check.
    """
    links = [(one, other) for one, other, _ in visible.tuples(sql.LINKS, ids=as_list(ids))]
    hidden = _by_first(visible.tuples(sql.HIDDEN, ids=as_list(ids)))
    together = {pair for places in hidden.values() for pair in permutations(places, 2)}
    doubtful = together.intersection(links)
    if not doubtful:
        return links
    ends = sorted({place for link in doubtful for place in link})
    told = visible.tuples(sql.SEEN, ids=as_list(ids[place] for place in ends))
    seen = {ends[at]: memories for at, memories in _by_first(told).items()}
    unseen = {(a, b) for a, b in doubtful if seen.get(a, set()).isdisjoint(seen.get(b, set()))}
    return [link for link in links if link not in unseen]


def _by_first(rows: Sequence[tuple[int, int]]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for first, second in rows:
        found[first].add(second)
    return found


def _counts(row: _Entity) -> wire.EntityCounts:
    return {
        "aspectCount": row["aspectCount"],
        "attributeCount": row["attributeCount"],
        "constraintCount": row["constraintCount"],
        "dependencyCount": row["incoming"] + row["outgoing"],
    }


#: How recent an update by feedback is to be counted.
RECENT = timedelta(days=7)
#: A win rate that moves by less is stable.
TREND = 0.1

#: The counts without a graph.
NO_STATS = cast("KnowledgeStats", dict.fromkeys(KnowledgeStats.__annotations__, 0))


class _Counts(GraphCounts):
    mentioning: int
    covered: int


class _Comparison(NamedTuple):
    """Whether the predictor beat the baseline in a session about an entity, and the margin."""

    entity_id: str
    name: str
    won: int
    margin: float


def graph_counts(
    tx: ReadTx, *, agent_id: str, bounds: WeightBounds, now: datetime
) -> KnowledgeStats:
    recent = clock.to_text(now - RECENT)
    asked = {"agent": agent_id, "recent": recent, "high": bounds.high, "low": bounds.low}
    [found] = tx.records(_Counts, sql.COUNTS, asked)
    return {**part(GraphCounts, found), **coverage(found["mentioning"], found["covered"])}


def coverage(mentioning: int, covered: int) -> Coverage:
    """Return the share of memories with entities that are also the source of an attribute."""
    percent = min(100.0, round(100 * covered / mentioning, 1)) if mentioning else 0.0
    return {"unassignedMemoryCount": max(0, mentioning - covered), "coveragePercent": percent}


def entity_health(
    tx: ReadTx, *, reader: Reader, since: str | None, least: int
) -> list[EntityHealth]:
    """Return the results of each entity with at least `least` comparisons, best first."""
    of_entity = defaultdict[str, list[_Comparison]](list)
    for row in Visible(tx, reader).rows(_Comparison, sql.COMPARISONS, since=since):
        of_entity[row.entity_id].append(row)
    found = [_health(rows) for rows in of_entity.values() if len(rows) >= least]
    return sorted(
        found, key=lambda one: (-one["winRate"], -one["comparisonCount"], one["entityName"])
    )


def trend(won: Sequence[bool]) -> str:
    """Return whether the newer half of the outcomes (oldest first) is better than the older half."""
    half = len(won) // 2
    if not half:
        return "stable"
    change = _rate(won[half:]) - _rate(won[:half])
    return "improving" if change > TREND else "declining" if change < -TREND else "stable"


def _health(rows: Sequence[_Comparison]) -> EntityHealth:
    won = [bool(row.won) for row in rows]
    return {
        "entityId": rows[-1].entity_id,
        "entityName": rows[-1].name,
        "comparisonCount": len(rows),
        "winRate": round(_rate(won), 4),
        "avgMargin": round(sum(row.margin for row in rows) / len(rows), 4),
        "trend": trend(won),
    }


def _rate(won: Sequence[bool]) -> float:
    return sum(won) / len(won)


class PinType(StrEnum):
    PIN = "pin"
    SUPPRESS = "suppress"


WEIGHTS = {PinType.PIN: 1.25, PinType.SUPPRESS: 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A person's wish for an entity; without a weight it gets the default of its type."""

    type: PinType = PinType.PIN
    weight: float | None = None
    reason: str | None = None


def put_pin(tx: WriteTx, entity_id: str, pin: Pin, *, reader: Reader, now: datetime) -> float:
    """Pin or suppress an entity and return the weight; raises UnknownEntity."""
    name(tx, entity_id, reader=reader)
    agent_id, at = reader.agent_id, clock.to_text(now)
    weight = WEIGHTS[pin.type] if pin.weight is None else pin.weight
    tx.run(
        sql.PUT_PIN, (ids.new_ordered_id(), pin.type, weight, pin.reason, at, entity_id, agent_id)
    )
    pinned_at = at if pin.type is PinType.PIN else None
    tx.run(sql.MARK_PINNED, (pinned_at is not None, pinned_at, entity_id, agent_id))
    return weight


def clear_pin(tx: WriteTx, entity_id: str, *, agent_id: str) -> None:
    """Remove a pin or suppression; raises UnknownEntity."""
    if not tx.run(sql.MARK_PINNED, (False, None, entity_id, agent_id)):
        raise UnknownEntity(entityId=entity_id)
    tx.run(sql.DELETE_PIN, (entity_id, agent_id))


def pinned(tx: ReadTx, type: PinType, *, reader: Reader) -> list[PinnedEntity]:
    statement = sql.SUPPRESSED if type is PinType.SUPPRESS else sql.PINNED
    return Visible(tx, reader).records(PinnedEntity, statement)


P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")

log = logs.get("memory")

NEEDED = frozenset(
    (
        "entities entities_fts memory_entity_mentions entity_aspects entity_attributes "
        "entity_dependencies entity_pinning entity_communities community_runs task_meta "
        "skill_meta"
    ).split()
)


def tolerate_missing_tables(
    tx: ReadTx,
    otherwise: U,
    look: Callable[Concatenate[ReadTx, P], T],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T | U:
    """Return the result of `look`, or `otherwise` if it fails because tables of the graph are missing."""
    try:
        return look(tx, *args, **kwargs)
    except sqlite.OperationalError:
        missing = NEEDED - {row[0] for row in tx.tuples(TABLES)}
        if not missing:
            raise
        log.warning("knowledge.tables_missing", tables=sorted(missing))
        return otherwise
