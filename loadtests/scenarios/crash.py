"""The crash drill: `kill -9` and SIGSTOP on a whole daemon at random moments while memories are saved and processed.

Each round hits the worker, the scheduler, the API or the supervisor: it kills it, stops it permanently (if possible
while it holds the write lock), or pauses it. The drill restarts a dead supervisor, as a person would; the daemon must
repair everything else: replace a stopped program, continue a stopped supervisor. Afterwards nothing may be lost,
duplicated or stuck. The restart delay of a crashing program is reset before each round, so that there is something to
hit.
"""

import contextlib
import http.client
import json
import math
import os
import random
import signal
import socket
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from loadtests import fill
from loadtests.corpus import Corpus
from loadtests.report import Options, Report

from signet.daemon import control, processes, record
from signet.daemon.record import StartFailed
from signet.db.driver import Connection, connect
from signet.paths import Workspace
from signet.process import backoff, kernel

ROUNDS = 200
SAVERS = 4
#: Seconds between a saver's requests, so that the worker usually keeps up.
REST_SECONDS = 0.08
ANSWER_SECONDS = 10.0
#: Random seconds between kills.
PAUSE_SECONDS = (0.2, 1.5)
TARGETS = ("worker", "scheduler", "api", "supervisor")
#: Ways to hit a process, with their probabilities.
WAYS = {"kill": 0.6, "stop": 0.2, "pause": 0.2}
#: Maximum pause: shorter than the supervisor's limit.
LONGEST_PAUSE_SECONDS = 3.0
#: Attempts to stop a process while it holds the write lock.
LOCK_TRIES = 40
HEAL_LIMIT_SECONDS = 60.0
#: Jobs are stuck when some are open and none has ended for this long; the longest retry wait is 30 s.
SETTLE_SECONDS = 60.0
RELEASE_LIMIT_SECONDS = 30.0

_OWNER = (
    "SELECT owner FROM processes WHERE pid = ? AND kind = 'worker' ORDER BY started_at DESC LIMIT 1"
)
_RESCUERS = "SELECT pid FROM processes WHERE kind IN ('scheduler', 'worker') AND owner <> ?"
_HELD = "SELECT COUNT(*) FROM memory_jobs WHERE lease_owner = ? AND status = 'leased'"
_OPEN = "SELECT COUNT(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
#: Each proposal of an extraction writes one history row, in the transaction that completes its job.
_TWICE = """
SELECT COUNT(*) FROM (
    SELECT 1 FROM memory_history WHERE event = 'none' AND changed_by LIKE 'pipeline%'
     GROUP BY memory_id, json_extract(metadata, '$.fact.content') HAVING COUNT(*) > 1)"""
_FACTS_TWICE = """
SELECT COUNT(*) FROM (SELECT 1 FROM memories WHERE source_type = 'pipeline-v2'
                       GROUP BY source_id, content HAVING COUNT(*) > 1)"""
_PROPOSALS = """
SELECT COALESCE(SUM(json_extract(result, '$.proposals')), 0) FROM memory_jobs
 WHERE job_type = 'extract' AND status = 'completed'"""
_WRITTEN = (
    "SELECT COUNT(*) FROM memory_history WHERE event = 'none' AND changed_by LIKE 'pipeline%'"
)
#: A saved memory without a queued extraction would be a lost job.
_UNQUEUED = """
SELECT COUNT(*) FROM memories AS m WHERE source_type = 'manual'
   AND NOT EXISTS (SELECT 1 FROM memory_jobs AS j WHERE j.memory_id = m.id AND j.job_type = 'extract')"""
COUNTS = {
    "memories": "SELECT COUNT(*) FROM memories WHERE source_type = 'manual'",
    "facts": "SELECT COUNT(*) FROM memories WHERE source_type = 'pipeline-v2'",
    "completed": "SELECT COUNT(*) FROM memory_jobs WHERE status = 'completed'",
    "dead": "SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead'",
    "runs_cut_short": "SELECT COALESCE(SUM(runs_total - 1), 0) FROM memory_jobs WHERE runs_total > 1",
    "facts_twice": _FACTS_TWICE,
    "effects_twice": _TWICE,
    "jobs_unqueued": _UNQUEUED,
    "jobs_stuck": _OPEN,
    "dead_without_reason": """
        SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead'
           AND (COALESCE(error, '') = '' OR COALESCE(last_error_code, '') = '')""",
    "attempts_over_limit": "SELECT COUNT(*) FROM memory_jobs WHERE attempts > max_attempts",
}


class Saver(threading.Thread):
    """One client that saves new texts and records acknowledged ones."""

    def __init__(self, name: str, port: int, corpus: Corpus, stop: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self.acknowledged: dict[str, str] = {}
        self.unanswered = 0
        self._port = port
        self._corpus = corpus
        self._stop_event = stop

    def run(self) -> None:
        """Save until stopped."""
        number = 0
        while not self._stop_event.is_set():
            number += 1
            texts = [self._corpus.memory(number * 10 + part) for part in range(3)]
            try:
                self.act(number, " ".join(texts))
            except (OSError, http.client.HTTPException, ValueError):
                self.unanswered += 1
            self._stop_event.wait(REST_SECONDS)

    def act(self, number: int, content: str) -> None:
        """Save a text."""
        body = self.post("/api/memory/remember", {"content": content})
        if body is not None:
            self.acknowledged[str(body["id"])] = content

    def post(self, path: str, said: object) -> dict[str, object] | None:
        """Return the answer with status 200; count any other one as unanswered."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_SECONDS)
        try:
            connection.request("POST", path, json.dumps(said))
            answer = connection.getresponse()
            body: dict[str, object] = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status == 200:
            return body
        self.unanswered += 1
        return None


@dataclass(slots=True)
class Drill:
    """The daemon under test and the observations."""

    workspace: Workspace
    port: int
    chance: random.Random
    kills: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: Seconds until a stopped process was replaced or continued; how often it was stopped with the write lock.
    heals: list[float] = field(default_factory=list)
    stopped_with_lock: int = 0
    #: Seconds until a dead worker's leases were released: since its death, and since a program could release them.
    releases: list[tuple[float, float]] = field(default_factory=list)
    failed_starts: int = 0

    def revive(self) -> None:
        """Start the daemon if its supervisor is gone; count and retry a failed start."""
        while record.running(self.workspace) is None:
            try:
                control.start(self.workspace, self.port, tell=lambda text: None)
            except StartFailed:
                self.failed_starts += 1
                if self.failed_starts > 5:
                    raise

    def strike(self) -> None:
        """Hit one part if it is alive."""
        self.revive()
        target = self.chance.choice(TARGETS)
        [way] = self.chance.choices([*WAYS], [*WAYS.values()])
        pid = self._pid(target)
        if pid is None:
            return  # not yet replaced after an earlier hit
        backoff.forget(self.workspace.runtime_dir)
        try:
            {"kill": self._kill, "stop": self._stop, "pause": self._pause}[way](target, pid)
        except ProcessLookupError:
            return  # it has just ended
        self.kills[target, way] += 1

    def _stop(self, target: str, pid: int) -> None:
        """Stop a process and wait until it is replaced or continued; continuing it later has no effect."""
        for _ in range(LOCK_TRIES if target != "supervisor" else 1):
            os.kill(pid, signal.SIGSTOP)
            if self._has_lock(pid):
                self.stopped_with_lock += 1
                break
            if target != "supervisor":
                os.kill(pid, signal.SIGCONT)
                time.sleep(self.chance.uniform(0.001, 0.02))
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        while kernel.state(pid) == "T" and time.monotonic() - began < HEAL_LIMIT_SECONDS:
            time.sleep(0.01)
        self.heals.append(time.monotonic() - began)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    def _pause(self, target: str, pid: int) -> None:
        """Stop a process and continue it soon."""
        os.kill(pid, signal.SIGSTOP)
        time.sleep(self.chance.uniform(0.0, LONGEST_PAUSE_SECONDS))
        os.kill(pid, signal.SIGCONT)

    def _has_lock(self, pid: int) -> bool:
        """Return whether a process holds the write lock (proc(5), locks)."""
        gate = self.workspace.database.with_name(self.workspace.database.name + ".gate").stat()
        lines = Path("/proc/locks").read_text("ascii").splitlines()
        fields = [line.split() for line in lines if "->" not in line]
        return any(one[4] == str(pid) and one[5].endswith(f":{gate.st_ino}") for one in fields)

    def _kill(self, target: str, pid: int) -> None:
        database = connect(self.workspace.database, read_only=True)
        owner = database.execute(_OWNER, (pid,)).fetchone()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if owner is not None:
            self._time_release(database, owner[0])
        database.close()
        if target == "supervisor":
            while record.is_supervisor(pid, self.workspace):
                time.sleep(0.01)

    def _pid(self, target: str) -> int | None:
        found = record.running(self.workspace)
        if target == "supervisor":
            return found.pid if found else None
        return next((p.pid for p in processes.processes(self.workspace) if p.name == target), None)

    def _time_release(self, database: Connection, owner: str) -> None:
        """Record how long a dead worker's leases lasted, if it had any."""
        began = time.monotonic()
        if database.execute(_HELD, (owner,)).fetchone()[0] == 0:
            return
        since = math.inf
        while time.monotonic() - began < RELEASE_LIMIT_SECONDS:
            if database.execute(_HELD, (owner,)).fetchone()[0] == 0:
                break
            if since == math.inf and self._has_rescuer(database, owner):
                since = time.monotonic()
            time.sleep(0.002)
        now = time.monotonic()
        self.releases.append((now - began, max(0.0, now - since)))

    @staticmethod
    def _has_rescuer(database: Connection, dead: str) -> bool:
        """Return whether a scheduler or another worker has announced itself and lives."""
        pids = database.execute(_RESCUERS, (dead,)).fetchall()
        return any(Path(f"/proc/{pid}").exists() for (pid,) in pids)


def run(options: Options) -> Report:
    """Kill, wait, check."""
    workspace = Workspace(options.folder / "ws")
    workspace.make()
    (workspace.root / "agent.yaml").write_text(fill.NO_MODEL)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    drill = Drill(workspace, port, random.Random(options.seed))
    drill.revive()
    stop = threading.Event()
    savers = [Saver(f"saver{n}", port, Corpus(options.seed, f"s{n}-"), stop) for n in range(SAVERS)]
    for saver in savers:
        saver.start()
    rounds = options.rounds or ROUNDS
    try:
        while (kills := drill.kills.total()) < rounds:
            time.sleep(drill.chance.uniform(*PAUSE_SECONDS))
            drill.strike()
            if drill.kills.total() > kills and drill.kills.total() % 20 == 0:
                print(f"{drill.kills.total()} kills", file=sys.stderr)
        drill.revive()
    finally:
        stop.set()
        for saver in savers:
            saver.join()
    took = settle(workspace.database)
    control.stop(workspace)
    return _report(drill, savers, took)


def settle(database: Path) -> float:
    """Wait until no job is open or none ends any more; return the seconds."""
    began = changed = time.monotonic()
    connection = connect(database, read_only=True)
    last = -1
    while time.monotonic() - changed < SETTLE_SECONDS:
        left = int(connection.execute(_OPEN).fetchone()[0])
        if not left:
            break
        if left != last:
            last, changed = left, time.monotonic()
        time.sleep(0.1)
    connection.close()
    return time.monotonic() - began


def _report(drill: Drill, savers: list[Saver], settle: float) -> Report:
    report = Report(("hit", *WAYS))
    report.rows += [[name, *(drill.kills[name, way] for way in WAYS)] for name in TARGETS]
    acknowledged = {key: text for saver in savers for key, text in saver.acknowledged.items()}
    database = connect(drill.workspace.database, read_only=True)
    kept = dict(database.execute("SELECT id, content FROM memories").fetchall())
    found = {name: float(database.execute(sql).fetchone()[0]) for name, sql in COUNTS.items()}
    proposals, written = (database.execute(sql).fetchone()[0] for sql in (_PROPOSALS, _WRITTEN))
    report.figures |= {
        "kills": float(drill.kills.total()),
        "answered_200": float(len(acknowledged)),
        "unanswered": float(sum(saver.unanswered for saver in savers)),
        "lost": float(sum(kept.get(key) != text for key, text in acknowledged.items())),
        **found,
        "effects_without_completion": float(abs(proposals - written)),
        "integrity_problems": float(
            database.execute("PRAGMA integrity_check").fetchone()[0] != "ok"
        ),
        "failed_starts": float(drill.failed_starts),
        "stopped_with_lock": float(drill.stopped_with_lock),
        "worst_heal_seconds": max(drill.heals, default=math.nan),
        "releases_measured": float(len(drill.releases)),
        "worst_leased_seconds": max((took for took, _ in drill.releases), default=math.nan),
        "worst_release_seconds": max((took for _, took in drill.releases), default=math.nan),
        "settle_seconds": settle,
    }
    dead = database.execute(
        "SELECT last_error_code, COUNT(*) FROM memory_jobs WHERE status = 'dead' GROUP BY 1"
    ).fetchall()
    database.close()
    report.notes += [f"{count} jobs died of {code}" for code, count in dead]
    return report
