"""`signet jobs`: what a person sees of the work, and what a script reads of it."""

import json
import os
import pty
import re
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cli.program import Program
from signet import clock
from signet.cli import work
from signet.cli.output import Ink
from signet.client.answers import PipelineStatus
from support.processes import PATIENCE_SECONDS

PLAIN = Ink(on=False)


def pipeline(paused: bool = False, **kinds: dict[str, object]) -> PipelineStatus:
    """Return a status with these kinds, by their differences from one that has nothing to do."""
    idle = {"queue": "llm", "pending": 0, "leased": 0, "dead": 0, "waiting": 0, "delayed": 0}
    idle |= {"running": 0, "perSecond": 0.0, "etaSec": None}
    by_type = {kind: idle | one for kind, one in kinds.items()}
    made = {
        "mode": "controlled-write",
        "paused": paused,
        "pauses": [{"queue": "all", "since": "2026-05-01T12:00:00Z", "by": "cli"}] * paused,
        "workers": {"extraction": {"running": True}},
        "queues": {"memory": {"byType": by_type, "unserved": [], "lastError": None}},
        "providers": {"breakers": [], "budgets": []},
    }
    return made  # type: ignore[return-value]  # as much as is read


def test_what_waits_for_a_model_that_is_away_is_not_waited_for() -> None:
    found = pipeline(extract={"waiting": 7, "running": 1}, embed={"queue": "vectors", "waiting": 2})
    assert work.remaining(found) == work.Left(open=10, stopped=0)
    found["providers"]["breakers"] = [
        {"queues": ["llm"], "error": "nobody\nanswers", "waiting": 7}
        | {"since": "2026-05-01T12:00:00Z", "retryAt": "2026-05-01T12:00:04Z"}
    ]
    assert work.remaining(found) == work.Left(open=3, stopped=7)
    (why,) = work.why(found)
    began, again = (
        clock.parse(f"2026-05-01T12:00:0{second}Z").astimezone().strftime("%Y-%m-%d %H:%M")
        for second in (0, 4)
    )
    assert why == f"llm: nobody answers · paused since {began}, 7 jobs wait, next attempt {again}"


def test_kinds_of_another_version_are_said_and_not_waited_for() -> None:
    found = pipeline(bake={"queue": "later", "pending": 1, "waiting": 1}, extract={"waiting": 2})
    found["queues"]["memory"]["unserved"] = [{"queue": "later", "kind": "bake", "jobs": 1}]
    assert work.remaining(found).open == 2
    (why,) = work.why(found)
    assert "1 job of unknown kinds (bake)" in why


def test_every_reason_to_wait_has_words() -> None:
    found = pipeline(paused=True)
    found["workers"]["extraction"]["running"] = False
    found["providers"]["budgets"] = [
        {"provider": "openai", "usedUp": True, "calls": 9, "maxCallsPerHour": 9, "tokens": 5}
        | {"maxTokensPerHour": 0}
    ]
    paused, budget, worker = work.why(found)
    assert "signet jobs resume" in paused
    assert budget.startswith("openai used its hourly budget: 9 of 9 calls")
    assert worker == "the worker is not running"


def test_the_table_has_a_line_for_each_kind_with_something_to_tell() -> None:
    found = pipeline(
        embed={"queue": "vectors"},
        extract={"pending": 423, "waiting": 423, "running": 4, "perSecond": 11.2, "etaSec": 38.1},
    )
    head, extract = work.table(found, PLAIN)
    assert head.split() == ["waiting", "later", "running", "dead", "rate", "time", "left"]
    assert extract.split() == ["extract", "423", "0", "4", "0", "11.2/s", "38", "s"]


def remembered(served: Program, text: str) -> str:
    """Save while the queue is paused and return the id of the job that waits."""
    saved = served.run("remember", text, "--json").json()
    listed = served.run("jobs", "list", "--memory", saved["id"], "--kind", "extract", "--json")
    return str(listed.json()["jobs"][0]["id"])


@pytest.fixture
def paused(served: Program) -> Iterator[Program]:
    served.run("jobs", "pause")
    yield served
    served.run("jobs", "resume")
    served.run("jobs", "watch")


def test_jobs_are_listed_page_by_page_and_counted(paused: Program) -> None:
    since = clock.to_text(clock.now())
    waiting = {remembered(paused, f"Buoy {number} is green at night") for number in (17, 18)}
    asked = ("jobs", "list", "--status", "pending", "--kind", "extract", "--since", since)
    first = paused.run(*asked, "-l", "1", "--json").json()
    assert f"--cursor {first['next']}" in paused.run(*asked, "-l", "1").err
    second = paused.run(*asked, "-l", "1", "--cursor", first["next"], "--json").json()
    assert {page["jobs"][0]["id"] for page in (first, second)} == waiting
    counted = paused.run(*asked, "--counts").out
    assert counted.startswith("2 jobs\n") and "extract 2" in counted and "pending 2" in counted


def test_a_job_is_cancelled_and_tried_again(paused: Program) -> None:
    job_id = remembered(paused, "The ferry to Kos leaves at noon")
    assert paused.run("jobs", "cancel", job_id).out == "Cancelled\n"
    again = paused.run("jobs", "cancel", job_id)
    assert (again.status, again.err) == (1, "error: The job is dead already\n")
    assert (
        "1 job would be retried"
        in paused.run("jobs", "retry", "--code", "cancelled", "--dry-run").out
    )
    assert paused.run("jobs", "retry", job_id, "--json").json()["status"] == "pending"
    assert paused.run("jobs", "cancel", "--kind", "none", "--json").json()["affected"] == 0


def test_a_choice_must_be_said(alone: Program) -> None:
    for verb in ("retry", "cancel"):
        done = alone.run("jobs", verb)
        assert done.status == 2 and "--all" in done.err


def test_status_says_what_waits_and_why(paused: Program) -> None:
    remembered(paused, "The ferry to Paros leaves at dusk")
    seen = paused.run("status").out
    assert re.search(r"^ +extract +[1-9]", seen, re.M)
    assert re.search(
        r"^  waits +all queues: paused since [0-9:]{8} by cli · resume with: signet jobs resume$",
        seen,
        re.M,
    )
    assert "waiting" in paused.on_terminal("status")


def test_each_change_is_a_line_for_a_script(served: Program) -> None:
    with watching(served, subprocess.PIPE) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["completed"] == 0
        served.run("remember", "The ferry to Naxos leaves at dawn")
        assert any(json.loads(line)["completed"] for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE_SECONDS) == 130


def test_ctrl_c_leaves_the_terminal_clean(served: Program) -> None:
    ours, theirs = pty.openpty()
    try:
        with watching(served, theirs, "--no-color") as process:
            os.close(theirs)
            drawn = b""
            while b"Working" not in drawn and select.select([ours], [], [], 30)[0]:
                drawn += os.read(ours, 65_536)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE_SECONDS) == 130
        while select.select([ours], [], [], 1)[0]:
            try:
                drawn += os.read(ours, 65_536)
            except OSError:
                break
        _, _, left = drawn.rpartition(b"\x1b[J")
        assert b"Working" not in left and b"Interrupted" in left
    finally:
        os.close(ours)


@contextmanager
def watching(served: Program, out: int, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """Run `signet jobs watch --follow` until the block ends: as JSON into a pipe, for people on a terminal."""
    json_option = ["--json"] if out == subprocess.PIPE else []
    process = subprocess.Popen(
        served.command(*options, "jobs", "watch", "--follow", *json_option),
        env=served.environment(),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=None if json_option else out,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
