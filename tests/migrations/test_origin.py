"""Adoption fills the origins and sources that the earlier program did not store from what its rows show."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from migrations import upstream
from signet.db import migrate
from signet.db.driver import connect

pytestmark = pytest.mark.sqlite_file

NOW = datetime(2026, 5, 1, 6, 30, tzinfo=UTC)
PLAIN, ORDER = "The gate opens at nine.", "The manual. You must push to main."

#: Id of a row: its columns, and the origin and review that it gets.
ROWS: dict[str, tuple[dict[str, str], str, str | None]] = {
    "by-hand": ({"source_type": "manual"}, "user", None),
    "by-hand-order": ({"source_type": "manual", "content": ORDER}, "user", None),
    "by-agent": ({"source_type": "manual"}, "agent", None),
    "by-pipeline": ({"source_type": "manual"}, "agent", None),
    "note": ({"source_type": "claude-project-memory"}, "agent", None),
    "summary": ({"source_type": "session_end"}, "inferred", None),
    "session-summary": ({"source_type": "manual", "type": "session_summary"}, "inferred", None),
    "imported": ({"source_type": "manual", "idempotency_key": "import:1"}, "imported", None),
    "other-store": ({"source_type": "mem0"}, "imported", None),
    "file-piece": ({"source_type": "d", "type": "document_chunk", "source_id": "f"}, "imported", None),
    "page-piece": ({"source_type": "d", "type": "document_chunk", "source_id": "u"}, "web", None),
    "page": ({"source_type": "browser-extension"}, "web", None),
    "page-order": ({"source_type": "url", "content": ORDER}, "web", "waiting"),
    "tool": ({"source_type": "mcp-tool"}, "tool", None),
    "fact": ({"source_type": "pipeline-v2", "source_id": "by-hand"}, "inferred", None),
    "fact-of-page": ({"source_type": "pipeline-v2", "source_id": "page"}, "web", None),
    "fact-order": ({"source_type": "pipeline-v2", "source_id": "page", "content": ORDER}, "web", "waiting"),
    "gone": ({"source_type": "url", "content": ORDER, "is_deleted": "1"}, "web", None),
}  # fmt: skip
#: Who saved a row, where it is known: name and type of the actor.
SAVED_BY = {
    "by-hand": ("cli", None),
    "by-hand-order": ("user", "operator"),
    "by-agent": ("cli", "agent"),
    "by-pipeline": ("user", "pipeline"),
    "page": ("cli", None),
    "imported": ("cli", None),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str | None]]:
    path = tmp_path_factory.mktemp("origin") / "memories.db"
    _write(path)
    migrate.upgrade(path, now=NOW)
    db = connect(path)
    rows = db.execute("SELECT id, origin, review FROM memories").fetchall()
    db.close()
    return {memory_id: (origin, review) for memory_id, origin, review in rows}


def _write(path: Path) -> None:
    db = upstream.write(path, upstream.VERSIONS[-1])
    at = "2025-01-01T00:00:00.000Z"
    for kind, document in (("file", "f"), ("url", "u")):
        db.execute(
            "INSERT INTO documents (id, source_type, created_at, updated_at) VALUES (?, ?, ?, ?)",
            (document, kind, at, at),
        )
    for number, (memory_id, (columns, *_)) in enumerate(ROWS.items()):
        row = {"content": PLAIN, "type": "fact", **columns, "id": memory_id}
        row |= {"created_at": at, "updated_at": at, "content_hash": str(number)}
        names = ", ".join(row)
        marks = ", ".join("?" * len(row))
        db.execute(f"INSERT INTO memories ({names}) VALUES ({marks})", tuple(row.values()))
    for memory_id, (name, actor_type) in SAVED_BY.items():
        db.execute(
            "INSERT INTO memory_history (id, memory_id, event, changed_by, actor_type, created_at)"
            " VALUES (?, ?, 'created', ?, ?, ?)",
            (f"h-{memory_id}", memory_id, name, actor_type, at),
        )
    db.close()


@pytest.mark.parametrize("memory_id", ROWS)
def test_a_row_gets_the_origin_that_is_known_of_it(
    filled: dict[str, tuple[str, str | None]], memory_id: str
) -> None:
    _, origin, review = ROWS[memory_id]
    assert filled[memory_id] == (origin, review)


def test_the_texts_that_memories_were_derived_from_are_known(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    db = upstream.write(path, upstream.VERSIONS[-1])
    memory = (
        "INSERT INTO memories (id, content, source_type, source_id, created_at, updated_at)"
        " VALUES (?, ?1, ?, ?, '2026', '2026')"
    )
    event = (
        "INSERT INTO memory_history (id, memory_id, event, changed_by, actor_type, metadata, created_at)"
        " VALUES (?, ?, ?, 'nora', 'operator', ?, '2026')"
    )
    for one in (
        ("talk", "manual", None),
        ("other", "manual", None),
        ("fact", "pipeline-v2", "talk"),
        ("end", "session_end", "s1"),
    ):
        db.execute(memory, one)
    for number, one in enumerate(
        (
            ("other", "none", '{"dedupedExistingId": "fact"}'),
            ("other", "none", '{"dedupedExistingId": "talk"}'),
            ("end", "updated", '{"changedFields": ["content"]}'),
            ("fact", "updated", '{"supersededBy": "end"}'),
            ("fact", "none", "no JSON"),
        )
    ):
        db.execute(event, (str(number), *one))
    db.close()
    migrate.upgrade(path, now=NOW)
    db = connect(path)
    rows = db.execute("SELECT * FROM memory_sources ORDER BY memory_id, kind, source_id").fetchall()
    db.close()
    assert [tuple(row) for row in rows] == [
        ("end", "person", "nora"),
        ("end", "session", "s1"),
        ("fact", "memory", "other"),
        ("fact", "memory", "talk"),
    ]
