"""One workspace for each test; files whose tests share one worker make their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from worker.home import Home, a_home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path / "w") as made:
        yield made
