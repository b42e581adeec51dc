"""What tests of documents and connectors repeat: hand over, register, wait, compare."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from signet import clock, engine
from signet.db import WriteTx
from signet.domain.connectors import registry
from signet.domain.connectors.registry import get, health
from signet.domain.documents import records
from signet.domain.documents.records import DocumentRules, NewDocument
from signet.wire.connectors import ConnectorHealth, StoredConnector
from support.processes import eventually
from worker.home import Home, Tree, manifest

RULES = DocumentRules(embed=False)
#: What a document has left, in words that do not depend on ids and times.
STATE = {
    "documents": "SELECT source_url, title, status, error, chunk_count, memory_count, content_type, raw_content,"
    " source_type FROM documents ORDER BY source_url, title, raw_content",
    "chunks": "SELECT source_url, d.title, chunk_index, content, m.is_deleted FROM document_memories"
    " JOIN documents d ON d.id = document_id JOIN memories m ON m.id = memory_id ORDER BY 1, 2, 3",
    "memories": "SELECT content, is_deleted, tags FROM memories ORDER BY content, is_deleted",
    "history": "SELECT event, old_content, new_content, reason FROM memory_history ORDER BY 1, 2, 3",
    "jobs": "SELECT job_type, status FROM memory_jobs ORDER BY 1, 2",
}


def settings(**documents: object) -> Tree:
    """Return an agent.yaml that reads documents from this machine too and makes no vectors."""
    return manifest("none", documents={"allowPrivateNetworks": True, **documents})


def handed_over(home: Home, **fields: object) -> str:
    """Store a document as the API does and return its id."""
    new = NewDocument(**fields)  # type: ignore[arg-type]  # test shorthand
    return home.db.write(records.create, new, rules=RULES, now=clock.now()).id


def read(home: Home, document_id: str, status: str = "done") -> Mapping[str, object]:
    """Wait until a document has been read and return its row."""
    row = "SELECT * FROM documents WHERE id = ?"
    eventually(lambda: home.rows(row, document_id)[0]["status"] in ("done", "failed"))
    found = dict(home.rows(row, document_id)[0])
    assert found["status"] == status, found["error"]
    return found


def chunks(home: Home, document_id: str) -> list[str]:
    """Return the active chunks of a document in its order."""
    rows = home.rows(
        "SELECT content FROM memories m JOIN document_memories d ON d.memory_id = m.id"
        " WHERE document_id = ? AND is_deleted = 0 ORDER BY chunk_index",
        document_id,
    )
    return [row[0] for row in rows]


def a_connector(home: Home, root: Path, *, agent_id: str = "default", **more: object) -> str:
    """Register a folder and return the connector's id."""
    connector = registry.draft(
        "filesystem",
        display_name=None,
        settings={"rootPath": str(root), **more},
        agent_id=agent_id,
        workspace=home.workspace,
        now=clock.now(),
    )
    return home.db.write(registry.register, connector)


def started(home: Home, connector_id: str, *, is_full: bool = False) -> str:
    """Queue a sync and return its job."""
    found = home.db.write(
        registry.start, connector_id, is_full=is_full, rules=RULES, now=clock.now()
    )
    assert found.job_id is not None
    return found.job_id


def synced(home: Home, connector_id: str, *, is_full: bool = False) -> Mapping[str, object]:
    """Sync, wait until all documents are read, and return the result of the sync."""
    job_id = started(home, connector_id, is_full=is_full)
    drained(home)
    row = home.rows("SELECT status, result, error FROM memory_jobs WHERE id = ?", job_id)[0]
    assert row["status"] == "completed", row["error"]
    result = json.loads(row["result"])
    assert isinstance(result, dict)
    return result


def health_of(home: Home, connector_id: str) -> ConnectorHealth:
    """Return how a connector is."""
    return home.db.read(health, connector_id)


def row_of(home: Home, connector_id: str) -> StoredConnector:
    """Return the row of a connector."""
    return home.db.read(get, connector_id)


def drained(home: Home) -> None:
    """Wait until no job waits or runs."""
    waiting = "SELECT COUNT(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
    eventually(lambda: not home.value(waiting))


def state(home: Home) -> dict[str, list[tuple[object, ...]]]:
    """Return what all documents have left."""
    return {name: [tuple(row) for row in home.rows(sql)] for name, sql in STATE.items()}


@contextmanager
def endless(home: Home, change: str, condition: str) -> Iterator[None]:
    """Let the first change of a table that makes the condition true never end, so that a worker can be killed there.

    `change` is what SQLite calls it, such as `INSERT ON documents`. What was committed before is seen by others.
    """
    counting = "SELECT count(*) FROM " + ", ".join(f"sqlite_master {name}" for name in "abcdefgh")
    made = f"CREATE TRIGGER endless AFTER {change} WHEN {condition} BEGIN {counting}; END"
    gone = "DROP TRIGGER endless"
    if engine.url_of(home.workspace.database) is not None:
        made = f"""
        CREATE FUNCTION endless() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF {condition} THEN PERFORM pg_sleep(3600); END IF; RETURN NEW; END $$;
        CREATE TRIGGER endless AFTER {change} FOR EACH ROW EXECUTE FUNCTION endless()"""
        gone = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep';
        DROP FUNCTION endless CASCADE"""
    _change_schema(home, made)
    try:
        yield
    finally:
        _change_schema(home, gone)


def _change_schema(home: Home, sql: str) -> None:
    """Run a statement in the words of the engine."""
    url = engine.url_of(home.workspace.database)
    if url is None:
        home.run(sql)
        return
    from signet.db.postgres.connection import raw

    with raw(url) as server:
        server.execute(sql.encode())


def emptied(home: Home) -> None:
    """Remove all documents and what came of them."""

    def clear(tx: WriteTx) -> None:
        for (
            table
        ) in "document_memories documents connectors memory_jobs memory_history memories".split():
            tx.run(f"DELETE FROM {table}")

    home.db.write(clear)
