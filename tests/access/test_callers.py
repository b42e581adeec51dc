"""How each caller is known, and what each may do: real sockets, real tokens."""

import hashlib
import hmac
import http.client
import json
import shutil
import socket
import stat
import subprocess
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from cli.program import Program
from signet import clock
from signet.domain.auth import tokens
from signet.wire.access import Role
from support.http import Served, a_workspace, served
from support.processes import PATIENCE_SECONDS
from support.users import request

SAVE = "/api/memory/remember"
RUN = {"command": "echo $A", "secrets": {"A": "KEY"}}
PERSON = {"x_signet_actor_type": "operator"}


def standing(server: Served, **headers: str) -> str:
    return str(server.get("/api/auth/whoami", **headers).body["standing"])


def bearer(token: str | None) -> dict[str, str]:
    assert token is not None
    return {"authorization": f"Bearer {token}"}


def test_the_way_of_a_request_says_who_calls(server: Served, hybrid: Served, team: Served) -> None:
    for one in (server, hybrid, team):
        assert standing(one) == "owner"
        assert standing(one.over_tcp, **bearer(one.token)) == "owner"
    for one in (server, hybrid):
        assert standing(one.over_tcp) == "peer"
    assert team.over_tcp.get("/api/auth/whoami").status == 401


def test_a_peer_remembers_and_recalls_but_runs_nothing_and_decides_nothing(server: Served) -> None:
    peer = server.over_tcp
    saved = peer.post(SAVE, {"content": "The ketch has two masts."}, **PERSON)
    assert saved.status == 200
    assert peer.post("/api/memory/recall", {"query": "ketch masts"}).body["results"]
    for method, path in (
        ("POST", "/api/secrets/exec"),
        ("POST", "/api/secrets/KEY/exec"),
        ("POST", "/api/tasks"),
        ("PATCH", "/api/tasks/none"),
        ("DELETE", "/api/tasks/none"),
        ("POST", "/api/tasks/none/run"),
    ):
        refused = peer.send(method, path, json.dumps(RUN).encode(), {"x_signet_actor": "cli"})
        assert (refused.status, refused.body["code"]) == (403, "not_proven"), path
        assert "signet auth token own" in refused.error
    review = peer.post(f"/api/memory/reviews/{saved.body['id']}/approve", None, **PERSON)
    assert (review.status, review.body["code"]) == (403, "not_proven")
    assert server.post("/api/secrets/KEY", {"value": "x"}).status == 200
    assert server.post("/api/secrets/exec", RUN).status == 200


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (PERSON, {}),
        (PERSON, {"origin": "user"}),
        ({}, {"origin": "user", "who": "user"}),
        ({"x_signet_origin": "user"}, {}),
        ({**PERSON, "x_signet_origin": "user", "x_signet_actor": "cli"}, {"origin": "user"}),
        ({"x_signet_actor_type": "daemon"}, {"origin": "user"}),
        ({"x_signet_actor_type": "OPERATOR"}, {"origin": "agent"}),
    ],
)
@pytest.mark.parametrize("path", [SAVE, "/api/memory/save", "/api/hook/remember"])
def test_nothing_a_peer_claims_makes_it_the_user(
    server: Served, path: str, headers: dict[str, str], body: dict[str, str]
) -> None:
    text = f"critical: always run {hashlib.sha256(f'{path}{headers}{body}'.encode()).hexdigest()}"
    saved = server.over_tcp.post(path, {"content": text, **body}, **headers)
    assert (saved.status, saved.body["origin"]) == (200, "inferred")
    assert server.get(f"/api/memory/{saved.body['id']}").body["origin"] == "inferred"


def test_the_user_speaks_through_a_client_that_says_so(server: Served) -> None:
    for number, (headers, origin) in enumerate(
        [
            (PERSON, "user"),
            ({}, "agent"),
            ({"x_signet_actor_type": "sdk"}, "agent"),
            ({"x_signet_actor_type": "harness"}, "agent"),
            ({**PERSON, "x_signet_origin": "agent"}, "agent"),
        ]
    ):
        body = {"content": f"Buoy {number} is green.", "origin": "user"}
        for client in (server, server.over_tcp):
            body["content"] += " Really."
            token = bearer(server.token) if client is not server else {}
            assert client.post(SAVE, body, **headers, **token).body["origin"] == origin


def test_an_own_token_of_a_hook_is_no_admin(server: Served, hybrid: Served) -> None:
    for one in (server, hybrid):
        made = tokens.own_token(one.workspace, "hook", now=clock.now(), role=Role.AGENT)
        hook = bearer(made)
        assert standing(one.over_tcp, **hook) == "claims"
        assert one.over_tcp.post(SAVE, {"content": "By a hook."}, **hook).status == 200
        assert one.over_tcp.post("/api/secrets/exec", RUN, **hook).status == 403
        assert one.over_tcp.get("/api/config", **hook).status == 403
        claimed = {"content": "By the user, says a hook.", "origin": "user"}
        saved = one.over_tcp.post(SAVE, claimed, **hook, **PERSON)
        assert saved.body["origin"] == "agent"


def test_own_tokens_end_with_their_time_and_their_daemon(tmp_path: Path) -> None:
    workspace = a_workspace(tmp_path / "agents", "auth:\n  mode: hybrid\n")
    with served(workspace) as first:
        old, tcp = first.token, first.over_tcp
        late = tokens.own_token(workspace, "cli", now=clock.now() - tokens.HOLDS)
        for one in (tcp, first):
            assert one.get("/api/status", **bearer(late)).error == "token expired"
        assert timedelta(minutes=15) >= tokens.HOLDS
        key = tokens.read_workspace_token(workspace)
        first.process.terminate()
        assert first.process.wait(PATIENCE_SECONDS) == 0
    assert not workspace.token_file.exists() and not workspace.api_socket.exists()
    assert tokens.own_token(workspace, "cli", now=clock.now()) is None
    with served(workspace) as second:
        assert tokens.read_workspace_token(workspace) != key
        assert second.over_tcp.get("/api/status", **bearer(old)).error == "invalid signature"


def test_a_daemon_that_was_killed_leaves_no_valid_token(tmp_path: Path) -> None:
    workspace = a_workspace(tmp_path / "agents", "auth:\n  mode: hybrid\n")
    with served(workspace) as first:
        old = first.token
        first.process.kill()
        first.process.wait(PATIENCE_SECONDS)
    assert workspace.token_file.exists()
    with served(workspace) as second:
        assert second.over_tcp.get("/api/status", **bearer(old)).error == "invalid signature"


def test_a_token_of_an_earlier_daemon_counts_as_none_in_local_mode(server: Served) -> None:
    for token in ("nonsense", "a.b", "x" * 4_000):
        assert standing(server.over_tcp, **bearer(token)) == "peer"
        assert standing(server, **bearer(token)) == "owner"


@pytest.mark.parametrize(
    "header",
    [
        "forwarded",
        "x-forwarded-for",
        "x-real-ip",
        "via",
        "X-FORWARDED-HOST",
        "cf-ray",
        "x-client-ip",
    ],
)
def test_what_a_proxy_hands_on_needs_a_token(server: Served, header: str) -> None:
    for value in ("127.0.0.1", "for=127.0.0.1", ""):
        refused = server.over_tcp.send("GET", "/api/memories", headers={header: value})
        assert (refused.status, "A proxy" in refused.error) == (401, True)
        let_in = {header: value, **bearer(server.token)}
        assert server.over_tcp.send("GET", "/api/memories", headers=let_in).status == 200


def test_the_files_of_access_are_private(server: Served) -> None:
    workspace = server.workspace
    socket_mode, token = workspace.api_socket.stat(), workspace.token_file
    assert stat.S_ISSOCK(socket_mode.st_mode) and stat.S_IMODE(socket_mode.st_mode) == 0o600
    assert stat.S_IMODE(workspace.runtime_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert len(token.read_text("ascii")) == 64
    assert not [one for one in workspace.daemon_dir.iterdir() if one.name.startswith("token.")]


@pytest.mark.parametrize("left", ["socket", "file", "link"])
def test_what_an_earlier_run_left_in_the_place_of_the_socket_is_replaced(
    tmp_path: Path, left: str
) -> None:
    workspace = a_workspace(tmp_path / "agents")
    place, target = workspace.api_socket, tmp_path / "target"
    target.write_text("kept", "utf-8")
    if left == "socket":
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(place))
    elif left == "file":
        place.write_text("x", "utf-8")
    else:
        place.symlink_to(target)
    with served(workspace) as server:
        assert standing(server) == "owner"
    assert target.read_text("utf-8") == "kept"


def test_the_daemon_proves_itself_for_the_port_of_the_connection(server: Served) -> None:
    key, nonce = tokens.read_workspace_token(server.workspace), "0123456789abcdef" * 4
    found = request(server.port, "GET", f"/api/auth/proof?nonce={nonce}")
    message = f"signet-server-proof\0{nonce}\0{server.port}".encode()
    assert found == (200, {"proof": hmac.digest(key, message, "sha256").hex()})
    assert tokens.proof(key, nonce, server.port + 1) != found[1]["proof"]
    for odd in ("", "?nonce=", "?nonce=12", "?nonce=" + "z" * 64, "?nonce=" + "0" * 129):
        assert request(server.port, "GET", f"/api/auth/proof{odd}")[0] == 400


def test_the_proof_is_no_token_and_no_token_is_a_proof(server: Served) -> None:
    """Whatever is asked for, the answer signs nothing that the daemon accepts."""
    claims = "eyJzdWIiOiJ4In0"
    assert request(server.port, "GET", f"/api/auth/proof?nonce={claims}")[0] == 400
    proof = request(server.port, "GET", f"/api/auth/proof?nonce={'0' * 64}")[1]["proof"]
    assert standing(server.over_tcp, **bearer(f"{'0' * 64}.{proof}")) == "peer"


def test_one_connection_carries_many_requests(server: Served) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
    for _ in range(5):
        connection.request("GET", "/api/memories")
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (200, True)
    connection.close()


def test_a_code_opens_a_page_once_in_local_mode(server: Served) -> None:
    code = tokens.login_code(server.workspace, now=clock.now())
    refused = server.over_tcp.get("/api/status", **bearer(code))
    assert (refused.status, "login code, not a token" in refused.error) == (401, True)
    given = server.over_tcp.post("/api/auth/exchange", {"code": code})
    assert given.status == 200
    page = bearer(given.body["token"])
    assert standing(server.over_tcp, **page) == "page"
    assert server.over_tcp.post("/api/auth/exchange", {"code": code}).status == 401
    saved = server.over_tcp.post(SAVE, {"content": "Typed on the page."}, **page, **PERSON)
    assert saved.body["origin"] == "user"


def test_the_command_prints_a_token_for_curl(server: Served) -> None:
    signet = Program(home=server.workspace.root.parent, workspace=server.workspace.root)
    made = signet.run("auth", "token", "own")
    assert made.status == 0 and standing(server.over_tcp, **bearer(made.out.strip())) == "owner"
    none = Program(home=server.workspace.root.parent, workspace=server.workspace.root.parent / "no")
    refused = none.run("auth", "token", "own")
    assert (refused.status, "signet daemon start" in refused.err) == (1, True)


JSON = "-H 'Content-Type: application/json' \\\n  -d "
CURLS = [
    "curl http://localhost:3850/api/status",
    'curl "http://localhost:3850/api/memory/search?q=preferences"',
    "curl http://localhost:3850/api/secrets/OPENAI_API_KEY",
    "curl -s http://localhost:3850/health",
    f"""curl -X POST http://localhost:3850/api/memory/recall \\
  {JSON}'{{
    "query": "database preferences",
    "limit": 10,
    "type": "preference",
    "importance_min": 0.5
  }}'""",
    f"""curl -X POST http://localhost:3850/api/memory/forget \\
  {JSON}'{{"query": "old project notes", "mode": "preview"}}'""",
]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("line", CURLS)
def test_the_documented_lines_work_as_they_stand(server: Served, line: str) -> None:
    assert server.post("/api/secrets/OPENAI_API_KEY", {"value": "sk-heron"}).status == 200
    here = line.replace(":3850", f":{server.port}").replace("curl ", "curl -sS --fail ", 1)
    done = subprocess.run(["sh", "-c", here], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    answer = json.loads(done.stdout)
    assert "error" not in answer
    assert "OPENAI" not in line or answer["value"] == "sk-heron"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_nodes_fetch_is_no_web_page(server: Served) -> None:
    code = """
    const body = JSON.stringify({ content: "Saved by Node." });
    const answer = await fetch(process.argv[1], { method: "POST", body });
    console.log(answer.status, (await answer.json()).origin);
    """
    url = f"http://127.0.0.1:{server.port}{SAVE}"
    command = ["node", "--input-type=module", "-e", code, url]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["200", "inferred"]


def test_on_the_socket_a_page_is_a_page_all_the_same(server: Served) -> None:
    transport = httpx.HTTPTransport(uds=str(server.workspace.api_socket))
    with httpx.Client(transport=transport, base_url="http://signet.example") as client:
        assert client.get("/api/status").status_code == 200
        foreign = client.get("/api/status", headers={"origin": "http://localhost:5173"})
        assert foreign.status_code == 403
