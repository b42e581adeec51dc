"""A database with the real schema, and clocks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from signet.db import Database
from support.database import fresh_database
from support.queue import Hands


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(fresh_database(tmp_path / "memory" / "memories.db"))
    yield database
    database.close()


@pytest.fixture
def hands() -> Hands:
    return Hands()
