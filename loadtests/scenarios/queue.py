"""The queue against named peers: durable enqueue, drain, processor time per job, time from enqueue to start.

Each contender has one sending process and one worker process of eight threads; the jobs do nothing. Contenders take
turns; figures are medians of the rounds. Extending a file costs the file system more than overwriting it: a round
sends and drains its jobs twice, `new` is the first time, the rest is a queue in use. The time to start counts from
before the enqueue and includes the commit; `committed` counts from when the sender knows of the commit.
"""

import time
from collections import defaultdict
from pathlib import Path

from loadtests import measure
from loadtests.peers import Contender, contenders
from loadtests.report import Options, Report

from signet import clock
from signet.db import WriteTx, migrate
from signet.db.driver import connect
from signet.queue import NewJob, enqueue

ROUNDS = 3
JOBS = 5_000
BUSY_JOBS = 2_000
#: Jobs sent to an idle worker, and seconds of rest before each.
IDLE_JOBS, IDLE_PAUSE = 100, 0.05
SILENT_JOBS, SILENT_PAUSE = 4, 2.0

COLUMNS = (
    "queue",
    "new enqueue/s",
    "enqueue/s",
    "drain/s",
    "CPU µs/job",
    "idle p50 ms",
    "idle p99",
    "committed p50",
    "committed p99",
    "silent p50",
    "busy p50",
    "busy p99",
)

#: Figures of one contender by name, one value per round.
Figures = dict[str, list[float]]


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    jobs = options.count or JOBS
    found: dict[str, Figures] = defaultdict(lambda: defaultdict(list))
    with contenders(options.folder, options.peers_python) as (playing, missing):
        report.notes += missing
        for _ in range(options.rounds or ROUNDS):
            for contender in playing:
                _one_round(contender, jobs, found[contender.name])
    medians = {
        name: {figure: measure.median(values) for figure, values in figures.items()}
        for name, figures in found.items()
    }
    report.rows += [[name, *figures.values()] for name, figures in medians.items()]
    ours, floor = medians["ours"], options.folder / "floor.db"
    migrate.upgrade(floor, now=clock.now())
    enqueued, drained = _enqueue_floor(floor, jobs), _drain_floor(floor, jobs)
    report.rows.append(["bare SQLite", "-", enqueued, drained, *["-"] * 8])
    report.figures |= ours | {
        "enqueue_floor_ratio": ours["enqueue"] / enqueued,
        "drain_floor_ratio": ours["drain"] / drained,
    }
    for name, figures in medians.items():
        if name != "ours":
            report.figures |= {
                f"{figure}_vs_{name}": measure.ratio(medians["ours"][figure], value)
                for figure, value in figures.items()
            }
    return report


def _one_round(contender: Contender, jobs: int, figures: Figures) -> None:
    place = contender.fresh()
    for figure in ("new_enqueue", "enqueue"):
        sent = contender.start("send", place, jobs).result()["sent"]
        figures[figure].append(jobs / (sent[-1][2] - sent[0][1]))
        drained = contender.start("work", place, jobs).result()
    began = sorted(instant for _, instant in drained["began"])
    figures["drain"].append((len(began) - 1) / (began[-1] - began[0]))
    figures["cpu_us"].append(drained["cpu_seconds"] * 1e6 / jobs)
    idle, committed = _latencies(contender, IDLE_JOBS, IDLE_PAUSE)
    figures["idle_p50"].append(measure.percentile(idle, 50))
    figures["idle_p99"].append(measure.percentile(idle, 99))
    figures["committed_p50"].append(measure.percentile(committed, 50))
    figures["committed_p99"].append(measure.percentile(committed, 99))
    silent, _ = _latencies(contender, SILENT_JOBS, SILENT_PAUSE)
    figures["silent_p50"].append(measure.percentile(silent, 50))
    busy, _ = _latencies(contender, BUSY_JOBS, 0)
    figures["busy_p50"].append(measure.percentile(busy, 50))
    figures["busy_p99"].append(measure.percentile(busy, 99))


def _latencies(contender: Contender, count: int, pause: float) -> tuple[list[float], list[float]]:
    """Return ms from before and from after the enqueue to the first line of each job."""
    place = contender.fresh()
    worker = contender.start("work", place, count)
    sent = contender.start("send", place, count, pause).result()["sent"]
    began = dict(worker.result()["began"])
    return (
        [(began[number] - before) * 1000 for number, before, _ in sent],
        [max(began[number] - after, 0.0) * 1000 for number, _, after in sent],
    )


def _enqueue_floor(database: Path, jobs: int) -> float:
    """Return rows of our jobs per second in bare synced transactions, over a log of full size."""
    connection = connect(database)
    connection.execute("PRAGMA synchronous = FULL")
    tx = WriteTx(connection)
    for _ in ("new", "in use"):
        began = time.perf_counter()
        for number in range(jobs):
            connection.execute("BEGIN IMMEDIATE")
            enqueue(tx, NewJob(kind="noop", payload={"number": number}), now=clock.now())
            connection.execute("COMMIT")
        seconds = time.perf_counter() - began
    connection.close()
    return jobs / seconds


def _drain_floor(database: Path, jobs: int) -> float:
    """Return jobs per second of one thread that claims and completes each job in two bare transactions."""
    connection = connect(database)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE floor (id INTEGER PRIMARY KEY, status TEXT, token INTEGER)")
    rows = [(number,) for number in range(jobs)]
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO floor VALUES (?, 'pending', 0)", rows)
    connection.execute("CREATE INDEX due ON floor (id) WHERE status = 'pending'")
    connection.execute("COMMIT")
    began = time.perf_counter()
    for _ in range(jobs):
        found = connection.execute(
            "UPDATE floor SET status = 'leased', token = token + 1 WHERE id ="
            " (SELECT id FROM floor WHERE status = 'pending' ORDER BY id LIMIT 1) RETURNING id"
        ).fetchone()
        connection.execute(
            "UPDATE floor SET status = 'completed' WHERE id = ? AND status = 'leased'", found
        )
    seconds = time.perf_counter() - began
    connection.close()
    return jobs / seconds
