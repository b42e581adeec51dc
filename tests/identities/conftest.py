"""One store of each engine for all tests of a process; each identity has a copy of it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import pytest

from identities import world
from identities.asked import Asked
from identities.walk import World
from signet.paths import Workspace
from support.database import ENGINES, copy_on_server
from support.http import SETTINGS, Api, api_over

pytest.register_assert_rewrite("identities.matrix")


class Stores:
    """Opens copies of the store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._first = Workspace(folder / "first" / "agents")
        with ENGINES.kept():
            self.world: World = world.build(self._first.root)
        self._count = 0

    @cached_property
    def asked(self) -> Asked:
        """Return what makes the requests, from the description that an app gives."""
        with self.copy("hybrid") as api:
            return Asked(api.get("/openapi.json").body)

    def workspace(self, mode: str) -> Workspace:
        """Return a new copy of the store, in a mode."""
        self._count += 1
        folder = self._folder / str(self._count) / "agents"
        no_sockets = shutil.ignore_patterns("*.sock", "run")
        shutil.copytree(self._first.root, folder, ignore=no_sockets)
        (folder / "agent.yaml").write_text(SETTINGS + world.settings(mode), "utf-8")
        workspace = Workspace(folder)
        copy_on_server(workspace.database, self._first.database)
        return workspace

    @contextmanager
    def copy(self, mode: str) -> Iterator[Api]:
        """Open the app over a new copy of the store, in a mode."""
        workspace = self.workspace(mode)
        with api_over(workspace, bind="0.0.0.0") as api:
            # Streams end at once.
            api.state.is_stopping = True
            yield api
        shutil.rmtree(workspace.root)


@pytest.fixture(scope="session")
def _stores() -> dict[str, Stores]:
    return {}


@pytest.fixture
def stores(
    _stores: dict[str, Stores], engine: str, tmp_path_factory: pytest.TempPathFactory
) -> Stores:
    """Return the stores of the test's engine."""
    if engine not in _stores:
        _stores[engine] = Stores(tmp_path_factory.mktemp(f"identities-{engine}"))
    return _stores[engine]


@pytest.fixture
def asked(stores: Stores) -> Asked:
    return stores.asked
