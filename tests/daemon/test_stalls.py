"""Programs that stand still are replaced; slow ones, and those that somebody debugs, are left alone."""

import ctypes
import os
import signal
from functools import partial

import pytest

from signet.daemon import record
from signet.daemon.processes import processes
from signet.daemon.watch import STILL_LOOKS, STOPPED_LOOKS, Watch
from signet.observe.logfile import LogPlace
from signet.observe.logread import LogFilter, newest
from signet.process import kernel
from signet.process.kernel import Activity
from signet.process.pulse import Beat, Holding
from support.processes import PATIENCE_SECONDS, eventually, is_running, program, said

from .conftest import Daemon, freeze

PTRACE_SEIZE = 0x4206
SLEEPS = Activity()


@pytest.mark.parametrize("name", ["api", "worker", "scheduler"])
def test_a_stopped_program_is_replaced_and_named(daemon: Daemon, name: str) -> None:
    daemon.start()
    eventually(lambda: len(daemon.booted()) == 3)
    victim = daemon.pids(name)[-1]
    freeze(victim)
    [seen] = [one for one in processes(daemon.workspace) if one.name == name]
    assert seen.state == "stalled"
    eventually(lambda: len(daemon.pids(name)) == 2)
    assert not is_running(victim)
    [seen] = [one for one in processes(daemon.workspace) if one.name == name]
    assert seen.stalls == 1
    assert seen.stall == f"was stopped (SIGSTOP) for {STOPPED_LOOKS} s"
    place = LogPlace(directory=daemon.workspace.log_dir)
    [line] = newest(place, 1, LogFilter(level="warn", category="daemon"))
    assert line["message"] == "process.replaced"


def test_a_stopped_program_that_goes_on_in_time_is_left_alone(daemon: Daemon) -> None:
    daemon.start()
    eventually(lambda: len(daemon.booted()) == 3)
    before = daemon.booted()
    for _ in range(3):
        freeze(before[1])
        os.kill(before[1], signal.SIGCONT)
    freeze(before[0])  # this one is replaced, and shows that looks were taken
    eventually(lambda: len(daemon.pids("api")) == 2)
    assert daemon.booted()[1:] == before[1:]


def test_hanging_programs_are_replaced_and_a_busy_one_is_not(daemon: Daemon) -> None:
    for how in ("worker-hang", "api-hold", "scheduler-busy"):
        daemon.ask(how)
    daemon.start()
    eventually(lambda: len(daemon.pids("worker")) == len(daemon.pids("api")) == 2)

    def stalls() -> dict[str, str]:
        return {one.name: one.stall for one in processes(daemon.workspace)}

    still = f"for {STILL_LOOKS} s"
    wanted = {
        "worker": f"did nothing {still}",
        "api": f"held the write lock {still} and did nothing",
        "scheduler": "",
    }
    eventually(lambda: stalls() == wanted)
    assert len(daemon.pids("scheduler")) == 1
    (daemon.workspace.root / "scheduler-busy").unlink()  # else its end waits until it is killed


def test_two_stops_in_a_row_are_no_crashes_and_wait_for_nothing(daemon: Daemon) -> None:
    daemon.start()
    eventually(lambda: len(daemon.booted()) == 3)
    for times in (1, 2):
        freeze(daemon.pids("worker")[-1])
        eventually(partial(lambda times: len(daemon.pids("worker")) == times + 1, times))
    [worker] = [one for one in processes(daemon.workspace) if one.name == "worker"]
    assert (worker.stalls, worker.restarts) == (2, 2)


def test_a_stopped_supervisor_goes_on(daemon: Daemon) -> None:
    done = daemon.start()
    eventually(lambda: len(daemon.booted()) == 3)
    before = daemon.booted()
    freeze(done.daemon.pid)
    assert eventually(lambda: kernel.state(done.daemon.pid) != "T") < 15
    eventually(lambda: len(processes(daemon.workspace)) == 3)
    assert daemon.booted() == before


def test_a_stop_during_the_upgrade_of_the_database_is_ended(daemon: Daemon) -> None:
    daemon.ask("migrate-wait")
    wait = daemon.workspace.root / "migrate-wait"
    starter = daemon.launch("start")
    eventually(lambda: wait.read_text() != "")
    upgrade = int(wait.read_text())
    found = record.running(daemon.workspace)
    assert found is not None
    freeze(upgrade)
    wait.unlink()
    eventually(lambda: len(daemon.booted()) == 3)
    starter.communicate(timeout=PATIENCE_SECONDS)
    assert starter.returncode == 0


def looked(watch: Watch, looks: int, beat: Beat | None = None) -> list[str]:
    """Return the reasons of so many looks at this very process."""
    pid = os.getpid()
    beats = {pid: beat} if beat else {}
    return [why for _ in range(looks) for _, _, why in watch.poll({"worker": pid}, beats)]


@pytest.mark.parametrize(
    "activity",
    [
        SLEEPS._replace(is_working=True),  # runs, or waits for the disk
        SLEEPS._replace(is_traced=True),
        SLEEPS._replace(is_traced=True, is_stopped=True),
        None,  # it is gone, which its supervisor sees
    ],
)
def test_work_and_debuggers_count_as_moving(
    activity: Activity | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch()
    held = Beat(os.getpid(), Holding(7, 1), needs_restart=False)
    monkeypatch.setattr(kernel, "activity", lambda pid, thread=0: activity)
    assert looked(watch, 1, held) == looked(watch, 100) == looked(watch, 100, held) == []


def test_processor_time_counts_as_moving(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    used = iter(range(1_000))
    held = Beat(os.getpid(), Holding(7, 1), needs_restart=False)
    monkeypatch.setattr(
        kernel, "activity", lambda pid, thread=0: SLEEPS._replace(processor_seconds=next(used))
    )
    assert looked(watch, 1, held) == looked(watch, 100) == looked(watch, 100, held) == []


def test_a_program_that_has_not_begun_is_only_still_when_it_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watch = Watch()
    monkeypatch.setattr(kernel, "activity", lambda pid, thread=0: SLEEPS)
    assert looked(watch, 100) == []
    monkeypatch.setattr(kernel, "activity", lambda pid, thread=0: SLEEPS._replace(is_stopped=True))
    assert looked(watch, STOPPED_LOOKS) == [f"was stopped (SIGSTOP) for {STOPPED_LOOKS} s"]


def test_another_transaction_is_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    monkeypatch.setattr(kernel, "activity", lambda pid, thread=0: SLEEPS)
    for number in range(1, 100):
        assert looked(watch, 1, Beat(os.getpid(), Holding(number, 1), needs_restart=False)) == []


def test_the_kernel_tells_who_is_traced() -> None:
    with program("-c", "import signal; print('ready', flush=True); signal.pause()") as process:
        said(process, "ready")
        found = kernel.activity(process.pid)
        assert found is not None and not (found.is_traced or found.is_stopped)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.ptrace(PTRACE_SEIZE, process.pid, 0, 0) != 0:
            pytest.skip("this system lets nobody trace")
        found = kernel.activity(process.pid)
        assert found is not None and found.is_traced
        # SIGCONT, which the end of the block begins with, would only stop one that is traced.
        process.kill()
        process.wait()
    assert kernel.activity(process.pid) is None
