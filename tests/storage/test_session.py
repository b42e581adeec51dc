"""A process's session on the server: who lives, who leads, whom a call wakes, and the server's clock."""

import os
import signal
import time
from collections.abc import Iterator
from queue import SimpleQueue

import pytest

from signet.db.postgres import session
from signet.db.postgres.session import ServerSession
from storage.hosts import cut_off
from support import postgres
from support.processes import PATIENCE_SECONDS, eventually, program, said

KILLED = """
import sys, time
from signet.db.postgres.session import ServerSession
held = ServerSession(sys.argv[1], "killed")
held.try_to_lead()
while not held.leads: time.sleep(0.01)
print("leads", flush=True)
time.sleep(600)
"""


@pytest.fixture
def url() -> Iterator[str]:
    made = postgres.empty()
    yield made
    postgres.drop(made)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SETTLED_SECONDS", 0.0)
    monkeypatch.setattr(session, "LOOK_SECONDS", 0.05)


def test_one_process_leads_and_another_follows_when_it_is_killed(url: str) -> None:
    mine = ServerSession(url, "mine")
    try:
        with program("-c", KILLED, url) as other:
            said(other, "leads")
            assert not mine.try_to_lead()
            assert not mine.has_ended("killed")
            os.kill(other.pid, signal.SIGKILL)
            eventually(mine.try_to_lead)
            eventually(lambda: mine.has_ended("killed"))
        assert not mine.has_ended("mine")
    finally:
        mine.close()


def test_another_follows_a_leader_that_is_frozen(url: str) -> None:
    mine = ServerSession(url, "mine")
    try:
        short = f"{url}&options=-c%20idle_session_timeout%3D1500"
        with program("-c", KILLED, short) as other:
            said(other, "leads")
            os.kill(other.pid, signal.SIGSTOP)
            assert not mine.try_to_lead()
            eventually(mine.try_to_lead, 15)
            eventually(lambda: mine.has_ended("killed"), 15)
    finally:
        mine.close()


def test_a_process_that_came_after_the_last_look_has_not_ended(url: str) -> None:
    mine = ServerSession(url, "mine")
    later = ServerSession(url, "later")
    try:
        assert not mine.has_ended("later")
        eventually(lambda: mine.has_ended("never"))
        assert not mine.has_ended("later")
    finally:
        mine.close()
        later.close()


def test_a_call_wakes_listeners_of_other_processes_only(url: str) -> None:
    heard: SimpleQueue[str] = SimpleQueue()
    first = ServerSession(url, "first", wake=lambda: heard.put("first"))
    second = ServerSession(url, "second", wake=lambda: heard.put("second"))
    silent = ServerSession(url, "silent")
    try:
        first.notify()
        assert heard.get(timeout=PATIENCE_SECONDS) == "second"
        silent.notify()
        assert {heard.get(timeout=PATIENCE_SECONDS), heard.get(timeout=PATIENCE_SECONDS)} == {
            "first",
            "second",
        }
    finally:
        for one in (first, second, silent):
            one.close()
    assert heard.empty()


def test_a_lost_session_opens_again_and_wakes_its_listener(url: str) -> None:
    heard: SimpleQueue[str] = SimpleQueue()
    mine = ServerSession(url, "mine", wake=lambda: heard.put("called"))
    other = ServerSession(url, "other")
    try:
        eventually(mine.try_to_lead)
        cut_off(url)
        assert heard.get(timeout=PATIENCE_SECONDS) == "called"
        eventually(lambda: mine.try_to_lead() or other.try_to_lead())
        eventually(lambda: not mine.has_ended("other") and not other.has_ended("mine"))
        other.notify()
        assert heard.get(timeout=PATIENCE_SECONDS) == "called"
        assert not (mine.leads and other.leads)
    finally:
        mine.close()
        other.close()


def test_of_a_server_that_was_away_nobody_is_believed_dead_at_once(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = ServerSession(url, "mine")
    try:
        eventually(lambda: mine.has_ended("gone"))
        monkeypatch.setattr(session, "SETTLED_SECONDS", 3600.0)
        assert not mine.has_ended("gone")
    finally:
        mine.close()


def test_leases_have_the_clock_of_the_server(url: str) -> None:
    mine = ServerSession(url, "mine")
    try:
        before = time.time_ns() // 1_000_000
        now = mine.clock.monotonic_ms()
        assert before - 1_000 < now < time.time_ns() // 1_000_000 + 1_000
    finally:
        mine.close()
