"""Storage in trouble: a clear 503, reading goes on, nothing that was acknowledged is lost, and it heals by itself."""

import resource
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from signet.db.writer import WAIT_SECONDS
from support.http import Answer, Api, Served, a_workspace, an_api, served
from support.processes import program, said

#: One process for the whole file.
REMEMBER = "/api/memory/remember"
RECALL = "/api/memory/recall"
#: A program that knows nothing of our gate and keeps the write lock until it is ended.
LOCKER = """
import signal, sys
from pathlib import Path
from signet.db.driver import connect
held = connect(Path(sys.argv[1]))
held.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
signal.pause()
"""
#: Room for the log and for nothing else.
TINY_BYTES = 4_096


@contextmanager
def locked(database: Path) -> Iterator[None]:
    with program("-c", LOCKER, str(database)) as holder:
        said(holder, "locked")
        yield


@contextmanager
def disk_full(server: Served) -> Iterator[None]:
    """Let no file of the process grow beyond its size now."""
    wal = server.workspace.database.with_name("memories.db-wal")
    most = max(TINY_BYTES, wal.stat().st_size)
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)


def refused_for_storage(answer: Answer, words: str) -> None:
    assert answer.status == 503, answer.body
    assert words in answer.error
    assert int(answer.headers["retry-after"]) > 0


def stored(api: Api | Served) -> set[str]:
    found = api.get("/api/memories?limit=1000")
    assert found.status == 200
    return {row["content"] for row in found.body["memories"]}


@pytest.mark.sqlite_file
def test_a_database_locked_by_another_program_refuses_saves_and_answers_the_rest_at_once(
    server: Served,
) -> None:
    server.post(REMEMBER, {"content": "Bees fly home."})
    with locked(server.workspace.database), ThreadPoolExecutor(1) as pool:
        started = time.monotonic()
        saving = pool.submit(server.post, REMEMBER, {"content": "Hens sit."})
        assert server.post(RECALL, {"query": "bees"}).body["count"] == 1
        assert server.get("/health").body["db"] is True
        assert not saving.done(), "nothing but the save waited for the lock"
        refused_for_storage(saving.result(), "locked by another program")
        assert time.monotonic() - started >= WAIT_SECONDS
    assert "Hens sit." not in stored(server) and "Bees fly home." in stored(server)
    assert server.post(REMEMBER, {"content": "Hens sit."}).status == 200


@pytest.mark.sqlite_file
def test_every_save_that_waits_for_a_lock_is_answered(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", wait_seconds=0.2) as api:
        with locked(api.state.workspace.database):
            for number in range(3):
                refused = api.post(REMEMBER, {"content": f"Hen {number} sits."})
                refused_for_storage(refused, "locked by another program")
        assert api.post(REMEMBER, {"content": "All hens sit."}).status == 200
        assert stored(api) == {"All hens sit."}


@pytest.mark.sqlite_file
def test_a_full_disk_refuses_saves_loses_nothing_acknowledged_and_heals(tmp_path: Path) -> None:
    kept: set[str] = set()
    refusals = 0
    with served(a_workspace(tmp_path / "agents")) as server:
        kept.add(server.post(REMEMBER, {"content": "Before the flood."}).body["content"])
        with disk_full(server):
            for number in range(20):
                answer = server.post(REMEMBER, {"content": f"In the flood {number}."})
                if answer.status == 200:
                    kept.add(answer.body["content"])
                else:
                    refused_for_storage(answer, "disk is full")
                    refusals += 1
            assert server.post(RECALL, {"query": "flood"}).body["count"] >= 1
            assert server.get("/health").status == 200
        kept.add(server.post(REMEMBER, {"content": "After the flood."}).body["content"])
        assert refusals > 0
        assert stored(server) == kept
    with served(server.workspace) as again:
        assert stored(again) == kept


@pytest.mark.sqlite_file
def test_a_database_at_its_largest_size_refuses_saves_and_heals(api: Api) -> None:
    saved = {f"Hen {number} sits." for number in range(3)}
    assert {api.post(REMEMBER, {"content": text}).status for text in saved} == {200}
    pages = api.state.db.write(lambda tx: tx.value("PRAGMA page_count"))
    api.state.db.write(lambda tx: tx.value(f"PRAGMA max_page_count = {pages}"))
    many = " ".join(f"Hen number {number} is one too many." for number in range(1_000))
    refused = api.post(REMEMBER, {"content": many})
    refused_for_storage(refused, "disk is full")
    assert stored(api) == saved
    api.state.db.write(lambda tx: tx.value("PRAGMA max_page_count = 1000000"))
    assert api.post(REMEMBER, {"content": "A hen too many."}).status == 200


@pytest.mark.sqlite_file
def test_a_read_only_database_refuses_saves_and_documents_and_answers_questions(api: Api) -> None:
    api.post(REMEMBER, {"content": "Bees fly home."})
    api.state.db.write(lambda tx: tx.value("PRAGMA query_only = 1"))
    refused_for_storage(api.post(REMEMBER, {"content": "Hens sit."}), "cannot be written")
    document = {"source_type": "text", "content": "A page."}
    refused_for_storage(api.post("/api/documents", document), "cannot be written")
    refused_for_storage(api.post("/api/pipeline/pause"), "cannot be written")
    assert api.post(RECALL, {"query": "bees"}).body["count"] == 1
    hook = {"harness": "codex", "sessionKey": "s"}
    start = api.post("/api/hooks/session-start", hook)
    prompt = api.post("/api/hooks/user-prompt-submit", {**hook, "userPrompt": "Where do bees fly?"})
    asked = api.post("/api/hooks/recall", {**hook, "query": "bees"})
    assert [one.status for one in (start, prompt, asked)] == [200] * 3
    assert "Bees fly home." in start.body["inject"] and "Bees fly home." in prompt.body["inject"]
    assert asked.body["count"] == 1
    for path in ("/health", "/api/status", "/api/pipeline/status", "/api/memories", "/metrics"):
        assert api.get(path).status == 200
    assert stored(api) == {"Bees fly home."}


@pytest.mark.sqlite_file
def test_the_same_text_from_many_clients_at_once_is_one_memory_with_one_job(
    server: Served,
) -> None:
    def save(number: int) -> Answer:
        return server.post(REMEMBER, {"content": "The owl calls" + "!" * number})

    with ThreadPoolExecutor(16) as clients:
        answers = list(clients.map(save, range(64)))
    assert {answer.status for answer in answers} == {200}
    (memory_id,) = {answer.body["id"] for answer in answers}
    assert [answer.body["deduped"] for answer in answers].count(False) == 1
    jobs = server.get("/api/jobs?limit=500").body["jobs"]
    assert [job["memory_id"] for job in jobs].count(memory_id) == 1
