"""The map of memories, from a save to the points: real API, real worker, vectors from a server."""

import json
import math
import struct
from typing import Any

from support.http import Served, served
from support.processes import eventually
from worker.home import Home, manifest
from worker.script import Script, scripted

PLANE = "/api/embeddings/projection"
TEXTS = [
    f"{bird} number {number} lives by the {place}."
    for bird, place in (("Heron", "canal"), ("Swift", "tower"), ("Owl", "barn"))
    for number in range(4)
]


def plane(api: Served, query: str = "") -> dict[str, Any]:
    """Ask until the map is ready."""
    answers: list[dict[str, Any]] = []

    def ready() -> bool:
        answer = api.get(PLANE + query)
        assert answer.status in (200, 202), answer.body
        answers.append(answer.body)
        return answer.status == 200

    eventually(ready)
    return answers[-1]


def test_a_map_is_drawn_by_the_worker_kept_and_drawn_anew_when_vectors_change(home: Home) -> None:
    with scripted(Script()) as server:
        home.configure(manifest("none", server.url, embedding="ollama"))
        with home.worker():
            for text in TEXTS:
                home.ended(home.remember(text), "embed")
            with served(home.workspace) as api:
                drawn = plane(api)
                assert drawn["count"] == drawn["total"] == len(TEXTS)
                assert {node["content"] for node in drawn["nodes"]} == set(TEXTS)
                assert drawn["edges"]
                assert plane(api)["cachedAt"] == drawn["cachedAt"], "it is kept"
            with served(home.workspace) as api:  # another process
                assert plane(api)["nodes"] == drawn["nodes"]
                solid = plane(api, "?dimensions=3")
                assert all("z" in node for node in solid["nodes"])
                # The first map stays beside the second.
                assert plane(api)["cachedAt"] == drawn["cachedAt"]
                added = home.remember("A crane number 5 stands in the marsh.")
                home.ended(added, "embed")
                again = plane(api)
                assert added in {node["id"] for node in again["nodes"]}
                home.run("UPDATE memories SET is_deleted = 1 WHERE id = ?", added)
                assert added not in {node["id"] for node in plane(api)["nodes"]}
                eventually(lambda: bool(api.get("/api/embeddings/status").body["available"]))
                status = api.get("/api/embeddings/status").body
                assert status["tracker"]["processed"] == len(TEXTS) + 1


def test_maps_of_a_page_above_five_hundred_are_drawn_by_the_worker_too(home: Home) -> None:
    home.run(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)"
        " INSERT INTO memories (id, content, created_at, updated_at)"
        " SELECT 'm' || i, 'Memory ' || i, '2026-01-01', '2026-01-01' FROM n"
    )
    circle = [struct.pack("<2f", math.cos(turn), math.sin(turn)).hex() for turn in range(600)]
    home.run(
        "INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id,"
        " chunk_text, model, created_at)"
        " SELECT 'e' || m.id, '', unhex(value), 2, 'memory', m.id, content, 'm', ''"
        " FROM memories m JOIN json_each(?) ON key = CAST(substr(m.id, 2) AS INTEGER) - 1",
        json.dumps(circle),
    )
    home.configure(manifest("none"))
    with served(home.workspace) as api:
        assert api.get(f"{PLANE}?limit=500").status == 200
        page = f"{PLANE}?limit=550"
        assert api.get(page).status == 202
        with home.worker():
            eventually(lambda: api.get(page).status == 200)
        body = api.get(page).body
        assert (body["count"], body["total"], body["hasMore"]) == (550, 600, True)
