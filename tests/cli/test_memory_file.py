"""MEMORY.md follows each correction, and a session start never has the outdated line of it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from cli.program import PATIENT, Program, running
from support.processes import eventually


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with running(tmp_path_factory.mktemp("file")) as program:
        yield program


def ran(served: Program, *arguments: str) -> str:
    done = served.run(*arguments)
    assert done.status == 0, (arguments, done.err)
    return done.out


def saved(served: Program, text: str, *options: str) -> str:
    return str(json.loads(ran(served, "remember", text, *options, "--json"))["id"])


def start(served: Program) -> str:
    said = json.dumps({"session_id": str(uuid4()), "cwd": str(served.home)})
    done = served.run("hook", "session-start", "-H", "claude-code", stdin=said, **PATIENT)
    assert done.status == 0, done.err
    return done.out


def written(served: Program) -> str:
    """Let the file be written, unless that was done meanwhile, and return it."""
    served.run("memory", "rewrite")
    eventually(lambda: not any_open(served))
    return (served.workspace / "MEMORY.md").read_text()


def any_open(served: Program) -> bool:
    jobs = json.loads(ran(served, "jobs", "list", "--json", "-l", "200"))["jobs"]
    return any(one["status"] in ("pending", "leased") for one in jobs)


OLD, NEW = "The kiosk by the pier opens at nine.", "The kiosk by the pier opens at eleven."


def edit(served: Program, id_: str) -> None:
    ran(served, "edit", id_, NEW)


def supersede(served: Program, id_: str) -> None:
    saved(served, NEW, "--supersedes", id_)


def edit_twice(served: Program, id_: str) -> None:
    ran(served, "edit", id_, "The kiosk by the pier opens at ten.")
    ran(served, "edit", id_, NEW)


@pytest.mark.parametrize("change", [edit, supersede, edit_twice])
def test_a_correction_is_in_the_file_and_in_the_start_at_once(
    served: Program, change: Callable[[Program, str], None]
) -> None:
    id_ = saved(served, OLD)
    assert OLD in written(served)
    change(served, id_)
    # A file that no job has written yet, or that an undo brought back, does not bring the old line back.
    text = start(served)
    assert NEW in text and OLD not in text
    eventually(lambda: NEW in (served.workspace / "MEMORY.md").read_text())
    assert OLD not in (served.workspace / "MEMORY.md").read_text()
    assert served.run("memory", "rewrite", "--undo").status == 0
    assert OLD not in (served.workspace / "MEMORY.md").read_text()
    assert OLD not in start(served)
    for one in json.loads(ran(served, "list", "--json", "--query", "kiosk"))["memories"]:
        ran(served, "forget", one["id"], "--yes")
    eventually(lambda: not any_open(served))


def test_what_was_undone_is_in_the_file_again(served: Program) -> None:
    id_ = saved(served, "The ferry leaves from berth four.")
    written(served)
    ran(served, "edit", id_, "The ferry leaves from berth six.")
    ran(served, "undo")
    text = start(served)
    assert "berth four" in text and "berth six" not in text
    path: Path = served.workspace / "MEMORY.md"
    eventually(lambda: "berth four" in path.read_text() and "berth six" not in path.read_text())


def test_the_file_keeps_the_lines_of_code(served: Program) -> None:
    saved(served, "Deploy with:\n```yaml\nregion: eu\nsteps:\n  - build\n```\n# No heading")
    saved(served, "cron:\n  at: 7\n  zone: UTC")
    text = written(served)
    fenced = "  ```yaml\n  region: eu\n  steps:\n    - build\n  ```\n"
    assert f"- Deploy with:\n{fenced}  # No" in text
    assert "- ```\n  cron:\n    at: 7\n    zone: UTC\n  ```\n" in text
