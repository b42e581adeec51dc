"""Communities in the store: replaced as a whole, of one agent, and only when the graph has changed (KG-15 to KG-17)."""

import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from signet.db import WriteTx
from signet.db.visibility import Reader
from signet.domain.graph import communities

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)


def an_entity(tx: WriteTx, name: str, agent_id: str = "default", mentions: int = 1) -> None:
    tx.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, mentions, agent_id, created_at, updated_at)"
        " VALUES (?, ?, ?, 'tool', ?, ?, '', '')",
        (f"{agent_id}/{name}", name, name.lower(), mentions, agent_id),
    )


def an_edge(
    tx: WriteTx,
    source: str,
    target: str,
    agent_id: str = "default",
    *,
    type: str = "uses",
    strength: float = 1.0,
    confidence: float | None = 1.0,
) -> None:
    tx.run(
        "INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type, strength,"
        " confidence, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, '', '')",
        (
            f"{agent_id} {source} {type} {target}",
            agent_id,
            f"{agent_id}/{source}",
            f"{agent_id}/{target}",
            type,
            strength,
            confidence,
        ),
    )


def two_triangles(tx: WriteTx, agent_id: str = "default") -> None:
    for name in "ABCXYZ":
        an_entity(tx, name, agent_id, mentions=5 if name == "Y" else 1)
    an_entity(tx, "Lonely", agent_id)
    for one, other in ("AB", "BC", "CA", "XY", "YZ", "ZX"):
        an_edge(tx, one, other, agent_id)
    an_edge(tx, "C", "X", agent_id, strength=0.1)


def clustered(tx: WriteTx, agent_id: str = "default", now: datetime = NOON) -> bool:
    """Find the communities of an agent; say whether that was needed."""
    made = communities.compute(communities.snapshot(tx, agent_id), agent_id)
    if made is None:
        return False
    return communities.replace(tx, made, now=now)


def members(tx: WriteTx, agent_id: str = "default") -> dict[str, str]:
    sql = "SELECT name, community_id FROM entities WHERE agent_id = ? AND community_id IS NOT NULL"
    return {row[0]: row[1] for row in tx.all(sql, (agent_id,))}


def groups(tx: WriteTx) -> set[frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, community in members(tx).items():
        found.setdefault(community, set()).add(name)
    return {frozenset(names) for names in found.values()}


def test_two_triangles_are_two_communities_and_a_lonely_entity_is_in_none(tx: WriteTx) -> None:
    two_triangles(tx)
    assert clustered(tx)
    first, second = "community_default_0", "community_default_1"
    assert members(tx) == dict.fromkeys("ABC", first) | dict.fromkeys("XYZ", second)
    found = communities.overview(tx, reader=Reader(agent_id="default"))
    assert [
        (row["id"], row["name"], row["cohesion"], row["member_count"]) for row in found["items"]
    ] == [
        (first, "A", 1.0, 3),
        (second, "Y", 1.0, 3),
    ]
    assert found["modularity"] > 0.3
    assert found["quality"] == tx.value("SELECT quality FROM community_runs") == "moderate"


def test_an_unchanged_graph_is_not_divided_again(tx: WriteTx) -> None:
    two_triangles(tx)
    assert clustered(tx)
    assert not clustered(tx)
    tx.run("UPDATE entity_dependencies SET strength = 0.9 WHERE rowid = 1")
    assert clustered(tx)
    an_entity(tx, "New")
    assert clustered(tx)


def test_of_two_runs_at_once_the_first_to_write_wins(tx: WriteTx) -> None:
    two_triangles(tx)
    slow = communities.compute(communities.snapshot(tx, "default"), "default")
    an_edge(tx, "A", "Lonely")
    assert clustered(tx)
    before = members(tx)
    assert slow is not None and not communities.replace(tx, slow, now=LATER)
    assert members(tx) == before


def test_the_same_graph_in_two_stores_has_the_same_communities(tx: WriteTx) -> None:
    two_triangles(tx)
    clustered(tx)
    before = members(tx)
    tx.run("DELETE FROM community_runs")
    assert clustered(tx, now=LATER)
    assert members(tx) == before
    assert tx.value("SELECT count(*) FROM entity_communities WHERE created_at < updated_at") == 2


def test_other_agents_keep_their_communities(tx: WriteTx) -> None:
    for agent_id in ("default", "ada"):
        two_triangles(tx, agent_id)
        clustered(tx, agent_id)
    theirs = (members(tx, "ada"), tx.all("SELECT * FROM entity_communities WHERE agent_id = 'ada'"))
    tx.run("DELETE FROM entity_dependencies WHERE agent_id = 'default'")
    assert clustered(tx)
    assert members(tx) == {}
    assert communities.overview(tx, reader=Reader(agent_id="default"))["items"] == []
    assert communities.overview(tx, reader=Reader(agent_id="default"))["quality"] == "fragmented"
    assert (
        members(tx, "ada"),
        tx.all("SELECT * FROM entity_communities WHERE agent_id = 'ada'"),
    ) == theirs


def test_who_has_lost_all_edges_leaves_and_empty_communities_go(tx: WriteTx) -> None:
    two_triangles(tx)
    clustered(tx)
    tx.run("DELETE FROM entity_dependencies WHERE id LIKE '%X%' OR id LIKE '%Y%'")
    clustered(tx)
    assert groups(tx) == {frozenset("ABC")}
    assert [
        row["id"] for row in communities.overview(tx, reader=Reader(agent_id="default"))["items"]
    ] == ["community_default_0"]


def test_parallel_edges_count_once_by_the_strongest_and_broken_ones_not_at_all(tx: WriteTx) -> None:
    for name in "ABCD":
        an_entity(tx, name)
    an_edge(tx, "A", "B", strength=0.2)
    an_edge(tx, "B", "A", strength=0.9, confidence=None)
    an_edge(tx, "A", "C", strength=0.5)
    an_edge(tx, "C", "Gone")
    an_edge(tx, "D", "A", strength=0.0)
    found = communities.snapshot(tx, "default")
    assert {(row[0], row[1]): row[2] for row in found.edges} == {
        ("default/A", "default/B"): 0.9 * 0.7,
        ("default/A", "default/C"): 0.5,
        ("default/C", "default/Gone"): 1.0,
    }
    clustered(tx)
    assert groups(tx) == {frozenset("ABC")}


def test_a_graph_of_any_shape_is_stored_as_it_was_divided(tx: WriteTx) -> None:
    chance = random.Random(7)
    for number in range(60):
        an_entity(tx, f"E{number:02}")
    for one, other in _pairs(chance, 60, 120):
        an_edge(tx, f"E{one:02}", f"E{other:02}", strength=chance.random())
    made = communities.compute(communities.snapshot(tx, "default"), "default")
    assert made is not None
    communities.replace(tx, made, now=NOON)
    stored = {
        row["id"]: row["member_count"]
        for row in communities.overview(tx, reader=Reader(agent_id="default"))["items"]
    }
    assert stored == {one.id: len(one.members) for one in made.communities}
    for group in made.communities:
        sql = "SELECT id FROM entities WHERE community_id = ? ORDER BY id"
        assert [row[0] for row in tx.all(sql, (group.id,))] == list(group.members)


def _pairs(chance: random.Random, nodes: int, count: int) -> Iterable[tuple[int, int]]:
    found = {tuple(sorted(chance.sample(range(nodes), 2))) for _ in range(count)}
    return [(one, other) for one, other in sorted(found)]
