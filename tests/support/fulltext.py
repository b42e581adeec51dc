"""Whether a full-text index is that of the rows of its table, on both engines."""

from signet.db.driver import Connection


def check_index(connection: Connection, index: str, table: str) -> None:
    """Fail if an index has other rows than the table, in SQLite's file also if it has other words."""
    rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    if isinstance(connection, Connection):
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        indexed = connection.execute(f"SELECT count(*) FROM {index}_docsize").fetchone()[0]
    else:
        connection.index_words()
        found = "SELECT count(*) FROM word_rows WHERE index = words_index(%s)"
        [indexed] = connection.raw.execute(found, (index,)).fetchone()
    assert indexed == rows, index
