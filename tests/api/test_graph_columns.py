"""`GET /api/knowledge/graph`: the map as columns; and answers that a client has already."""

import json
from pathlib import Path
from typing import Any

import pytest

from signet.domain.auth.tokens import TokenScope
from support.http import Api, an_api
from support.tokens import a_token, bearer

PATH = "/api/knowledge/graph"


def remember(api: Api, text: str, one: str, other: str, **fields: object) -> None:
    edge = {"source": one, "relationship": "uses", "target": other}
    body = {"content": text, "entities": [edge], **fields}
    assert api.post("/api/memory/remember", body).status == 200


def graph(api: Api, query: str = "", **headers: str) -> dict[str, Any]:
    answer = api.get(f"{PATH}?{query}", **headers)
    assert answer.status == 200, answer.body
    return dict(answer.body)


@pytest.fixture
def filled(api: Api) -> Api:
    for number in range(3):
        remember(api, f"Larder keeps jam {number} in Sqlite.", "Larder", "Sqlite")
    remember(api, "Larder is served by Caddy.", "Larder", "Caddy")
    return api


def test_entities_and_edges_come_as_columns(filled: Api) -> None:
    found = graph(filled, "min_mentions=1")
    names = found["names"]
    assert {"Larder", "Sqlite", "Caddy"} <= set(names) and names[0] == "Larder"
    columns = ("ids", "names", "kinds", "mentions", "communities", "pinned")
    assert {len(found[column]) for column in columns} == {found["total"]}
    assert all(found["kindNames"][kind] for kind in found["kinds"])
    edges = {
        frozenset((names[source], names[target]))
        for source, target in zip(found["sources"], found["targets"], strict=True)
    }
    assert {frozenset(("Larder", "Sqlite")), frozenset(("Larder", "Caddy"))} <= edges
    assert len(edges) == len(found["sources"])
    assert found["communities"] == [-1] * len(names)


def test_a_map_is_narrowed_and_keeps_what_is_pinned(filled: Api) -> None:
    often = graph(filled, "min_mentions=2")
    assert set(often["names"]) >= {"Larder", "Sqlite"} and "Caddy" not in often["names"]
    every = graph(filled, "min_mentions=1")
    caddy = every["ids"][every["names"].index("Caddy")]
    assert filled.post(f"/api/knowledge/entities/{caddy}/pin").status in (200, 201)
    pinned = graph(filled, "min_mentions=2")
    assert (pinned["names"][0], pinned["pinned"][0]) == ("Caddy", 1)
    one = graph(filled, "min_mentions=1&limit=1")
    assert (len(one["ids"]), one["sources"]) == (1, []) and one["total"] > 1
    assert graph(filled, "kinds=none")["ids"] == []


def test_a_community_has_the_name_of_its_best_known_visible_member(filled: Api) -> None:
    filled.run(
        "INSERT INTO entity_communities (id, agent_id, name, created_at, updated_at)"
        " VALUES ('community_default_1', 'default', 'Forgotten', '2026', '2026')"
    )
    filled.run("UPDATE entities SET community_id = 'community_default_1' WHERE name = 'Larder'")
    found = graph(filled, "min_mentions=1")
    place = found["communities"][found["names"].index("Larder")]
    assert found["communityNames"][place] == "Larder"


def test_a_map_shows_what_its_reader_may_see(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: hybrid}\n") as api:
        remember(api, "Zircon uses Crane.", "Zircon", "Crane", project="shed")
        remember(api, "Gate uses Hinge.", "Gate", "Hinge", project="garden")
        token = bearer(a_token(api, "agent", scope=TokenScope(project="garden")))
        found = graph(api, "min_mentions=0", **token)
        assert "Zircon" not in json.dumps(found) and {"Gate", "Hinge"} <= set(found["names"])
        assert len(found["sources"]) == 3  # one between them, and each to its project
        # Both are known in the garden, but not that they are joined.
        remember(api, "Gate uses Fence.", "Gate", "Fence", project="garden")
        body = {"content": "Crane is new here.", "project": "garden", "entities": ["Crane"]}
        assert api.post("/api/memory/remember", body).status == 200
        remember(api, "Zircon: Gate blocks Crane.", "Gate", "Crane", project="shed")
        found = graph(api, "min_mentions=0", **token)
        pairs = {
            frozenset((found["names"][source], found["names"][target]))
            for source, target in zip(found["sources"], found["targets"], strict=True)
        }
        assert "Crane" in found["names"] and frozenset(("Gate", "Crane")) not in pairs
        everything = graph(api, "min_mentions=0")
        assert len(everything["sources"]) > len(found["sources"])


def test_an_answer_that_a_client_has_is_not_sent_again(filled: Api) -> None:
    for path in (PATH, "/api/memories?stats=0", "/api/config", "/api/repair"):
        first = filled.get(path)
        tag = first.headers["etag"]
        assert first.headers["cache-control"] == "no-store"
        again = filled.get(path, if_none_match=f'"other", W/{tag}')
        assert (again.status, again.body, again.headers["etag"]) == (304, "", tag), path
        assert "content-type" not in again.headers
        assert filled.get(path, if_none_match='"other"').body == first.body
    tag = filled.get(PATH).headers["etag"]
    remember(filled, "Larder is watched by Grafana and Caddy.", "Grafana", "Larder")
    assert filled.get(f"{PATH}", if_none_match=tag).status == 200
    missing = filled.get("/api/memory/none", if_none_match=tag)
    assert missing.status == 404 and "etag" not in missing.headers
    assert "etag" not in filled.post("/api/memory/recall", {"query": "jam"}).headers


def test_projects_and_files_are_on_the_map(filled: Api) -> None:
    place = {"project": "/work/harbour"}
    for text in ("The Walrus uses the Pier.", "The Walrus likes the Pier."):
        remember(filled, text, "Walrus", "Pier", **place)
    for key in ("one", "two"):
        calls = [
            {
                "type": "tool_use",
                "id": "e",
                "name": "Edit",
                "input": {"file_path": "/work/harbour/log.py"},
            }
        ]
        said = [("user", "Change the log of the walrus."), ("assistant", calls)]
        lines = [
            json.dumps({"type": who, "message": {"role": who, "content": what}})
            for who, what in said
        ]
        end = {
            "harness": "claude-code",
            "sessionKey": key,
            "cwd": "/work/harbour",
            "transcript": "\n".join(lines),
        }
        assert filled.post("/api/hooks/session-end", end).status == 200
    found = graph(filled, "min_mentions=2&project=/work/harbour")
    kinds = {
        name: found["kindNames"][kind]
        for name, kind in zip(found["names"], found["kinds"], strict=True)
    }
    assert kinds["harbour"] == "project" and kinds["log.py"] == "file"
    assert found["communityNames"] == ["harbour"] and set(found["communities"]) == {0}
    links = {
        (found["names"][a], found["names"][b])
        for a, b in zip(found["sources"], found["targets"], strict=True)
    }
    assert {("Walrus", "harbour"), ("log.py", "harbour")} <= links
    assert graph(filled, "kinds=file&min_mentions=2")["names"] == ["log.py"]
    assert graph(filled, "min_mentions=2&project=/work/shed")["ids"] == []
