"""Backup and restore as a person uses them, beside a daemon that runs, and killed in the middle."""

import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import SETTINGS, Program

#: One daemon for the whole file.
#: Runs a command and ends itself (SIGKILL) when the memory folder is about to be moved for the Nth time.
KILLED = """
import os, signal, sys
left = [int(sys.argv[1])]
def hear(event, arguments):
    if event == "os.rename" and os.fspath(arguments[0]).endswith("/memory"):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hear)
from signet.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Give a program with a daemon of its own, which tests stop and start."""
    home = tmp_path_factory.mktemp("home")
    program = Program(home=home, workspace=home / "workspace")
    program.workspace.mkdir()
    (program.workspace / "agent.yaml").write_text(SETTINGS)
    assert program.run("daemon", "start", "--port", str(program.port)).status == 0
    yield program
    program.run("daemon", "stop")


def contents(program: Program) -> set[str]:
    """Return the memories that a person saved."""
    found = program.run("memory", "list", "--json", "--limit", "100").json()["memories"]
    return {one["content"] for one in found if one["who"] == "user"}


def killed(program: Program, nth: int, *arguments: str) -> None:
    """Run a command that is killed before the Nth move of the memory folder."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(nth), *arguments],
        env=program.environment(),
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_what_was_backed_up_comes_back_with_the_same_answers(own: Program, tmp_path: Path) -> None:
    for text in ("Herons ship on Fridays.", "The curlew depot is in Lund."):
        assert own.run("remember", text).status == 0
    question = ("recall", "when do herons ship", "--json", "--keyword-query", "herons")
    answer = [(hit["id"], hit["score"]) for hit in own.run(*question).json()]
    assert answer
    before = contents(own)
    file = tmp_path / "copy.zip"
    made = own.run("backup", str(file), "--json").json()
    assert made["path"] == str(file)
    assert made["bytes"] == file.stat().st_size
    assert made["contents"]["counts"]["memories"] >= 2
    own.run("remember", "Saved later.")
    own.run("memory", "forget", "--query", "herons ship", "--yes", "--reason", "test")
    looked = own.run("restore", str(file), "--dry-run", "--json").json()
    assert looked["daemonRunning"] is True
    assert looked["present"]["memories"] > looked["backup"]["counts"]["memories"]
    assert "Saved later." in contents(own)
    done = own.run("restore", str(file), "--yes", "--json").json()
    assert done["forgotten"] >= 1
    assert own.run(*question).json() == []
    done = own.run("restore", str(file), "--yes", "--with-forgotten", "--json").json()
    assert (done["restored"], done["forgotten"]) == (True, 0)
    assert done["counts"] == made["contents"]["counts"]
    assert own.run("daemon", "status").status == 0
    assert [(hit["id"], hit["score"]) for hit in own.run(*question).json()] == answer
    assert contents(own) == before


def test_status_and_the_list_tell_of_the_newest(own: Program, tmp_path: Path) -> None:
    for kept in (own.workspace / ".daemon" / "backups").glob("*.zip"):
        kept.unlink()
    assert own.run("status", "--json").json()["backups"]["newest"] is None
    assert "signet backup" in own.run("status").out
    assert own.run("backup", "list").out == "No backups yet\n"
    made = own.run("backup")
    assert (made.status, "signet restore" in made.err) == (0, True)
    (listed,) = own.run("backup", "list", "--json").json()["backups"]
    assert listed["reason"] == "manual"
    assert listed["path"] in made.out
    newest = own.run("status", "--json").json()["backups"]
    assert newest == {"count": 1, "bytes": listed["bytes"], "newest": listed}
    assert "1 kept" in own.run("status").out
    elsewhere = tmp_path / "copy.zip"
    for _ in range(2):
        assert own.run("backup", str(elsewhere)).status == 0
    own.workspace.joinpath(listed["path"]).unlink()
    [away] = own.run("backup", "list", "--json").json()["backups"]
    assert (away["path"], away["reason"]) == (str(elsewhere), "manual")
    assert "1 kept" in next(one for one in own.run("doctor").out.splitlines() if "backup" in one)
    elsewhere.unlink()
    assert own.run("backup", "list").out == "No backups yet\n"


def test_nobody_is_asked_where_nobody_sits(own: Program, tmp_path: Path) -> None:
    file = str(tmp_path / "copy.zip")
    own.run("backup", file)
    refused = own.run("restore", file)
    assert (refused.status, refused.out) == (1, "")
    assert "--yes" in refused.err
    assert own.run("restore", str(tmp_path / "none.zip"), "--json").json()["code"] == "not_found"
    (tmp_path / "torn.zip").write_bytes(Path(file).read_bytes()[:5_000])
    assert own.run("restore", str(tmp_path / "torn.zip"), "--json").json()["code"] == "bad_backup"
    before = contents(own)
    assert "Nothing restored" in own.on_terminal("restore", file, typed="n\n")
    assert contents(own) == before


@pytest.mark.parametrize(("nth", "finisher"), [(1, "restore"), (2, "start")])
def test_a_restore_killed_between_two_moves_is_finished_by_whoever_comes(
    own: Program, tmp_path: Path, nth: int, finisher: str
) -> None:
    """The journal is there before the first move, so the end is always the new state."""
    text, file = f"Before {finisher}.", str(tmp_path / "copy.zip")
    own.run("remember", text)
    assert own.run("backup", file).status == 0
    own.run("remember", f"After {finisher}.")
    killed(own, nth, "restore", file, "--yes")
    assert own.run("daemon", "status").status == 1
    if finisher == "restore":
        checks = {one["check"]: one for one in own.run("doctor", "--json").json()}
        assert checks["restores"]["status"] == "fail"
        again = own.run("restore", file, "--yes")
        assert "was finished first" in again.err, again.err
    started = own.run("daemon", "start", "--port", str(own.port))
    assert ("An interrupted restore was finished" in started.err) == (finisher == "start")
    assert text in contents(own)
    assert f"After {finisher}." not in contents(own)


def test_a_backup_killed_while_the_daemon_runs_leaves_it_running(own: Program) -> None:
    own.run("remember", "Told before the kill.")
    before = sorted((own.workspace / ".daemon" / "backups").glob("*.zip"))
    code = KILLED.replace('"os.rename"', '"open"').replace("/memory", ".part")
    done = subprocess.run(
        [sys.executable, "-c", code, "2", "backup"], env=own.environment(), capture_output=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert "Told before the kill." in contents(own)
    assert own.run("backup").status == 0
    folder = own.workspace / ".daemon" / "backups"
    assert len([*folder.glob("*.zip")]) == len(before) + 1
    assert not [*folder.glob(".*.part")]


def test_a_folder_that_no_restore_put_aside_is_refused(own: Program, tmp_path: Path) -> None:
    refused = own.run("restore", str(tmp_path), "--yes")
    assert refused.status == 1
    assert "not a folder set aside by a restore" in refused.err
    assert own.run("daemon", "status").status == 0


def test_a_new_machine_needs_no_workspace_before_and_the_way_back_is_open(
    own: Program, alone: Program, tmp_path: Path, engine: str
) -> None:
    own.run("remember", "It moves house.")
    file = tmp_path / "copy.zip"
    own.run("backup", str(file))
    done = alone.run("restore", str(file), "--yes", "--settings", "take")
    assert (done.status, "signet daemon start" in done.err) == (0, True), done.err
    with zipfile.ZipFile(file) as archive:
        settings = archive.read("files/agent.yaml").decode()
    assert (alone.workspace / "agent.yaml").read_text() == settings
    if engine == "sqlite":
        assert (alone.workspace / "memory" / "memories.db").stat().st_mode & 0o077 == 0
    (alone.workspace / "AGENTS.md").write_text("Written since.")
    take = ("--yes", "--settings", "take", "--json")
    replaced = alone.run("restore", str(file), *take).json()["replaced"]
    assert not (alone.workspace / "AGENTS.md").exists()
    back = alone.run("restore", replaced, "--yes")
    assert back.out.startswith("Restored"), back.err
    assert (alone.workspace / "AGENTS.md").read_text() == "Written since."


@pytest.mark.sqlite_file
def test_without_memories_there_is_nothing_to_back_up(alone: Program) -> None:
    refused = alone.run("backup", "--json")
    assert (refused.status, refused.json()["code"]) == (1, "no_database")
    assert not alone.workspace.exists()
