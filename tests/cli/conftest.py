"""A home without a daemon for each test, and one daemon that all tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Program

#: Deterministic: no model is asked, no vector is made.
SETTINGS = """
embedding: {provider: none}
memory: {pipelineV2: {extraction: {provider: rules}}}
"""


@pytest.fixture
def alone(tmp_path: Path) -> Program:
    """Give a program whose workspace does not exist."""
    return Program(home=tmp_path, workspace=tmp_path / "workspace")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Give a program whose workspace has a running daemon; tests share it and its memories."""
    home = tmp_path_factory.mktemp("home")
    program = Program(home=home, workspace=home / "workspace")
    program.workspace.mkdir()
    (program.workspace / "agent.yaml").write_text(SETTINGS)
    started = program.run("start", "--port", str(program.port))
    assert started.status == 0, started.err
    yield program
    assert program.run("stop").out == "Daemon stopped\n"
