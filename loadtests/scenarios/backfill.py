"""Backfill a year of Claude Code into a new store: 300 sessions of 200 MB, in the background, with kills.

Measured from the start request: until a prompt receives the newest session's decision, and until everything is read,
indexed and summarised. Meanwhile an agent prompts once a second, and its hook is timed. Programs are killed with
SIGKILL at random and restarted. At the end each session must exist once, with its decision once.

The worker yields to every other program, so on a busy machine the total depends on the other load; `cpu_seconds` of
all programs does not. Progress goes to stderr.
"""

import os
import random
import resource
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from loadtests import history, measure
from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.stack import API, SCHEDULER, WORKER, Stack

from signet.db.driver import connect
from signet.paths import cache_home
from signet.process import backoff

SESSIONS, BYTES = 300, 200_000_000
KILLS = 6
#: Maximum duration.
MOST_SECONDS = 2_400.0
#: Seconds between progress messages.
TELL_SECONDS = 30.0
COLUMNS = ("what", "value")
_OPEN = "SELECT count(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
_DEAD = "SELECT count(*) FROM memory_jobs WHERE status = 'dead'"
_TEXTS = "SELECT session_key, content FROM session_transcripts"
_SUMMARIES = """
SELECT count(*) - count(DISTINCT session_key) FROM session_summaries WHERE depth = 0"""
_FACTS = """
SELECT count(*) FROM (SELECT 1 FROM memories WHERE is_deleted = 0
                       GROUP BY agent_id, content, coalesce(project, '') HAVING count(*) > 1)"""
_CHUNKS = """
SELECT count(*) FROM (SELECT 1 FROM episode_chunks
                       GROUP BY agent_id, source_id, position HAVING count(*) > 1)"""


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    home, cache = options.folder / "home", cache_home()
    home.mkdir()
    sessions = options.count or SESSIONS
    size = BYTES * sessions // SESSIONS
    told = history.write(home, sessions=sessions, bytes=size, seed=options.seed, now=_now())
    os.environ |= {"HOME": str(home), "XDG_CACHE_HOME": str(cache.parent)}
    kills = KILLS if options.rounds is None else options.rounds
    with Stack(options.folder / "ws") as stack:
        stack.start(API, WORKER, SCHEDULER)
        began, dead = time.monotonic(), _cpu_of_the_dead()
        found = Client(stack.port).post("/api/backfill", {})
        report.figures["looking_seconds"] = time.monotonic() - began
        assert found["newSessions"] == sessions, found
        report.figures |= _follow(stack, told[0], began, kills, random.Random(options.seed))
        living = sum(measure.cpu_seconds(pid) for pid in stack.pids)
        report.figures["cpu_seconds"] = living + _cpu_of_the_dead() - dead
        report.figures |= _check(stack.workspace.database, told)
        again = Client(stack.port).post("/api/backfill", {})
        report.figures["new_at_second_start"] = float(str(again["newSessions"]))
        report.figures["estimated_seconds"] = float(str(found["seconds"]))
        report.figures["megabytes"] = float(str(found["bytes"])) / 1e6
    report.rows = [[name, value] for name, value in report.figures.items()]
    return report


def _now() -> datetime:
    return datetime.now(UTC)


def _cpu_of_the_dead() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _follow(
    stack: Stack, newest: history.Told, began: float, kills: int, pick: random.Random
) -> dict[str, float]:
    """Prompt once a second until all is done, killing a program now and then; return the measurements."""
    hooks: list[float] = []
    first = all_read = 0.0
    killed, next_kill = 0, time.monotonic() + pick.uniform(5, 20)
    next_word = began + TELL_SECONDS
    while time.monotonic() - began < MOST_SECONDS:
        asked = time.perf_counter()
        given = _prompt(stack, newest, len(hooks))
        hooks.append((time.perf_counter() - asked) * 1_000)
        if not first and newest.answer in given:
            first = time.monotonic() - began
        if killed < kills and time.monotonic() > next_kill:
            _kill(stack, pick.choice((WORKER, WORKER, API)))
            killed, next_kill = killed + 1, time.monotonic() + pick.uniform(5, 40)
        state = stack.get("/api/backfill")
        left = _count(stack.workspace.database, _OPEN)
        if time.monotonic() > next_word:
            _tell(time.monotonic() - began, state, left)
            next_word += TELL_SECONDS
        if not all_read and not state["waiting"]:
            all_read = time.monotonic() - began
        if state["state"] == "done" and not left:
            break
        time.sleep(1.0)
    return {
        "first_brief_seconds": first or float("inf"),
        "all_read_seconds": all_read or float("inf"),
        "all_done_seconds": time.monotonic() - began,
        "kills": float(killed),
        "hook_p50_ms": measure.percentile(hooks, 50),
        "hook_p95_ms": measure.percentile(hooks, 95),
    }


def _tell(seconds: float, state: dict[str, object], left: int) -> None:
    read = f"{state['read']} of {state['sessions']} sessions read"
    print(f"{seconds:.0f} s: {read}, {left} jobs open", file=sys.stderr, flush=True)


def _prompt(stack: Stack, newest: history.Told, number: int) -> str:
    """Return the context of a new session's first prompt."""
    body: dict[str, object] = {"harness": "claude-code", "sessionKey": f"live-{number}"}
    body |= {"project": newest.project, "userMessage": newest.question}
    return str(Client(stack.port).post("/api/hooks/user-prompt-submit", body)["inject"])


def _kill(stack: Stack, module: str) -> None:
    process = stack.programs.pop(module)
    process.send_signal(signal.SIGKILL)
    process.wait()
    # Reset the restart delay of a program that died often.
    backoff.forget(stack.workspace.runtime_dir)
    stack.start(module)


def _count(database: Path, statement: str) -> int:
    connection = connect(database, read_only=True)
    [found] = connection.execute(statement).fetchone()
    connection.close()
    return int(found)


def _check(database: Path, told: list[history.Told]) -> dict[str, float]:
    """Return the number of lost and duplicate rows."""
    connection = connect(database, read_only=True)
    texts = dict(tuple(row) for row in connection.execute(_TEXTS))
    connection.close()
    counts = [texts.get(one.key, "").count(one.answer) for one in told]
    return {
        "lost": float(sum(count == 0 for count in counts)),
        "twice": float(
            sum(count > 1 for count in counts)
            + sum(_count(database, one) for one in (_SUMMARIES, _FACTS, _CHUNKS))
        ),
        "dead_jobs": float(_count(database, _DEAD)),
        "transcripts": float(len(texts)),
        "memories": float(_count(database, "SELECT count(*) FROM memories")),
        "chunks": float(_count(database, "SELECT count(*) FROM episode_chunks")),
        "spoken_megabytes": sum(len(text) for text in texts.values()) / 1e6,
    }
