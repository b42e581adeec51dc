"""The socket that the API listens on, and the connections that it accepts (DG-26)."""

import asyncio
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from threading import Thread

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from signet_api import connections
from signet_api.app import ACCEPTED_AT_ONCE, Server
from signet_api.connections import NamingConnections
from signet_api.main import SOCKET_FD, listener
from support.processes import eventually


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


@contextmanager
def served() -> Iterator[int]:
    """Serve an answer of one word as the API process does, and yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            PlainTextResponse("well"),
            http=NamingConnections,
            backlog=ACCEPTED_AT_ONCE,
            lifespan="off",
            log_config=None,
        )
        server = Server(config, lambda: None)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
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
