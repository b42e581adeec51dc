"""Other users of the machine: they reach the port, and nothing behind it (F2)."""

import os
import socket
from contextlib import contextmanager
from functools import partial

import pytest

from access.conftest import started
from signet import clock
from signet.domain.auth import tokens
from support.http import Served
from support.users import STRANGER, as_user, needs_root, over_socket, request

SAVE = "/api/memory/remember"
CALLS = [
    ("GET", "/api/memories", None),
    ("GET", "/api/status", None),
    ("GET", "/api/secrets", None),
    ("GET", "/api/secrets/KEY", None),
    ("GET", "/api/config", None),
    ("GET", "/metrics", None),
    ("GET", "/api/export?everything=true", None),
    ("POST", "/api/memory/recall", {"query": "heron"}),
    ("POST", SAVE, {"content": "Stolen."}),
    ("POST", "/api/secrets/exec", {"command": "id", "secrets": {}}),
    ("POST", "/api/secrets/KEY", {"value": "mine"}),
    ("POST", "/api/tasks", {"name": "t"}),
    ("POST", "/api/hooks/session-end", {"harness": "x", "transcriptPath": "/etc/passwd"}),
    ("POST", "/api/hooks/user-prompt-submit", {"harness": "x", "userPrompt": "heron"}),
    ("GET", "/no/such/path", None),
    ("PUT", "/api/status", None),
]


@pytest.fixture(scope="module")
def filled(server: Served) -> Served:
    assert server.post(SAVE, {"content": "The heron nests on the mast."}).status == 200
    assert server.post("/api/secrets/KEY", {"value": "topsecret"}).status == 200
    return server


@needs_root
@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_another_user_gets_nothing_over_tcp(
    filled: Served, method: str, path: str, body: object
) -> None:
    before = len(filled.get("/api/memories").body["memories"])
    status, said = as_user(STRANGER, lambda: request(filled.port, method, path, body))
    assert (status, said["code"]) == (401, "unauthenticated")
    assert "another user" in said["error"] and "signet auth token create" in said["error"]
    assert "heron" not in str(said) and str(filled.workspace.root) not in str(said)
    assert len(filled.get("/api/memories").body["memories"]) == before


@needs_root
@pytest.mark.parametrize("user", [STRANGER, 65_534, 1])
def test_another_user_gets_nothing_in_hybrid_mode(hybrid: Served, user: int) -> None:
    status, said = as_user(user, lambda: request(hybrid.port, "GET", "/api/memories"))
    assert status == 401, said
    assert hybrid.over_tcp.get("/api/memories").status == 200


@needs_root
def test_another_user_cannot_open_the_socket_or_read_the_token(filled: Served) -> None:
    path = filled.workspace.api_socket
    for tried in (path, filled.workspace.token_file):
        with pytest.raises(AssertionError, match=r"PermissionError|FileNotFoundError"):
            as_user(STRANGER, partial(_open, str(tried)))
    # Even where the folders let somebody in: the kernel names the user.
    folders = [one for one in path.parents if one != one.parent]
    modes = [one.stat().st_mode for one in folders]
    try:
        for one in folders:
            one.chmod(one.stat().st_mode | 0o055)
        path.chmod(0o666)
        status, said = as_user(STRANGER, lambda: over_socket(str(path), "/api/memories"))
        assert (status, said["code"]) == (401, "unauthenticated")
    finally:
        path.chmod(0o600)
        for one, mode in zip(folders, modes, strict=True):
            one.chmod(mode & 0o7777)


def _open(path: str) -> None:
    if path.endswith(".sock"):
        with socket.socket(socket.AF_UNIX) as tried:
            tried.connect(path)
    else:
        os.close(os.open(path, os.O_RDONLY))


@needs_root
def test_the_link_to_the_dashboard_opens_nothing_for_a_user_who_sees_it(
    filled: Served, hybrid: Served
) -> None:
    """A browser is started with the link as an argument, which every user can read."""
    for one in (filled, hybrid):
        body = {"code": tokens.login_code(one.workspace, now=clock.now())}
        post = partial(request, one.port, "POST", "/api/auth/exchange", body)
        status, said = as_user(STRANGER, post)
        assert (status, said["code"]) == (401, "unauthenticated")
        assert post()[0] == 200


@needs_root
def test_every_local_user_may_be_let_in_but_runs_nothing(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with contextmanager(started)(tmp_path_factory, "auth:\n  localUsers: any\n") as server:
        post = partial(request, server.port, "POST")
        assert as_user(STRANGER, partial(post, SAVE, {"content": "Shared."}))[0] == 200
        run = {"command": "id", "secrets": {}}
        refused = as_user(STRANGER, partial(post, "/api/secrets/exec", run))
        assert (refused[0], refused[1]["code"]) == (403, "not_proven")


@needs_root
def test_a_token_lets_another_user_in_where_tokens_are_known(hybrid: Served) -> None:
    made = hybrid.post("/api/auth/token", {"role": "readonly", "sub": "bob"}).body["token"]
    bearer = {"authorization": f"Bearer {made}"}
    found = as_user(STRANGER, lambda: request(hybrid.port, "GET", "/api/memories", headers=bearer))
    assert found[0] == 200


@needs_root
def test_what_is_open_says_nothing_private(filled: Served) -> None:
    for path in ("/", "/health", "/api/auth/proof?nonce=" + "a" * 64):
        status, said = as_user(STRANGER, partial(request, filled.port, "GET", path))
        assert status == 200, path
        assert "heron" not in str(said) and "topsecret" not in str(said)
