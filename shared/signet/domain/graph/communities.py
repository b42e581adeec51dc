"""Group an agent's entities into communities: computed from a snapshot, replaced in one transaction (KG-17).

Writes nothing if neither entities nor dependencies have changed since the last run. IDs number the groups by their
oldest members, so that a group keeps its ID unless an older group appears or disappears.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.graph.sql import browse as sql
from signet.domain.graph.sql.browse import Member
from signet.domain.graph.sql.visible import Visible
from signet.queue.job_context import JobContext
from signet.wire import knowledge as wire
from signet.wire.knowledge import Communities

#: A move must be worth more than what is lost in rounding.
EPSILON = 1e-12
#: Bounds that keep a run short.
STRONG = 0.6
MODERATE = 0.3

#: Node to neighbour to weight; each edge stands under both of its ends.
Graph = Sequence[Mapping[int, float]]


class Quality(StrEnum):
    """How clearly a graph is divided into groups."""

    STRONG = "strong"
    MODERATE = "moderate"
    FRAGMENTED = "fragmented"


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """The groups of a graph, ordered by their first node; nodes are in order."""

    groups: tuple[tuple[int, ...], ...]
    modularity: float


def quality_name(modularity: float) -> Quality:
    if modularity > STRONG:
        return Quality.STRONG
    return Quality.MODERATE if modularity >= MODERATE else Quality.FRAGMENTED


def divide(graph: Graph) -> Division:
    """Return the groups of an undirected graph without self loops; isolated nodes are in none (KG-16)."""
    total = sum(sum(edges.values()) for edges in graph)
    if not total:
        return Division(groups=(), modularity=0.0)
    level: list[dict[int, float]] = [dict(edges) for edges in graph]
    loops = [0.0] * len(level)
    group_of = list(range(len(level)))
    while True:
        moved = _settle(level, loops, total)
        numbers = {group: number for number, group in enumerate(dict.fromkeys(moved))}
        if len(numbers) == len(level):
            break
        numbered = [numbers[group] for group in moved]
        group_of = [numbered[group] for group in group_of]
        level, loops = _folded(level, loops, numbered, len(numbers))
    members: dict[int, list[int]] = {}
    for node, group in enumerate(group_of):
        if graph[node]:
            members.setdefault(group, []).append(node)
    return Division(
        groups=tuple(tuple(nodes) for nodes in members.values()),
        modularity=_modularity(graph, group_of, total),
    )


def cohesion(graph: Graph, nodes: Sequence[int]) -> float:
    """Return the share of possible edges that a group has, 0 for fewer than two nodes."""
    if len(nodes) < 2:
        return 0.0
    inside = set(nodes)
    ends = sum(len(inside & graph[node].keys()) for node in nodes)
    return ends / (len(nodes) * (len(nodes) - 1))


def _settle(graph: Graph, loops: Sequence[float], total: float) -> list[int]:
    """Return the group of each node once no move improves it; `total` is twice the weight of all edges."""
    group_of = list(range(len(graph)))
    degree = [sum(edges.values()) + loop for edges, loop in zip(graph, loops, strict=True)]
    weight = list(degree)
    is_moving = True
    while is_moving:
        is_moving = False
        for node, edges in enumerate(graph):
            home = group_of[node]
            weight[home] -= degree[node]
            to_group = {home: 0.0}
            for other, strength in edges.items():
                group = group_of[other]
                to_group[group] = to_group.get(group, 0.0) + strength
            share = degree[node] / total
            best, gain = home, to_group[home] - share * weight[home]
            for group, strength in sorted(to_group.items()):
                better = strength - share * weight[group]
                if better > gain + EPSILON:
                    best, gain = group, better
            weight[best] += degree[node]
            if best != home:
                group_of[node] = best
                is_moving = True
    return group_of


def _folded(
    graph: Graph, loops: Sequence[float], group_of: Sequence[int], count: int
) -> tuple[list[dict[int, float]], list[float]]:
    """Return the graph of the groups, and the weight inside each of them (both ends counted)."""
    folded: list[dict[int, float]] = [{} for _ in range(count)]
    inside = [0.0] * count
    for node, edges in enumerate(graph):
        group = group_of[node]
        inside[group] += loops[node]
        for other, strength in edges.items():
            target = group_of[other]
            if target == group:
                inside[group] += strength
            else:
                folded[group][target] = folded[group].get(target, 0.0) + strength
    return folded, inside


def _modularity(graph: Graph, group_of: Sequence[int], total: float) -> float:
    inside: dict[int, float] = {}
    weight: dict[int, float] = {}
    for node, edges in enumerate(graph):
        group = group_of[node]
        for other, strength in edges.items():
            weight[group] = weight.get(group, 0.0) + strength
            if group_of[other] == group:
                inside[group] = inside.get(group, 0.0) + strength
    return sum(
        inside.get(group, 0.0) / total - (all_ends / total) ** 2
        for group, all_ends in weight.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """A group of entities. It has no stored name, which would outlive its entity; readers name it after a member."""

    id: str
    cohesion: float
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    agent_id: str
    communities: tuple[Community, ...]
    #: Entities that change their community: (community or None, entity).
    moves: tuple[tuple[str | None, str], ...]
    modularity: float
    #: Which graph this was made from, and which the communities before were made from.
    signature: str
    before: str | None


#: The answer without a graph.
NOTHING: Communities = {"items": [], "count": 0, "modularity": 0.0, "quality": quality_name(0.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The graph of an agent, and the signature of the graph of its stored communities."""

    entities: Sequence[Member]
    edges: Sequence[tuple[str, str, float]]
    signature: str
    before: str | None

    @property
    def is_new(self) -> bool:
        return self.signature != self.before


def agents(tx: ReadTx) -> list[str]:
    return tx.column(sql.AGENTS)


def outgrown(tx: ReadTx) -> list[str]:
    """Return the agents without communities, or whose graph has grown by half since the last run."""
    return tx.column(sql.OUTGROWN)


def overview(tx: ReadTx, *, reader: Reader) -> Communities:
    """Return the visible communities, largest first, named after the best known visible member."""
    modularity, _ = sql.last_run(tx, reader.agent_id)
    found = Visible(tx, reader).records(wire.EntityCommunity, sql.COMMUNITIES)
    quality = quality_name(modularity)
    return {"items": found, "count": len(found), "modularity": modularity, "quality": quality}


def snapshot(tx: ReadTx, agent_id: str) -> Snapshot:
    entities, edges = (
        tx.rows(sql.Member, sql.COMMUNITY_ENTITIES, (agent_id,)),
        tx.tuples(sql.COMMUNITY_EDGES, (agent_id,)),
    )
    digest = hashlib.sha256()
    for row in (*entities, *edges):
        digest.update(json.dumps(row[:3]).encode())
    return Snapshot(
        entities=entities,
        edges=edges,
        signature=digest.hexdigest(),
        before=sql.last_run(tx, agent_id)[1],
    )


def run(job: JobContext) -> None:
    """Find the communities of all agents (KG-17, KG-18), one transaction each; raises LeaseLost, Cancelled."""
    found = 0
    for agent_id in job.db.read(agents):
        made = compute(job.db.read(snapshot, agent_id), agent_id)
        job.check()
        if made is not None:
            found += len(made.communities)
            job.progress(partial(replace, made=made, now=clock.now()))
    job.commit(lambda tx: {"communities": found})


def compute(found: Snapshot, agent_id: str) -> Clustering | None:
    """Return the communities of a graph, None if they are up to date. No database."""
    if not found.is_new:
        return None
    place = {row.id: number for number, row in enumerate(found.entities)}
    graph: list[dict[int, float]] = [{} for _ in found.entities]
    for source, target, weight in found.edges:
        if source in place and target in place:
            graph[place[source]][place[target]] = weight
            graph[place[target]][place[source]] = weight
    division = divide(graph)
    made = tuple(
        Community(
            id=f"community_{agent_id}_{number}",
            cohesion=round(cohesion(graph, nodes), 6),
            members=tuple(found.entities[node].id for node in nodes),
        )
        for number, nodes in enumerate(division.groups)
    )
    return Clustering(
        agent_id=agent_id,
        communities=made,
        moves=tuple(_moves(found.entities, made)),
        modularity=round(division.modularity, 6),
        signature=found.signature,
        before=found.before,
    )


def replace(tx: WriteTx, made: Clustering, *, now: datetime) -> bool:
    """Replace the communities of the agent; False if another process has done so since the snapshot."""
    if sql.last_run(tx, made.agent_id)[1] != made.before:
        return False
    agent_id, at = made.agent_id, clock.to_text(now)
    tx.many(
        sql.PUT_COMMUNITY,
        [(one.id, agent_id, one.cohesion, len(one.members), at, at) for one in made.communities],
    )
    tx.many(sql.MOVE_ENTITY, made.moves)
    tx.run(sql.DELETE_OTHERS, (agent_id, as_list(one.id for one in made.communities)))
    quality = quality_name(made.modularity)
    tx.run(sql.NOTE_RUN, (agent_id, made.modularity, quality, made.signature, at))
    return True


def _moves(
    entities: Sequence[Member], made: Sequence[Community]
) -> Iterator[tuple[str | None, str]]:
    belongs = {id_: one.id for one in made for id_ in one.members}
    for row in entities:
        if belongs.get(row.id) != row.community_id:
            yield belongs.get(row.id), row.id
