"""The app in this process, new for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.http import Api, an_api


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with an_api(tmp_path / "agents") as opened:
        yield opened
