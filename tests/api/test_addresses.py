"""Ids that stand in an address: whatever they hold, they name one thing and no other route."""

from urllib.parse import quote

import pytest

from signet.wire.sessions import BYPASS_SESSION
from signet_api import access, segments
from support.http import Api

KEYS = {
    "slash": "a/b",
    "route": "x/bypass",
    "dots": "..",
    "encoded": "a%2Fb",
    "unicode": "sjø/økt 7",
    "agent": "agent:main:/work/heron",
    "query": "a?b#c&d",
}
#: What is said where there is no such route.
NO_ROUTE = {"error": "Not found", "code": "not_found"}
#: Routes with an id in their address.
UNKNOWN = [
    ("GET", "/api/memory/{}"),
    ("GET", "/api/memory/{}/history"),
    ("GET", "/api/jobs/{}"),
    ("GET", "/api/documents/{}"),
    ("GET", "/api/connectors/{}"),
    ("GET", "/api/knowledge/entities/{}"),
    ("POST", "/api/knowledge/entities/{}/pin"),
    ("GET", "/api/tasks/{}"),
    ("GET", "/api/agents/{}"),
]


def encoded(key: str) -> str:
    """Return a key as a client writes it into an address; dots too, which say something else there."""
    return quote(key, safe="").replace(".", "%2E")


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_session_is_found_by_its_key_on_every_route(api: Api, key: str) -> None:
    said = {"harness": "codex", "sessionKey": key, "runtimePath": "legacy"}
    api.post("/api/hooks/session-start", said)
    api.post("/api/hooks/user-prompt-submit", {**said, "userMessage": "How are the herons?"})
    at = f"/api/sessions/{encoded(key)}"
    assert api.get(at).body["key"] == key
    assert api.post(f"{at}/bypass", {"enabled": True}).body == {"key": key, "bypassed": True}
    assert api.get(at).body["bypassed"] is True
    assert api.post(f"{at}/bypass", {"enabled": False}).body == {"key": key, "bypassed": False}
    assert api.post(f"{at}/renew").body["key"] == key
    api.post("/api/hooks/session-end", {**said, "transcript": "User: They are well."})
    assert api.get(f"{at}/transcript").body["content"] == "User: They are well."
    found = api.get(f"/api/checkpoints/{encoded(key)}").body
    assert [one["session_key"] for one in found["checkpoints"]] == [key]
    assert api.get(at).status == 404


@pytest.mark.parametrize(("method", "path"), UNKNOWN, ids=[path for _, path in UNKNOWN])
def test_an_unknown_name_is_unknown_and_never_another_route(
    api: Api, method: str, path: str
) -> None:
    for key in KEYS.values():
        answer = api.send(method, path.format(encoded(key)))
        assert answer.status == 404, (key, answer.body)
        assert answer.body != NO_ROUTE, key


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_names_with_rules_are_refused_in_their_own_words(api: Api, key: str) -> None:
    for method, path in (
        ("GET", "/api/secrets/{}"),
        ("POST", "/api/secrets/{}"),
        ("GET", "/api/skills/{}"),
        ("DELETE", "/api/skills/{}"),
        ("GET", "/api/diagnostics/{}"),
    ):
        answer = api.send(method, path.format(encoded(key)), b'{"value": "x"}')
        assert answer.status in (400, 404), (path, answer.body)
        assert answer.error and answer.body != NO_ROUTE, path
    assert sorted(file.name for file in api.state.workspace.root.parent.iterdir()) == [
        api.state.workspace.root.name
    ]


def test_who_is_let_in_is_told_by_the_same_names() -> None:
    scope = {"raw_path": b"/api/sessions/a%2fb/bypass", "path": "/api/sessions/a/b/bypass"}
    segments.keep(scope)
    assert access.match("POST", str(scope["path"])) is BYPASS_SESSION.rule
