"""A drill on a PostgreSQL server: two hosts, each with a daemon, while memories are saved and sessions end.

In random order (`--seed`) it kills a host's API, worker or scheduler (100 times, `--rounds`), restarts the server (one
in ten kills), and lets the server end a connection (one in two kills). Twice a worker that holds jobs is cut off for
longer than their lease: once its host's network falls silent (proxy.py), once the worker is stopped. The drill
repairs nothing. Afterwards nothing may be lost, duplicated or stuck.
"""

import contextlib
import math
import os
import random
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from loadtests.corpus import Corpus
from loadtests.postgres_server import Server, serving
from loadtests.proxy import Proxy
from loadtests.report import Options, Report
from loadtests.scenarios.crash import COUNTS, Saver, settle
from loadtests.scenarios.machines import Machine

from signet import engine
from signet.daemon import processes, record
from signet.db.driver import Connection, connect
from signet.process import backoff

KILLS = 100
PROGRAMS = ("api", "worker", "scheduler")
SAVERS = 2
#: One in this many requests ends a session; the others save.
ENDS = 4
PAUSE_SECONDS = (0.2, 1.5)
#: Range of seconds for which the server is stopped.
AWAY_SECONDS = (0.0, 3.0)
#: The shortest lease that can be set, and how long a worker is cut off: longer than the server waits for a silent
#: process (30 s), and than the lease.
LEASE_MS, CUT_SECONDS = 10_000, 45.0
#: Attempts to meet a worker that holds jobs.
TRIES = 200

_SETTINGS = (
    "memory:\n  pipelineV2: {{worker: {{leaseTimeoutMs: {lease}}}}}\n"
    "embedding: {{provider: none}}\nbackup: {{daily: false}}\nstorage: {{url: '{url}'}}\n"
)
_HELD = "SELECT count(*) FROM memory_jobs WHERE lease_owner = '{owner}' AND status = 'leased'"
_OWNER = "SELECT owner FROM processes WHERE pid = {pid} AND kind = 'worker' ORDER BY started_at DESC LIMIT 1"
_BACKENDS = """
SELECT pid FROM pg_stat_activity
 WHERE datname = '{name}' AND backend_type = 'client backend' AND application_name = 'signet' ORDER BY pid"""
_TEXTS_TWICE = """
SELECT count(*) FROM (SELECT 1 FROM memories WHERE source_type = 'manual' GROUP BY content HAVING count(*) > 1)"""
_READ = "SELECT session_id, count(*) FROM summary_jobs WHERE status = 'done' GROUP BY session_id"
_PROCESSES = "SELECT count(*) FROM processes"
#: Maximum seconds until the rows of ended processes are deleted.
_ROW_SECONDS = 60.0


class Client(Saver):
    """Saves texts and ends sessions at one host, each once."""

    def __init__(self, name: str, port: int, corpus: Corpus, stop: threading.Event) -> None:
        super().__init__(name, port, corpus, stop)
        self.ended: dict[str, str] = {}

    def act(self, number: int, content: str) -> None:
        """Save a text, or end a session in which it was said."""
        if number % ENDS:
            super().act(number, content)
            return
        key = f"{self.name}-{number}"
        said = {
            "harness": "claude-code",
            "sessionKey": key,
            "project": "/work/heron",
            "reason": "other",
            "transcript": f"User: What about {key}?\nAssistant: {content}",
        }
        if self.post("/api/hooks/session-end", said) is not None:
            self.ended[key] = content


@dataclass(slots=True)
class Host:
    """One host: its home, and the address by which it reaches the server."""

    machine: Machine
    port: int

    def start(self, url: str) -> None:
        """Make the workspace and start the daemon."""
        self.machine.workspace.make()
        settings = self.machine.workspace.root / "agent.yaml"
        settings.write_text(_SETTINGS.format(lease=LEASE_MS, url=url))
        self.machine.run("daemon", "start", "--port", str(self.port))

    def pid(self, program: str) -> int | None:
        """Return the process of a program, None while it does not run."""
        found = processes.processes(self.machine.workspace)
        return next(
            (one.pid for one in found if one.name == program and one.state == "running"), None
        )


@dataclass(slots=True)
class Drill:
    """The hosts, the server, and counts of the events."""

    server: Server
    name: str
    hosts: list[Host]
    proxy: Proxy
    chance: random.Random
    kills: Counter[tuple[str, str]] = field(default_factory=Counter)
    restarts: int = 0
    ended: int = 0
    #: By the way it was cut off, seconds until no lease of the worker was left.
    releases: dict[str, float] = field(default_factory=dict)

    def kill(self) -> bool:
        """Kill a program of a host; return whether there was one."""
        number = self.chance.randrange(len(self.hosts))
        program = self.chance.choice(PROGRAMS)
        pid = self.hosts[number].pid(program)
        if pid is None:
            return False  # not yet replaced after an earlier kill
        # A supervisor waits up to 30 s before it starts a program again that crashes often.
        backoff.forget(self.hosts[number].machine.workspace.runtime_dir)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.kills[f"host {number + 1}", program] += 1
            return True
        return False

    def restart(self) -> bool:
        """Restart the server, every other time as after a crash."""
        self.server.stop(signal.SIGQUIT if self.restarts % 2 else signal.SIGINT)
        time.sleep(self.chance.uniform(*AWAY_SECONDS))
        self.server.start()
        self.restarts += 1
        return True

    def end(self) -> bool:
        """Let the server end one connection of a host."""
        found = self.server.rows(_BACKENDS.format(name=self.name))
        if not found:
            return False
        [(was_ended,)] = self.server.rows(
            f"SELECT pg_terminate_backend({self.chance.choice(found)[0]})"
        )
        self.ended += was_ended
        return bool(was_ended)

    def cut_network(self) -> bool:
        """Let the second host's network fall silent while its worker holds jobs."""
        return self._cut("network", self.hosts[1], self.proxy.fall_silent, self.proxy.pass_again)

    def stop_worker(self) -> bool:
        """Stop the first host's worker while it holds jobs, and its supervisor, which would replace it."""
        supervisor = record.running(self.hosts[0].machine.workspace)
        worker = self.hosts[0].pid("worker")
        if supervisor is None or worker is None:
            return False

        def signalled(which: signal.Signals) -> None:
            # The worker continues first, else its supervisor would replace it at once.
            for pid in (
                (supervisor.pid, worker) if which is signal.SIGSTOP else (worker, supervisor.pid)
            ):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, which)

        return self._cut(
            "stopped",
            self.hosts[0],
            lambda: signalled(signal.SIGSTOP),
            lambda: signalled(signal.SIGCONT),
        )

    def _cut(self, way: str, host: Host, cut: Callable[[], None], mend: Callable[[], None]) -> bool:
        pid = host.pid("worker")
        rows = self._rows(_OWNER.format(pid=pid)) if pid else []
        if not rows:
            return False
        held = _HELD.format(owner=rows[0][0])
        for _ in range(TRIES):
            cut()
            began = time.monotonic()
            time.sleep(0.05)  # what was under way has arrived
            if self._rows(held) != [(0,)]:
                break
            mend()
            time.sleep(self.chance.uniform(0.01, 0.1))
        else:
            return False
        print(f"cut off: {host.machine.home.name}", file=sys.stderr)
        while time.monotonic() - began < CUT_SECONDS:
            if way not in self.releases and self._rows(held) == [(0,)]:
                self.releases[way] = time.monotonic() - began
            time.sleep(0.1)
        mend()
        return True

    def _rows(self, sql: str) -> list[tuple[object, ...]]:
        return self.server.rows(sql, self.name)


def run(options: Options) -> Report:
    """Kill, cut, wait, check."""
    kills = options.rounds or KILLS
    stop = threading.Event()
    with _two_hosts(options) as drill:
        clients = [
            Client(f"h{number}c{n}", host.port, Corpus(options.seed, f"h{number}c{n}-"), stop)
            for number, host in enumerate(drill.hosts)
            for n in range(SAVERS)
        ]
        for client in clients:
            client.start()
        try:
            _play(drill, kills)
        finally:
            stop.set()
            for client in clients:
                client.join()
        database = drill.hosts[0].machine.workspace.database
        engine.use(database, drill.server.address(drill.name))
        took = settle(database)
        return _report(drill, clients, took, database)


@contextlib.contextmanager
def _two_hosts(options: Options) -> Iterator[Drill]:
    """Run a server with its usual limit of connections, and two hosts; the second one uses the proxy."""
    with serving() as server, contextlib.ExitStack() as stack:
        url = server.database()
        name = url.rpartition("/")[2]
        proxy = Proxy(server.port)
        stack.callback(proxy.close)
        hosts = []
        for number, address in enumerate((url, server.address(name, port=proxy.port)), 1):
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            host = Host(Machine(options.folder / f"host{number}"), port)
            stack.callback(host.machine.run, "daemon", "stop")
            host.start(address)
            hosts.append(host)
        yield Drill(server, name, hosts, proxy, random.Random(options.seed))


def _play(drill: Drill, kills: int) -> None:
    """Do everything once, in random order; what meets nothing to hit is tried again."""
    events = [drill.kill] * kills + [drill.restart] * (kills // 10) + [drill.end] * (kills // 2)
    events += [drill.cut_network, drill.stop_worker]
    drill.chance.shuffle(events)
    for done, event in enumerate(events, 1):
        for _ in range(TRIES):
            time.sleep(drill.chance.uniform(*PAUSE_SECONDS))
            if event():
                break
        else:
            raise RuntimeError(f"{event.__name__}: nothing to hit")
        if done % 20 == 0:
            print(f"{done} of {len(events)} events", file=sys.stderr)


def _report(drill: Drill, clients: list[Client], took: float, database: Path) -> Report:
    report = Report(("host", *PROGRAMS))
    names = [f"host {number}" for number, _ in enumerate(drill.hosts, 1)]
    report.rows += [[name, *(drill.kills[name, one] for one in PROGRAMS)] for name in names]
    saved = {key: text for client in clients for key, text in client.acknowledged.items()}
    ended = {key: text for client in clients for key, text in client.ended.items()}
    rows = connect(database, read_only=True)
    kept = dict(map(tuple, rows.execute("SELECT id, content FROM memories").fetchall()))
    told = dict(
        map(tuple, rows.execute("SELECT session_key, content FROM session_transcripts").fetchall())
    )
    read = dict(map(tuple, rows.execute(_READ).fetchall()))
    found = {name: float(rows.execute(sql).fetchone()[0]) for name, sql in COUNTS.items()}
    report.figures |= {
        "kills": float(drill.kills.total()),
        "server_restarts": float(drill.restarts),
        "connections_ended": float(drill.ended),
        "saves": float(len(saved)),
        "session_ends": float(len(ended)),
        "unanswered": float(sum(client.unanswered for client in clients)),
        "lost": float(sum(kept.get(key) != text for key, text in saved.items())),
        "texts_twice": float(rows.execute(_TEXTS_TWICE).fetchone()[0]),
        "sessions_lost": float(sum(text not in told.get(key, "") for key, text in ended.items())),
        "sessions_unread": float(sum(not read.get(key) for key in ended)),
        "sessions_read_twice": float(sum(number > 1 for number in read.values())),
        **found,
        "processes_left": _processes_left(rows),
        "settle_seconds": took,
        "network_release_seconds": drill.releases.get("network", math.inf),
        "stopped_release_seconds": drill.releases.get("stopped", math.inf),
    }
    dead = rows.execute(
        "SELECT last_error_code, COUNT(*) FROM memory_jobs WHERE status = 'dead' GROUP BY 1"
    ).fetchall()
    rows.close()
    report.notes += [f"{count} jobs died of {code}" for code, count in dead]
    return report


def _processes_left(rows: Connection) -> float:
    """Return how many rows of processes there are beyond those that run, after waiting for it."""
    until = time.monotonic() + _ROW_SECONDS
    while True:
        more = int(rows.execute(_PROCESSES).fetchone()[0]) - 2 * len(PROGRAMS)
        if more == 0 or time.monotonic() > until:
            return float(more)
        time.sleep(0.5)
