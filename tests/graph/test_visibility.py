"""What only memories of another scope tell is in no look at the graph."""

import json
from typing import Any

import pytest

from graph.test_browse import an_entity, id_of
from signet import clock
from signet.domain.memory import forget
from support.http import Api

#: In every name and text that the memory of the other scope brings.
MARK = "zircon"


def _saved(api: Api, content: str, *, scope: str | None, mark: str) -> str:
    body = {
        "content": content,
        "scope": scope,
        "entities": [{"source": "Harbour Log", "relationship": "uses", "target": f"{mark} Crane"}],
        "aspects": [
            {"entity": "Harbour Log", "aspect": f"{mark} side", "attributes": [f"{mark} paint"]},
            {"entity": f"{mark} Crane", "aspect": "size", "attributes": [f"{mark} metres"]},
        ],
    }
    answer = api.post("/api/memory/remember", body)
    assert answer.status == 200, answer.body
    return str(answer.body["id"])


@pytest.fixture
def hidden(api: Api) -> str:
    """Save one memory that the reader may see and one of another scope; return the entity of the latter."""
    _saved(api, "The Harbour Log is kept in the tower.", scope=None, mark="Copper")
    _saved(api, "The Harbour Log of the bench is kept below.", scope="bench", mark=MARK.title())
    [found] = [row for row in api.rows("entities") if row["name"] == f"{MARK.title()} Crane"]
    return str(found["id"])


def _looks(harbour: str, hidden: str) -> list[tuple[str, dict[str, object] | None]]:
    """Return every look at the graph: a path, and a body for those that are asked with one."""
    of_one = ("", "/aspects", "/dependencies", "/dependencies?direction=incoming")
    paths = [f"/api/knowledge/entities/{id_}{path}" for id_ in (harbour, hidden) for path in of_one]
    lists = (
        "entities", "entities?q=zircon", "entities/pinned", "entities/pinned?pin_type=suppress",
        "entities/health?min_comparisons=1", "constellation?max_aspects_per_entity=25", "hygiene",
        "communities", "traversal/status", "stats",
    )  # fmt: skip
    asked: list[tuple[str, dict[str, object]]] = [
        ("/api/knowledge/expand", {"entity": "Harbour Log"}),
        ("/api/knowledge/expand", {"entity": "Harbour Log", "aspect": "side", "question": "paint"}),
        ("/api/knowledge/expand", {"entity": "Crane"}),
        ("/api/knowledge/expand/session", {"entityName": "Crane"}),
        ("/api/graph/impact", {"entityId": harbour, "direction": "upstream"}),
        ("/api/graph/impact", {"entityId": hidden}),
    ]
    return [(path, None) for path in (*paths, *(f"/api/knowledge/{one}" for one in lists))] + [
        (path, body) for path, body in asked
    ]


def _shown(api: Api, path: str, body: dict[str, object] | None) -> Any:
    answer = api.get(path) if body is None else api.post(path, body)
    assert answer.status in (200, 404), (path, answer.body)
    return answer.body


def _grown(api: Api, hidden: str) -> None:
    """Let everything that can show a name show the hidden one: pins, groups, walks, comparisons."""
    api.run("UPDATE entities SET pinned = 1, pinned_at = '2026' WHERE id = ?", hidden)
    api.run(
        "INSERT INTO entity_pinning (id, entity_id, pin_type, created_at) VALUES ('p', ?, 'suppress', '')",
        hidden,
    )
    api.run(
        "INSERT INTO entity_communities (id, name, member_count, created_at, updated_at)"
        " VALUES ('c', 'Zircon Crane', 2, '', '')"
    )
    api.run("UPDATE entities SET community_id = 'c', mentions = mentions + (id = ?)", hidden)
    api.run(
        "INSERT INTO predictor_session_comparisons (id, session_key, predictor_ndcg, baseline_ndcg,"
        " predictor_won, margin, alpha, focal_entity_id, focal_entity_name, created_at)"
        " VALUES ('x', 'x', 0, 0, 1, 0, 1, ?, 'Zircon Crane', '2026')",
        hidden,
    )
    api.run(
        "INSERT INTO runtime_settings (key, value) VALUES ('traversal:default', ?)",
        json.dumps({"phase": "recall", "focalEntityNames": ["Zircon Crane", "Harbour Log"]}),
    )


def test_no_look_shows_what_only_another_scope_tells(api: Api, hidden: str) -> None:
    _grown(api, hidden)
    harbour = id_of(api, "Harbour Log")
    for path, body in _looks(harbour, hidden):
        text = json.dumps(_shown(api, path, body)).lower()
        assert MARK not in text.replace('entity \\"zircon', ""), path
    aspects = api.rows("entity_aspects")
    for aspect in aspects:
        path = f"/api/knowledge/entities/{harbour}/aspects/{aspect['id']}/attributes?status=all"
        assert MARK not in json.dumps(_shown(api, path, None)).lower()
    pin = api.post(f"/api/knowledge/entities/{hidden}/pin")
    assert (pin.status, pin.error) == (404, "Entity not found")


def test_the_same_looks_show_what_readable_memories_tell(api: Api, hidden: str) -> None:
    harbour = id_of(api, "Harbour Log")
    told = [json.dumps(_shown(api, *look)).lower() for look in _looks(harbour, hidden)]
    assert sum("copper" in text for text in told) >= 8
    detail = api.get(f"/api/knowledge/entities/{harbour}").body
    [edge] = [
        item
        for item in api.get(f"/api/knowledge/entities/{harbour}/dependencies").body["items"]
        if item["direction"] == "outgoing"
    ]
    assert edge["targetEntityName"] == "Copper Crane"
    aspects = api.get(f"/api/knowledge/entities/{harbour}/aspects").body["items"]
    assert detail["aspectCount"] == len(aspects)
    assert detail["outgoingDependencyCount"] == 1


def test_an_edge_that_only_another_scope_tells_is_not_shown_between_known_ends(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "We asked Ada Winter and her aunt for the keys."})
    api.post("/api/memory/remember", {"content": "We asked Ben Summer and his aunt for the keys."})
    triple = {"source": "Ada Winter", "relationship": "blocks", "target": "Ben Summer"}
    secret = {"content": "On the bench these two meet.", "scope": "bench", "entities": [triple]}
    assert api.post("/api/memory/remember", secret).status == 200
    ada = id_of(api, "Ada Winter")
    assert [row["dependency_type"] for row in api.rows("entity_dependencies")] == ["blocks"]
    assert api.get(f"/api/knowledge/entities/{ada}/dependencies").body["items"] == []
    assert api.get(f"/api/knowledge/entities/{ada}").body["dependencyCount"] == 0
    assert api.get("/api/knowledge/constellation").body["dependencies"] == []
    assert api.post("/api/graph/impact", {"entityId": ada}).body["impact"] == []


@pytest.mark.parametrize("way", ["erased", "purged", "edited"])
def test_what_only_a_memory_that_is_gone_said_of_two_is_shown_no_more(api: Api, way: str) -> None:
    for name in ("Ada Winter and her", "Ben Summer and his"):
        api.post("/api/memory/remember", {"content": f"We asked {name} aunt for the keys."})
    triple = {"source": "Ada Winter", "relationship": "blocks", "target": "Ben Summer"}
    body = {"content": "At the quay these two met.", "entities": [triple]}
    memory_id = api.post("/api/memory/remember", body).body["id"]
    edges = f"/api/knowledge/entities/{id_of(api, 'Ada Winter')}/dependencies"
    assert len(api.get(edges).body["items"]) == 1
    if way == "edited":
        text = json.dumps({"content": "At the quay nobody met.", "reason": "wrong"}).encode()
        assert api.send("PATCH", f"/api/memory/{memory_id}", text).status == 200
    else:
        erase = "&erase=true" if way == "erased" else ""
        asked = f"/api/memory/{memory_id}?reason=private{erase}"
        assert api.send("DELETE", asked).status == 200
    if way == "purged":
        assert api.get(edges).body["items"] == []
        assert len(api.rows("entity_dependencies")) == 1  # it may be recovered
        api.state.db.write(forget.purge, [memory_id], now=clock.now())
    assert api.get(edges).body["items"] == []
    assert (api.rows("entity_dependencies"), api.rows("relations")) == ([], [])


def test_a_thing_that_no_memory_tells_of_is_shown(api: Api) -> None:
    made = an_entity(api, "Handmade")
    assert id_of(api, "Handmade") == made


def test_what_is_forgotten_takes_its_names_with_it_until_it_comes_back(api: Api) -> None:
    saved = api.post("/api/memory/remember", {"content": "Ada Winter repairs the tower clock."})
    path = f"/api/memory/{saved.body['id']}"
    assert id_of(api, "Ada Winter")
    api.send("DELETE", f"{path}?reason=test")
    assert api.get("/api/knowledge/entities").body["items"] == []
    api.post(f"{path}/recover", {"reason": "a slip"})
    assert id_of(api, "Ada Winter")
