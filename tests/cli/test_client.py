"""The Python client: with a real daemon, and with servers that misbehave."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import cast

import pytest

from cli.program import Program, free_port
from signet.client import BadAnswer, DaemonNotRunning, DaemonSilent, Job, Signet, find_url
from signet.client.answers import PipelineStatus
from signet.client.work import work
from signet.config.env import read_environment
from signet.errors import Conflict, Forbidden, Invalid, Kind, NotFound, SignetError, TooLarge

with_daemon = pytest.mark.xdist_group("daemon")


@with_daemon
def test_the_client_does_what_the_interface_does(served: Program) -> None:
    signet = Signet(path=str(served.workspace), environ={})
    saved = signet.remember(
        "Marta prefers quiet trains.", who="Marta", tags=["travel"], source_id="t1", ordinal=0
    )
    assert signet.wait_for_jobs().open == 0
    assert signet.get(saved["id"])["source_id"] == "t1"
    events = [change["event"] for change in signet.history(saved["id"])]
    assert events[0] == "created"
    assert signet.history(saved["id"])[0]["changedBy"] == "python"
    assert signet.recall("quiet trains", tags=["travel"])["results"][0]["id"] == saved["id"]
    assert signet.memories(limit=1)["stats"]["total"] >= 1
    assert signet.pipeline_status()["paused"] is False
    with pytest.raises(NotFound, match="Not found"):
        signet.get("no/such id?")


@with_daemon
def test_documents_are_handed_over_and_read(served: Program) -> None:
    signet = Signet(path=str(served.workspace), environ={})
    made = signet.add_document("A long note on lighthouses. " * 20, title="Lighthouses")
    signet.wait_for_jobs()
    assert signet.document(made["id"])["status"] == "done"
    assert "lighthouses" in signet.chunks(made["id"])[0]["content"]
    assert signet.documents()["total"] == 1
    assert signet.add_document("A long note on lighthouses. " * 20)["deduplicated"] is True


@with_daemon
def test_the_documentation_page_is_served_and_needs_nothing_else(served: Program) -> None:
    from urllib.request import urlopen

    page = urlopen(f"http://127.0.0.1:{served.port}/docs").read().decode()
    assert "/openapi.json" in page
    for outside in ("http://", "https://", "@import", "<script src", 'rel="stylesheet"'):
        assert outside not in page


@contextmanager
def answering(status: int, body: bytes) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Serve one answer to every request; give the address and the headers that came."""
    heard: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", heard
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, Invalid), (403, Forbidden), (404, NotFound), (409, Conflict), (413, TooLarge)],
)
def test_a_refusal_is_raised_as_the_error_of_its_kind(status: int, kind: type[SignetError]) -> None:
    body = json.dumps({"error": "so it is", "code": "a_code"}).encode()
    with answering(status, body) as (url, _), pytest.raises(kind, match="so it is") as raised:
        Signet(url=url, environ={}).status()
    assert (raised.value.code, raised.value.kind) == ("a_code", kind.kind)
    assert kind.code != "a_code"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Kind.UNAUTHENTICATED), (429, Kind.LIMITED), (503, Kind.UNAVAILABLE), (500, Kind.BROKEN)],
)
def test_other_refusals_keep_their_kind(status: int, kind: Kind) -> None:
    with (
        answering(status, b'{"error": "no"}') as (url, _),
        pytest.raises(SignetError, match="no") as raised,
    ):
        Signet(url=url, environ={}).status()
    assert raised.value.kind == kind


@pytest.mark.parametrize(
    ("status", "body"), [(200, b"<html>hello</html>"), (200, b"[1]"), (502, b"Bad gateway")]
)
def test_an_answer_that_is_not_ours_is_told_from_a_refusal(status: int, body: bytes) -> None:
    with answering(status, body) as (url, _), pytest.raises(BadAnswer):
        Signet(url=url, environ={}).status()


def test_token_and_agent_of_the_environment_are_sent() -> None:
    environ = {"SIGNET_TOKEN": "t0ken", "SIGNET_AGENT_ID": "ada"}
    with answering(200, b"{}") as (url, heard):
        Signet(url=url, environ=environ).status()
    assert heard[0]["authorization"] == "Bearer t0ken"
    assert heard[0]["x-signet-agent-id"] == "ada"


def test_a_daemon_that_says_nothing_is_not_called_down() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(DaemonSilent):
            Signet(url=url, environ={}, timeout_seconds=0.2).status()
    with pytest.raises(DaemonNotRunning, match="Start it with: signet daemon start"):
        Signet(url=f"http://127.0.0.1:{free_port()}", environ={}).status()


def test_the_address_is_found_in_the_documented_order(tmp_path: Path) -> None:
    def found(path: str | None = None, **environ: str) -> str:
        environ = {"SIGNET_PATH": str(tmp_path), **environ}
        return find_url(path, environ, read_environment(environ)[0])

    assert found() == "http://127.0.0.1:3850"
    with pytest.raises(DaemonNotRunning):
        found(str(tmp_path))
    (tmp_path / ".daemon").mkdir()
    state = {"url": "http://127.0.0.1:4001", "pid": os.getpid()}
    (tmp_path / ".daemon" / "state.json").write_text(json.dumps(state))
    assert found() == "http://127.0.0.1:4001"
    assert found(SIGNET_PORT="4002") == "http://127.0.0.1:4002"
    assert found(SIGNET_HOST="10.0.0.1", SIGNET_PORT="4002") == "http://10.0.0.1:4002"
    assert found(SIGNET_DAEMON_URL="http://x:1", SIGNET_PORT="4002") == "http://x:1"
    assert found(str(tmp_path), SIGNET_DAEMON_URL="http://x:1") == "http://127.0.0.1:4001"


def a_job(queue: str, *, code: str | None = None, error: str | None = None) -> Job:
    """Return a pending job as the daemon shows it."""
    return cast(
        "Job", {"queue": queue, "last_error_code": code, "error": error, "memory_id": queue}
    )


def pipeline(pending: int, leased: int = 0) -> PipelineStatus:
    """Return as much of the pipeline's status as is read."""
    counts = {"pending": pending, "leased": leased, "completed": 7, "dead": 1}
    return cast("PipelineStatus", {"paused": False, "queues": {"memory": counts}})


def test_jobs_that_wait_for_a_provider_are_not_open() -> None:
    down = a_job("vectors", code="provider_down", error="no model")
    behind, other = a_job("vectors"), a_job("llm")
    found = work(pipeline(3, 2), [down, behind, other], [], {"vectors": "later"}, None)
    assert (found.open, found.waiting, found.reasons) == (3, 2, ("no model",))
    mine = work(pipeline(3), [down, behind, other], [], {}, lambda job: job["memory_id"] == "llm")
    assert (mine.open, mine.waiting, mine.completed, mine.dead) == (1, 0, 7, 1)
