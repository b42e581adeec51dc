"""Both clients as context managers: what they opened is closed at the end of the block."""

import asyncio
import socket

from client.speaking import loopback
from signet.client import AsyncSignet, Signet
from support.http import Served
from support.processes import eventually

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENT = (
    b'id: 1\nevent: started\ndata: {"event": "started", "id": "j", "attempts": 1, "at": "now"}\n\n'
)


def address(server: Served) -> str:
    return f"http://127.0.0.1:{server.port}"


def test_a_client_is_used_in_a_with_block(server: Served) -> None:
    with Signet(url=address(server), environ={}) as signet:
        saved = signet.remember("The weir opens at dawn.")
        assert signet.recall("weir")["results"][0]["id"] == saved["id"]
    signet.close()
    assert signet.get(saved["id"])["content"] == "The weir opens at dawn."


def test_an_async_client_is_used_in_an_async_with_block(server: Served) -> None:
    async def scene() -> None:
        async with AsyncSignet(url=address(server), environ={}) as signet:
            saved = await signet.remember("The lock keeper is Ilse.")
            found = await signet.recall("lock keeper")
            assert saved["id"] in [hit["id"] for hit in found["results"]]
        await signet.aclose()

    asyncio.run(scene())


def test_the_end_of_the_block_closes_streams_that_are_still_open() -> None:
    ended: list[bytes] = []

    def stays_open(connection: socket.socket) -> None:
        connection.sendall(HEAD + b"%x\r\n%b\r\n" % (len(EVENT), EVENT))
        ended.append(connection.recv(1))  # comes back when the client has closed

    async def scene(url: str) -> None:
        async with AsyncSignet(url=url, environ={}) as signet:
            events = signet.job_events(after="0")
            event = await events.wait(30)
            assert event is not None and event["id"] == "j"

    with loopback(stays_open) as server:
        with Signet(url=server.url, environ={}) as signet:
            events = signet.job_events(after="0")
            event = events.wait(30)
            assert event is not None and event["id"] == "j"
            assert ended == []
        eventually(lambda: ended == [b""])
        asyncio.run(scene(server.url))
        eventually(lambda: ended == [b"", b""])
