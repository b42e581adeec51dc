"""Under which names the daemon may be called, in each mode, while it listens on loopback only."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Program
from support.http import Served, a_workspace, served

WORLD = "signet.example"
JSON = {"content_type": "application/json"}
EXTENSION = "chrome-extension://abcdefghijklmnop"


@pytest.fixture(scope="module", params=["team", "hybrid"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def server(mode: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = f"auth:\n  mode: {mode}\n  trustedOrigins: ['{EXTENSION}']\n"
    workspace = a_workspace(tmp_path_factory.mktemp(mode) / "agents", settings)
    with served(workspace) as running:
        yield running.over_tcp


def token(server: Served, role: str = "agent") -> str:
    """Return the header of a token that a person makes on this machine."""
    signet = Program(home=server.workspace.root.parent, workspace=server.workspace.root)
    made = signet.run("auth", "token", "create", "--role", role, "--json")
    assert made.status == 0, made.err
    return f"Bearer {made.json()['token']}"


def test_a_proxy_on_this_machine_calls_with_a_token_under_the_name_of_the_world(
    server: Served,
) -> None:
    """A reverse proxy hands on the Host and the Origin that the browser sent."""
    headers = {"authorization": token(server), "host": WORLD, "x_forwarded_for": "192.0.2.1"}
    assert server.get("/api/memories", **headers).status == 200
    page = {"origin": f"https://{WORLD}", "sec_fetch_site": "same-origin", **JSON}
    saved = server.post("/api/memory/remember", {"content": "By proxy."}, **headers, **page)
    assert saved.status == 200
    other = server.get("/api/memories", **headers, origin="https://evil.example")
    assert (other.status, other.body["code"]) == (403, "forbidden_origin")


@pytest.mark.parametrize("shown", ["Bearer", "Bearer nothing", "Bearer a.b", "Basic YTpi", ""])
def test_another_host_without_a_good_token_gets_nothing(
    server: Served, mode: str, shown: str
) -> None:
    """A page whose name was pointed at 127.0.0.1 can show any token, but no good one."""
    for path in ("/api/memories", "/api/status", "/api/nothing"):
        refused = server.get(path, host=WORLD, authorization=shown)
        assert refused.status in (401, 403), path
    if mode == "hybrid":
        without = server.get("/health", host=WORLD)
        assert (without.status, without.error) == (403, "Host is not this machine")
        assert server.get("/health", host=WORLD, authorization="Bearer a.b").status == 401
    else:
        assert server.get("/health", host=WORLD).status == 200


def test_a_token_opens_no_other_host_in_local_mode(tmp_path: Path) -> None:
    with served(a_workspace(tmp_path / "agents")) as server:
        refused = server.over_tcp.get("/api/memories", host=WORLD, authorization="Bearer a.b")
        assert (refused.status, refused.error) == (403, "Host is not this machine")


def test_this_machine_is_called_as_before(server: Served, mode: str) -> None:
    without = server.get("/api/memories").status
    assert without == (200 if mode == "hybrid" else 401)
    assert server.get("/api/memories", authorization=token(server)).status == 200


def test_a_trusted_page_needs_the_token_that_any_client_needs(server: Served, mode: str) -> None:
    """A browser asks for permission without the token, also by way of a proxy."""
    asked = {"origin": EXTENSION, "access_control_request_method": "GET"}
    for host in (WORLD, "127.0.0.1"):
        allowed = server.send("OPTIONS", "/api/memories", headers={**asked, "host": host})
        assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (204, EXTENSION)
        evil = {**asked, "host": host, "origin": "https://evil.example"}
        assert server.send("OPTIONS", "/api/memories", headers=evil).status == 403
    without = server.get("/api/memories", origin=EXTENSION)
    assert without.status == (200 if mode == "hybrid" else 401)
    assert without.headers["access-control-allow-origin"] == EXTENSION
    readonly = {"authorization": token(server, "readonly"), "origin": EXTENSION, **JSON}
    assert server.get("/api/memories", **readonly).status == 200
    assert server.post("/api/memory/remember", {"content": "No."}, **readonly).status == 403
