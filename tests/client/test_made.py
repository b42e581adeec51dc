"""Where a client goes, what it needs, and how it counts the work that is left."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import cast

from signet.client import AsyncSignet, Job, find_url
from signet.client.answers import PipelineStatus
from signet.client.plans import summed
from signet.config.env import read_environment
from support.processes import PATIENCE_SECONDS, PYTHONPATH


def test_importing_the_client_loads_no_library() -> None:
    script = "import sys, signet.client; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "signet" in loaded
    assert not loaded & {"asyncio", "httpx", "pydantic", "numpy", "sqlite3", "typer"}


def test_the_asynchronous_client_waits_for_several_answers_at_once() -> None:
    async def scene() -> list[dict[str, bool]]:
        both_here = asyncio.Barrier(2)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            await both_here.wait()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            client = AsyncSignet(
                url=f"http://127.0.0.1:{port}", environ={}, timeout_seconds=PATIENCE_SECONDS
            )
            return list(await asyncio.gather(client.features(), client.features()))

    assert asyncio.run(scene()) == [{}, {}]


def test_the_address_is_found_in_the_documented_order(tmp_path: Path) -> None:
    def found(path: str | None = None, **environ: str) -> str:
        environ = {"SIGNET_PATH": str(tmp_path), **environ}
        return find_url(path, environ, read_environment(environ)[0])

    assert found() == found(str(tmp_path)) == "http://127.0.0.1:3850"
    (tmp_path / ".daemon").mkdir()
    (tmp_path / ".daemon" / "port").write_text("4000")
    assert found() == found(str(tmp_path)) == "http://127.0.0.1:4000"
    state = {"url": "http://127.0.0.1:4001"}
    (tmp_path / ".daemon" / "state.json").write_text(json.dumps(state))
    assert found() == "http://127.0.0.1:4001"
    assert found(SIGNET_PORT="4002") == "http://127.0.0.1:4002"
    assert found(SIGNET_HOST="10.0.0.1", SIGNET_PORT="4002") == "http://10.0.0.1:4002"
    assert found(SIGNET_DAEMON_URL="http://x:1", SIGNET_PORT="4002") == "http://x:1"
    assert found(str(tmp_path), SIGNET_DAEMON_URL="http://x:1") == "http://127.0.0.1:4001"


def a_job(
    queue: str, *, status: str = "pending", code: str | None = None, error: str | None = None
) -> Job:
    """Return a job as the daemon shows it."""
    said = {"status": status, "last_error_code": code, "error": error}
    return cast("Job", said | {"queue": queue, "memory_id": queue})


def pipeline(pending: int, leased: int = 0) -> PipelineStatus:
    """Return as much of the pipeline's status as is read."""
    counts = {"pending": pending, "leased": leased, "completed": 7, "dead": 1}
    return cast("PipelineStatus", {"paused": False, "queues": {"memory": counts}})


def test_jobs_that_wait_for_a_provider_are_not_open() -> None:
    down = a_job("vectors", code="provider_down", error="no model")
    behind, other = a_job("vectors"), a_job("llm")
    running = a_job("vectors", status="leased", code="provider_down")
    jobs, later = [down, behind, other, running], {"vectors": "later"}
    for is_all, still in ((True, 2), (False, 3)):
        found = summed(pipeline(3, 2), jobs, later, None, is_all=is_all)
        assert (found.open, found.waiting, found.reasons) == (still, 2, ("no model",))
    mine = summed(pipeline(3), jobs, {}, lambda job: job["memory_id"] == "llm", is_all=True)
    assert (mine.open, mine.waiting, mine.completed, mine.dead) == (1, 0, 7, 1)
