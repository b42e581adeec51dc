"""The real API process, one for each file; both clients, so that each test holds for both."""

from collections.abc import Iterator

import pytest

from client.speaking import Blocking, Concurrent, Speaker
from support.http import Served, a_workspace, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(a_workspace(tmp_path_factory.mktemp("served") / "agents")) as running:
        yield running


@pytest.fixture(params=[Blocking, Concurrent], ids=["sync", "async"])
def speaker(request: pytest.FixtureRequest) -> type[Speaker]:
    """Give one of the two clients."""
    made: type[Speaker] = request.param
    return made
