"""Columns that no noun cleans, though they may repeat an erased text: reasons, errors, outputs, descriptions."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from signet.db import Database, ReadTx, WriteTx

#: All may be empty; JSON is deleted whole.
COLUMNS: Mapping[str, Sequence[str]] = {
    "agent_feedback": ("correction_text",),
    "conversations": ("summary", "topics", "decisions"),
    "entities": ("description",),
    "entity_aspects": ("description",),
    "entity_dependencies": ("reason",),
    "entity_pinning": ("reason",),
    "error_events": ("message",),
    "ingestion_jobs": ("error",),
    "memory_history": ("reason",),
    "memory_jobs": ("result", "error", "errors"),
    "session_scores": ("reasoning", "continuity_reasoning"),
    "shares": ("note",),
    "summary_jobs": ("error", "errors"),
    "task_meta": ("context_json",),
    "task_runs": ("stdout", "stderr", "error"),
}
#: Rows of one transaction.
BATCH = 100

_Cell = tuple[int, str]


def clean(db: Database, without: Callable[[str], str], check: Callable[[], object]) -> int:
    """Remove from each column what `without` removes from a text; return the number of changed cells.

    `check` is called before each batch and may stop the work by raising.
    """
    changed = 0
    for table, column in ((table, one) for table, names in COLUMNS.items() for one in names):
        for cells in _batches(db, table, column, check):
            found = [(text, without(text), row) for row, text in cells]
            gone = [
                (None if text[:1] in "[{" else left.strip() or None, row, text)
                for text, left, row in found
                if left != text
            ]
            if gone:
                update = f"UPDATE {table} SET {column} = ? WHERE rowid = ? AND {column} = ?"
                db.write(WriteTx.many, update, gone)
            changed += len(gone)
    return changed


def _batches(
    db: Database, table: str, column: str, check: Callable[[], object]
) -> Iterator[Sequence[_Cell]]:
    last = -1
    page = f"SELECT rowid, {column} FROM {table} WHERE rowid > ? AND {column} <> '' ORDER BY rowid LIMIT ?"
    while cells := db.read(ReadTx.tuples, page, (last, BATCH)):
        check()
        yield cells
        last = cells[-1][0]
