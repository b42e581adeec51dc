"""What a program keeps in memory is given back when it has fallen silent."""

import os
import threading
import time
from pathlib import Path

import pytest

from signet.process import memory
from signet.process.memory import Thrift
from support.processes import eventually

STATM = Path("/proc/self/statm")


def _resident_mb() -> float:
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


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
def test_what_threads_have_freed_goes_back_to_the_system() -> None:
    def fill() -> None:
        kept.append([bytes(600) for _ in range(100_000)])

    kept: list[list[bytes]] = []
    threads = [threading.Thread(target=fill) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    full = _resident_mb()
    kept.clear()
    memory.give_back()
    assert _resident_mb() < full - 60
