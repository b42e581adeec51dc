"""Communities and upkeep of the graph through the real processes."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta

import pytest

from signet import clock
from signet.queue import NewJob, enqueue
from support.http import Served, served
from support.processes import eventually
from worker.home import Home, a_home, manifest


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Served]]:
    """Run an API and a worker over one workspace."""
    with ExitStack() as stack:
        home = stack.enter_context(a_home(tmp_path_factory.mktemp("w")))
        home.configure(manifest("none"))
        api = stack.enter_context(served(home.workspace))
        stack.enter_context(home.worker())
        eventually(lambda: home.processes("worker") == 1)
        # Without another agent every name would be the default one (HN-77).
        assert api.post("/api/agents", {"name": "scout"}).status == 201
        yield home, api


def an_entity(home: Home, name: str, agent: str) -> None:
    home.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, agent_id, created_at, updated_at)"
        " VALUES (?, ?, ?, 'tool', ?, '', '')",
        f"{agent}-{name}",
        name,
        name.lower(),
        agent,
    )


def two_triangles(home: Home, agent: str) -> None:
    for name in "ABCXYZ":
        an_entity(home, name, agent)
    for one, other in ("AB", "BC", "CA", "XY", "YZ", "ZX"):
        home.run(
            "INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type,"
            " strength, created_at, updated_at) VALUES (?, ?, ?, ?, 'uses', 1, '', '')",
            f"{agent} {one} {other}",
            agent,
            f"{agent}-{one}",
            f"{agent}-{other}",
        )


def test_who_asks_for_communities_gets_them_from_the_worker(both: tuple[Home, Served]) -> None:
    home, api = both
    two_triangles(home, "asked")
    two_triangles(home, "silent")
    path = "/api/repair/cluster-entities"
    looked = api.post(f"{path}?agent_id=asked", {"dryRun": True}).body
    assert (looked["affected"], looked["message"]) == (6, "dry run: would regroup 6 entities")
    assert looked["details"] == {"entities": 6, "dependencies": 6, "communities": 0}
    made = "SELECT COUNT(*) FROM entity_communities WHERE agent_id = 'asked'"
    assert home.value(made) == 0
    answer = api.post(f"{path}?agent_id=asked", {}, x_signet_actor="ada")
    assert answer.status == 200
    body = answer.body
    assert (body["action"], body["success"], body["affected"]) == ("clusterEntities", True, 2)
    named = {"communities", "modularity", "quality", "members"}
    assert body["details"] == {name: body[name] for name in named}
    assert body["members"] == [
        {"id": "community_asked_0", "name": "A", "count": 3, "cohesion": 1.0},
        {"id": "community_asked_1", "name": "X", "count": 3, "cohesion": 1.0},
    ]
    assert (body["modularity"], body["quality"]) == (0.5, "moderate")
    (audit,) = home.rows("SELECT changed_by, metadata FROM memory_history WHERE event = 'none'")
    assert (audit["changed_by"], json.loads(audit["metadata"])["affected"]) == ("ada", 2)
    again = api.post(path, {"agentId": "silent"})
    assert (again.status, again.body["reason"]) == (429, "cooldown")
    home.run("DELETE FROM repair_runs")
    assert api.post(path, {"agentId": "asked"}).body == body
    looked = api.post(path, {"agentId": "asked", "dryRun": True}).body
    assert (looked["affected"], looked["message"]) == (0, "dry run: the groups are up to date")
    in_one = "SELECT count(*) FROM entities WHERE community_id IS NOT NULL AND agent_id = ?"
    assert [home.value(in_one, agent) for agent in ("asked", "silent")] == [6, 0]


def done(home: Home, job_id: str | None) -> object:
    status = "SELECT status FROM memory_jobs WHERE id = ?"
    eventually(lambda: home.value(status, job_id) in ("completed", "dead"))
    return home.value("SELECT result FROM memory_jobs WHERE id = ?", job_id)


def test_maintenance_finds_the_communities_of_every_agent(both: tuple[Home, Served]) -> None:
    home, _ = both
    two_triangles(home, "one")
    two_triangles(home, "two")
    every = NewJob(kind="cluster_entities", dedupe_key="every agent")
    done(home, home.db.write(enqueue, every, now=clock.now()))
    count = "SELECT count(*) FROM entity_communities WHERE agent_id = ?"
    assert [home.value(count, agent) for agent in ("one", "two")] == [2, 2]


def test_upkeep_lets_weights_fade_and_what_was_forgotten(both: tuple[Home, Served]) -> None:
    home, _ = both
    memory_id = home.remember("We met Ada Winter, who lives in Port Ellen.", "kept")
    long_ago = clock.to_text(clock.now() - timedelta(days=15))
    home.run("UPDATE entity_aspects SET updated_at = ? WHERE agent_id = 'kept'", long_ago)
    home.run("UPDATE memories SET is_deleted = 1, deleted_at = ? WHERE id = ?", long_ago, memory_id)
    an_entity(home, "Task", "kept")
    home.run(
        "INSERT INTO task_meta (entity_id, status, expires_at, updated_at) VALUES ('kept-Task', 'open', ?, '')",
        long_ago,
    )
    first = done(
        home, home.db.write(enqueue, NewJob(kind="graph_upkeep", dedupe_key="1"), now=clock.now())
    )
    assert first == '{"retired": 1, "faded": 1, "tasksCancelled": 1}'
    weight = "SELECT weight FROM entity_aspects WHERE agent_id = 'kept'"
    assert home.value(weight) == pytest.approx(0.495)
    second = done(
        home, home.db.write(enqueue, NewJob(kind="graph_upkeep", dedupe_key="2"), now=clock.now())
    )
    assert second == '{"retired": 0, "faded": 0, "tasksCancelled": 0}'


def test_upkeep_supersedes_what_nobody_compared(both: tuple[Home, Served]) -> None:
    home, api = both
    for text in ("We met Ada Winter, who lives in Paris.", "Ada Winter moved to Berlin."):
        assert api.post("/api/memory/remember", {"content": text, "agentId": "ada"}).status == 200
    home.drained()

    def swept(slot: str) -> dict[str, str]:
        done(
            home,
            home.db.write(enqueue, NewJob(kind="graph_upkeep", dedupe_key=slot), now=clock.now()),
        )
        rows = home.rows(
            "SELECT attribute_value, status FROM entity_attributes WHERE agent_id = 'ada'"
        )
        return {row["attribute_value"]: row["status"] for row in rows}

    expected = {"lives in Paris": "superseded", "moved to Berlin": "active"}
    assert swept("sweep 1") == expected
    told = "SELECT COUNT(*) FROM memory_history WHERE event = 'attribute_superseded'"
    assert home.value(told) == 1
    assert swept("sweep 2") == expected
    assert home.value(told) == 1
