"""Rewrite the whole database file, so that no deleted content stays in it.

A deleted row leaves its bytes in free pages, in unused parts of other pages, and in the log; a full-text index keeps
its words until its segments are merged. So the segments are merged, `VACUUM` rewrites every page, and the log is moved
and truncated. Other writers wait at the gate meanwhile (2.3 s for a store of 110 MB).
"""

import contextlib
from pathlib import Path

from signet import engine
from signet.db.driver import connect
from signet.db.fts_index import INDEXES
from signet.db.gate import WriteGate
from signet.errors import StorageBusy


def rewrite(database: Path) -> None:
    """Rewrite the file, or each table of a server.

    Raises StorageBusy while an older snapshot is open, and the driver's errors.
    """
    if (url := engine.url_of(database)) is not None:
        from signet.db.postgres import moving

        moving.rewrite_tables(url)
        return
    with (
        contextlib.closing(connect(database)) as connection,
        contextlib.closing(WriteGate(database)) as gate,
        gate,
    ):
        # VACUUM first makes a copy, which need not fit into memory.
        connection.execute("PRAGMA temp_store = FILE")
        for index in INDEXES:
            connection.execute(f"INSERT INTO {index.name} ({index.name}) VALUES ('optimize')")
        connection.execute("VACUUM")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StorageBusy("Somebody reads the database; its log is cut later")
