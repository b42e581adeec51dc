"""One real database for each test, and the writing transaction that all its steps share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from signet.db import WriteTx
from signet.db.driver import connect
from support.database import fresh_database


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[WriteTx]:
    """Give a write transaction on a new database; it is never committed."""
    connection = connect(fresh_database(tmp_path / "memories.db"))
    connection.execute("BEGIN IMMEDIATE")
    yield WriteTx(connection)
    connection.close()
