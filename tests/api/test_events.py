"""Job events over HTTP, told by the real process about what another process does: this one."""

import asyncio
import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.db import Database
from signet.queue import Job, enqueue, transitions
from signet.queue.events import EventCursor, EventWatch
from signet_api.routes.jobs import JobFollower
from signet_api.stream import MAX_LISTENERS, OnCommit
from support.http import Api, Served, a_workspace, served
from support.processes import PATIENCE_SECONDS, eventually

STREAM = "/api/jobs/stream"


@pytest.fixture
def db(server: Served) -> Iterator[Database]:
    """Another process's hold on the file."""
    database = Database(server.workspace.database)
    yield database
    database.close()


@contextmanager
def listening(server: Served, **headers: str) -> Iterator[Iterator[dict[str, Any]]]:
    """Listen; yields the messages behind `ready`, whose id is the first one's."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with server.client.stream("GET", STREAM, headers=named) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        messages = _messages(answer.iter_lines())
        assert next(messages)["event"] == "ready"
        yield messages


def _messages(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            message[name] = json.loads(value) if name == "data" else value
        elif "event" in message:
            yield message
            message = {}


def a_job(db: Database, slot: str) -> str:
    job = Job(kind="extract", queue="later", memory_id=slot)
    return str(db.write(enqueue, job, now=clock.now()))


def test_what_another_process_does_is_told_with_the_job(server: Served, db: Database) -> None:
    with listening(server) as messages:
        job_id = a_job(db, "m-1")
        # What other tests did just before may be told again.
        messages = (one for one in messages if one["data"]["id"] == job_id)
        message = next(messages)
        assert message["event"] == message["data"]["event"] == "enqueued"
        assert {name: message["data"][name] for name in ("id", "job_type", "memory_id")} == {
            "id": job_id,
            "job_type": "extract",
            "memory_id": "m-1",
        }
        assert (message["data"]["attempts"], message["data"]["error"]) == (0, None)
        db.write(transitions.cancel, job_id, now=clock.now())
        message = next(messages)
        assert (message["event"], message["data"]["last_error_code"]) == ("cancelled", "cancelled")


def test_who_comes_again_hears_what_was_missed(server: Served, db: Database) -> None:
    with listening(server) as messages:
        a_job(db, "m-2")
        last = next(messages)["id"]
    second = a_job(db, "m-3")
    with listening(server, last_event_id=last) as messages:
        # What happened just before may be told again.
        assert second in (message["data"]["id"] for message in messages)


@pytest.mark.parametrize("last", ["nonsense", "1-0-1"])
def test_an_id_that_is_none_is_told_to_have_missed_something(server: Served, last: str) -> None:
    with listening(server, last_event_id=last) as messages:
        assert next(messages)["event"] == "missed"


def test_other_sites_may_not_listen(server: Served) -> None:
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        assert server.over_tcp.send("GET", STREAM, headers=headers).status == 403


def test_only_so_many_listen_and_a_place_is_free_when_one_goes(server: Served) -> None:
    def is_open() -> bool:
        with server.client.stream("GET", STREAM) as answer:
            return answer.status_code == 200

    with ExitStack() as stack:
        for _ in range(MAX_LISTENERS):
            stack.enter_context(listening(server))
        refused = server.get(STREAM)
        assert (refused.status, refused.body["code"]) == (429, "too_many_listeners")
        assert refused.headers["retry-after"] == "2"
        assert "end one of them" in refused.error
    eventually(is_open)


def test_a_look_reads_only_after_a_commit_and_a_slow_listener_misses_nothing(api: Api) -> None:
    async def scene() -> None:
        db = api.state.db
        begun = await db.aread(EventWatch.begin, now=clock.now())
        listener = JobFollower(begun, OnCommit(api.state))
        assert await listener.look() == b""
        begun.cursor = EventCursor(0, 0)
        assert await listener.look() == b""  # nothing was committed, so nothing was read
        assert begun.cursor == EventCursor(0, 0)
        jobs = [a_job(db, f"m-{number}") for number in range(40)]
        told = await listener.look()
        assert [told.count(job_id.encode()) for job_id in jobs] == [1] * len(jobs)

    asyncio.run(scene())


def test_a_stop_ends_the_stream_at_its_end(tmp_path: Path) -> None:
    with served(a_workspace(tmp_path / "agents")) as server, listening(server) as messages:
        server.process.send_signal(signal.SIGTERM)
        # A cut stream would raise httpx.RemoteProtocolError.
        assert list(messages) == []
        assert server.process.wait(PATIENCE_SECONDS) == 0
    assert not [line for line in server.printed if "error" in line.lower()]
