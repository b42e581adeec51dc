"""One store for all tests of a process; each identity has a copy of it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from identities import world
from identities.asked import Asked
from identities.walk import World
from signet.paths import Workspace
from support.http import SETTINGS, Api, api_over

pytest.register_assert_rewrite("identities.matrix")


class Stores:
    """Opens copies of the store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.world: World = world.build(folder / "first" / "agents")
        self._count = 0

    def workspace(self, mode: str) -> Workspace:
        """Return a new copy of the store, in a mode."""
        self._count += 1
        folder = self._folder / str(self._count) / "agents"
        no_sockets = shutil.ignore_patterns("*.sock", "run")
        shutil.copytree(self._folder / "first" / "agents", folder, ignore=no_sockets)
        (folder / "agent.yaml").write_text(SETTINGS + world.settings(mode), "utf-8")
        return Workspace(folder)

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
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    return Stores(tmp_path_factory.mktemp("identities"))


@pytest.fixture(scope="session")
def asked(stores: Stores) -> Asked:
    with stores.copy("hybrid") as api:
        return Asked(api.get("/openapi.json").body)
