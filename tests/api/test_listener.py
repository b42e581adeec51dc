"""The socket that the API listens on, and the connections that it accepts (DG-26)."""

import asyncio
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from threading import Thread

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from signet_api import connections
from signet_api.app import ACCEPTED_AT_ONCE, Server
from signet_api.connections import NamingConnections
from signet_api.main import SOCKET_FD, listener
from support.processes import eventually

_WELL = PlainTextResponse("well")


async def accepted_without_delay(listening: socket.socket) -> bool:
    """Return whether asyncio switched Nagle's algorithm off for a connection to the socket."""
    seen: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        seen.set_result(bool(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
        writer.close()

    server = await asyncio.start_server(look, sock=listening)
    async with server:
        _, writer = await asyncio.open_connection(*listening.getsockname())
        answer = await seen
        writer.close()
    return answer


@pytest.mark.parametrize("is_given", [False, True])
def test_answers_are_not_held_back(monkeypatch: pytest.MonkeyPatch, is_given: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as given:
        if is_given:
            monkeypatch.setenv(SOCKET_FD, str(given.fileno()))
        listening = listener("127.0.0.1", 0)
    assert asyncio.run(accepted_without_delay(listening))


async def names_of_headers(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body, then answer with the names of the headers."""
    while (await receive()).get("more_body"):
        continue
    names = b",".join(sorted(name for name, _ in scope["headers"]))
    await PlainTextResponse(names)(scope, receive, send)


@contextmanager
def served(app: ASGIApp = _WELL) -> Iterator[int]:
    """Serve an application as the API process does, and yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            app,
            http=NamingConnections,
            backlog=ACCEPTED_AT_ONCE,
            lifespan="off",
            log_config=None,
        )
        server = Server(config, lambda: None, lambda: None)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        server.end()
        thread.join()


def is_closed(client: socket.socket) -> bool:
    """Return whether the other end has closed a connection."""
    client.setblocking(False)
    try:
        return client.recv(4_096) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


#: What a client has sent when it stops: nothing, half a head, a head without its body, and a request that was answered.
STOPS = (
    b"",
    b"POST / HTTP/1.1\r\nHost: local",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT",
)


@pytest.mark.parametrize(
    "sent", STOPS, ids=["nothing", "half a head", "half a body", "half a next head"]
)
def test_a_client_that_stops_in_the_middle_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    with served() as port, closing(socket.create_connection(("127.0.0.1", port))) as client:
        client.sendall(sent)
        while sent.startswith(b"GET") and b"well" not in client.recv(4_096):
            continue
        assert not is_closed(client)
        monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.0)
        monkeypatch.setattr(connections, "BODY_SECONDS", 0.0)
        client.setblocking(True)
        with closing(socket.create_connection(("127.0.0.1", port))) as later:
            later.sendall(sent)
            eventually(lambda: is_closed(later))


CHUNKED = (
    b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n"
)


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"x"),
        (b"GET / HTTP/1.1\r\n", b"X: y\r\n"),
        (b"GET /", b"x"),
        (CHUNKED, b"X: y\r\n"),
        (CHUNKED[:-3], b"0"),
    ],
    ids=["a value", "many headers", "an address", "headers behind the body", "the size of a chunk"],
)
def test_a_head_without_end_is_refused(begin: bytes, more: bytes) -> None:
    """Each byte of it was kept, nine times over: any user of the machine could fill its memory."""
    with served() as port, closing(socket.create_connection(("127.0.0.1", port))) as client:
        client.sendall(begin)
        with suppress(ConnectionError):
            for _ in range(64):
                client.sendall(more * (65_536 // len(more)))
        with suppress(ConnectionResetError):
            assert client.recv(4_096)[9:12] in (b"431", b"400", b"200")
        eventually(lambda: is_closed(client))


def test_a_long_body_is_no_long_head_and_headers_behind_it_count_for_nothing() -> None:
    body = b"".join(b"10000\r\n" + b"x" * 65_536 + b"\r\n" for _ in range(20))
    head = CHUNKED.partition(b"4\r\n")[0].replace(b"Host", b"Connection: close\r\nHost")
    with (
        served(names_of_headers) as port,
        closing(socket.create_connection(("127.0.0.1", port))) as client,
    ):
        client.sendall(head + body + b"0\r\nAuthorization: Bearer x\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(4_096), b""))
    assert answer.endswith(b"connection,host,transfer-encoding")


def test_idle_connections_take_no_room_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NamingConnections, "most", 20)
    monkeypatch.setattr(NamingConnections, "crowded_at", float("-inf"))
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 600.0)
    with served() as port, ExitStack() as opened:
        idle = [
            opened.enter_context(closing(socket.create_connection(("127.0.0.1", port))))
            for _ in range(100)
        ]
        for client in idle[::3]:
            client.sendall(b"GET / HTTP/1.1\r\nHos")
        eventually(lambda: sum(map(is_closed, idle)) in range(80, 90))
        assert connections.is_crowded()
        assert httpx.get(f"http://127.0.0.1:{port}", trust_env=False).text == "well"


def test_connections_leave_descriptors_for_the_work_of_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(NamingConnections, "most", 0)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 512))
    connections.limit()
    assert NamingConnections.most == 256 - connections.OWN_FILES
