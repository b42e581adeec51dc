"""One PostgreSQL server with 1, 2 and 4 API processes and workers, its queue next to peers, and a large store.

Each API and each worker is a separate host, with its own workspace, over 10,000 memories (`--count`; a second number
is the size of the large store). All processes and the load clients share this machine, so on few processors the rows
show what processes on one server cost each other, not what more hosts add.

The large store has memories of 50 owners. Without a second number its size is what is built in ten minutes at the rate
at which the first store was built, at most a million.
"""

import json
import random
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from loadtests import bulk, fill, measure
from loadtests.client import Load, Tally, collect
from loadtests.corpus import Corpus
from loadtests.peers import Contender, server_contenders
from loadtests.postgres_server import Server, serving
from loadtests.report import Options, Report
from loadtests.stack import API, READY_SECONDS, SCHEDULER, WORKER, Stack

from signet import clock, engine
from signet.db import Database
from signet.db.driver import connect
from signet.db.postgres import moving
from signet.paths import Workspace
from signet.queue import pauses

MEMORIES = 10_000
PROCESSES = (1, 2, 4)
ROUNDS = 3
JOBS = 1_000
QUESTIONS = 400
#: Concurrent clients of each API, and milliseconds between the prompts of one.
RECALLERS, SAVERS, PROMPT_EVERY = 4, 8, 0.1
WARM_SECONDS = 2.0
DRAIN_SECONDS = 60.0
#: Memories saved while no worker runs, in addition to the measured saves.
BACKLOG = 400
OWNERS = 50
MOST, BUILD_SECONDS = 1_000_000, 600.0
COLUMNS = ("processes", "recalls/s", "p95 ms", "prompts p50", "p95 ms", "saves/s", "jobs/s")

#: More than the server's default: four APIs and workers have up to 15 connections each.
_SETTINGS = {"max_connections": "300", "shared_buffers": "256MB"}
_OPEN = "SELECT count(*) FROM memory_jobs WHERE job_type = 'extract' AND status IN ('pending', 'leased')"
_WORKERS = "SELECT count(*) FROM processes WHERE kind = 'worker'"
_OWN = f"UPDATE memories SET agent_id = 'owner' || (seq % {OWNERS}), visibility = 'private'"


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    counts = options.counts or (MEMORIES,)
    questions = _questions(bulk.store(counts[0]), options.seed)
    with serving(_SETTINGS) as server:
        url = server.database()
        rate = _fill(server, url, bulk.store(counts[0]))
        report.figures["rows_per_second"] = rate
        _say(f"{rate:.0f} memories a second copied")
        for number in PROCESSES:
            _scale(report, options, url, number, questions)
        _queues(report, options, server)
        _say(f"queues: {report.figures}")
        most = counts[1] if len(counts) > 1 else min(MOST, int(rate * BUILD_SECONDS))
        _large(report, options, server, most, questions)
    return report


def _questions(store: Workspace, seed: int) -> list[str]:
    """Return questions with four words of a memory each."""
    chance = random.Random(seed)
    with closing(connect(store.database, read_only=True)) as file:
        texts = [
            text for (text,) in file.execute("SELECT content FROM memories ORDER BY seq LIMIT 5000")
        ]
    return [
        "what about the " + " ".join(chance.sample(chance.choice(texts).split(), 4))
        for _ in range(QUESTIONS)
    ]


def _fill(server: Server, url: str, store: Workspace) -> float:
    """Copy a store to the server, and return the memories per second."""
    began = time.monotonic()
    with closing(moving.opened(url)) as target:
        moving.load_file(store.database, target)
        moving.look_over(target)
    with closing(connect(store.database, read_only=True)) as file:
        count = int(file.execute("SELECT count(*) FROM memories").fetchone()[0])
    return count / (time.monotonic() - began)


def _scale(
    report: Report, options: Options, url: str, number: int, questions: Sequence[str]
) -> None:
    with ExitStack() as started:
        hosts = [
            started.enter_context(
                Stack(options.folder / f"{number}-{at}", settings=fill.NO_MODEL, url=url)
            )
            for at in range(number)
        ]
        for host in hosts:
            host.start(API)
        recall = [json.dumps({"query": one}) for one in questions]
        _together(options, hosts, "/api/memory/recall", recall, RECALLERS, seconds=WARM_SECONDS)
        recalls = _together(options, hosts, "/api/memory/recall", recall, RECALLERS)
        prompts = _together(
            *(options, hosts, "/api/hooks/user-prompt-submit", _prompts(number, questions), 1),
            every=PROMPT_EVERY,
        )
        db = Database(hosts[0].workspace.database)
        started.callback(db.close)
        db.write(pauses.pause, now=clock.now(), actor="loadtest")
        saves = _together(options, hosts, "/api/memory/remember", [], SAVERS)
        backlog = Corpus(options.seed, f"backlog{number}-")
        fill.memories(hosts[0].workspace, backlog, BACKLOG, jobs=True)
        jobs = _drained(db, hosts)
    delays = [ms for tally in prompts for ms in tally.latencies_ms]
    figures = {
        "recalls": sum(tally.per_second for tally in recalls),
        "recall_p95": measure.percentile([ms for one in recalls for ms in one.latencies_ms], 95),
        "prompt_p50": measure.percentile(delays, 50),
        "prompt_p95": measure.percentile(delays, 95),
        "saves": sum(tally.per_second for tally in saves),
        "jobs": jobs,
    }
    refused = sum(
        count
        for tally in (*recalls, *prompts, *saves)
        for status, count in tally.statuses.items()
        if status != "200"
    )
    report.rows.append([number, *figures.values()])
    _say(f"{number}: {figures}")
    report.figures |= {f"{name}_{number}": value for name, value in figures.items()}
    report.figures["refused"] = report.figures.get("refused", 0.0) + refused


def _prompts(number: int, questions: Sequence[str]) -> list[str]:
    """Return the bodies of prompts, each the first one of a session."""
    said = {"harness": "claude-code", "project": "/work/heron", "runtimePath": "legacy"}
    return [
        json.dumps({**said, "sessionKey": f"{number}-{at}", "userPrompt": one})
        for at, one in enumerate(questions)
    ]


def _together(
    options: Options,
    hosts: Sequence[Stack],
    path: str,
    bodies: Sequence[str],
    clients: int,
    *,
    seconds: float = 0.0,
    every: float = 0.0,
) -> list[Tally]:
    """Send requests to all hosts at once, each from a client process, and return the results of each."""
    started = []
    for at, host in enumerate(hosts):
        file = options.folder / f"bodies-{at}"
        file.write_text("\n".join(bodies[at :: len(hosts)]))
        load = Load(
            port=host.port,
            path=path,
            kind="recall" if bodies else "remember",
            seconds=seconds or options.seconds,
            clients=clients,
            every=every,
            name=f"{len(hosts)}{at}-",
            bodies=str(file) if bodies else "",
        )
        started.append(load.start())
    return [collect(client) for client in started]


def _drained(db: Database, hosts: Sequence[Stack]) -> float:
    """Run the waiting extractions with a worker on each host, and return how many ended per second."""
    for host in hosts:
        host.start(WORKER)
    hosts[0].start(SCHEDULER)
    until = time.monotonic() + READY_SECONDS
    while db.read(lambda tx: tx.value(_WORKERS)) < len(hosts) and time.monotonic() < until:
        time.sleep(0.1)
    waiting = int(db.read(lambda tx: tx.value(_OPEN)))
    db.write(pauses.resume)
    began, left = time.monotonic(), waiting
    while left and time.monotonic() - began < DRAIN_SECONDS:
        time.sleep(0.1)
        left = int(db.read(lambda tx: tx.value(_OPEN)))
    return (waiting - left) / (time.monotonic() - began)


def _queues(report: Report, options: Options, server: Server) -> None:
    """Drain no-op jobs with our queue and the peers, in turns."""
    playing, missing = server_contenders(server, options.folder, options.peers_python)
    report.notes += missing
    drains: dict[str, list[float]] = {one.name: [] for one in playing}
    for _ in range(options.rounds or ROUNDS):
        for one in playing:
            drains[one.name].append(_drain(one))
    for name, rates in drains.items():
        report.figures[f"drain_{name}"] = rate = measure.median(rates)
        if name != "ours":
            report.figures[f"drain_vs_{name}"] = measure.ratio(report.figures["drain_ours"], rate)


def _drain(one: Contender) -> float:
    place = one.fresh()
    one.start("send", place, JOBS).result()
    began = sorted(at for _, at in one.start("work", place, JOBS).result()["began"])
    return float((len(began) - 1) / (began[-1] - began[0]))


def _large(
    report: Report, options: Options, server: Server, count: int, questions: Sequence[str]
) -> None:
    """Ask the memories of single owners in a large store."""
    owned = _owned(options.folder, count)
    url = server.database()
    began = time.monotonic()
    _fill(server, url, owned)
    bodies = [
        json.dumps({"query": one, "agentId": f"owner{at % OWNERS}"})
        for at, one in enumerate(questions)
    ]
    with Stack(options.folder / "large", settings=fill.NO_MODEL, url=url) as host:
        host.start(API)
        _together(options, [host], "/api/memory/recall", bodies, 1, seconds=WARM_SECONDS)
        [tally] = _together(options, [host], "/api/memory/recall", bodies, 1)
    report.figures |= {
        "large_memories": float(count),
        "large_build_seconds": time.monotonic() - began,
        "large_recall_p50": tally.at(50),
        "large_recall_p95": tally.at(95),
    }


def _say(text: str) -> None:
    """Print the progress of a long run."""
    print(text, file=sys.stderr, flush=True)


def _owned(folder: Path, count: int) -> Workspace:
    """Return a copy of a store whose memories belong to owners."""
    source, owned = bulk.store(count), Workspace(folder / "owned")
    owned.make()
    with closing(connect(source.database, read_only=True)) as file:
        file.execute("VACUUM INTO ?", (str(owned.database),))
    engine.use(owned.database, None)
    with closing(connect(owned.database)) as file:
        file.execute(_OWN)
    return owned
