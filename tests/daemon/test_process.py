"""The first steps of every program: backoff, stop, the tie to the parent."""

import signal
from pathlib import Path

import pytest

from signet.process import backoff, signals
from signet.process.backoff import Start, following
from signet.process.program import Program
from support.processes import PATIENCE_SECONDS, eventually, is_running, program, said

CATCHER = """
import sys
from signet.process import signals
stop = signals.catch()
print("ready", flush=True)
stop.wait(100)
print("stopped" if stop.is_set else "tired")
"""
#: A parent that starts a child which watches it, tells the child's id and waits.
PARENT = """
import subprocess, sys, threading
child = subprocess.Popen([sys.executable, "-c", '''
import threading
from signet.process import parent
parent.watch()
print("watching", flush=True)
threading.Event().wait(100)
'''], stdout=subprocess.PIPE, text=True)
child.stdout.readline()
print(child.pid, flush=True)
threading.Event().wait(100)
"""


def test_the_first_start_waits_for_nothing() -> None:
    assert following(None, 100.0) == Start(at=100.0)


def test_each_crash_doubles_the_wait_up_to_half_a_minute() -> None:
    start, now, waits = following(None, 0.0), 0.0, []
    for _ in range(7):
        now = start.at + 0.5
        start = following(start, now)
        waits.append(start.at - now)
    assert waits == [1, 2, 4, 8, 16, 30, 30]
    assert start.restarts == 7


def test_a_minute_of_work_forgives_the_crashes_before_it() -> None:
    healthy = following(Start(at=100.0, crashes=5, restarts=9), 160.0)
    assert healthy == Start(at=160.0, crashes=0, restarts=10)
    sick = following(Start(at=100.0, crashes=5, restarts=9), 159.9)
    assert (sick.crashes, sick.at) == (6, 159.9 + 30)


def test_starts_are_remembered_until_the_supervisor_forgets_them(tmp_path: Path) -> None:
    backoff.begin(tmp_path, Program.API, 10.0)
    second = backoff.begin(tmp_path, Program.API, 11.0)
    assert (second.at, second.crashes) == (12.0, 1)
    assert backoff.last(tmp_path, Program.API) == second
    assert backoff.last(tmp_path, Program.WORKER) is None
    backoff.forget(tmp_path)
    assert backoff.begin(tmp_path, Program.API, 12.0) == Start(at=12.0)


def test_a_start_that_cannot_be_written_down_still_happens(tmp_path: Path) -> None:
    assert backoff.begin(tmp_path / "missing", Program.API, 1.0) == Start(at=1.0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_sets_the_stop(number: signal.Signals) -> None:
    with program("-c", CATCHER) as process:
        said(process, "ready")
        process.send_signal(number)
        said(process, "stopped")
        assert process.wait(PATIENCE_SECONDS) == 0


def test_the_stop_calls_back_once_whether_asked_before_or_after() -> None:
    stop, calls = signals.Stop(), []
    stop.then(lambda: calls.append("before"))
    stop.set()
    stop.set()
    stop.then(lambda: calls.append("after"))
    assert calls == ["before", "after"]
    assert stop.wait(0)


def test_a_program_without_a_supervisor_ends_with_its_parent() -> None:
    with program("-c", PARENT) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_running(child)
        parent.kill()
        eventually(lambda: not is_running(child))
