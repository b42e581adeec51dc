"""The log of all processes over HTTP: its newest lines, and new ones while they are written."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from signet.observe import logs
from signet.observe.logfile import LogPlace, RotatedLog
from signet_api.stream import MAX_LISTENERS
from support.http import Api, Served, a_workspace, served
from support.processes import PATIENCE_SECONDS, eventually


@pytest.fixture(autouse=True)
def own_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SIGNET_LOG_FILE", "SIGNET_LOG_DIR"):
        monkeypatch.delenv(name, raising=False)


def write(folder: Path, process: str, message: str, level: str = "info", **fields: object) -> None:
    """Write one line as a process does."""
    line = logs.entry(process, level, {"event": message, "category": "pipeline", **fields})
    file = RotatedLog(LogPlace(directory=folder))
    file.write(json.dumps(line).encode() + b"\n", str(line["timestamp"]))
    file.close()


def told(api: Api, query: str = "") -> list[dict[str, Any]]:
    answer = api.get(f"/api/logs{query}").body
    assert answer["count"] == len(answer["logs"])
    found: list[dict[str, Any]] = answer["logs"]
    return found


def test_lines_of_all_processes_and_renamed_files_come_in_the_order_of_time(api: Api) -> None:
    folder = api.state.workspace.log_dir
    write(folder, "api", "first", timestamp="2026-05-01T10:00:00.000Z", took_ms=7)
    write(folder, "worker", "third", timestamp="2026-05-01T10:00:02.000Z")
    write(folder, "api", "second", timestamp="2026-05-01T10:00:01.000Z", category="api")
    older = folder / "daemon-2026-05-01-20260501100000.log"
    (folder / "daemon-2026-05-01.log").rename(older)
    write(folder, "scheduler", "fourth", "warn", timestamp="2026-05-01T10:00:03.000Z")
    with older.open("a") as file:
        file.write('{"torn\n')
    lines = told(api)
    assert [line["message"] for line in lines] == ["first", "second", "third", "fourth"]
    assert lines[0]["duration"] == 7
    assert [line["data"]["process"] for line in lines] == ["api", "api", "worker", "scheduler"]
    assert [line["message"] for line in told(api, "?level=warn")] == ["fourth"]
    assert [line["message"] for line in told(api, "?category=api")] == ["second"]
    assert [line["message"] for line in told(api, "?limit=2")] == ["third", "fourth"]
    since = told(api, "?since=2026-05-01T10:00:02Z")
    assert [line["message"] for line in since] == ["third", "fourth"]
    assert api.get("/api/analytics/logs").body == api.get("/api/logs").body


def test_odd_bounds_are_refused(api: Api) -> None:
    assert api.get("/api/logs?level=loud").error.startswith("level must be one of debug")
    assert api.get("/api/logs?since=soon").error == "since must be an ISO timestamp"
    assert api.get("/api/logs/stream?level=loud").status == 400
    assert api.get("/api/logs?limit=none").error == "limit: not a whole number"


@contextmanager
def listening(server: Served, query: str = "") -> Iterator[Iterator[str]]:
    """Follow the log; the lines of the stream that are not empty."""
    address = f"http://127.0.0.1:{server.port}/api/logs/stream{query}"
    with (
        httpx.Client(timeout=PATIENCE_SECONDS, trust_env=False) as client,
        client.stream("GET", address) as it,
    ):
        assert it.status_code == 200
        assert it.headers["content-type"].startswith("text/event-stream")
        lines = (line for line in it.iter_lines() if line)
        assert json.loads(next(lines).removeprefix("data: ")) == {"type": "connected"}
        yield lines


def test_a_line_of_another_process_is_told_while_somebody_listens(server: Served) -> None:
    with listening(server, "?level=info") as lines:
        write(server.workspace.log_dir, "worker", "quiet", "debug")
        write(server.workspace.log_dir, "worker", "job.failed", job_id="j-1")
        entries = (json.loads(line.removeprefix("data: ")) for line in lines)
        # The daemon may have something of its own to say.
        entry = next(one for one in entries if one["data"]["process"] == "worker")
    assert (entry["message"], entry["data"]) == (
        "job.failed",
        {"process": "worker", "job_id": "j-1"},
    )


def test_so_many_may_listen_and_who_leaves_makes_room(server: Served) -> None:
    with ExitStack() as stack:
        for _ in range(MAX_LISTENERS):
            stack.enter_context(listening(server))
        refused = server.get("/api/logs/stream")
        assert (refused.status, refused.body["code"]) == (429, "too_many_listeners")
        assert refused.headers["retry-after"] == "2"

    def has_room() -> bool:
        with httpx.Client(timeout=PATIENCE_SECONDS, trust_env=False) as client:
            address = f"http://127.0.0.1:{server.port}/api/logs/stream"
            with client.stream("GET", address) as answer:
                return answer.status_code == 200

    eventually(has_room)


def test_the_stop_of_the_daemon_ends_the_stream(tmp_path: Path) -> None:
    with served(a_workspace(tmp_path / "agents")) as server:
        with listening(server) as lines:
            server.process.terminate()
            rest = list(lines)
        assert server.process.wait(PATIENCE_SECONDS) == 0
    assert all(line.startswith("data: ") for line in rest)
