"""Documents, vectors and retention through a real worker, and the counts it keeps."""

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest

from signet import clock
from signet.domain.documents.records import DocumentRules, NewDocument, create
from signet.domain.memory.forget import forget
from signet.queue import NewJob, enqueue
from support.database import indexed_vectors
from support.models import FakeServer, Hang, Status, Works
from support.processes import eventually
from worker.home import USER, Home, a_home, manifest
from worker.script import Script, scripted

VECTORS = (
    "SELECT COUNT(*) FROM embeddings e JOIN memories m ON m.id = e.source_id"
    " WHERE e.id IN (SELECT id FROM {indexed}) AND m.id = ?"
    " AND e.content_hash = m.content_hash AND m.embedding_model = e.model"
)


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with scripted(Script()) as made:
        yield made


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(
            manifest("none", server.url, embedding="ollama", documents={"chunkSize": 200})
        )
        metrics = made.workspace.metrics_dir
        metrics.mkdir()
        with made.worker({"PROMETHEUS_MULTIPROC_DIR": str(metrics)}):
            yield made


def test_a_document_becomes_linked_and_embedded_chunks(home: Home) -> None:
    text = " ".join(f"Paragraph {n} tells of the ibis harbour and its boats." for n in range(12))
    rules = DocumentRules(chunk_chars=200, overlap_chars=20)
    new = NewDocument(source_type="text", content=text, title="Harbour")
    made = home.db.write(create, new, rules=rules, now=clock.now())
    result = home.ended(made.id, "document_ingest")
    chunks = home.rows(
        "SELECT m.* FROM document_memories d JOIN memories m ON m.id = d.memory_id"
        " WHERE d.document_id = ? ORDER BY d.chunk_index",
        made.id,
    )
    assert result == {"chunks": len(chunks), "memories": len(chunks), "forgotten": 0}
    assert len(chunks) > 2
    assert {(row["type"], row["who"], row["extraction_status"]) for row in chunks} == {
        ("document_chunk", made.id, "none")
    }
    assert home.value("SELECT status FROM documents WHERE id = ?", made.id) == "done"
    for row in chunks:
        home.ended(row["id"], "embed")
        assert home.value(VECTORS.format(indexed=indexed_vectors()), row["id"]) == 1


def test_a_sweep_lets_go_of_what_is_old(home: Home) -> None:
    memory_id = home.remember("The hoopoe contract has run out.")
    home.ended(memory_id, "embed")
    long_ago = clock.now() - timedelta(days=31)
    home.db.write(forget, memory_id, actor=USER, reason="test", now=long_ago)
    home.db.write(enqueue, NewJob(kind="retention_sweep", dedupe_key="1"), now=clock.now())
    kind = "SELECT status FROM memory_jobs WHERE job_type = 'retention_sweep'"
    eventually(lambda: home.value(kind) == "completed")
    assert home.rows("SELECT * FROM memories WHERE id = ?", memory_id) == []
    assert home.rows("SELECT * FROM embeddings WHERE source_id = ?", memory_id) == []
    counts = (
        "SELECT result ->> 'tombstonesPurged' FROM memory_jobs WHERE job_type = 'retention_sweep'"
    )
    assert home.value(counts) == 1


def test_vectors_are_stored_in_both_tables_and_not_made_twice(
    home: Home, server: FakeServer
) -> None:
    text = "The lapwing office has a balcony."
    memory_id = home.remember(text)
    assert home.ended(memory_id, "embed") == {"passages": 1}
    assert home.value(VECTORS.format(indexed=indexed_vectors()), memory_id) == 1
    home.db.write(enqueue, NewJob(kind="embed", memory_id=memory_id), now=clock.now())
    assert home.ended(memory_id, "embed") == {"skipped": "nothing_to_embed"}
    assert sum(text in str(request.body) for request in server.requests) == 1


def test_a_vector_of_an_older_text_is_not_stored(home: Home, server: FakeServer) -> None:
    hang = Hang(threading.Event())
    server.embeddings = [hang, Works()]
    text = "The osprey flag is green."
    memory_id = home.remember(text)
    eventually(lambda: any(text in str(request.body) for request in server.requests))
    first = home.job(memory_id, "embed")["id"]
    home.run(
        "UPDATE memories SET content = 'The osprey flag is red.', content_hash = 'red',"
        " version = version + 1 WHERE id = ?",
        memory_id,
    )
    hang.release.set()
    eventually(lambda: home.job(memory_id, "embed")["id"] != first)
    home.ended(memory_id, "embed")
    assert home.value(VECTORS.format(indexed=indexed_vectors()), memory_id) == 1
    assert home.value("SELECT result ->> 'skipped' FROM memory_jobs WHERE id = ?", first) == (
        "memory_changed"
    )
    [row] = home.rows("SELECT * FROM embeddings WHERE source_id = ?", memory_id)
    assert row["chunk_text"] == "The osprey flag is red."


def test_an_embedding_that_always_fails_dies_and_costs_nobody_else_and_both_are_counted(
    home: Home, server: FakeServer
) -> None:
    server.embeddings = [Status(500)]
    failing = home.remember("The egret pond is dry.", attempts=1)
    home.ended(failing, "embed", status="dead")
    server.embeddings = [Works()]
    healthy = home.remember("The egret pond is full.")
    home.ended(healthy, "embed")
    assert home.value(VECTORS.format(indexed=indexed_vectors()), healthy) == 1
    written = b"".join(p.read_bytes() for p in home.workspace.metrics_dir.glob("counter_*.db"))
    for outcome in (b"success", b"failure"):
        assert (
            b'"signet_provider_calls_total", {"outcome": "%s", "provider": "ollama"}' % outcome
            in (written)
        )
