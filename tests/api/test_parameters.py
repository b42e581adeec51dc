"""Query parameters: every route names those that it takes, in both spellings, and refuses others."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from fastapi.routing import APIRoute

from signet_api.serving import ROUTER
from support.http import Api

ROUTES = [
    (method, route.path)
    for route in ROUTER.routes
    if isinstance(route, APIRoute)
    for method in sorted(route.methods or ())
]


def test_a_parameter_that_no_route_takes_is_refused(api: Api) -> None:
    assert len(ROUTES) > 150
    for method, path in ROUTES:
        named = re.sub("{[^}]*}", "x", path)
        answer = api.send(method, f"{named}?nobody_takes_this=1", b"{}")
        assert answer.status == 400 and "nobody_takes_this" in answer.error, (path, answer.body)


def test_no_number_and_no_choice_takes_any_text(api: Api) -> None:
    """What a parameter cannot mean is refused, because its default could return everything."""
    description = api.get("/openapi.json").body
    silent, asked = [], 0
    for path, ways in description["paths"].items():
        for one in ways.get("get", {}).get("parameters", ()):
            kinds = {str(kind) for kind in _schemas(one["schema"])}
            if one["in"] == "query" and not kinds & {"string", "array"} and "stream" not in path:
                named = re.sub("{[^}]*}", "x", path)
                refused = api.get(f"{named}?{one['name']}=nonsense")
                asked += 1
                if refused.status != 400 or one["name"] not in refused.error:
                    silent.append((path, one["name"], refused.status))
    assert asked > 60 and silent == []


def test_a_filter_of_past_sessions_is_refused_for_those_that_run(api: Api) -> None:
    for named in ("project=/heron", "harness=codex", "use=nothing_used", "cursor=x"):
        refused = api.get(f"/api/sessions?{named}")
        assert refused.status == 400, named
    assert api.get("/api/sessions?project=/heron&state=all").status == 200


def _schemas(schema: Mapping[str, Any]) -> Iterator[object]:
    """Yield the types of a schema; a choice of texts has none."""
    for one in schema.get("anyOf", [schema]):
        yield None if "enum" in one or "const" in one or "$ref" in one else one.get("type")


@pytest.mark.parametrize("name", ["agent_id", "agentId"])
def test_a_list_is_of_the_agent_that_either_spelling_names(api: Api, name: str) -> None:
    api.add_agent()
    api.post(
        "/api/memory/remember", {"content": "Hers.", "agentId": "ada", "visibility": "private"}
    )
    api.post("/api/memory/remember", {"content": "Mine.", "visibility": "private"})
    found = api.get(f"/api/memories?{name}=ada").body["memories"]
    assert [one["content"] for one in found] == ["Hers."]
    assert api.get(f"/api/memory/timeline?{name}=ada").status == 200
    both = api.get(f"/api/memories?{name}=ada&agent=ada")
    assert both.status == 400 and "it takes agent_id" in both.error


def test_the_description_has_examples_that_were_recorded(api: Api) -> None:
    paths = api.get("/openapi.json").body["paths"]
    found = paths["/api/memory/remember"]["post"]
    sent = found["requestBody"]["content"]["application/json"]["example"]
    assert api.post("/api/memory/remember", sent).status == 200
    answered = found["responses"]["200"]["content"]["application/json"]["example"]
    assert answered["content"] == sent["content"]
    ways = [way for ways in paths.values() for way in ways.values()]
    assert sum("example" in str(way.get("responses")) for way in ways) >= 20
