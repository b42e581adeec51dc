"""How both clients reach the daemon of a workspace, and what another program on its socket or port gets to see."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from client.speaking import Act, Speaker, drips, loopback, raw, resets, sends
from signet.client import (
    BadAnswer,
    ConnectionBroken,
    DaemonNotRunning,
    DaemonSilent,
    Unavailable,
)
from signet.domain.auth.tokens import BadSecret
from signet.errors import SignetError
from signet.paths import Workspace
from support.http import Served
from support.ports import free_port

BODY = b'{"proof": "%s", "inject": "INJECTED", "features": true}' % (b"0" * 64)


@pytest.fixture
def beside(server: Served, tmp_path: Path) -> Workspace:
    """Give a folder with the daemon's token and address, but without its socket."""
    workspace = Workspace(tmp_path / "beside")
    workspace.make()
    shutil.copy(server.workspace.token_file, workspace.token_file)
    at_port(workspace, server.port)
    return workspace


def at_port(workspace: Workspace, port: int) -> None:
    """Record the address of a daemon, with the process ID of one that lives."""
    state = {"url": f"http://127.0.0.1:{port}", "pid": os.getpid()}
    workspace.state_file.write_text(json.dumps(state))


def whoami(speaker: type[Speaker], workspace: Workspace, **options: Any) -> Any:
    return speaker(path=str(workspace.root), environ={}, **options).do("whoami")


def test_a_client_of_the_workspace_is_its_owner(
    server: Served, speaker: type[Speaker], beside: Workspace
) -> None:
    assert not server.workspace.state_file.exists()  # nothing leads to its port
    assert whoami(speaker, server.workspace)["standing"] == "owner"
    assert whoami(speaker, beside)["standing"] == "owner"


def test_the_token_of_an_agent_is_limited_and_short(
    speaker: type[Speaker], beside: Workspace
) -> None:
    claims = whoami(speaker, beside, role="agent", actor="codex")["claims"]
    assert (claims["sub"], claims["role"], claims["own"]) == ("codex", "agent", True)
    assert 0 < claims["exp"] - claims["iat"] <= 900


def test_a_named_address_is_used_as_named(server: Served, speaker: type[Speaker]) -> None:
    url = f"http://127.0.0.1:{server.port}"
    for options in ({"url": url, "environ": {}}, {"environ": {"SIGNET_DAEMON_URL": url}}):
        assert speaker(**options).do("whoami")["standing"] == "peer"
    with loopback(sends(200, BODY)) as other:
        assert speaker(url=other.url, environ={}).do("features")["features"]
        assert "Authorization" not in other.heard[0]


def waits(connection: socket.socket) -> None:
    """Answer nothing until the client has gone."""
    connection.recv(1)


#: What another program on the port does, by the error that the client raises.
OTHERS: dict[str, tuple[Act, type[SignetError]]] = {
    "wrong proof": (sends(200, BODY), BadAnswer),
    "headers of a daemon": (sends(200, BODY, "X-Signet-Request-Id: 1"), BadAnswer),
    "no proof": (sends(200, b'{"proof": null}'), BadAnswer),
    "no object": (sends(200, b'["proof"]'), BadAnswer),
    "refusal": (sends(500, b'{"error": "INJECTED"}'), BadAnswer),
    "redirect": (sends(302, b"{}", "Location: http://127.0.0.1:9/"), BadAnswer),
    "too short": (sends(200, BODY, length=10**9), ConnectionBroken),
    "too long": (sends(200, BODY + b"more", length=len(BODY)), BadAnswer),
    "no length": (raw(b"HTTP/1.1 200 OK\r\n\r\nINJECTED"), BadAnswer),
    "chunks": (raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), BadAnswer),
    "another protocol": (raw(b"SSH-2.0-INJECTED\r\n\r\n"), BadAnswer),
    "endless head": (raw(b"HTTP/1.1 " + b"x" * 100_000), BadAnswer),
    "nothing": (raw(b""), ConnectionBroken),
    "reset": (resets, ConnectionBroken),
    "a byte at a time": (drips, DaemonSilent),
    "silence": (waits, DaemonSilent),
}


@pytest.mark.parametrize(("act", "raised"), OTHERS.values(), ids=OTHERS)
def test_another_program_on_the_port_gets_a_question_and_nothing_else(
    speaker: type[Speaker], beside: Workspace, act: Act, raised: type[SignetError]
) -> None:
    with loopback(act) as other:
        at_port(beside, int(other.url.rpartition(":")[2]))
        with pytest.raises(raised) as refused:
            speaker(path=str(beside.root), environ={}, retries=0, timeout_seconds=0.5).do(
                "remember", "My password is hunter2."
            )
    assert "INJECTED" not in refused.value.message
    [heard] = other.heard
    head, _, body = heard.partition("\r\n\r\n")
    assert heard.startswith("GET /api/auth/proof?nonce=") and body == ""
    assert "authorization" not in head.lower()
    if raised is BadAnswer:
        assert refused.value.message.startswith("Another program answers on port")
        assert str(beside.root) in refused.value.message


@contextmanager
def relay(port: int) -> Iterator[tuple[int, bytearray]]:
    """Pass everything on to another port; give the own port and all that clients sent."""
    heard = bytearray()

    def pass_on(source: socket.socket, goal: socket.socket, note: bytearray | None) -> None:
        while some := _received(source):
            if note is not None:
                note += some
            goal.sendall(some)
        goal.close()

    def serve(listening: socket.socket) -> None:
        while (connection := _accepted(listening)) is not None:
            real = socket.create_connection(("127.0.0.1", port))
            for source, goal, note in ((connection, real, heard), (real, connection, None)):
                threading.Thread(target=pass_on, args=(source, goal, note), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,))
        thread.start()
        try:
            yield listening.getsockname()[1], heard
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65_536)
    except OSError:
        return b""


def _accepted(listening: socket.socket) -> socket.socket | None:
    try:
        return listening.accept()[0]
    except OSError:
        return None


def test_a_program_that_asks_the_real_daemon_is_not_it(
    server: Served, speaker: type[Speaker], beside: Workspace
) -> None:
    with relay(server.port) as (port, heard):
        at_port(beside, port)
        with pytest.raises(BadAnswer, match=f"Another program answers on port {port}"):
            whoami(speaker, beside)
        assert heard.startswith(b"GET /api/auth/proof") and b"uthorization" not in heard


def test_without_a_workspace_token_no_port_is_tried(
    speaker: type[Speaker], beside: Workspace
) -> None:
    beside.token_file.unlink()
    with loopback(sends(200, BODY)) as other:
        at_port(beside, int(other.url.rpartition(":")[2]))
        with pytest.raises(DaemonNotRunning, match=f"signet daemon start --path {beside.root}"):
            whoami(speaker, beside)
    assert other.heard == []


def test_a_token_that_others_can_read_is_not_used(
    speaker: type[Speaker], beside: Workspace
) -> None:
    beside.token_file.chmod(0o640)
    with loopback(sends(200, BODY)) as other:
        at_port(beside, int(other.url.rpartition(":")[2]))
        with pytest.raises(BadSecret, match="readable by other users"):
            whoami(speaker, beside)
    assert other.heard == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every file")
def test_a_token_that_cannot_be_read_is_not_taken_for_a_daemon_that_is_gone(
    speaker: type[Speaker], beside: Workspace
) -> None:
    beside.token_file.chmod(0)
    with pytest.raises(Unavailable, match=r"cannot be read.*SIGNET_DAEMON_URL="):
        whoami(speaker, beside)


def test_a_daemon_that_died_leaves_a_socket_on_which_nobody_listens(
    speaker: type[Speaker], beside: Workspace
) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(beside.api_socket))
    assert whoami(speaker, beside)["standing"] == "owner"
    at_port(beside, free_port())
    with pytest.raises(DaemonNotRunning):
        whoami(speaker, beside)


def _linked(beside: Workspace, path: Path) -> None:
    beside.api_socket.symlink_to(path)


def _in_a_linked_folder(beside: Workspace, path: Path) -> None:
    shutil.rmtree(beside.runtime_dir)
    path.rename(path.with_name("api.sock"))
    beside.runtime_dir.symlink_to(path.parent)


def _in_an_open_folder(beside: Workspace, path: Path) -> None:
    path.rename(beside.api_socket)
    beside.runtime_dir.chmod(0o777)


def _no_socket(beside: Workspace, path: Path) -> None:
    beside.api_socket.write_text("")


@pytest.mark.parametrize("place", [_linked, _in_a_linked_folder, _in_an_open_folder, _no_socket])
def test_a_socket_that_another_user_could_have_put_there_is_not_used(
    speaker: type[Speaker],
    beside: Workspace,
    place: Callable[[Workspace, Path], None],
) -> None:
    near = beside.runtime_dir.parent  # a socket cannot move to another file system
    with (
        tempfile.TemporaryDirectory(dir=near) as folder,
        socket.socket(socket.AF_UNIX) as theirs,
    ):
        path = Path(folder) / "a.sock"
        theirs.bind(str(path))
        theirs.listen()
        theirs.setblocking(False)
        place(beside, path)
        assert whoami(speaker, beside)["standing"] == "owner"
        with pytest.raises(BlockingIOError):
            theirs.accept()


#: Listens as another user: arguments are the path, the user ID, and whose the file is to be.
OTHER_USER = """
import os, socket, sys
path, user, owner = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
listening = socket.socket(socket.AF_UNIX)
listening.bind(path)
os.chown(path, owner, owner)
os.chmod(path, 0o666)
os.setuid(user)
listening.listen()
while True:
    print("listens", flush=True)
    print("heard", listening.accept()[0].recv(65_536), flush=True)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
@pytest.mark.parametrize("owner", [65_534, 0], ids=["their file", "our file"])
def test_a_program_of_another_user_behind_the_socket_hears_nothing(
    speaker: type[Speaker], beside: Workspace, owner: int
) -> None:
    """Where the file belongs to this user, only the kernel knows who listens."""
    command = [sys.executable, "-c", OTHER_USER, str(beside.api_socket), "65534", str(owner)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as theirs:
        assert theirs.stdout is not None
        assert theirs.stdout.readline() == b"listens\n"
        assert whoami(speaker, beside)["standing"] == "owner"
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(beside.api_socket))
            last.sendall(b"end")
        heard = iter(theirs.stdout.readline, b"heard b'end'\n")
        assert set(heard) <= {b"listens\n", b"heard b''\n"}
        theirs.kill()
