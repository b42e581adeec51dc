"""One home for each test; the tests of a file that read share one, with a worker."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backfill.world import World, a_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with a_world(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with a_world(tmp_path_factory.mktemp("reading")) as made, made.worker():
        yield made
