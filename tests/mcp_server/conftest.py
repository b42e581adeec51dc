"""The app in this process, new for each test; the real process, one for each file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.http import Api, Served, a_workspace, an_api, served


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with an_api(tmp_path / "agents") as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(a_workspace(tmp_path_factory.mktemp("served") / "agents")) as running:
        yield running
