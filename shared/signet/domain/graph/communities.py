"""Which entities of an agent belong together: computed from a snapshot, replaced in one transaction (KG-17).

Nothing is written when neither entities nor dependencies have changed since the last run. Ids count the groups in
the order of their oldest members, so that a group keeps its id while those before it stay.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.db.visibility import Reader
from signet.domain.graph import louvain
from signet.domain.graph.louvain import Quality
from signet.domain.graph.sql.visible import Visible as Sight

_ENTITIES = "SELECT id, name, mentions, community_id FROM entities WHERE agent_id = ? ORDER BY id"
#: Of parallel edges, in either direction, the largest counts.
_EDGES = """
SELECT min(source_entity_id, target_entity_id), max(source_entity_id, target_entity_id),
       max(max(0, strength) * max(0, coalesce(confidence, 0.7))) AS weight
FROM entity_dependencies WHERE agent_id = ? AND source_entity_id <> target_entity_id
GROUP BY 1, 2 HAVING weight > 0 ORDER BY 1, 2
"""
_LAST = "SELECT modularity, graph_signature FROM community_runs WHERE agent_id = ?"
_LIST = """
SELECT id, name, cohesion, member_count, created_at, updated_at FROM (
  SELECT c.id, e.name, c.cohesion, count(*) AS member_count, c.created_at, c.updated_at, max(e.mentions)
  FROM entity_communities c JOIN entities e ON e.community_id = c.id
  WHERE c.agent_id = :agent AND {entity} GROUP BY c.id)
ORDER BY member_count DESC, name, id
"""
_AGENTS = "SELECT agent_id FROM entities UNION SELECT agent_id FROM entity_communities ORDER BY 1"

_KEEP = """
INSERT INTO entity_communities (id, agent_id, name, cohesion, member_count, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, cohesion = excluded.cohesion,
    member_count = excluded.member_count, updated_at = excluded.updated_at
"""
_MOVE = "UPDATE entities SET community_id = ? WHERE id = ?"
_DROP = """
DELETE FROM entity_communities WHERE agent_id = ? AND id NOT IN (SELECT value FROM json_each(?))
"""
_NOTE = """
INSERT INTO community_runs (agent_id, modularity, quality, graph_signature, ran_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (agent_id) DO UPDATE SET modularity = excluded.modularity, quality = excluded.quality,
    graph_signature = excluded.graph_signature, ran_at = excluded.ran_at
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """A group of entities, named after the one with the most mentions."""

    id: str
    name: str
    cohesion: float
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """All communities of one agent, and of which graph they are."""

    agent_id: str
    communities: tuple[Community, ...]
    #: Entities that change their community: (community or None, entity).
    moves: tuple[tuple[str | None, str], ...]
    modularity: float
    #: Which graph this was made from, and which the communities before were made from.
    signature: str
    before: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The communities that are stored, largest first, and how clear the division is."""

    rows: Sequence[Row] = ()
    modularity: float = 0.0

    @property
    def quality(self) -> Quality:
        """Return the word for the modularity."""
        return louvain.quality(self.modularity)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Snapshot:
    entities: Sequence[Row]
    edges: Sequence[Row]
    signature: str
    before: str | None

    @property
    def is_new(self) -> bool:
        """Return whether this is another graph than the one whose communities are known."""
        return self.signature != self.before


def agents(tx: ReadTx) -> list[str]:
    """Return the agents that have a graph."""
    return [row[0] for row in tx.all(_AGENTS)]


def overview(tx: ReadTx, *, reader: Reader) -> Overview:
    """Return what this reader may see of the communities of their agent, named after the best known member."""
    last, sight = tx.one(_LAST, (reader.agent_id,)), Sight.of(reader)
    listed = _LIST.format(entity=sight.entity())
    return Overview(
        rows=tx.all(listed, {"agent": reader.agent_id, **sight.params}),
        modularity=(last["modularity"] if last else None) or 0.0,
    )


def snapshot(tx: ReadTx, agent_id: str) -> _Snapshot:
    """Return the graph of an agent, and whether its communities are known already."""
    entities = tx.all(_ENTITIES, (agent_id,))
    edges = tx.all(_EDGES, (agent_id,))
    digest = hashlib.sha256()
    for row in (*entities, *edges):
        digest.update(json.dumps(tuple(row)[:3]).encode())
    return _Snapshot(
        entities=entities,
        edges=edges,
        signature=digest.hexdigest(),
        before=_made_from(tx, agent_id),
    )


def compute(found: _Snapshot, agent_id: str) -> Clustering | None:
    """Return the communities of a graph, None when they are known already. No database."""
    if not found.is_new:
        return None
    place = {row["id"]: number for number, row in enumerate(found.entities)}
    graph: list[dict[int, float]] = [{} for _ in found.entities]
    for source, target, weight in found.edges:
        if source in place and target in place:
            graph[place[source]][place[target]] = weight
            graph[place[target]][place[source]] = weight
    division = louvain.divide(graph)
    made = tuple(
        Community(
            id=f"community_{agent_id}_{number}",
            name=_name([found.entities[node] for node in nodes]),
            cohesion=round(louvain.cohesion(graph, nodes), 6),
            members=tuple(found.entities[node]["id"] for node in nodes),
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
    """Make these the communities of the agent; those of other agents stay.

    False, and nothing is written, when somebody else has replaced them since the snapshot.
    """
    if _made_from(tx, made.agent_id) != made.before:
        return False
    at = clock.to_text(now)
    tx.many(
        _KEEP,
        [
            (one.id, made.agent_id, one.name, one.cohesion, len(one.members), at, at)
            for one in made.communities
        ],
    )
    tx.many(_MOVE, made.moves)
    tx.run(_DROP, (made.agent_id, json.dumps([one.id for one in made.communities])))
    quality = louvain.quality(made.modularity)
    tx.run(_NOTE, (made.agent_id, made.modularity, quality, made.signature, at))
    return True


def _made_from(tx: ReadTx, agent_id: str) -> str | None:
    """Return from which graph the stored communities were made."""
    last = tx.one(_LAST, (agent_id,))
    return last["graph_signature"] if last else None


def _moves(entities: Sequence[Row], made: Sequence[Community]) -> Iterator[tuple[str | None, str]]:
    belongs = {id_: one.id for one in made for id_ in one.members}
    for row in entities:
        if belongs.get(row["id"]) != row["community_id"]:
            yield belongs.get(row["id"]), row["id"]


def _name(members: Sequence[Row]) -> str:
    """Return the name of the member with the most mentions, the oldest of several."""
    name: str = max(members, key=lambda row: row["mentions"])["name"]
    return name
