"""One memory from several machines: a day with an unreachable daemon, and what arrives afterwards.

Five machines are five homes, each connected with its own key to one daemon in team mode; 50 clients (`--count`) run
the real commands. Each saves something while the daemon runs; then the daemon is killed. During a simulated day
(waiting calls are dated back over it) each client saves twice and plays a session whose end and summary wait. When
the daemon runs again, every client of a machine calls a hook at once, and the first one that delivers is killed.

Counts what arrived too rarely (`lost`) or too often (`doubled`), and on idle machines the time of a hook while the
daemon is down; the floor is a Python that does nothing.
"""

import contextlib
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from loadtests import measure
from loadtests.fill import NO_MODEL
from loadtests.report import Options, Report
from loadtests.stack import SOURCES

from signet.db.driver import connect
from signet.paths import Workspace

MACHINES, CLIENTS = 5, 50
#: Concurrent commands, each a process.
AT_ONCE = 4
#: Timed hooks of each kind.
TIMED = 10
DAY_SECONDS = 86_400
#: Maximum seconds until the day has arrived.
ARRIVE_SECONDS = 180.0
#: Seconds after which a delivering process is killed.
KILLED_AFTER = 0.4
HOOKS = ("session-start", "user-prompt-submit", "session-end")
FLOOR = "python that does nothing"
COLUMNS = ("what", "calls", "p50 ms", "p95 ms", "worst ms", "processor ms")
_SESSIONS = "SELECT session_id, COUNT(*) FROM summary_jobs GROUP BY session_id"


@dataclass(frozen=True, slots=True)
class Machine:
    """One home; `run` runs a command in it and returns the result."""

    home: Path

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.home / ".agents")

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, "HOME": str(self.home), "PYTHONPATH": os.pathsep.join(map(str, SOURCES))}

    def start(self, *words: str, said: object = None) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "signet.cli.main", *words],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write("" if said is None else json.dumps(said))
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, *words: str, said: object = None) -> str:
        process = self.start(*words, said=said)
        out, err = process.communicate(timeout=120)
        if process.returncode:
            raise RuntimeError(f"signet {' '.join(words)}: {err or out}")
        return out

    def hook(self, name: str, key: str, **said: object) -> str:
        body = {"session_id": key, "cwd": "/work/heron", **said}
        return self.run("hook", name, "-H", "claude-code", said=body)


def run(options: Options) -> Report:
    """Play the day and report."""
    report = Report(COLUMNS)
    with _daemon(options.folder / "server") as (server, start, kill, url):
        machines = [_connected(options.folder / f"m{n}", server, url) for n in range(MACHINES)]
        of = {f"c{n}": machines[n % MACHINES] for n in range(options.count or CLIENTS)}
        said: list[str] = []
        _each(of, lambda name, machine: said.append(_save(machine, f"{name} in the morning")))
        _each(of, lambda name, machine: machine.hook("session-start", f"{name}-early") and None)
        kill()
        _each(of, lambda name, machine: said.extend(_day(name, machine)))
        waiting = sum(_date_back(machine, options.seed) for machine in machines)
        times = _timed(machines[0])
        start()
        began = time.monotonic()
        _killed_at_it(machines[0])
        _each(of, lambda name, machine: machine.hook("session-start", f"{name}-late") and None)
        arrived = _await(machines, began)
        found = _found(server.workspace)
    sessions = [f"{name}-day" for name in of]
    counts = Counter(said), Counter(sessions)
    lost = sum(max(0, n - found[one]) for part in counts for one, n in part.items())
    doubled = sum(max(0, found[one] - n) for part in counts for one, n in part.items())
    for name, took in times.items():
        walls, processor = zip(*took, strict=True)
        shown = [measure.percentile(walls, percent) for percent in (50, 95)]
        report.rows.append([name, len(took), *shown, max(walls), measure.median(processor)])
    report.figures |= {
        "said": float(len(said) + len(sessions)),
        "waited": float(waiting),
        "lost": float(lost),
        "doubled": float(doubled),
        "arrived_seconds": arrived,
        "start_p95_ms": measure.percentile([one for one, _ in times["session-start"]], 95),
        "prompt_p50_ms": measure.median(one for one, _ in times["user-prompt-submit"]),
        "end_p50_ms": measure.median(one for one, _ in times["session-end"]),
        "hook_processor_ms": max(measure.median(one for _, one in times[name]) for name in HOOKS),
    }
    return report


@contextlib.contextmanager
def _daemon(
    home: Path,
) -> Iterator[tuple[Machine, Callable[[], None], Callable[[], None], str]]:
    """Return a machine with a daemon in team mode, functions that start and kill it, and its address."""
    server = Machine(home)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server.workspace.root.mkdir(parents=True)
    (server.workspace.root / "agent.yaml").write_text(f"{NO_MODEL}\nauth: {{mode: team}}\n")

    def start() -> None:
        server.run("daemon", "start", "--port", str(port))

    def kill() -> None:
        state = json.loads(server.workspace.state_file.read_text())
        os.kill(state["pid"], signal.SIGKILL)
        until = time.monotonic() + 30
        while (
            time.monotonic() < until and server.run("daemon", "stop") != "Daemon is not running\n"
        ):
            time.sleep(0.2)

    start()
    try:
        yield server, start, kill, f"http://127.0.0.1:{port}"
    finally:
        server.run("daemon", "stop")


def _connected(home: Path, server: Machine, url: str) -> Machine:
    machine = Machine(home)
    home.mkdir()
    made = server.run("auth", "token", "create", "--name", home.name, "--days", "30", "--json")
    machine.run("connect", url, "--key", str(json.loads(made)["token"]))
    return machine


def _each(of: dict[str, Machine], work: Callable[[str, Machine], object]) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(work, of.keys(), of.values()):
            pass


def _save(machine: Machine, text: str) -> str:
    text = f"The heron log of {text} says calm water."
    machine.run("remember", text)
    return text


def _day(name: str, machine: Machine) -> list[str]:
    """Play a client's day and return its saved texts."""
    key = f"{name}-day"
    machine.hook("session-start", key)
    first = _save(machine, f"{name} at noon")
    machine.hook("user-prompt-submit", key, prompt="What does the log say?")
    summary = f"The heron summary of {name} says rising water."
    machine.run(
        "hook", "compaction-complete", "-H", "claude-code",
        said={"session_id": key, "cwd": "/work/heron", "summary": summary},
    )  # fmt: skip
    log = machine.home / f"{key}.jsonl"
    turns = [
        {"role": role, "content": f"{name} says {number}: " + "The water is calm today. " * 6}
        for number in range(4)
        for role in ("user", "assistant")
    ]
    log.write_text("\n".join(map(json.dumps, turns)))
    machine.hook("session-end", key, transcript_path=str(log), reason="other")
    log.unlink()
    return [first, _save(machine, f"{name} in the evening"), summary]


def _date_back(machine: Machine, seed: int) -> int:
    """Date the waiting calls back over a day, in order; return their number."""
    draw = random.Random(f"{seed}-{machine.home.name}")
    files = sorted(machine.workspace.spool_dir.glob("*.json"))
    ages = sorted((draw.random() * DAY_SECONDS for _ in files), reverse=True)
    for file, age in zip(files, ages, strict=True):
        os.utime(file, (time.time() - age,) * 2)
    return len(files)


def _timed(machine: Machine) -> dict[str, list[tuple[float, float]]]:
    """Return ms, and ms of processor time, of hooks without a daemon and of a Python that does nothing, in turns.

    On a busy machine only the second is meaningful.
    """
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in (*HOOKS, FLOOR)}
    for number in range(TIMED):
        said = {"session_id": f"timed-{number}", "prompt": "What does the log say?"}
        for name, found in took.items():
            before, began = _processor_seconds(), time.perf_counter()
            if name == FLOOR:
                subprocess.run([sys.executable, "-c", "pass"], check=True)
            else:
                machine.run("hook", name, "-H", "claude-code", said=said)
            seconds = time.perf_counter() - began
            found.append((seconds * 1_000, (_processor_seconds() - before) * 1_000))
    return took


def _processor_seconds() -> float:
    """Return the processor time of ended processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _killed_at_it(machine: Machine) -> None:
    """Kill a delivering process in the middle."""
    process = machine.start("connect")
    time.sleep(KILLED_AFTER)
    process.kill()
    process.communicate()


def _await(machines: list[Machine], began: float) -> float:
    """Return the seconds until nothing waited; NaN if something still does."""
    while time.monotonic() - began < ARRIVE_SECONDS:
        if not any(list(one.workspace.spool_dir.glob("*.json")) for one in machines):
            return time.monotonic() - began
        for one in machines:
            one.hook("session-start", f"look-{time.monotonic_ns()}")
        time.sleep(0.5)
    return float("nan")


def _found(workspace: Workspace) -> Counter[str]:
    """Return how often each text was saved, and which sessions can be read."""
    database = connect(workspace.database, read_only=True)
    try:
        found = Counter(
            str(row[0])
            for row in database.execute("SELECT content FROM memories WHERE content LIKE '%heron%'")
        )
        for key, number in database.execute(_SESSIONS):
            found[str(key)] += number
    finally:
        database.close()
    return found
