"""Former names of commands: each names its successor and does nothing."""

import pytest

from cli.program import Program
from signet.cli import rows


@pytest.mark.parametrize(("old", "new"), rows.RENAMED.items())
def test_a_former_name_prints_the_new_one_and_fails(alone: Program, old: str, new: str) -> None:
    done = alone.run(*old.split(), "--yes")
    assert (done.status, done.out) == (1, "")
    assert f"`signet {old}` is now `signet {new}`" in done.err
    assert alone.run(*old.split(), "--json").json()["code"] == "renamed"


@pytest.mark.parametrize("new", rows.RENAMED.values())
def test_a_new_name_is_a_command(alone: Program, new: str) -> None:
    assert alone.run(*new.split(), "--help").status == 0
