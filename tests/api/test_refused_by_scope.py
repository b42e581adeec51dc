"""A change that a token's scope refuses is noted by its code, whichever guard has seen it."""

import json
from pathlib import Path

import pytest

from signet.domain.auth.tokens import TokenScope
from support.http import an_api
from support.tokens import a_token, bearer

SETTINGS = "auth:\n  mode: team\n"
BEA = TokenScope(agent="bea")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/api/memory/{id}", {"content": "Mine now.", "reason": "x"}),
        ("DELETE", "/api/memory/{id}?reason=x", None),
        (
            "POST",
            "/api/memory/modify",
            {"patches": [{"id": "{id}", "reason": "x", "pinned": True}]},
        ),
        ("POST", "/api/memory/forget", {"mode": "execute", "ids": ["{id}"], "reason": "x"}),
        ("POST", "/api/memory/remember", {"content": "Theirs.", "agentId": "cato"}),
    ],
    ids=["patch", "delete", "modify", "forget", "remember"],
)
def test_a_change_outside_of_a_scope_is_refused_and_noted(
    tmp_path: Path, method: str, path: str, body: object
) -> None:
    with an_api(tmp_path / "agents", SETTINGS) as api:
        admin = bearer(a_token(api, "admin"))
        saved = api.send(
            "POST",
            "/api/memory/remember",
            json.dumps({"content": "The gate is green.", "agentId": "cato"}).encode(),
            admin,
        )
        memory_id = saved.body["id"]
        sent = b"" if body is None else json.dumps(body).replace("{id}", memory_id).encode()
        limited = bearer(a_token(api, "agent", sub="bea", scope=BEA))
        refused = api.send(method, path.replace("{id}", memory_id), sent, limited)
        assert refused.status in (200, 403)
        assert "scope restricted to agent 'bea'" in json.dumps(refused.body)
        told = api.send("GET", "/api/analytics/errors?stage=mutation", b"", admin).body
        assert told["summary"] == {"MUTATION_SCOPE_DENIED": 1}
        assert told["errors"][0]["actor"] == "bea"
