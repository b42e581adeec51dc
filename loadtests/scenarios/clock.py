"""The clock drill: jumps of the wall clock, pauses, cancels and kills while memories are saved and processed.

The programs use a wall clock that the drill moves (tests/support/shifted_clock.py; Linux with a C compiler). It jumps
to anywhere between two days behind and seventy days ahead, and is right at the end. Then nothing may be lost,
duplicated, stuck or deleted early, and no cancelled job may have run. Each jump of an hour or more is timed until
diagnostics names it.
"""

import contextlib
import json
import math
import os
import random
import re
import sys
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field

from loadtests import fill
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from loadtests.scenarios import crash
from loadtests.stack import API, ROOT, SCHEDULER, WORKER, Stack

from signet.db.driver import Connection, connect
from signet.process import backoff

sys.path.append(str(ROOT / "tests"))
from support.shifted_clock import ShiftedClock

SAVES, EVENTS = 1_000, 60
DAY = 86_400
#: Range of the clock's jumps, in seconds from the true time.
EARLIEST, LATEST = -2 * DAY, 70 * DAY
NAMED_FROM_SECONDS = 3_600
NAMED_WITHIN_SECONDS = 60.0
FORGOTTEN = 20
PROGRAMS = (WORKER, SCHEDULER, API)

_JUMP = re.compile(r"the clock jumped [^;]*")
_FORGOTTEN = "SELECT COUNT(*) FROM memories WHERE is_deleted = 1"
_HISTORY = "SELECT COUNT(*) FROM memory_history"
_WAITING = "SELECT id FROM memory_jobs WHERE status = 'pending' ORDER BY random() LIMIT 1"
_RAN = """
SELECT COUNT(*) FROM memory_jobs WHERE status = 'completed' AND id IN (SELECT value FROM json_each(?))"""


@dataclass(slots=True)
class Drill:
    """The programs, their clock, and the observations."""

    stack: Stack
    clock: ShiftedClock
    database: Connection
    chance: random.Random
    acknowledged: dict[str, str] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)
    #: Seconds until diagnostics named a jump; NAMED_WITHIN_SECONDS if it did not.
    named: list[float] = field(default_factory=list)
    shift: int = 0

    def call(self, method: str, path: str, body: object = None) -> dict[str, object]:
        """Return the answer to a call; raises OSError."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.stack.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            found: dict[str, object] = json.load(answer)
        return found

    def save(self, content: str) -> None:
        """Save one text and record the acknowledged ones."""
        with contextlib.suppress(OSError):
            found = self.call("POST", "/api/memory/remember", {"content": content})
            self.acknowledged[str(found["id"])] = content

    def event(self) -> None:
        """Perform one random event."""
        name = self.chance.choice(("jump", "jump", "pause", "cancel", "kill"))
        self.events[name] += 1
        match name:
            case "jump":
                self.jump(self.chance.randint(EARLIEST, LATEST))
            case "pause":
                self.call("POST", "/api/pipeline/pause")
            case "cancel":
                self.cancel()
            case _:
                self.kill(self.chance.choice(PROGRAMS))
        if name != "pause":
            self.call("POST", "/api/pipeline/resume")

    def jump(self, to: int) -> None:
        """Set the clock, and wait until diagnostics names a large jump."""
        size, self.shift = to - self.shift, to
        before = self.named_jump()
        self.clock.set(to)
        began = time.monotonic()
        while abs(size) >= NAMED_FROM_SECONDS and self.named_jump() == before:
            if time.monotonic() - began > NAMED_WITHIN_SECONDS:
                break
            time.sleep(0.2)
        self.named.append(min(time.monotonic() - began, NAMED_WITHIN_SECONDS))

    def named_jump(self) -> str:
        """Return the clock's state in diagnostics."""
        with contextlib.suppress(OSError):
            found = _JUMP.search(json.dumps(self.call("GET", "/api/diagnostics/queue")))
            return found.group() if found else ""
        return ""

    def cancel(self) -> None:
        """Cancel a waiting job, if there is one and it does not start first."""
        row = self.database.execute(_WAITING).fetchone()
        with contextlib.suppress(OSError):
            if row and self.call("POST", f"/api/jobs/{row[0]}/cancel")["status"] == "dead":
                self.cancelled.append(row[0])

    def kill(self, program: str) -> None:
        """Kill a program and restart it, like the supervisor."""
        process = self.stack.programs.pop(program)
        process.kill()
        process.wait()
        backoff.forget(self.stack.workspace.runtime_dir)
        self.stack.start(program)

    def count(self, sql: str, *parameters: object) -> int:
        """Return one number."""
        return int(self.database.execute(sql, parameters).fetchone()[0])


def run(options: Options) -> Report:
    """Save, disturb, correct the clock, check."""
    clock = ShiftedClock(options.folder)
    os.environ.update(clock.environ)  # for the programs; this process has loaded its clock
    chance, corpus = random.Random(options.seed), Corpus(options.seed, "c-")
    saves, events = options.count or SAVES, options.rounds or EVENTS
    with Stack(options.folder / "ws", settings=fill.NO_MODEL) as stack:
        stack.start(SCHEDULER, WORKER, API)
        database = connect(stack.workspace.database, read_only=True)
        drill = Drill(stack, clock, database, chance)
        for number in range(FORGOTTEN):
            drill.save(corpus.memory(number))
        forgotten = list(drill.acknowledged)
        for memory_id in forgotten:
            drill.call("DELETE", f"/api/memory/{memory_id}?reason=drill")
            del drill.acknowledged[memory_id]
        disturbed = set(chance.sample(range(saves), min(events, saves)))
        for number in range(saves):
            drill.save(corpus.memory(FORGOTTEN + number))
            if number in disturbed:
                drill.event()
        history = drill.count(_HISTORY)
        drill.jump(0)
        drill.call("POST", "/api/pipeline/resume")
        settle = crash.settle(stack.workspace.database)
        report = _report(drill, len(forgotten), history, settle)
        database.close()
    return report


def _report(drill: Drill, forgotten: int, history: int, settle: float) -> Report:
    report = Report(("event", "times"))
    report.rows += [[name, times] for name, times in drill.events.most_common()]
    stored = dict(drill.database.execute("SELECT id, content FROM memories").fetchall())
    checks = ("facts_twice", "effects_twice", "jobs_unqueued", "jobs_stuck", "dead_without_reason")
    found = {name: float(drill.count(crash.COUNTS[name])) for name in checks}
    report.figures |= {
        "saved": float(len(drill.acknowledged)),
        "lost": float(sum(stored.get(key) != text for key, text in drill.acknowledged.items())),
        **found,
        "cancelled_and_run": float(drill.count(_RAN, json.dumps(drill.cancelled))),
        "forgotten_purged": float(max(forgotten - drill.count(_FORGOTTEN), 0)),
        "history_purged": float(max(history - drill.count(_HISTORY), 0)),
        "slowest_name_seconds": max(drill.named, default=math.nan),
        "settle_seconds": settle,
    }
    return report
