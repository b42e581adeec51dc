"""Hearing of jobs with both clients, over connections that break."""

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Callable
from itertools import islice

import pytest

from client.speaking import Act, loopback, sends
from signet.client import AsyncSignet, DaemonNotRunning, RateLimited, Signet
from signet.client.answers import JobEvent
from support.http import Served
from support.ports import free_port

Hear = Callable[[str, int], list[JobEvent]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _blocking(url: str, count: int) -> list[JobEvent]:
    with Signet(url=url, environ={}).job_events() as events:
        return list(islice(events, count))


def _concurrent(url: str, count: int) -> list[JobEvent]:
    async def scene() -> list[JobEvent]:
        heard: list[JobEvent] = []
        async with AsyncSignet(url=url, environ={}).job_events() as events:
            while len(heard) < count and (event := await events.wait(30)) is not None:
                heard.append(event)
        return heard

    return asyncio.run(scene())


@pytest.fixture(params=[_blocking, _concurrent], ids=["sync", "async"])
def hear(request: pytest.FixtureRequest) -> Hear:
    """Give a function that listens with one of the two clients until it has heard so many events."""
    found: Hear = request.param
    return found


def message(cursor: str, name: str, **data: object) -> bytes:
    return f"id: {cursor}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()


def told(job_id: str, cursor: str) -> bytes:
    return message(cursor, "started", event="started", id=job_id, attempts=1, at="now")


def streams(*pieces: bytes, is_whole: bool = True) -> Act:
    """Send a stream in these pieces, each a chunk; half a chunk more unless it is whole."""

    def act(connection: socket.socket) -> None:
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
        end = b"0\r\n\r\n" if is_whole else b"ff\r\nid: 9"
        for byte in HEAD + chunks + end:
            connection.sendall(bytes([byte]))

    return act


@pytest.mark.parametrize("is_whole", [True, False], ids=["ended", "cut"])
def test_a_listener_goes_on_where_its_connection_broke(hear: Hear, is_whole: bool) -> None:
    first = streams(
        message("1-1", "ready"),
        b": still here\n\n",
        told("a", "2-2")[:20],
        told("a", "2-2")[20:],
        is_whole=is_whole,
    )
    second = streams(message("2-2", "ready"), told("a", "2-2"), told("b", "3-3"))
    with loopback(first, second) as server:
        assert [event["id"] for event in hear(server.url, 2)] == ["a", "b"]
    assert "after=2-2" in str(server.heard[1])


def test_a_refusal_is_raised_as_what_it_is(hear: Hear) -> None:
    full = sends(429, b'{"error": "Too many", "code": "too_many_listeners"}')
    with loopback(full) as server, pytest.raises(RateLimited, match="Too many"):
        hear(server.url, 1)


def test_a_daemon_that_is_not_there_is_said(hear: Hear) -> None:
    with pytest.raises(DaemonNotRunning):
        hear(f"http://127.0.0.1:{free_port()}", 1)


def test_what_was_missed_is_counted() -> None:
    with (
        loopback(
            streams(message("1-1", "ready"), message("1-1", "missed"), told("a", "2-2"))
        ) as server,
        Signet(url=server.url, environ={}).job_events() as events,
    ):
        assert events.wait(30)
        assert (events.missed, events.last_id) == (1, "2-2")


def test_a_real_daemon_tells_and_who_waits_too_long_hears_nothing(server: Served) -> None:
    client = Signet(url=f"http://127.0.0.1:{server.port}", environ={})
    with client.job_events() as events:
        assert events.wait(0.01) is None
        saved = client.remember("The kiosk sells plums.")
        event = events.wait(30)
        assert event is not None and event["memory_id"] == saved["id"]
        assert client.cancel_job(event["id"])["status"] == "dead"
        cancelled = events.wait(30)
        assert cancelled is not None and cancelled["event"] == "cancelled"
        assert client.retry_jobs(ids=[event["id"]], dry_run=True)["ids"] == [event["id"]]
        assert client.retry_job(event["id"])["status"] == "pending"
        assert client.job(event["id"])["runs_total"] == 0
        assert client.cancel_jobs(kind="extract")["affected"] == 1


def test_a_wait_that_ends_early_loses_no_event() -> None:
    goes_on = threading.Event()

    def act(connection: socket.socket) -> None:
        connection.sendall(HEAD)
        assert goes_on.wait(30)
        piece = told("late", "1")
        connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        connection.recv(1)

    async def scene(url: str) -> None:
        async with AsyncSignet(url=url, environ={}) as signet:
            events = signet.job_events(after="0")
            assert await events.wait(0.05) is None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.05):
                    await events.wait()
            goes_on.set()
            event = await events.wait(30)
            assert event is not None and event["id"] == "late"

    with loopback(act) as server:
        asyncio.run(scene(server.url))


def test_a_call_can_be_cancelled() -> None:
    ended = threading.Event()

    def silent(connection: socket.socket) -> None:
        assert ended.wait(30)

    async def scene(url: str) -> None:
        signet = AsyncSignet(url=url, environ={}, timeout_seconds=30)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await signet.features()

    with loopback(silent) as server:
        asyncio.run(scene(server.url))
        ended.set()
