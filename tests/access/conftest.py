"""Real daemons in each mode, one for each file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.http import Api, Served, a_workspace, an_api, served


def started(factory: pytest.TempPathFactory, settings: str = "") -> Iterator[Served]:
    """Run the API over a new workspace with these settings."""
    with served(a_workspace(factory.mktemp("access") / "agents", settings)) as running:
        yield running


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with an_api(tmp_path / "agents") as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from started(tmp_path_factory)


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from started(tmp_path_factory, "auth:\n  mode: hybrid\n")


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from started(tmp_path_factory, "auth:\n  mode: team\n")
