"""A small store to recall from: real rows in a real file, and a toy model of meaning.

The toy vector of a text has one dimension for each concept below; words that belong to one concept are near
each other though they share no letter.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from signet import clock
from signet.db import Database, ReadTx, WriteTx, vectors
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.embeddings import vectors as embeddings
from signet.domain.recall.models import Filters, Query, RecallSettings, Result
from signet.domain.recall.recall import recall
from support.database import fresh_database
from support.processes import PATIENCE_SECONDS

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MODEL = "toy"
PATIENCE_MS = int(PATIENCE_SECONDS * 1000)
SHARED = Reader(policy=ReadPolicy.SHARED)

CONCEPTS = (
    {"boat", "ship", "sailing", "vessel", "harbour"},
    {"tea", "coffee", "drink", "espresso", "beverage"},
    {"database", "postgres", "sqlite", "storage"},
    {"cat", "dog", "pet", "kitten", "animal"},
    {"editor", "vim", "emacs", "typing"},
    {"music", "violin", "piano", "concert"},
)


def meaning(text: str) -> bytes:
    """Return the toy vector of a text; a text without a known concept points its own way."""
    words = {word.strip(".,!?").lower() for word in text.split()}
    values = [float(len(words & concept)) for concept in CONCEPTS]
    return vectors.pack([*values, 0.0 if any(values) else 1.0])


@contextmanager
def a_store(folder: Path) -> Iterator[Database]:
    """Open a new database in a folder."""
    db = Database(fresh_database(folder / "memories.db"))
    try:
        yield db
    finally:
        db.close()


def remember(
    tx: WriteTx,
    memory_id: str,
    content: str,
    /,
    *,
    embedded: bool = True,
    days_ago: float = 1.0,
    **columns: object,
) -> None:
    """Insert one memory, with its toy vector unless `embedded` is off."""
    at = clock.to_text(NOW - timedelta(days=days_ago))
    row: dict[str, object] = {
        "id": memory_id,
        "content": content,
        "content_hash": f"hash of {memory_id}",
        "created_at": at,
        "updated_at": at,
        **columns,
    }
    marks = ", ".join("?" * len(row))
    tx.run(f"INSERT INTO memories ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    if embedded:
        pairs = [(content, meaning(content))]
        embeddings.replace(tx, memory_id, f"hash of {memory_id}", pairs, MODEL, NOW)


def ask(
    db: Database,
    text: str,
    *,
    reader: Reader = SHARED,
    by_meaning: bool = False,
    settings: RecallSettings | None = None,
    **query: object,
) -> Result:
    """Recall by words, and by the toy model when `by_meaning`; the graph is walked to its end on any machine."""
    filters = query.pop("filters", Filters())
    asked = Query(text=text, reader=reader, filters=filters, **query)  # type: ignore[arg-type]  # passed on
    patient = replace(settings or RecallSettings(), traversal_timeout_ms=PATIENCE_MS)

    def go(tx: ReadTx) -> Result:
        return recall(
            tx,
            asked,
            query_vector=lambda _: meaning(text) if by_meaning else None,
            settings=patient,
            now=NOW,
        )

    return db.read(go)


def found(result: Result) -> list[str]:
    """Return the ids of the results in their order."""
    return [hit.id for hit in result.hits]


def ranked(result: Result) -> dict[str, float]:
    """Return by what the results of a question with `explain` were ranked, by id."""
    return {hit.id: hit.why.steps[-1].after for hit in result.hits if hit.why is not None}
