"""Whose the other end of a TCP connection is, by each way to find out."""

import asyncio
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from signet_api import peer_uid
from signet_api.peer_uid import Ends, Owner
from support.users import STRANGER, needs_root

Way = Callable[[Ends], Owner | None]
ME = os.geteuid()
#: An address of this machine that no other program uses.
ALONE = "127.77.0.1"


def _of_netlink(ends: Ends) -> Owner | None:
    table = peer_uid._netlink()
    assert table is not None
    return table.owner(ends)


WAYS: dict[str, Way] = {"netlink": _of_netlink, "proc": peer_uid.of_proc, "lsof": peer_uid.of_lsof}
#: Where the server listens, and where the client connects to.
PATHS = {
    "v4": (socket.AF_INET, "127.0.0.1", socket.AF_INET, "127.0.0.1"),
    "other-loopback": (socket.AF_INET, "0.0.0.0", socket.AF_INET, "127.9.9.9"),
    "v6": (socket.AF_INET6, "::1", socket.AF_INET6, "::1"),
    "v4-to-dual": (socket.AF_INET6, "::", socket.AF_INET, "127.0.0.1"),
    "v6-to-dual": (socket.AF_INET6, "::", socket.AF_INET6, "::1"),
    "mapped-to-v4": (socket.AF_INET, "127.0.0.1", socket.AF_INET6, "::ffff:127.0.0.1"),
    "mapped-to-dual": (socket.AF_INET6, "::", socket.AF_INET6, "::ffff:127.0.0.1"),
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    if request.param == "lsof" and shutil.which("lsof") is None:
        pytest.skip("lsof is not installed")
    if request.param == "netlink" and peer_uid._netlink() is None:
        pytest.skip("the kernel answers no sock_diag here")
    return WAYS[request.param]


@dataclass
class Pair:
    """A listener and its connections: the clients' ends, and ours."""

    listener: socket.socket
    stack: ExitStack = field(default_factory=ExitStack)

    def accept(self) -> socket.socket:
        return self.stack.enter_context(self.listener.accept()[0])

    def connect(self, family: int = socket.AF_INET, address: str = "127.0.0.1") -> socket.socket:
        client = self.stack.enter_context(socket.socket(family))
        client.connect((address, self.port))
        return client

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])


@pytest.fixture
def pair() -> Iterator[Pair]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Pair(listener)
        with made.stack:
            yield made


def uid(found: Owner | None) -> int | None:
    return found and found.uid


def ends_of(accepted: socket.socket) -> Ends:
    names = accepted.getpeername(), accepted.getsockname()
    return Ends(*(peer_uid._end(name) for name in names))


@pytest.mark.parametrize("path", PATHS)
def test_our_own_connections_are_ours(way: Way, path: str) -> None:
    family, bind, from_family, to = PATHS[path]
    try:
        listener = socket.create_server((bind, 0), family=family, dualstack_ipv6=bind == "::")
    except OSError:
        pytest.skip("this machine has no IPv6")
    with listener:
        pair = Pair(listener)
        with pair.stack:
            pair.connect(from_family, to)
            accepted = pair.accept()
            assert uid(way(ends_of(accepted))) == ME


@needs_root
@pytest.mark.parametrize("user", [STRANGER, 1])
def test_connections_of_another_user_are_theirs(way: Way, pair: Pair, user: int) -> None:
    found: list[int | None] = []

    def looked() -> None:
        found.append(uid(way(ends_of(pair.accept()))))

    going, gone = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        os.setresuid(user, user, user)
        with socket.create_connection(("127.0.0.1", pair.port)):
            os.read(going, 1)
        os._exit(0)
    looked()
    os.write(gone, b"x")
    os.waitpid(child, 0)
    os.close(going)
    os.close(gone)
    assert found == [None if way is peer_uid.of_lsof else user]


def test_what_its_process_has_closed_is_nobodys(way: Way, pair: Pair) -> None:
    client = pair.connect()
    client.sendall(b"GET / HTTP/1.1\r\n\r\n")
    accepted = pair.accept()
    ends = ends_of(accepted)
    client.close()
    assert way(ends) is None
    accepted.close()
    assert way(ends) is None


def test_a_client_that_ends_its_sending_keeps_its_user(way: Way, pair: Pair) -> None:
    client = pair.connect()
    client.shutdown(socket.SHUT_WR)
    assert uid(way(ends_of(pair.accept()))) == ME


def test_a_listener_on_the_port_of_a_gone_client_is_not_taken_for_it(way: Way, pair: Pair) -> None:
    """The kernel looks for a listener where no connection matches."""
    # An address of its own: no other program may be given the port of the client that is gone.
    client = pair.stack.enter_context(socket.socket())
    client.bind((ALONE, 0))
    client.connect(("127.0.0.1", pair.port))
    accepted = pair.accept()
    ends = ends_of(accepted)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))
    port = client.getsockname()[1]
    client.close()
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind((ALONE, port))
        other.listen()
        assert way(ends) is None


def test_the_other_side_of_a_connection_is_not_confused_with_it(way: Way, pair: Pair) -> None:
    pair.connect()
    ends = ends_of(pair.accept())
    wrong = Ends(ends.peer._replace(port=ends.peer.port ^ 1), ends.ours)
    assert way(wrong) is None
    assert way(Ends(ends.peer, ends.ours._replace(port=ends.ours.port ^ 1))) is None


def test_among_many_connections_each_is_found(way: Way, pair: Pair) -> None:
    for _ in range(60):
        pair.connect()
        accepted = pair.accept()
    assert uid(way(ends_of(accepted))) == ME


@pytest.mark.parametrize("has_netlink", [True, False])
def test_a_connection_is_looked_up_with_and_without_netlink(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, has_netlink: bool
) -> None:
    if not has_netlink:
        monkeypatch.setattr(peer_uid, "_netlink", lambda: None)

    async def found(accepted: socket.socket) -> Owner | None:
        answer = peer_uid.find(accepted)
        return await answer if isinstance(answer, asyncio.Future) else answer

    pair.connect()
    assert uid(asyncio.run(found(pair.accept()))) == ME


def test_a_kernel_that_refuses_netlink_leaves_the_other_way(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refused:
        def owner(self, ends: Ends) -> Owner | None:
            raise PermissionError("seccomp")

    monkeypatch.setattr(peer_uid, "_netlink", Refused)
    pair.connect()
    accepted = pair.accept()

    async def found() -> Owner | None:
        answer = peer_uid.find(accepted)
        assert isinstance(answer, asyncio.Future)
        return await answer

    assert uid(asyncio.run(found())) == ME


def test_where_no_way_is_open_nobody_is_known(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_uid, "Path", lambda *parts: Path("/none"))
    monkeypatch.setenv("PATH", "/none")
    pair.connect()
    ends = ends_of(pair.accept())
    assert (peer_uid.of_proc(ends), peer_uid.of_lsof(ends)) == (None, None)


def test_users_that_a_namespace_does_not_know_are_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_uid, "_nobody", lambda: 65_534)
    assert peer_uid._owner(65_534, 7) is None
    assert peer_uid._owner(0, 0) is None
    assert peer_uid._owner(0, 7) == Owner(0, 7)
