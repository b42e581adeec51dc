"""Two hosts with one PostgreSQL server: what one learns the other knows, and one stands in for the other."""

import os
import signal
from collections.abc import Iterator
from itertools import count

import pytest

from signet.paths import Workspace
from signet.process import backoff
from storage.hosts import Host, cut_off, hosts, rows
from support.processes import eventually, is_running

LEADER = "SELECT owner, epoch FROM scheduler_lease"
SCHEDULERS = "SELECT owner, pid FROM processes WHERE kind = 'scheduler'"
DUE = """
SELECT count(*) FROM memory_jobs
 WHERE status IN ('pending', 'leased') AND due_ms < extract(epoch FROM now()) * 1000"""
TALK = [
    ("user", "Where do the terns of the harbour file their papers?"),
    ("assistant", "We decided to keep the tern papers in the copper chest because of the damp."),
]


def leading_pid(host: Host) -> int | None:
    """Return the process of the leading scheduler, None while it is gone."""
    [(leader, _)] = rows(host.url, LEADER)
    return dict(rows(host.url, SCHEDULERS)).get(leader)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Host]]:
    with hosts(tmp_path_factory.mktemp("hosts"), "a", "b") as found:
        yield found


def test_a_session_that_ends_on_one_host_reaches_a_prompt_on_the_other(both: list[Host]) -> None:
    here, there = both
    here.end_session("terns-1", TALK, "/work/tern")
    sessions = (f"terns-{n}" for n in count(2))
    text = "Where are the tern papers of the harbour kept?"
    eventually(lambda: "copper chest" in there.prompt(next(sessions), text, "/work/tern"))


def test_a_memory_is_found_on_each_host(both: list[Host]) -> None:
    here, there = both
    saved = here.program.run("remember", "The plover ledger is green.", "--json").json()["id"]
    found = there.program.run("recall", "plover ledger", "--json").json()
    assert [hit["id"] for hit in found] == [saved]
    there.program.run("memory", "forget", saved, "--yes", "--reason", "test")
    assert here.program.run("recall", "plover ledger", "--json").json() == []


def test_what_was_saved_while_the_server_closed_connections_is_there(both: list[Host]) -> None:
    saved: set[str] = set()
    for number in range(12):
        if number % 3 == 1:
            cut_off(both[0].url)
        program = both[number % 2].program
        done = program.run("remember", f"The gannet count of day {number} is {number}.", "--json")
        saved |= {done.json()["id"]} if done.status == 0 else set()
    assert len(saved) >= 8
    found = both[1].program.run("memory", "list", "--json", "--limit", "100").json()["memories"]
    assert saved <= {one["id"] for one in found}
    pids = [both[0].pid(name) for name in ("api", "worker", "scheduler")]
    assert all(map(is_running, pids))


def test_each_host_shows_its_own_processes(both: list[Host]) -> None:
    pids = [{one["pid"] for one in host.get("/api/status")["processes"]} for host in both]
    assert all(len(of_host) == 3 and None not in of_host for of_host in pids)
    assert not pids[0] & pids[1]


def test_a_killed_scheduler_is_replaced_by_the_other_host(both: list[Host]) -> None:
    [(leader, epoch)] = rows(both[0].url, LEADER)
    pids = dict(rows(both[0].url, SCHEDULERS))
    led = next(host for host in both if host.pid("scheduler") == pids[leader])
    other = next(host for host in both if host is not led)
    # Stopped first, so that its supervisor does not start another before the other host leads.
    supervisor = int(Workspace(led.program.workspace).pid_file.read_text())
    os.kill(supervisor, signal.SIGSTOP)
    try:
        os.kill(pids[leader], signal.SIGKILL)
        # Asked again each time: a busy host may start its scheduler again, or lose and find the server, meanwhile.
        eventually(lambda: leading_pid(led) == other.pid("scheduler"))
        eventually(lambda: leader not in dict(rows(led.url, SCHEDULERS)))
    finally:
        os.kill(supervisor, signal.SIGCONT)
    eventually(lambda: len(rows(led.url, SCHEDULERS)) == 2)
    assert leading_pid(led) == other.pid("scheduler")
    assert rows(led.url, LEADER)[0][1] > epoch


def test_jobs_of_a_killed_host_run_on_the_other(both: list[Host]) -> None:
    here, there = both
    supervisor = int(Workspace(here.program.workspace).pid_file.read_text())
    pids = [here.pid(name) for name in ("api", "worker", "scheduler")]
    for pid in (supervisor, *pids):
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: not any(map(is_running, pids)))
    there.end_session(
        "stork-1",
        [("user", "The stork tax is due in May."), ("assistant", "Noted.")],
        "/work/stork",
    )
    eventually(lambda: rows(there.url, DUE) == [(0,)])
    eventually(lambda: len(rows(there.url, "SELECT 1 FROM processes")) == 3)
    backoff.forget(Workspace(here.program.workspace).runtime_dir)
    here.start()
