"""Every route is known, answers, and is described as it answers."""

import json
import re

import pytest
from starlette.routing import Match

from signet.wire import home, operations
from signet_api import access, browser
from signet_api.routes import ROUTER
from support.http import Api, Served

_DECLARED: dict[tuple[str, str], tuple[object, int]] = {
    (one.method, one.path): (None, one.status) for one in operations.BY_ID.values()
}
#: Method and path of every route of `access.TABLE`, the body it is sent here, and the status of the answer; named
#: here are those that need a body or cannot succeed.
TABLE: dict[tuple[str, str], tuple[object, int]] = _DECLARED | {
    # Without worker and scheduler the daemon is not ready.
    ("GET", "/health/ready"): (None, 503),
    ("GET", "/readyz"): (None, 503),
    # There is no file of this name.
    ("GET", "/assets/{name}"): (None, 404),
    # None is written yet.
    ("PATCH", "/api/config"): ({"set": {"search.alpha": 0.5}}, 200),
    ("POST", "/api/config"): ({"file": "SOUL.md", "content": "Calm."}, 200),
    # In local mode there are no tokens.
    ("POST", "/api/auth/token"): ({"role": "agent"}, 400),
    ("DELETE", "/api/auth/tokens/{jti}"): (None, 404),
    ("POST", "/api/memory/remember"): ({"content": "The tests live in tests."}, 200),
    ("POST", "/api/memory/save"): ({"content": "The docs live in docs."}, 200),
    ("POST", "/api/hook/remember"): ({"content": "The shop opens at nine."}, 200),
    ("POST", "/api/memory/recall"): ({"query": "tests"}, 200),
    ("POST", "/api/memory/context"): ({"prompt": "tests"}, 200),
    # Without a model there are no vectors.
    ("GET", "/memory/similar"): (None, 404),
    ("POST", "/api/hooks/recall"): ({"harness": "codex", "query": "tests"}, 200),
    ("POST", "/api/hooks/offline"): ({"projects": ["", "/work/heron"]}, 200),
    # It ends when the daemon stops.
    ("GET", "/api/events"): (None, 503),
    ("POST", "/api/jobs/retry"): ({"all": True}, 200),
    ("POST", "/api/jobs/cancel"): ({"all": True}, 200),
    ("DELETE", "/api/jobs/{job_id}"): (None, 409),
    ("POST", "/api/memory/forget"): ({"query": "tests"}, 200),
    ("POST", "/api/memory/feedback"): ({"sessionKey": "s", "feedback": {"a": 1}}, 200),
    ("POST", "/api/memory/modify"): (
        {"patches": [{"id": "none", "reason": "x", "pinned": True}]},
        200,
    ),
    ("PATCH", "/api/memory/{memory_id}"): ({"pinned": True, "reason": "important"}, 200),
    ("POST", "/api/memory/{memory_id}/recover"): ({"reason": "a slip"}, 409),
    ("POST", "/api/memory/recover"): ({"ids": ["none"], "reason": "a slip"}, 200),
    # It is not archived.
    ("POST", "/api/memory/{memory_id}/adopt"): (None, 404),
    ("POST", "/api/memory/forgotten/{memory_id}/lift"): (None, 404),
    ("POST", "/api/memory/reviews/{memory_id}/approve"): (None, 409),
    ("POST", "/api/memory/reviews/{memory_id}/reject"): (None, 409),
    ("POST", "/api/auth/exchange"): ({"code": "x"}, 401),
    # Only the dashboard confirms.
    ("POST", "/api/auth/confirm"): ({"method": "POST", "path": "/api/tasks"}, 400),
    ("POST", "/api/evaluation/replay"): ({"sessionKey": "none"}, 404),
    ("POST", "/api/memory/{memory_id}/review"): ({"verdict": "keep"}, 200),
    ("POST", "/api/hooks/remember"): ({"harness": "codex", "content": "The gate is green."}, 200),
    ("POST", "/api/hooks/session-start"): ({"harness": "codex", "sessionKey": "t"}, 200),
    ("POST", "/api/hooks/user-prompt-submit"): (
        {"harness": "codex", "userPrompt": "the tests"},
        200,
    ),
    ("POST", "/api/hooks/pre-compaction"): ({"harness": "codex"}, 200),
    ("POST", "/api/hooks/compaction-complete"): ({"harness": "codex", "summary": "All done."}, 200),
    ("POST", "/api/sessions/search"): ({"query": "tests"}, 200),
    ("GET", "/api/sessions/{session_key}"): (None, 404),
    ("POST", "/api/sessions/{session_key}/bypass"): ({"enabled": True}, 404),
    ("POST", "/api/sessions/{session_key}/renew"): (None, 404),
    ("POST", "/api/sessions/{session_key}/forget"): ({"mode": "preview"}, 404),
    ("GET", "/api/sessions/{session_key}/transcript"): (None, 404),
    ("GET", "/api/sessions/{session_key}/context"): (None, 404),
    ("GET", "/api/sessions/{session_key}/replay"): (None, 404),
    ("POST", "/api/hooks/session-end"): ({"harness": "codex"}, 200),
    ("POST", "/api/hooks/session-checkpoint-extract"): (
        {"harness": "codex", "sessionKey": "s"},
        200,
    ),
    # Without a worker nobody writes the file.
    ("POST", "/api/hooks/synthesis/complete"): ({"content": "# Memory"}, 503),
    ("POST", "/api/synthesis/trigger"): (None, 503),
    # There is no earlier file.
    ("POST", "/api/synthesis/undo"): (None, 404),
    ("POST", "/api/documents"): ({"source_type": "text", "content": "A second page."}, 201),
    ("POST", "/api/knowledge/expand"): ({"entity": "Ada Winter"}, 200),
    ("POST", "/api/knowledge/expand/session"): ({"entityName": "Ada Winter"}, 200),
    ("POST", "/api/graph/impact"): ({"entityId": "{entity_id}"}, 200),
    ("POST", "/api/spaces"): ({"name": "billing"}, 201),
    ("PATCH", "/api/spaces/{space}"): ({"review": True}, 404),
    ("DELETE", "/api/spaces/{space}"): (None, 404),
    ("POST", "/api/memory/{memory_id}/share"): ({"space": "none"}, 404),
    ("POST", "/api/memory/{memory_id}/withdraw"): (None, 404),
    ("POST", "/api/shares/{share_id}/decide"): ({"approve": True}, 404),
    ("POST", "/api/agents"): ({"name": "scout", "read_policy": "shared"}, 201),
    ("GET", "/api/agents/{name}"): (None, 404),
    ("DELETE", "/api/agents/{name}"): (None, 404),
    # It ends when the daemon stops.
    # What only the worker does waits for it.
    ("POST", "/api/repair/re-embed"): (None, 202),
    ("POST", "/api/repair/resync-vec"): (None, 202),
    ("POST", "/api/repair/rebuild-indexes"): (None, 202),
    ("POST", "/api/repair/reclassify-entities"): (None, 202),
    ("POST", "/api/repair/dead-memories/forget"): ({"ids": ["none"], "reason": "unused"}, 200),
    # Without a worker the run waits.
    ("POST", "/api/repair/cluster-entities"): (None, 202),
    ("POST", "/api/connectors"): ({"provider": "gdrive"}, 201),
    ("POST", "/api/connectors/{connector_id}/sync"): (None, 501),
    ("POST", "/api/connectors/{connector_id}/sync/full"): (None, 400),
    ("POST", "/api/import"): ({"records": [{"record": "text", "content": "Rain at noon."}]}, 200),
    # A dry run: what the person has who runs the tests is not to be read.
    ("POST", "/api/backfill"): ({"dryRun": True}, 200),
    ("POST", "/api/secrets/exec"): ({"command": "true", "secrets": {"A": "gone"}}, 404),
    ("GET", "/api/secrets/{name}"): (None, 404),
    ("POST", "/api/secrets/{name}"): ({"value": "x"}, 200),
    ("DELETE", "/api/secrets/{name}"): (None, 404),
    ("POST", "/api/secrets/{name}/exec"): ({"command": "true"}, 404),
    ("POST", "/mcp"): ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, 200),
    ("POST", "/api/tasks"): ({}, 400),
    ("GET", "/api/tasks/{task_id}"): (None, 404),
    ("PATCH", "/api/tasks/{task_id}"): ({}, 404),
    ("DELETE", "/api/tasks/{task_id}"): (None, 404),
    ("POST", "/api/tasks/{task_id}/run"): (None, 404),
    ("GET", "/api/tasks/{task_id}/runs"): (None, 404),
    ("GET", "/api/tasks/{task_id}/stream"): (None, 404),
    ("POST", "/api/git/config"): ({"autoSync": False}, 200),
    ("POST", "/api/update/config"): ({"checkInterval": 600}, 200),
    ("POST", "/api/update/run"): ({"targetVersion": "latest"}, 400),
    ("POST", "/api/skills/install"): ({"name": "recall"}, 200),
    ("GET", "/api/skills/{name}"): (None, 404),
    ("DELETE", "/api/skills/{name}"): (None, 404),
    # It ends when the daemon stops.
}
#: What a route needs to be asked besides its path.
QUERIES = {
    ("GET", "/api/auth/proof"): "?nonce=" + "0" * 64,
    ("GET", "/api/checkpoints"): "?project=/work",
    ("GET", "/api/memory/search"): "?q=tests",
    ("GET", "/api/memories/ids"): "?prefix=01",
    ("GET", "/memory/similar"): "?id={memory_id}",
    ("GET", "/api/skills/search"): "?q=memory",
    ("DELETE", "/api/documents/{document_id}"): "?reason=outdated",
    ("DELETE", "/api/memory/{memory_id}"): "?reason=outdated",
}


def test_the_table_names_every_route_and_no_other() -> None:
    routes = {
        (method, getattr(route, "path", ""))
        for route in ROUTER.routes
        for method in getattr(route, "methods", ())
    }
    # The description is the framework's own route.
    assert routes == set(access.TABLE) - {("GET", "/openapi.json")}
    assert routes == set(TABLE)


def test_a_fixed_path_is_never_taken_for_an_id() -> None:
    for method, path in TABLE:
        if "{" not in path:
            scope = {"type": "http", "method": method, "path": path, "headers": []}
            found = (one for one in ROUTER.routes if one.matches(scope)[0] is Match.FULL)
            assert getattr(next(found), "path", None) == path


@pytest.mark.parametrize(("method", "path"), TABLE)
def test_every_route_answers_as_the_table_says(api: Api, method: str, path: str) -> None:
    body, status = TABLE[method, path]
    memory_id = api.post("/api/memory/remember", {"content": "Tea is at four."}).body["id"]
    document = api.post("/api/documents", {"source_type": "text", "content": "A page."}).body
    api.post("/api/memory/remember", {"content": "We met Ada Winter, who lives in Port Ellen."})
    connector = api.post("/api/connectors", {"provider": "gdrive"}).body
    names = {
        "memory_id": memory_id,
        "connector_id": connector["id"],
        "entity_id": api.rows("entities")[0]["id"],
        "aspect_id": api.rows("entity_aspects")[0]["id"],
        "document_id": document["id"],
        "job_id": document["jobId"],
        "name": "recall",
        "task_id": "none",
        "server_id": "none",
        "review_id": "none",
        "jti": "none",
        "space": "none",
        "share_id": "none",
        "session_key": "s",
        "domain": "queue",
    }
    api.state.is_stopping = True
    address = (path + QUERIES.get((method, path), "")).format(**names)
    text = "" if body is None else json.dumps(body)
    content = text.replace("{entity_id}", names["entity_id"]).encode()
    # Some decide as the user.
    headers = {"content_type": "application/json", "x_signet_actor_type": "operator"}
    answer = api.send(method, address, content, headers)
    assert answer.status == status, answer.body
    declared = next(
        (one for one in operations.BY_ID.values() if (one.method, one.path) == (method, path)), None
    )
    if declared is not None and status < 300 and not declared.path.startswith("/api/repair/"):
        assert status in (declared.status, *declared.also)


def test_the_description_names_the_same_routes_and_the_one_form_of_errors(api: Api) -> None:
    described = api.get("/openapi.json").body
    listed = {
        (method.upper(), path)
        for path, operations in described["paths"].items()
        for method in operations
    }
    pages = {("GET", one.path) for one in (home.PAGE, home.CAPTURE, home.ASSET, home.DOCS)}
    assert listed == set(TABLE) - pages
    for path_item in described["paths"].values():
        for operation in path_item.values():
            assert "422" not in operation["responses"]
            reference = operation["responses"]["4XX"]["content"]["application/json"]["schema"]
            assert reference == {"$ref": "#/components/schemas/ErrorBody"}


def test_every_page_runs_its_own_scripts_alone(api: Api) -> None:
    assert {"/", "/docs", "/capture"} <= browser._HTML
    for path in browser._HTML:
        policy = api.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        [scripts] = re.findall(r"script-src ([^;]+)", policy)
        assert scripts == "'self'" or re.fullmatch(r"'sha256-[\w+/]+='", scripts), path


def test_the_page_of_the_interface_loads_nothing_from_elsewhere(api: Api) -> None:
    page = api.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "/openapi.json" in page.body
    assert 'src="http' not in page.body and 'href="http' not in page.body


def test_an_unknown_path_and_a_wrong_method_are_told_apart(api: Api) -> None:
    for path in ("/api/nothing", "/nothing", "/api", "/api/memory/a/b/c"):
        assert (api.get(path).status, api.get(path).error) == (404, "Not found")
    wrong = api.delete("/api/memories")
    assert (wrong.status, wrong.error) == (405, "Method not allowed")
    assert wrong.headers["allow"] == "GET, HEAD, OPTIONS"
    assert api.send("PUT", "/api/memory/x").headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"
    assert api.post("/health").error == "Method not allowed"


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/health", "GET, HEAD, OPTIONS"),
        ("/api/memory/recall", "OPTIONS, POST"),
        ("/api/tasks/x", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
    ],
)
def test_options_names_the_methods_of_a_path(api: Api, path: str, methods: str) -> None:
    answer = api.send("OPTIONS", path)
    assert (answer.status, answer.headers["allow"], answer.body) == (204, methods, "")
    assert api.send("OPTIONS", "/api/nothing").status == 404


EVENTS = "text/event-stream; charset=utf-8"


def test_head_answers_as_get_does_without_the_body(server: Served) -> None:
    for path in ("/", "/api/tasks", "/api/memories?limit=2", "/metrics", "/openapi.json", "/no"):
        asked, head = server.get(path), server.send("HEAD", path)
        assert (head.status, head.body) == (asked.status, ""), path
        for name in ("content-type", "etag", "cache-control"):
            assert head.headers.get(name) == asked.headers.get(name), path
        assert "content-length" in head.headers, path
    # A stream ends after its head.
    for path in ("/api/events", "/api/logs/stream"):
        head = server.send("HEAD", path)
        assert (head.status, head.headers["content-type"]) == (200, EVENTS), path


def test_the_description_names_the_answer_of_every_declared_operation(api: Api) -> None:
    described = api.get("/openapi.json").body
    for id_, one in operations.BY_ID.items():
        if one.media_type == "text/html":
            continue
        operation = described["paths"][one.path][one.method.lower()]
        assert operation["operationId"] == id_
        for status in (one.status, *one.also):
            assert operation["responses"][str(status)]["content"][one.media_type]["schema"], id_


def test_the_description_has_the_families_in_order_and_explains_each_parameter(api: Api) -> None:
    described = api.get("/openapi.json").body
    listed = [one for path in described["paths"].values() for one in path.values()]
    families = [one["name"] for one in described["tags"]]
    assert families == list(dict.fromkeys(one["tags"][0] for one in listed))
    assert next(iter(described["paths"])) == "/api/memory/remember"
    remember = described["paths"]["/api/memory/remember"]["post"]
    assert remember["summary"].startswith("Save a text and queue its processing")
    assert remember["description"].startswith(remember["summary"])
    assert "`next` of an answer as `cursor`" in described["info"]["description"]
    assert described["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    unexplained = [
        (one["operationId"], parameter["name"])
        for one in listed
        for parameter in one.get("parameters", ())
        if not parameter.get("description")
    ]
    assert unexplained == []


def test_the_description_can_be_read_by_generators_of_clients(api: Api) -> None:
    described = api.get("/openapi.json").body
    schemas = described["components"]["schemas"]
    titles = [schema.get("title", name) for name, schema in schemas.items()]
    assert [title for title in titles if titles.count(title) > 1] == []
    fields = {
        f"{name}.{field}": schema
        for name, whole in schemas.items()
        for field, schema in whole.get("properties", {}).items()
    }
    # They would send it as text.
    assert [
        name for name, one in fields.items() if "anyOf" in one and one.get("default") == []
    ] == []
    answers = [
        (path, status, answer)
        for path, operations_ in described["paths"].items()
        for operation in operations_.values()
        for status, answer in operation["responses"].items()
    ]
    assert [
        (path, status)
        for path, status, one in answers
        if status == "202" and "/repair/" in path and "content" not in one
    ] == []
