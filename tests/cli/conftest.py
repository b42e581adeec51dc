"""A home without a daemon for each test, and one daemon that all tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Program, running


@pytest.fixture
def alone(tmp_path: Path) -> Program:
    """Give a program whose workspace does not exist."""
    return Program(home=tmp_path, workspace=tmp_path / "workspace")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Give a program whose workspace has a running daemon; tests share it and its memories."""
    with running(tmp_path_factory.mktemp("home")) as program:
        yield program
