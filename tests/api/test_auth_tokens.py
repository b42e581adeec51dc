"""Issuing, listing and taking back tokens, and who history says it was."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from signet import clock
from signet.domain.auth import tokens
from signet.domain.auth.tokens import TokenScope
from signet_api import callers
from signet_api.authority import Authority
from support.http import Api, an_api
from support.processes import eventually
from support.tokens import a_token, bearer


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Api]:
    settings = "auth:\n  mode: team\n  rateLimits: {admin: {max: 1000}}\n"
    with an_api(tmp_path / "agents", settings, peer="192.0.2.7", bind="0.0.0.0") as api:
        yield api


@pytest.fixture
def admin(team: Api) -> dict[str, str]:
    return bearer(a_token(team, "admin"))


def test_an_issued_token_says_and_opens_what_was_asked_for(
    team: Api, admin: dict[str, str]
) -> None:
    body = {"role": "agent", "sub": "bea", "scope": {"agent": "bea"}, "ttlSeconds": 60}
    issued = team.post("/api/auth/token", body, **admin)
    assert issued.status == 200
    claims = tokens.verify(issued.body["token"], team.state.authority.secret, now=clock.now())
    assert (claims.sub, claims.role, claims.scope) == ("bea", "agent", TokenScope(agent="bea"))
    assert claims.exp - claims.iat == 60
    assert clock.parse(issued.body["expiresAt"]).timestamp() == claims.exp
    me = team.get("/api/auth/whoami", **bearer(issued.body["token"])).body
    assert me == {
        "standing": "claims",
        "authenticated": True,
        "claims": claims.body(),
        "mode": "team",
        "permissions": ["documents", "forget", "modify", "recall", "recover", "remember"],
        "trustedLocal": False,
        "error": None,
    }


def test_what_is_left_out_is_the_default(team: Api, admin: dict[str, str]) -> None:
    for more in ({}, {"ttlSeconds": 0}, {"ttlSeconds": -5}, {"scope": None, "sub": " "}):
        issued = team.post("/api/auth/token", {"role": "readonly", **more}, **admin).body
        claims = tokens.verify(issued["token"], team.state.authority.secret, now=clock.now())
        assert (claims.sub, claims.scope) == ("token:readonly", TokenScope())
        assert claims.exp - claims.iat == 604_800


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "invalid request body"),
        (b"{", "invalid request body"),
        (b"[]", "invalid request body"),
        (b"{}", "role must be one of: admin, operator, agent, readonly, monitor"),
        (b'{"role": "root"}', "role must be one of: admin, operator, agent, readonly, monitor"),
        (b'{"role": ["admin"]}', "role must be one of: admin, operator, agent, readonly, monitor"),
        (b'{"role": "agent", "scope": {"team": "a"}}', "scope.team"),
        (b'{"role": "agent", "scope": {"project": 7}}', "scope.project"),
        (b'{"role": "agent", "scope": {"project": ""}}', "scope.project"),
        (b'{"role": "agent", "scope": "a"}', "scope"),
        (b'{"role": "agent", "sub": 7}', "sub"),
    ],
    ids=range(11),
)
def test_what_makes_no_token_is_refused_in_words(
    team: Api, admin: dict[str, str], body: bytes, error: str
) -> None:
    refused = team.post("/api/auth/token", body, **admin)
    assert refused.status == 400
    assert refused.error.startswith(error)


def test_in_local_mode_there_is_nothing_to_sign_with(api: Api) -> None:
    refused = api.post("/api/auth/token", b"{")
    assert refused.status == 400
    assert "signet config set auth.mode hybrid, then signet daemon restart" in refused.error


def test_a_token_that_was_taken_back_is_refused_at_once(team: Api, admin: dict[str, str]) -> None:
    issued = team.post("/api/auth/token", {"role": "operator", "sub": "cato"}, **admin).body
    mine = bearer(issued["token"])
    assert team.get("/api/status", **mine).status == 200
    [listed] = [
        one for one in team.get("/api/auth/tokens", **admin).body["tokens"] if one["sub"] == "cato"
    ]
    assert listed["jti"] == issued["jti"] and listed["revokedAt"] is None
    assert issued["token"] not in str(team.get("/api/auth/tokens", **admin).body)
    path = f"/api/auth/tokens/{issued['jti']}"
    first = team.send("DELETE", path, headers=admin)
    assert first.status == 200 and first.body["revokedAt"] is not None
    again = team.send("DELETE", path, headers=admin)
    assert again.body["revokedAt"] == first.body["revokedAt"]
    refused = team.get("/api/status", **mine)
    assert (refused.status, refused.error) == (401, "token revoked")
    assert team.send("DELETE", "/api/auth/tokens/none", headers=admin).status == 404


def test_a_token_that_was_signed_offline_is_listed_from_its_first_use(
    team: Api, admin: dict[str, str]
) -> None:
    mine = bearer(a_token(team, "agent", sub="offline", jti="j-1", scope=TokenScope(agent="bea")))
    for _ in range(2):
        assert team.get("/api/status", **mine).status == 200
    [listed] = team.get("/api/auth/tokens", **admin).body["tokens"]
    assert (listed["jti"], listed["sub"], listed["scope"]) == ("j-1", "offline", {"agent": "bea"})
    assert team.send("DELETE", "/api/auth/tokens/j-1", headers=admin).status == 200
    assert team.get("/api/status", **mine).status == 401


def test_a_token_says_when_it_was_last_seen_and_each_minute_at_most(
    team: Api, admin: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    issued = team.post("/api/auth/token", {"role": "agent", "sub": "laptop"}, **admin).body
    mine = bearer(issued["token"])

    def seen() -> str | None:
        listed = team.get("/api/auth/tokens", **admin).body["tokens"]
        found: dict[str, str | None] = {one["jti"]: one["lastSeenAt"] for one in listed}
        return found[issued["jti"]]

    assert seen() is None
    assert team.get("/api/status", **mine).status == 200
    eventually(lambda: seen() is not None)
    first = seen()
    assert team.get("/api/status", **mine).status == 200
    monkeypatch.setattr(callers, "NOTED_AFTER", timedelta(0))
    assert seen() == first
    assert team.get("/api/status", **mine).status == 200
    eventually(lambda: (seen() or "") > (first or ""))


def test_tokens_that_ended_long_ago_are_dropped(team: Api, admin: dict[str, str]) -> None:
    team.run("INSERT INTO tokens (jti, expires_at) VALUES ('old', '2020-01-01T00:00:00.000Z')")
    team.post("/api/auth/token", {"role": "readonly"}, **admin)
    assert "old" not in {row["jti"] for row in team.rows("tokens")}


def test_another_secret_ends_all_tokens(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: team}\n") as api:
        token = bearer(a_token(api, "admin"))
        assert api.get("/api/status", **token).status == 200
        workspace = api.state.workspace
        assert workspace.auth_secret.stat().st_mode & 0o777 == 0o600
        workspace.auth_secret.unlink()
        api.state.authority = Authority.from_settings(api.state.settings, workspace, "127.0.0.1")
        refused = api.get("/api/status", **token)
        assert (refused.status, refused.error) == (401, "invalid signature")


def test_history_tells_the_holder_of_the_token(team: Api) -> None:
    token = bearer(a_token(team, "agent", sub="bea"))
    claimed = {"x_signet_actor": "mallory", "x_signet_actor_type": "operator"}
    saved = team.post("/api/memory/remember", {"content": "Tea at four."}, **token, **claimed).body
    patch = {"pinned": True, "reason": "important", "changed_by": "mallory"}
    path, sent = f"/api/memory/{saved['id']}", json.dumps(patch).encode()
    assert team.send("PATCH", path, sent, token).status == 200
    told = [(row["changed_by"], row["actor_type"]) for row in team.rows("memory_history")]
    assert told == [("bea", "agent")] * 2


def test_a_request_has_an_id_that_history_keeps(api: Api) -> None:
    for headers in ({"x_signet_request_id": "r-1"}, {}):
        answer = api.post("/api/memory/remember", {"content": f"Note {headers}."}, **headers)
        row = api.rows("memory_history")[-1]
        assert row["request_id"] == answer.headers["x-signet-request-id"]
        assert row["request_id"] == "r-1" or len(row["request_id"]) == 36


def test_a_scope_fills_what_a_save_leaves_out_and_refuses_another(team: Api) -> None:
    scope = TokenScope(project="garden", agent="bea")
    token = bearer(a_token(team, "agent", scope=scope))
    team.post("/api/memory/remember", {"content": "The gate is green."}, **token)
    assert [(row["project"], row["agent_id"]) for row in team.rows("memories")] == [
        ("garden", "bea")
    ]
    for more, dimension in (
        ({"project": "shed"}, "project 'garden'"),
        ({"agentId": "x"}, "agent 'bea'"),
    ):
        for path in ("/api/memory/remember", "/api/hooks/remember", "/api/hooks/session-end"):
            body = {"content": "No.", "harness": "codex", "transcript": "user: hello there", **more}
            refused = team.post(path, body, **token)
            assert (refused.status, refused.error) == (403, f"scope restricted to {dimension}"), (
                path
            )


def test_a_text_of_another_project_is_saved_beside_it_and_not_shown(
    team: Api, admin: dict[str, str]
) -> None:
    body = {"content": "The gate is green.", "project": "shed", "tags": "paint"}
    known = team.post("/api/memory/remember", body, **admin).body["id"]
    token = bearer(a_token(team, "agent", scope=TokenScope(project="garden")))
    same = {"content": "The gate is green.", "harness": "codex"}
    for path in ("/api/memory/remember", "/api/hooks/remember"):
        saved = team.post(path, same, **token)
        assert saved.status == 200 and known not in str(saved.body)
    mine = team.get("/api/memories", **token).body["memories"]
    assert [(one["content"], one["project"]) for one in mine] == [("The gate is green.", "garden")]


def test_a_batch_tells_what_lies_outside_and_does_the_rest(
    team: Api, admin: dict[str, str]
) -> None:
    ids = [
        team.post(
            "/api/memory/remember", {"content": f"Note of {project}.", "project": project}, **admin
        ).body["id"]
        for project in ("garden", "shed")
    ]
    token = bearer(a_token(team, "agent", scope=TokenScope(project="garden")))
    patches = [{"id": one, "importance": 0.9, "reason": "x"} for one in ids]
    done = team.post("/api/memory/modify", {"patches": patches}, **token).body
    assert [one["status"] for one in done["results"]] == ["updated", "scope_denied"]
    body = {"mode": "execute", "ids": ids, "reason": "tidy"}
    gone = team.post("/api/memory/forget", body, **token).body
    assert [(one["id"], one["status"]) for one in gone["results"]] == [
        (ids[0], "deleted"),
        (ids[1], "scope_denied"),
    ]
    assert (gone["requested"], gone["deleted"]) == (2, 1)
    for method, path in (("PATCH", ""), ("DELETE", "?reason=x"), ("POST", "/recover?reason=x")):
        change = json.dumps({"reason": "x", "pinned": True}).encode() if method == "PATCH" else b""
        refused = team.send(method, f"/api/memory/{ids[1]}{path}", change, token)
        assert (refused.status, refused.error) == (403, "scope restricted to project 'garden'")
    assert team.get(f"/api/memory/{ids[1]}", **token).status == 404


def test_everything_is_for_admins(team: Api, admin: dict[str, str]) -> None:
    operator = bearer(a_token(team, "operator"))
    assert team.get("/api/export?everything=true", **admin).status == 200
    assert team.get("/api/export", **operator).status == 200
    for refused, permission in (
        (team.get("/api/export?everything=true", **operator), "admin"),
        (team.post("/api/import", {"records": []}, **operator), "programs"),
    ):
        words = f"role 'operator' lacks '{permission}' permission"
        assert (refused.status, refused.error) == (403, words)


def test_a_code_opens_the_page_once_and_is_no_token(team: Api) -> None:
    code = tokens.login_code(team.state.workspace, now=clock.now())
    assert code is not None
    assert team.get("/api/auth/whoami", **bearer(code)).status == 401
    given = team.post("/api/auth/exchange", {"code": code})
    assert given.status == 200
    me = team.get("/api/auth/whoami", **bearer(given.body["token"])).body
    assert me["claims"]["role"] == "admin"
    ttl = team.state.settings.auth.session_token_ttl_seconds
    assert me["claims"]["exp"] - me["claims"]["iat"] == ttl
    again = team.post("/api/auth/exchange", {"code": code})
    assert (again.status, "used already" in again.error) == (401, True)
    late = tokens.login_code(team.state.workspace, now=clock.now() - tokens.LOGIN_HOLDS)
    assert team.post("/api/auth/exchange", {"code": late}).status == 401
    assert team.post("/api/auth/exchange", {"code": given.body["token"]}).status == 401
