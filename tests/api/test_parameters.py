"""Query parameters: every route names those that it takes, in both spellings, and refuses others."""

import re

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
