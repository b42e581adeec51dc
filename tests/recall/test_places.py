"""Where a memory stands in its source counts, for the facts that were read from it too."""

from typing import Any

from recall.world import ask, found, remember
from signet.db import Database


def _turn(db: Database, memory_id: str, content: str, ordinal: int) -> None:
    where: dict[str, Any] = {"source_type": "session", "source_id": "s", "ordinal": ordinal}
    db.write(remember, memory_id, content, embedded=False, **where)


def _fact(db: Database, memory_id: str, content: str, source: str) -> None:
    where: dict[str, Any] = {"source_type": "pipeline-v2", "source_id": source}
    db.write(remember, memory_id, content, embedded=False, **where)


def test_a_fact_stands_where_its_source_stands(db: Database) -> None:
    _turn(db, "before", "Next thing is the database of the pantry", 1)
    _turn(db, "turn", "Let us go with Heron then, for easy backups", 2)
    _fact(db, "fact", "The team decided on Heron for easy backups", "turn")
    _fact(db, "stranger", "The team decided on Crane for easy backups", "elsewhere")
    best = found(ask(db, "pantry database backups"))[:3]
    assert set(best[:2]) == {"before", "turn"}


def test_a_short_memory_that_asks_comes_behind_one_that_tells(db: Database) -> None:
    db.write(remember, "asks", "Which port does the pantry use?", embedded=False)
    db.write(remember, "tells", "The pantry does use port 8090 now", embedded=False)
    assert found(ask(db, "which port does the pantry use"))[0] == "tells"
