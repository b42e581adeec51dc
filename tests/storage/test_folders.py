"""Connected folders and documents by path, when hosts with different files share a memory (CON-12)."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from storage.hosts import Host, a_program, rows
from support import postgres
from support.processes import PATIENCE_SECONDS, eventually

CODE = "paths_need_local_memory"
DOCUMENTS = "SELECT source_url, status, chunk_count FROM documents ORDER BY source_url"
#: What a host of an earlier version leaves in the queue.
QUEUED = """
INSERT INTO memory_jobs (id, job_type, document_id, status, queue, dedupe_key, payload, priority, created_at,
    updated_at, due_ms)
SELECT 'sync', 'connector_sync', NULL, 'pending', 'light', 'connector_sync:' || id,
       json_build_object('connectorId', id, 'full', true)::text, 1, '2026', '2026', 0 FROM connectors
UNION ALL
SELECT 'read', 'document_ingest', 'strange', 'pending', 'ingest', 'document_ingest:strange', NULL, 1, '2026', '2026', 0
"""
BY_PATH = """
INSERT INTO documents (id, source_url, source_type, title, status, connector_id, agent_id, created_at, updated_at)
SELECT 'strange', '{path}', 'file', 'strange', 'queued', id, 'default', '2026', '2026' FROM connectors"""
ENDS = (
    "SELECT id, status, last_error_code FROM memory_jobs WHERE id IN ('sync', 'read') ORDER BY id"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "same"
    made.mkdir()
    for name, bird in (("a", "avocet"), ("b", "bittern"), ("c", "crake")):
        (made / f"{name}.md").write_text(f"The {bird} nests behind the barn of Lund.")
    return made


@pytest.fixture
def both(tmp_path: Path, folder: Path) -> Iterator[list[Host]]:
    """Run a host with a connected folder whose memory is in its file, and prepare another one on the empty server."""
    url = postgres.empty()
    here = Host(a_program(tmp_path / "a", None), url)
    there = Host(a_program(tmp_path / "b", url), url)
    try:
        here.start()
        done = here.program.run("connector", "add", str(folder), "--sync")
        assert done.status == 0, done.err
        eventually(lambda: len(done_documents(here)) == 3)
        yield [here, there]
    finally:
        for host in (here, there):
            host.program.run("daemon", "stop")
        postgres.drop(url)


def done_documents(host: Host) -> set[str]:
    found = host.get("/api/documents?limit=50")["documents"]
    return {one["title"] for one in found if one["status"] == "done"}


def test_no_host_reads_a_path_for_a_memory_that_others_share(
    both: list[Host], folder: Path, tmp_path: Path
) -> None:
    here, there = both
    moved = here.program.run("storage", "move", here.url)
    assert moved.status == 0, moved.err
    assert f"connected folder, no longer read; its documents stay: {folder}" in moved.out
    there.start()
    (folder / "b.md").unlink()  # the other host has another file at this place
    (folder / "d.md").write_text("The dunlin of the other host is private.")
    before = rows(here.url, DOCUMENTS)
    by_path = {"source_type": "file", "url": str(folder / "d.md")}
    for host in both:
        for words in (("sync",), ("sync", "same", "--full"), ("add", str(folder), "--sync")):
            done = host.program.run("connector", *words)
            assert done.status == 1 and "storage.url" in done.err, (words, done.err)
            assert host.program.run("connector", *words, "--json").json()["code"] == CODE
        answer = httpx.post(
            f"http://127.0.0.1:{host.program.port}/api/documents",
            json=by_path,
            timeout=PATIENCE_SECONDS,
        )
        assert (answer.status_code, answer.json()["code"]) == (501, CODE)
    assert len(rows(here.url, "SELECT id FROM connectors")) == 1
    assert rows(here.url, DOCUMENTS) == before and len(before) == 3

    with psycopg.connect(here.url, autocommit=True) as connection:
        connection.execute(BY_PATH.format(path=folder / "d.md").encode())
        connection.execute(QUEUED.encode())
    eventually(lambda: {status for _, status, _ in rows(here.url, ENDS)} == {"dead"})
    assert rows(here.url, ENDS) == [("read", "dead", CODE), ("sync", "dead", CODE)]
    after = [row for row in rows(here.url, DOCUMENTS) if not row[0].endswith("d.md")]
    assert after == before
    for host in both:
        assert "bittern" in host.program.run("recall", "bittern barn of Lund").out
        assert "dunlin" not in host.program.run("recall", "dunlin").out

    (tmp_path / "e.md").write_text("The egret was added as a text.")
    added = there.program.run("document", "add", str(tmp_path / "e.md"))
    assert added.status == 0, added.err
    eventually(lambda: "egret was added" in here.program.run("recall", "egret added").out)


def test_a_folder_is_read_again_after_the_move_back(both: list[Host], folder: Path) -> None:
    here, _ = both
    assert here.program.run("storage", "move", here.url).status == 0
    (folder / "d.md").write_text("The dunlin came back with its flock.")
    back = here.program.run("storage", "move", "file", "--json").json()
    assert back["connectedFolders"] == [str(folder)]
    done = here.program.run("connector", "sync")
    assert done.status == 0 and "4 files, 1 new" in done.out, done.err
    eventually(lambda: len(done_documents(here)) == 4)
