"""What a program keeps in memory is given back when it has fallen silent."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from signet import config
from signet.paths import Workspace
from signet.process import backoff, memory
from signet.process.boot import Booted
from signet.process.memory import Thrift
from signet.process.program import SUPERVISOR_PID, Program
from signet.process.pulse import Pulse
from signet.process.signals import Stop
from signet_worker import serve as worker
from signet_worker.dispatcher import Dispatcher
from support.processes import eventually

STATM = Path("/proc/self/statm")


def test_silence_gives_back_once_until_there_was_work_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(memory, "SILENT_SHARE", 0.1)
    released: list[float] = []
    thrift = Thrift(lambda: released.append(time.monotonic()))
    thrift.start()
    try:
        eventually(lambda: len(released) > 0)
        before = len(released)
        until = time.process_time() + 0.3
        while time.process_time() < until:
            pass
        eventually(lambda: len(released) > before)
    finally:
        thrift.stop()


@pytest.mark.skipif(not STATM.exists(), reason="Linux only")
def test_what_was_loaded_in_no_time_is_given_back_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(memory, "SILENT_SHARE", 10.0)  # nothing is work
    released: list[float] = []
    loaded: list[bytes] = []
    thrift = Thrift(lambda: released.append(time.monotonic()), looks=2)
    thrift.start()
    try:
        eventually(lambda: len(released) > 0)

        def is_released_again() -> bool:
            loaded.append(b"x" * 2**20 * (memory.FILLED_MB + 1))
            return len(released) > 1

        eventually(is_released_again)
    finally:
        thrift.stop()


@pytest.mark.skipif(not STATM.exists(), reason="Linux only")
def test_a_program_that_keeps_much_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(memory, "SILENT_SHARE", 0.5)
    monkeypatch.setattr(memory, "WORTH_SECONDS", 0.0)
    released, begun = threading.Event(), threading.Event()
    thrift = Thrift(released.set, restart=begun.set)
    thrift.start()
    eventually(released.is_set)
    thrift.stop()
    assert not begun.is_set()
    thrift = Thrift(released.set, restart=begun.set)
    kept = bytearray(os.urandom(1_000) * 1_000 * (memory.GROWN_MB + 8))
    thrift.start()
    try:
        eventually(begun.is_set)
    finally:
        thrift.stop()
    assert kept


def test_a_worker_restarts_only_without_a_job_and_that_is_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.make()
    loaded = config.load(workspace, {})
    stop = Stop()
    booted = Booted(
        program=Program.WORKER, workspace=workspace, loaded=loaded, stop=stop, pulse=Pulse()
    )
    backoff.begin(workspace.runtime_dir, Program.WORKER, time.monotonic())
    idle: list[bool] = [False, True]
    dispatcher = cast(Dispatcher, SimpleNamespace(is_idle=lambda: idle.pop(0)))
    monkeypatch.delenv(SUPERVISOR_PID, raising=False)
    assert worker._restarter(booted, dispatcher) is None
    monkeypatch.setenv(SUPERVISOR_PID, str(os.getpid()))
    restart = worker._restarter(booted, dispatcher)
    assert restart is not None
    restart()
    assert not stop.is_set
    restart()
    assert stop.is_set and backoff.last(workspace.runtime_dir, Program.WORKER) is None


@pytest.mark.parametrize("module", ["signet_scheduler.tick", "signet_worker.actors"])
def test_background_programs_start_without_what_they_may_never_need(module: str) -> None:
    heavy = {"numpy", "onnxruntime", "tokenizers", "pydantic", "fastapi"}
    look = f"import sys, {module}; print(*{heavy} & sys.modules.keys())"
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


#: A program of its own: what other tests left between what is in use would keep the pages of the test's own memory.
FILLED_AND_FREED = """
import threading
from signet.process import memory

memory.share_heap()
kept = []
threads = [threading.Thread(target=lambda: kept.append([bytes(600) for _ in range(100_000)])) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(memory.resident_mb())
kept.clear()
memory.give_back()
print(memory.resident_mb())
"""


@pytest.mark.skipif(not STATM.exists(), reason="Linux only")
def test_what_threads_have_freed_goes_back_to_the_system() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FILLED_AND_FREED], capture_output=True, text=True, check=True
    )
    full, after = map(float, ran.stdout.split())
    assert after < full - 100
