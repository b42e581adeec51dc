"""Who is woken: every process that listens, also one that came later."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from signet.queue.wakeup import Listener, Notifier


@contextmanager
def a_listener(runtime: Path, owner: str) -> Iterator[Listener]:
    made = Listener(runtime, owner)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def many_files() -> Iterator[None]:
    """Have so many files open that the next descriptors are above those that select(2) takes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(2_048, hard)), hard))
    held = [os.open(os.devnull, os.O_RDONLY)]
    while held[-1] < 1_024:
        held.append(os.dup(held[0]))
    yield
    for descriptor in held:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_files")
def test_a_process_with_many_open_files_is_woken(tmp_path: Path) -> None:
    notifier = Notifier(tmp_path)
    with a_listener(tmp_path, "one") as one:
        assert not one.wait(0)
        notifier.notify()
        assert one.wait(0)
        one.nudge()
        assert not one.wait(60)
    notifier.close()


def test_a_bell_that_is_made_later_is_rung_too(tmp_path: Path) -> None:
    notifier = Notifier(tmp_path)
    notifier.notify()
    with a_listener(tmp_path, "one") as one:
        os.utime(tmp_path / "bell", (1, 1))  # long ago: who looks now may keep what is there
        notifier.notify()
        assert one.wait(0)
        with a_listener(tmp_path, "two") as two:
            notifier.notify()
            assert one.wait(0) and two.wait(0)
    notifier.close()


@pytest.mark.parametrize(
    ("stamp", "later"),
    [
        pytest.param(1_700_000_000_123_000_000, 10_000_000, id="steps of milliseconds"),
        pytest.param(1_700_000_000_000_000_000, 2_000_000_000, id="steps of seconds"),
    ],
)
def test_a_bell_that_is_made_while_others_are_rung_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stamp: int, later: int
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: stamp + later)
    notifier = Notifier(tmp_path)
    folder = tmp_path / "bell"
    with a_listener(tmp_path, "one") as one:
        os.utime(folder, ns=(stamp, stamp))
        notifier.notify()
        assert one.wait(0)
        with a_listener(tmp_path, "two") as two:
            os.utime(folder, ns=(stamp, stamp))  # made in the same step of the clock
            notifier.notify()
            assert one.wait(0) and two.wait(0)
    notifier.close()


def test_a_dead_bell_is_taken_away_and_may_come_back(tmp_path: Path) -> None:
    notifier = Notifier(tmp_path)
    Listener(tmp_path, "dead")._socket.close()
    os.utime(tmp_path / "bell", (1, 1))
    notifier.notify()
    assert list((tmp_path / "bell").iterdir()) == []
    with a_listener(tmp_path, "dead") as back:
        notifier.notify()
        assert back.wait(0)
    notifier.close()
