"""A program on a leash: bounded in time and output, and gone with all that it started."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from signet.domain.tasks.models import STREAM_BYTES, RunEnd
from signet.domain.tasks.run import Spool, execute
from signet.process import supervised_child
from support.processes import eventually, is_running, state


def nothing() -> None:
    """Look at nothing."""


def shell(
    tmp_path: Path,
    script: str,
    *,
    check: Callable[[], object] = nothing,
    limit_seconds: float = 20.0,
) -> RunEnd:
    """Run a shell script to its end."""
    return execute(
        ["sh", "-c", script],
        Spool(tmp_path / "spool", "one"),
        folder=tmp_path,
        environ=dict(os.environ),
        check=check,
        limit_seconds=limit_seconds,
    )


def is_gone(pid_file: Path) -> bool:
    """Return whether the process that wrote this file is gone."""
    return not is_running(int(pid_file.read_text()))


def test_both_streams_and_the_status_are_kept(tmp_path: Path) -> None:
    ended = shell(tmp_path, "echo out; echo err >&2; exit 4")
    assert (ended.stdout, ended.stderr, ended.exit_code) == ("out\n", "err\n", 4)
    assert ended.status == "failed"
    assert shell(tmp_path, "kill -9 $$").exit_code == 137


def test_what_no_program_can_be_given_is_an_error_of_the_run(tmp_path: Path) -> None:
    assert "cannot start" in str(shell(tmp_path, "echo \0").error)
    assert "cannot start" in str(shell(tmp_path, "x" * 200_000).error)


def test_time_ends_the_whole_group(tmp_path: Path) -> None:
    script = (
        "sh -c 'echo $$ > child; sleep 60' & echo here; trap '' TERM; echo $$ > pid; wait; wait"
    )
    ended = shell(tmp_path, script.replace("trap '' TERM; ", ""), limit_seconds=4.0)
    assert (ended.error, ended.exit_code, ended.stdout) == (
        "Process timed out after 4000ms",
        None,
        "here\n",
    )
    assert ended.status == "failed"
    for name in ("pid", "child"):
        eventually(lambda name=name: is_gone(tmp_path / name))  # type: ignore[misc]


def test_one_that_will_not_go_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = tmp_path / "supervised_child.py"
    source = Path(supervised_child.__file__).read_text("utf-8")
    short.write_text(source.replace("GRACE_SECONDS = 5.0", "GRACE_SECONDS = 0.2"), "utf-8")
    monkeypatch.setattr(supervised_child, "__file__", str(short))
    stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done"
    assert shell(tmp_path, stubborn, limit_seconds=2.0).error == "Process timed out after 2000ms"
    eventually(lambda: is_gone(tmp_path / "pid"))


def test_what_was_left_in_the_background_ends_with_the_run(tmp_path: Path) -> None:
    ended = shell(
        tmp_path, "sh -c 'echo $$ > child; exec sleep 60' & while [ ! -s child ]; do :; done"
    )
    assert ended.exit_code == 0
    eventually(lambda: is_gone(tmp_path / "child"))


def test_what_a_program_has_started_goes_with_the_holder_though_the_program_went_first(
    tmp_path: Path,
) -> None:
    held, life = os.pipe()
    script = "echo $$ > pid; sh -c 'echo $$ > child; exec sleep 60' & read line"
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", supervised_child.__file__, str(held), "sh", "-c", script],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        pass_fds=(held,),
        start_new_session=True,
    )
    os.close(held)
    try:
        for name in ("pid", "child"):
            eventually(lambda name=name: _says(tmp_path / name))  # type: ignore[misc]
        program = int((tmp_path / "pid").read_text())
        os.kill(process.pid, signal.SIGSTOP)
        eventually(lambda: state(process.pid) == "T")
        assert process.stdin is not None
        process.stdin.close()
        eventually(lambda: state(program) == "Z")
    finally:
        os.close(life)
        os.kill(process.pid, signal.SIGCONT)
        process.wait()
    eventually(lambda: is_gone(tmp_path / "child"))


def _says(file: Path) -> bool:
    return file.exists() and bool(file.read_text().strip())


def test_output_is_cut_and_the_program_goes_on(tmp_path: Path) -> None:
    code = f"import sys; sys.stdout.write('é' * {STREAM_BYTES}); sys.stderr.write('done')"
    ended = shell(tmp_path, f'"{sys.executable}" -X utf8 -c "{code}"')
    assert (ended.exit_code, ended.stderr) == (0, "done")
    assert len(ended.stdout.encode()) == STREAM_BYTES


def test_a_program_that_is_not_there_and_a_folder_that_is_not(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool", "one")
    kept = {"environ": dict(os.environ), "check": nothing}
    missing = execute(["no-such-program"], spool, folder=tmp_path, **kept)  # type: ignore[arg-type]
    assert (missing.exit_code, missing.stderr) == (
        127,
        "no-such-program: No such file or directory\n",
    )
    nowhere = execute(["true"], spool, folder=tmp_path / "gone", **kept)  # type: ignore[arg-type]
    assert nowhere.error == f"cannot start in {tmp_path / 'gone'}: No such file or directory"


def test_whoever_stops_it_stops_all_of_it(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def check() -> None:
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            raise Stopped

    with pytest.raises(Stopped):
        shell(tmp_path, "echo $$ > pid; sleep 60", check=check)
    eventually(lambda: is_gone(tmp_path / "pid"))
