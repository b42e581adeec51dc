"""Documents: taken in once, read in chunks, never twice, never back from the dead."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet import clock
from signet.clock import SYSTEM
from signet.db import Database, WriteTx
from signet.db.visibility import Reader
from signet.domain.documents import ingest, records
from signet.domain.documents.records import (
    Created,
    DeletedDocument,
    DocumentRules,
    NewDocument,
    create,
    delete,
)
from signet.domain.documents.source import windows
from signet.domain.memory import history, remember
from signet.domain.memory import lookup as memories
from signet.domain.memory.forget import forget
from signet.domain.memory.models import Actor, NewMemory
from signet.domain.memory.models import Rules as MemoryRules
from signet.errors import Frozen, Invalid, NotFound, PermanentJobError, TooLarge
from signet.paths import Workspace
from signet.queue import transitions
from signet.queue.job_context import JobContext
from signet.queue.retry import Cancelled
from signet.wire.documents import StoredDocument
from support.database import fresh_database

NOW = clock.now()
#: No test here reads a file.
NOWHERE = Workspace(Path("/nowhere"))
ACTOR = Actor(name="nora")
SMALL = DocumentRules(chunk_chars=20, overlap_chars=0, max_bytes=10_000)
#: Five windows of 20 characters.
TEXT = "".join(f"paragraph no {number} is x\n" for number in range(5))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(fresh_database(tmp_path / "memories.db"))
    yield database
    database.close()


def a_document(
    db: Database, content: str = TEXT, *, rules: DocumentRules = SMALL, **fields: Any
) -> Created:
    new = replace(NewDocument(source_type="text", content=content), **fields)
    return db.write(create, new, rules=rules, now=NOW)


def a_run(db: Database, attempt: int = 1) -> JobContext:
    """Claim the oldest document job; `attempt` is how often it will have been tried."""

    def claim(tx: WriteTx) -> transitions.Lease:
        tx.run("UPDATE memory_jobs SET attempts = ? WHERE status = 'pending'", (attempt - 1,))
        (found,) = transitions.claim(
            tx,
            "ingest",
            1,
            owner="me",
            now=clock.now() + timedelta(seconds=1),
            monotonic_ms=SYSTEM.monotonic_ms(),
            lease_ms=60_000,
        )
        return found

    return JobContext(lease=db.write(claim), db=db)


def ingested(db: Database, content: str = TEXT, **fields: Any) -> str:
    created = a_document(db, content, **fields)
    ingest.run(a_run(db), SMALL, NOWHERE)
    return created.id


def removed(db: Database, document_id: str, *, rules: DocumentRules = SMALL) -> DeletedDocument:
    return db.write(
        delete, document_id, reason="outdated", actor=ACTOR, rules=rules, now=clock.now()
    )


def count(db: Database, table: str, where: str = "1") -> int:
    return int(db.read(lambda tx: tx.value(f"SELECT count(*) FROM {table} WHERE {where}")))


# -- chunks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (2_000, [(0, 2_000)]),
        (2_001, [(0, 2_000), (1_800, 2_001)]),
        (3_800, [(0, 2_000), (1_800, 3_800)]),
        (4_000, [(0, 2_000), (1_800, 3_800), (3_600, 4_000)]),
        (5_600, [(0, 2_000), (1_800, 3_800), (3_600, 5_600)]),
    ],
)
def test_windows_overlap_and_end_where_the_text_ends(
    length: int, expected: list[tuple[int, int]]
) -> None:
    text = "".join(chr(0x4E00 + number % 20_000) for number in range(length))
    assert windows(text, 2_000, 200) == [text[start:end] for start, end in expected]


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 12), st.integers(0, 30))
def test_windows_lose_no_word_and_repeat_no_window(text: str, size: int, overlap: int) -> None:
    found = windows(text, size, overlap)
    assert all(0 < len(window) <= size and window.strip() for window in found)
    step = size - min(overlap, size // 2)
    assert len(found) <= max(1, -(-max(len(text) - size, 0) // step) + 1)
    if not any(part.isspace() for part in text):
        assert "".join(window[:step] for window in found[:-1]) + "".join(found[-1:]) == text


def test_blank_windows_are_left_out() -> None:
    assert windows("abc" + " " * 7 + "def", 3, 0) == ["abc", " de", "f"]


# -- taking in ------------------------------------------------------------------------------------


def test_a_new_document_is_queued_with_its_job(db: Database) -> None:
    created = a_document(db, title="Notes", metadata={"by": "Zoë"})
    document = db.read(records.get, created.id)
    assert (document["status"], document["title"], document["raw_content"]) == (
        "queued",
        "Notes",
        TEXT,
    )
    assert document["metadata_json"] == '{"by": "Zoë"}'
    assert created.job_id is not None
    assert not created.deduplicated
    assert (
        count(db, "memory_jobs", f"id = '{created.job_id}' AND job_type = 'document_ingest'") == 1
    )


def test_the_same_text_or_address_is_one_document(db: Database) -> None:
    first = a_document(db, url="https://example.org/a")
    for again in (a_document(db), a_document(db, "Other text.", url="https://example.org/a")):
        assert (again.id, again.deduplicated) == (first.id, True)
    assert count(db, "memory_jobs") == 1
    assert a_document(db, "Other text.").id != first.id


def test_a_deleted_document_can_be_taken_in_again(db: Database) -> None:
    first = a_document(db)
    removed(db, first.id)
    assert not a_document(db).deduplicated


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"source_type": "video"}, "source_type must be text, url, or file"),
        ({"content": " \n"}, "content is required for text source_type"),
        ({"source_type": "url"}, "url is required for url source_type"),
        (
            {"source_type": "url", "url": "ftp://example.org"},
            "url must be an http or https address",
        ),
        ({"source_type": "url", "url": "http:///a"}, "url must be an http or https address"),
        ({"source_type": "url", "url": "http://[::1"}, "url: Invalid IPv6 URL"),
        ({"source_type": "url", "url": "http://a.test/a b"}, "url must be an http or https"),
        ({"source_type": "url", "url": "http://me:word@a.test"}, "url must not hold a password"),
        ({"source_type": "file"}, "url is required for file source_type"),
        ({"source_type": "file", "url": "notes/a.md"}, "url must be an absolute path"),
        ({"source_type": "file", "url": "/a\0b"}, "url must be an absolute path"),
        ({"connector_id": "nobody"}, "connector_id names no connector"),
    ],
)
def test_a_wrong_request_is_refused_with_its_reason(
    db: Database, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(Invalid, match=message):
        a_document(db, **fields)
    assert count(db, "documents") == 0


def test_limits_and_the_kill_switch_refuse_documents(db: Database) -> None:
    with pytest.raises(TooLarge):
        a_document(db, "é" * 6_000)
    with pytest.raises(Frozen):
        a_document(db, rules=DocumentRules(frozen=True))


# -- reading --------------------------------------------------------------------------------------


def test_a_document_becomes_memories_in_its_order(db: Database) -> None:
    document_id = ingested(db, title="Field notes")
    chunks = db.read(records.chunks, document_id)
    assert [chunk["content"] for chunk in chunks] == TEXT.strip().split("\n")
    assert [chunk["chunk_index"] for chunk in chunks] == [0, 1, 2, 3, 4]
    memory = db.read(memories.get, chunks[0]["id"], reader=Reader())
    assert (memory.type, memory.importance, memory.tags) == (
        "document_chunk",
        0.3,
        ("document:Field notes",),
    )
    assert (memory.who, memory.why) == (document_id, "document_ingest")
    assert (memory.source_type, memory.source_id) == ("document", document_id)
    assert (memory.extraction_status, memory.updated_by) == ("none", "document-worker")
    document = db.read(records.get, document_id)
    assert (document["status"], document["chunk_count"], document["memory_count"]) == ("done", 5, 5)
    assert document["completed_at"] is not None
    assert count(db, "memory_jobs", "job_type = 'embed'") == 5
    assert count(db, "memory_jobs", "job_type = 'document_ingest' AND status = 'completed'") == 1


def test_a_chunk_that_is_a_memory_already_is_linked(db: Database) -> None:
    saved = db.write(
        remember.remember,
        NewMemory(content="Paragraph no 2 is X!"),
        actor=ACTOR,
        rules=MemoryRules(),
        now=NOW,
    )
    chunks = db.read(records.chunks, ingested(db))
    assert chunks[2]["id"] == saved.id
    assert len(chunks) == 5
    assert count(db, "memories") == 5


def test_a_text_that_stands_twice_in_a_document_is_one_memory_at_its_first_place(
    db: Database,
) -> None:
    document_id = ingested(db, "the same line twice\n" * 2 + "and another one here")
    chunks = db.read(records.chunks, document_id)
    assert [(chunk["content"], chunk["chunk_index"]) for chunk in chunks] == [
        ("the same line twice", 0),
        ("and another one here", 2),
    ]
    document = db.read(records.get, document_id)
    assert (document["chunk_count"], document["memory_count"]) == (3, 2)


def test_reading_again_after_a_crash_adds_nothing_twice(db: Database) -> None:
    created = a_document(db)
    plan = ingest.plan_of(db.read(records.get, created.id), SMALL)
    db.write(
        ingest.store_chunks,
        plan=replace(plan, chunks=plan.chunks[:3]),
        first=0,
        rules=SMALL,
        now=NOW,
    )
    ingest.run(a_run(db), SMALL, NOWHERE)
    assert count(db, "memories") == count(db, "document_memories") == 5
    assert count(db, "memory_history", "event = 'created'") == 5


def test_a_long_document_is_saved_in_several_transactions(db: Database) -> None:
    lines = ingest.CHUNKS_PER_WRITE * 2 + 1
    text = "".join(f"this is line no {n:03}\n" for n in range(lines))
    document_id = ingested(db, text)
    chunks = db.read(records.chunks, document_id)
    assert [chunk["chunk_index"] for chunk in chunks] == list(range(lines))


def test_a_second_job_of_a_finished_document_does_nothing(db: Database) -> None:
    document_id = ingested(db)
    done = db.read(records.get, document_id)
    _requeue(db)
    ingest.run(a_run(db), SMALL, NOWHERE)
    assert db.read(records.get, document_id) == done


def _requeue(db: Database) -> None:
    db.write(
        lambda tx: tx.run(
            "UPDATE memory_jobs SET status = 'pending', completed_at = NULL WHERE job_type = 'document_ingest'"
        )
    )


def test_changed_content_replaces_the_chunks_that_are_gone(db: Database) -> None:
    document_id = ingested(db)
    old = {chunk["content"]: chunk["id"] for chunk in db.read(records.chunks, document_id)}
    changed = TEXT.replace("paragraph no 3 is x", "a new paragraph now")
    db.write(
        lambda tx: tx.run("UPDATE documents SET raw_content = ?, status = 'queued'", (changed,))
    )
    _requeue(db)
    ingest.run(a_run(db), SMALL, NOWHERE)
    new = {chunk["content"]: chunk["id"] for chunk in db.read(records.chunks, document_id)}
    assert set(new) == set(changed.strip().split("\n"))
    assert {content for content in old if old[content] == new.get(content)} == set(old) - {
        "paragraph no 3 is x"
    }
    gone = old["paragraph no 3 is x"]
    with pytest.raises(NotFound):
        db.read(memories.get, gone, reader=Reader())
    assert db.read(history.changes_of, gone, reader=Reader())[-1]["event"] == "deleted"


def test_a_document_without_text_fails_for_good(db: Database) -> None:
    created = a_document(db)
    db.write(lambda tx: tx.run("UPDATE documents SET raw_content = NULL"))
    with pytest.raises(PermanentJobError, match="Empty content"):
        ingest.run(a_run(db), SMALL, NOWHERE)
    document = db.read(records.get, created.id)
    assert (document["status"], document["error"]) == ("failed", "Empty content")


@pytest.mark.parametrize(("attempt", "status"), [(1, "queued"), (3, "failed")])
def test_a_failing_document_is_queued_until_the_last_attempt(
    db: Database, monkeypatch: pytest.MonkeyPatch, attempt: int, status: str
) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise NotFound("a planted error")

    created = a_document(db)
    monkeypatch.setattr(remember, "insert", break_down)
    with pytest.raises(NotFound):
        ingest.run(a_run(db, attempt), SMALL, NOWHERE)
    document = db.read(records.get, created.id)
    assert (document["status"], document["error"]) == (status, "a planted error")


def a_file(db: Database, path: Path, stamp: str = "1") -> str:
    new = NewDocument(source_type="file", url=str(path), source_stamp=stamp)
    return db.write(create, new, rules=SMALL, now=NOW).id


def changed(db: Database, document_id: str, stamp: str) -> None:
    """Tell that the file of a document is another one now, as a sync does."""
    db.write(
        ingest.read_again,
        document_id,
        agent_id="default",
        stamp=stamp,
        attempts=3,
        now=NOW,
    )


def test_a_file_that_changes_while_it_is_read_is_read_again(db: Database, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("what it said at first")
    document_id = a_file(db, file)
    job = a_run(db)
    document = db.read(records.find, document_id)
    file.write_text("what it says now")
    changed(db, document_id, "2")
    assert count(db, "memory_jobs") == 1, "the job at work is the only one"
    old: StoredDocument = {**document, "raw_content": "what it said at first"}
    old["content_type"] = "text/plain"
    plan = ingest.plan_of(old, SMALL)
    kept = job.progress(partial(ingest.store_chunks, plan=plan, first=0, rules=SMALL, now=NOW))
    job.commit(partial(ingest.finish, plan=plan, kept=kept, rules=SMALL, now=NOW))
    assert db.read(records.find, document_id)["status"] == "queued"
    ingest.run(a_run(db), SMALL, Workspace(tmp_path))
    chunks = db.read(records.chunks, document_id)
    assert [chunk["content"] for chunk in chunks] == ["what it says now"]
    assert count(db, "memory_jobs", "status = 'completed'") == 2


def test_a_failure_of_an_older_state_lets_a_sync_try_the_newer(
    db: Database, tmp_path: Path
) -> None:
    document_id = a_file(db, tmp_path / "nothing.txt")
    job = a_run(db)
    old = db.read(records.find, document_id)
    changed(db, document_id, "2")
    db.write(ingest.fail, document=old, error=NotFound("file not found"), is_last=True, now=NOW)
    assert (db.read(records.find, document_id)["source_stamp"], job.lost) == (None, False)


def test_a_file_with_the_same_text_is_not_cut_again(db: Database, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the only line of it")
    document_id = a_file(db, tmp_path / "a.txt")
    ingest.run(a_run(db), SMALL, Workspace(tmp_path))
    (chunk,) = db.read(records.chunks, document_id)
    db.write(forget, chunk["id"], actor=ACTOR, reason="not wanted", now=NOW)
    changed(db, document_id, "2")
    ingest.run(a_run(db), SMALL, Workspace(tmp_path))
    assert db.read(records.find, document_id)["status"] == "done"
    assert db.read(records.chunks, document_id) == [], "what a person forgot stays forgotten"


def test_a_file_that_was_emptied_leaves_nothing_behind(db: Database, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the only line of it")
    document_id = a_file(db, tmp_path / "a.txt")
    ingest.run(a_run(db), SMALL, Workspace(tmp_path))
    (tmp_path / "a.txt").write_text("\n")
    changed(db, document_id, "2")
    with pytest.raises(PermanentJobError, match="Empty content"):
        ingest.run(a_run(db), SMALL, Workspace(tmp_path))
    assert db.read(records.find, document_id)["error"] == "Empty content"
    assert db.read(records.chunks, document_id) == []


def test_nothing_is_read_while_nothing_may_be_written(db: Database) -> None:
    created = a_document(db)
    with pytest.raises(Frozen):
        ingest.run(a_run(db), replace(SMALL, frozen=True), NOWHERE)
    assert db.read(records.get, created.id)["status"] == "queued"


# -- owners ---------------------------------------------------------------------------------------


def test_each_agent_has_documents_of_its_own(db: Database) -> None:
    mine, theirs = a_document(db, agent_id="nora"), a_document(db, agent_id="otto")
    assert mine.id != theirs.id
    assert a_document(db, agent_id="nora").id == mine.id
    assert [d["id"] for d in db.read(records.newest, agent_id="nora")[0]] == [mine.id]
    assert db.read(records.newest, agent_id="nora")[1] == 1
    # The default agent shares: it reads what is global.
    assert db.read(records.newest)[1] == 2
    for call in (records.get, records.chunks):
        with pytest.raises(NotFound):
            db.read(call, theirs.id, agent_id="nora")
    with pytest.raises(NotFound):
        db.write(
            delete,
            theirs.id,
            reason="not mine",
            actor=ACTOR,
            rules=SMALL,
            now=NOW,
            agent_id="nora",
        )


def test_a_group_reads_the_documents_of_its_members(db: Database) -> None:
    db.write(
        lambda tx: tx.run(
            "INSERT INTO agents (id, name, read_policy, policy_group, created_at, updated_at)"
            " SELECT value, value, 'group', 'harbour', '', '' FROM json_each('[\"nora\", \"otto\"]')"
        )
    )
    theirs, other = a_document(db, agent_id="otto"), a_document(db, agent_id="pia")
    assert [d["id"] for d in db.read(records.newest, agent_id="nora")[0]] == [theirs.id]
    assert [d["id"] for d in db.read(records.newest, agent_id="pia")[0]] == [other.id]


# -- deleting -------------------------------------------------------------------------------------


def test_deleting_a_document_forgets_its_chunks_and_keeps_their_text_in_history(
    db: Database,
) -> None:
    document_id = ingested(db)
    chunk_id = db.read(records.chunks, document_id)[0]["id"]
    assert removed(db, document_id).memories_removed == 5
    assert db.read(records.chunks, document_id) == []
    event = db.read(history.changes_of, chunk_id, reader=Reader())[-1]
    assert (event["event"], event["oldContent"], event["newContent"], event["reason"]) == (
        "deleted",
        "paragraph no 0 is x",
        None,
        "Document deleted: outdated",
    )
    document = db.read(records.get, document_id)
    assert (document["status"], document["error"]) == ("deleted", "outdated")
    assert removed(db, document_id).memories_removed == 0


def test_what_another_document_or_a_person_needs_is_only_unlinked(db: Database) -> None:
    saved = db.write(
        remember.remember,
        NewMemory(content="paragraph no 0 is x"),
        actor=ACTOR,
        rules=MemoryRules(),
        now=NOW,
    )
    first = ingested(db)
    second = ingested(db, TEXT[20:40] + "something else here!")
    shared = db.read(records.chunks, second)[0]
    assert removed(db, first).memories_removed == 3
    for memory_id in (saved.id, shared["id"]):
        assert db.read(memories.get, memory_id, reader=Reader()).id == memory_id
    assert removed(db, second).memories_removed == 2


def test_deleting_stops_a_waiting_job(db: Database) -> None:
    created = a_document(db)
    removed(db, created.id)
    assert count(db, "memory_jobs", "status = 'dead' AND error = 'cancelled'") == 1


def test_a_running_job_does_not_bring_a_deleted_document_back(db: Database) -> None:
    created = a_document(db)
    job = a_run(db)
    plan = ingest.plan_of(db.read(records.get, created.id), SMALL)
    removed(db, created.id)
    assert db.write(ingest.store_chunks, plan=plan, first=0, rules=SMALL, now=NOW) == []
    ingest.run(job, SMALL, NOWHERE)
    assert db.read(records.get, created.id)["status"] == "deleted"
    assert count(db, "memories") == 0


def test_a_cancelled_job_stops_between_its_steps(db: Database) -> None:
    created = a_document(db)
    job = a_run(db)
    job.cancelled = True
    with pytest.raises(Cancelled):
        ingest.run(job, SMALL, NOWHERE)
    assert db.read(records.get, created.id)["status"] == "queued"


def test_deleting_needs_a_document_a_reason_and_no_kill_switch(db: Database) -> None:
    created = a_document(db)
    with pytest.raises(NotFound, match="Document not found"):
        removed(db, "nobody")
    with pytest.raises(Frozen):
        removed(db, created.id, rules=DocumentRules(frozen=True))
    with pytest.raises(Invalid, match="reason query parameter is required"):
        db.write(delete, created.id, reason=" ", actor=ACTOR, rules=SMALL, now=NOW)


# -- listing --------------------------------------------------------------------------------------


def test_the_list_is_newest_first_without_content_and_can_be_filtered(db: Database) -> None:
    first, second = ingested(db, "One text."), a_document(db, "Two texts.").id
    page = db.read(records.newest)
    assert [document["id"] for document in page[0]] == [second, first]
    assert {document["raw_content"] for document in page[0]} == {None}
    assert page[1] == 2
    done = db.read(records.newest, status="done", with_content=True)
    assert [document["raw_content"] for document in done[0]] == ["One text."]
    assert done[1] == 1
    assert [d["id"] for d in db.read(records.newest, limit=1, offset=1)[0]] == [first]
    with pytest.raises(Invalid, match="status must be one of"):
        db.read(records.newest, status="finished")
    with pytest.raises(NotFound):
        db.read(records.chunks, "nobody")
