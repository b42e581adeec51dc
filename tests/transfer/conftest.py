"""Two stores: one with something in it, one without."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.http import Api, an_api
from transfer.rows import fill


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Api]:
    """Give a store with rows of every kind."""
    with an_api(tmp_path / "full") as api:
        api.add_agent()
        fill(api)
        yield api


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Api]:
    """Give a new store."""
    with an_api(tmp_path / "empty") as api:
        yield api
