"""`signet skill …` on files and through a daemon: the same words, the same exit status."""

from pathlib import Path

import pytest

from cli.program import Program
from support.skills import write


@pytest.fixture(params=["alone", "served"])
def program(request: pytest.FixtureRequest) -> Program:
    """Give a program whose workspace has no daemon, and one whose workspace has."""
    found: Program = request.getfixturevalue(request.param)
    return found


def test_a_skill_from_its_installation_to_its_end(program: Program, tmp_path: Path) -> None:
    source = write(tmp_path / "src", "sail", "name: sail\nversion: 1.10\ndescription: For wind")
    done = program.run("skill", "install", str(source.parent))
    assert (done.status, done.out) == (0, f"Installed sail from {source.parent}\n"), done.err
    # Other tests may have left skills of theirs with the daemon.
    [line] = [one for one in program.run("skill", "list").out.splitlines() if "sail" in one]
    assert line.split(None, 2) == ["sail", "1.10", "For wind"]
    listed = program.run("skill", "list", "--json").json()
    assert {"name": "sail", "version": "1.10", "description": "For wind"} in listed["skills"]
    assert listed["count"] == len(listed["skills"])
    assert program.run("skill", "show", "sail").out == source.read_text("utf-8")
    assert program.run("skill", "search", "wind").out == "sail  installed  For wind\n"
    assert program.run("skill", "uninstall", "sail").out == "Removed sail\n"
    assert "sail" not in program.run("skill", "list").out


def test_a_shipped_skill_is_searched_installed_by_name_and_removed(program: Program) -> None:
    [row] = program.run("skill", "search", "web", "--json").json()["results"]
    assert (row["name"], row["installed"]) == ("web-search", False)
    assert program.run("skill", "install", "web-search").out == (
        "Installed web-search from catalog\n"
    )
    assert (program.workspace / "skills" / "web-search" / "SKILL.md").is_file()
    assert program.run("skill", "uninstall", "web-search").status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "none"), "Skill 'none' not found"),
        (("uninstall", "none"), "Skill 'none' not found"),
        (("show", ".."), "Invalid skill name"),
        (("uninstall", "a/b"), "Invalid skill name"),
        (("install", "../nothing.zip"), "nothing.zip does not exist"),
        (("install", "a;b"), "Invalid skill name"),
    ],
)
def test_what_cannot_be_done_fails_with_one(
    alone: Program, arguments: tuple[str, ...], words: str
) -> None:
    failed = alone.run("skill", *arguments)
    assert (failed.status, failed.out) == (1, "")
    assert words in failed.err
