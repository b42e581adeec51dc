"""One workspace for each test; files whose tests share one worker make their own, and ask one model server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.models import FakeServer
from worker.home import Home, a_home
from worker.script import Script, scripted


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path / "w") as made:
        yield made


@pytest.fixture(scope="module")
def script() -> Script:
    """What the model server of a file answers."""
    return Script()


@pytest.fixture(scope="module")
def server(script: Script) -> Iterator[FakeServer]:
    with scripted(script) as made:
        yield made
