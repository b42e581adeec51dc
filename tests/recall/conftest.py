"""One open store for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recall.world import a_store
from signet.db import Database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """Give a new, empty database."""
    with a_store(tmp_path) as opened:
        yield opened
