"""Tests of this folder choose their engines themselves."""

from collections.abc import Iterator

import pytest

from support.database import ENGINES


@pytest.fixture(autouse=True)
def engine() -> Iterator[str]:
    """Let what names no server be in files, whatever engine a run is on."""
    with ENGINES.during(on_postgres=False):
        yield "sqlite"
