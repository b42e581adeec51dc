"""Every route has a method of the clients, or is listed here with the reason why it has none.

What a method sends has names that its route takes.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
from pydantic import AliasChoices
from starlette.routing import compile_path

from client import stub
from signet.client.call import Call
from signet.client.calls import Calls
from signet.client.method import ClientMethod, Request
from signet.client.plans import Plans
from signet.wire import operations
from signet.wire.requests.model import Body
from signet_api.access import TABLE
from support.http import an_api

PROVES = "what a client asks before it calls anything"
PAGES = "a page, or words on one: for browsers"
PROBES = "for what watches processes; `health` and `ready` tell the same"
SAME = "another name of a route that has a method"
STREAM = "a stream"
TOOLS = "spoken by clients of MCP"
REPAIRS = "`repair` takes its name"
LOOKS = "what an operator looks at while mending: `signet repair`, `call` in programs"
PARTS = "a part of an answer that has a method, or a look at one: `call`"
WRITER = "for what writes MEMORY.md itself"
SCRAPED = "for Prometheus"
FORM = "for a form of settings: `signet config`, `call` in programs"

WITHOUT = {
    ("GET", "/api/auth/proof"): PROVES,
    ("POST", "/api/auth/confirm"): PAGES,
    ("GET", "/"): PAGES,
    ("GET", "/capture"): PAGES,
    ("GET", "/assets/{name}"): PAGES,
    ("GET", "/docs"): PAGES,
    ("GET", "/api/events"): STREAM,
    ("PATCH", "/api/config"): FORM,
    ("GET", "/api/config/schema"): FORM,
    ("GET", "/api/repair"): LOOKS,
    ("GET", "/openapi.json"): PAGES,
    ("GET", "/api/home"): PAGES,
    ("GET", "/api/home/greeting"): PAGES,
    ("GET", "/api/changelog"): PAGES,
    ("GET", "/api/roadmap"): PAGES,
    ("GET", "/api/readme"): PAGES,
    ("GET", "/health/live"): PROBES,
    ("GET", "/livez"): PROBES,
    ("GET", "/readyz"): PROBES,
    ("POST", "/api/memory/save"): SAME,
    ("POST", "/api/hook/remember"): SAME,
    ("GET", "/api/memory/search"): SAME,
    ("GET", "/api/memory/jobs/{job_id}"): SAME,
    ("POST", "/api/hooks/recall"): SAME,
    ("POST", "/api/hooks/remember"): SAME,
    ("GET", "/api/logs/stream"): STREAM,
    ("GET", "/api/tasks/{task_id}/stream"): STREAM,
    ("GET", "/api/hooks/synthesis/config"): WRITER,
    ("POST", "/api/hooks/synthesis"): WRITER,
    ("POST", "/api/hooks/synthesis/complete"): WRITER,
    ("GET", "/api/synthesis/status"): WRITER,
    ("POST", "/api/connectors/{connector_id}/sync/full"): PARTS,
    ("GET", "/api/knowledge/entities/pinned"): PARTS,
    ("GET", "/api/knowledge/entities/health"): PARTS,
    ("GET", "/api/knowledge/entities/{entity_id}/aspects"): PARTS,
    ("GET", "/api/knowledge/entities/{entity_id}/aspects/{aspect_id}/attributes"): PARTS,
    ("GET", "/api/knowledge/entities/{entity_id}/dependencies"): PARTS,
    ("GET", "/api/knowledge/traversal/status"): PARTS,
    ("GET", "/api/knowledge/constellation"): PARTS,
    ("GET", "/api/knowledge/graph"): PARTS,
    ("GET", "/api/knowledge/hygiene"): PARTS,
    ("GET", "/api/knowledge/communities"): PARTS,
    ("POST", "/api/knowledge/expand/session"): PARTS,
    ("GET", "/api/pipeline/models/by-provider"): SAME,
    ("POST", "/api/pipeline/nudge"): LOOKS,
    ("GET", "/metrics"): SCRAPED,
    ("GET", "/api/analytics/logs"): PARTS,
    ("GET", "/api/analytics/memory-safety"): PARTS,
    ("GET", "/api/analytics/continuity"): PARTS,
    ("GET", "/api/analytics/continuity/latest"): PARTS,
    ("GET", "/api/telemetry/export"): PARTS,
    ("GET", "/api/audit/export"): PARTS,
    ("GET", "/api/telemetry/training-export"): PARTS,
    ("GET", "/api/timeline/{entity_id}/export"): PARTS,
    ("GET", "/api/secrets/{name}"): PARTS,
    ("POST", "/api/secrets/{name}/exec"): SAME,
    ("GET", "/api/tasks/{task_id}/runs"): PARTS,
}
#: Whole groups: method (any when empty) and beginning of the path.
GROUPS = {
    ("", "/mcp"): TOOLS,
    ("POST", "/api/repair/"): REPAIRS,
    ("GET", "/api/repair/"): LOOKS,
}


#: Every method of the clients by its name.
METHODS: dict[str, ClientMethod[..., Any, Any]] = {
    name: method
    for name, method in (*vars(Calls).items(), *vars(Plans).items())
    if isinstance(method, Request) or name in ("repair", "sync_connector")
}


def described(name: str, *, fully: bool = False) -> Call[object]:
    """Return the call of a method, with words in the place of what it needs, or of everything that it takes."""
    describe = METHODS[name].describe
    _, *parameters = inspect.signature(describe).parameters.values()
    words: dict[str, object] = {}
    for one in parameters:
        if one.kind is one.VAR_KEYWORD:
            unpacked = get_args(one.annotation)  # none of `Any`: fields that only the route knows
            fields = unpacked[0].__annotations__ if fully and unpacked else {}
            words |= {field: _word(field, str(kind)) for field, kind in fields.items()}
        elif fully or one.default is one.empty:
            words[one.name] = _word(one.name, str(one.annotation))
    call: Call[object] = describe(None, **words)
    return call


def _word(name: str, kind: str) -> object:
    """Return something that a parameter of this name and type takes."""
    if name == "action":
        return "check-fts"
    if "Mapping" in kind:
        return {}
    if "Sequence" in kind or "Iterable" in kind:
        return ["x"]
    return 1 if "int" in kind or "float" in kind else "x"


def route_of(call: Call[object]) -> tuple[str, str]:
    """Return the route that answers a call; fails for a call of a route that is not there."""
    if (call.method, call.path) in TABLE:
        return call.method, call.path
    return next(
        (method, path)
        for method, path in TABLE
        if method == call.method and compile_path(path)[0].match(call.path)
    )


def in_a_group(route: tuple[str, str]) -> bool:
    method, path = route
    return any(path.startswith(begin) and one in ("", method) for one, begin in GROUPS)


def test_every_route_can_be_reached_or_has_a_reason_why_not() -> None:
    reached = {route_of(described(name)) for name in METHODS}
    routes = {route for route in TABLE if not in_a_group(route)}
    assert routes - reached == WITHOUT.keys()


def names_of(operation: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """Return the names that a route knows in its address, and in its body."""
    declared = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
    address = {*declared, *map(in_snake_case, declared)}
    if "requestBody" not in operation:
        return address, set()
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    if "properties" in schema:
        return address, set(schema["properties"])
    [kind] = [one for one in schema.get("anyOf", [schema]) if "$ref" in one]
    return address, spellings(kind["$ref"].rpartition("/")[2])


def in_snake_case(name: str) -> str:
    """Return the other spelling that a route takes for a parameter (`signet_api.serving`)."""
    return re.sub("([A-Z])", lambda letter: f"_{letter[0].lower()}", name)


def spellings(model: str) -> set[str]:
    """Return every name that a request model takes for one of its fields."""
    fields = MODELS[model].model_fields
    aliases = (one.validation_alias for one in fields.values())
    others = {str(name) for one in aliases if isinstance(one, AliasChoices) for name in one.choices}
    return others | set(fields)


def every_kind(of: type[Body]) -> Iterator[type[Body]]:
    for kind in of.__subclasses__():
        yield kind
        yield from every_kind(kind)


#: The request models by their names in the description.
MODELS = {kind.__name__: kind for kind in every_kind(Body)}


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Any]]:
    with an_api(tmp_path_factory.mktemp("described") / "agents") as api:
        yield api.get("/openapi.json").body


DECLARED = {(one.method, one.path) for one in operations.BY_ID.values()}


def test_the_signatures_are_those_of_the_routes() -> None:
    assert stub.STUB.read_text("utf-8") == stub.source(), "run `python -m client.stub`"
    assert stub.PARAMETERS.read_text("utf-8") == stub.parameters()


@pytest.mark.parametrize(
    "name", [name for name in METHODS if route_of(described(name)) in DECLARED]
)
def test_a_route_knows_every_name_that_a_method_sends(
    description: Mapping[str, Any], name: str
) -> None:
    call = described(name, fully=True)
    method, path = route_of(call)
    operation = description["paths"][path][method.lower()]
    address, body = names_of(operation)
    assert call.params.keys() <= address
    assert (call.body or {}).keys() <= body
