"""An export is imported as it was."""

from contextlib import closing

from signet.db.driver import connect
from signet.domain.transfer.records import KINDS
from support import fulltext
from support.http import Api
from transfer.rows import a_memory, body_of, everything, exported, imported

#: Rows that queue no work, so that the only difference could be what import does.
JOBS = "SELECT job_type, count(*) FROM memory_jobs GROUP BY 1"


def test_the_export_of_an_import_is_the_same_export(full: Api, empty: Api) -> None:
    first = body_of(exported(full))
    assert {row["record"] for row in first} == set(KINDS)
    assert imported(empty, first) == (len(first), 0, [])
    assert body_of(exported(empty)) == first


def test_vectors_come_along_when_asked_for(full: Api, empty: Api) -> None:
    first = body_of(exported(full, "everything=true&vectors=true"))
    assert first[-1]["record"] == "vectors" and len(first[-1]["passages"]) == 2
    assert imported(empty, first, vectors=True) == (len(first), 0, [])
    assert imported(empty, first, vectors=True) == (0, len(first), [])
    assert body_of(exported(empty, "everything=true&vectors=true")) == first
    kept = [(row["chunk_text"], row["vector"], row["model"]) for row in full.rows("embeddings")]
    assert kept == [
        (row["chunk_text"], row["vector"], row["model"]) for row in empty.rows("embeddings")
    ]


def test_vectors_of_another_text_are_refused(full: Api, empty: Api) -> None:
    *rows, vectors = body_of(exported(full, "everything=true&vectors=true"))
    imported(empty, rows)
    empty.run("UPDATE memories SET content_hash = 'other' WHERE id = ?", vectors["memory_id"])
    assert imported(empty, [vectors])[2] == ["the vectors belong to another text"]


def test_a_second_import_changes_nothing(full: Api, empty: Api) -> None:
    rows = body_of(exported(full))
    imported(empty, rows)
    before = everything(empty)
    assert imported(empty, rows) == (0, len(rows), [])
    assert everything(empty) == before
    assert imported(full, rows) == (0, len(rows), [])


def test_the_full_text_holds_what_the_table_holds(full: Api, empty: Api) -> None:
    imported(empty, body_of(exported(full)))
    for table, index in (("memories", "memories_fts"), ("memory_hints", "memory_hints_fts")):
        with closing(connect(empty.state.workspace.database)) as connection:
            fulltext.check_index(connection, index, table)
        assert empty.rows(table)
    found = empty.post("/api/memory/recall", {"query": "boiler October"}).body["results"]
    assert found[0]["content"] == "Ortega serves the boiler in October"


def test_what_was_extracted_is_not_extracted_again_and_the_rest_is(empty: Api) -> None:
    imported(
        empty,
        [
            a_memory("m1", "The kettle is blue", extraction_status="completed"),
            a_memory("m2", "The stove is green", extraction_status="pending"),
            a_memory("m3", "The lamp is red", extraction_status="pending", is_deleted=1),
        ],
    )
    jobs = [(row["job_type"], row["memory_id"]) for row in empty.rows("memory_jobs")]
    assert jobs == [("extract", "m2")]


def test_an_export_of_what_is_new_holds_no_older_row(full: Api) -> None:
    [header, *rows, _] = exported(full, "everything=true&since=2026-06-01")
    assert header["since"] == "2026-06-01T00:00:00.000Z"
    assert rows and all(
        row.get("updated_at", row.get("created_at")) != "2026-02-01" for row in rows
    )
    assert exported(full, "everything=true&since=2999-01-01")[1:-1] == []


def test_pages_together_hold_each_row_once(full: Api) -> None:
    for number in range(1_100):
        full.run(
            "INSERT INTO memory_history (id, memory_id, event, changed_by, created_at)"
            " VALUES (?, 'system', 'none', 'x', '2026-02-01')",
            f"h{number}",
        )
    ids = [row["id"] for row in body_of(exported(full)) if row["record"] == "history"]
    assert len(ids) == len(set(ids)) == len(full.rows("memory_history"))
