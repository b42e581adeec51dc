"""Do answers stay quick while everything is busy: /health and recall probes while clients save and the worker drains.

First the probes alone over a store of the same size with worker and scheduler idle, then again while `--clients`
clients save as fast as they can and the worker works on a backlog of 5,000 jobs.
"""

from loadtests import fill, measure
from loadtests.client import Load, Tally, collect
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from loadtests.stack import API, SCHEDULER, WORKER, Stack

from signet.db.driver import connect

MEMORIES = 2_500
BACKLOG_JOBS = 5_000
EVERY_SECONDS = 0.05
WARM_SECONDS = 6.0
COLUMNS = ("what", "requests", "per second", "p50 ms", "p95 ms", "p99 ms", "worst ms", "failed")
_COUNT = "SELECT COUNT(*) FROM memory_jobs WHERE status = ?"


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    with Stack(options.folder / "ws") as stack:
        corpus = Corpus(options.seed, "old")
        fill.memories(stack.workspace, corpus, options.count or MEMORIES, jobs=False, vectors=True)
        stack.start(API, WORKER, SCHEDULER)
        _probe(stack, options, "recall", WARM_SECONDS)
        idle = [_probe(stack, options, kind, options.seconds) for kind in ("health", "recall")]
        fill.backlog(stack.workspace, Corpus(options.seed, "backlog"), BACKLOG_JOBS // 2)
        open_before, done_before = _jobs(stack, "pending"), _jobs(stack, "completed")
        probes = [
            _load(stack, options, kind, options.seconds).start() for kind in ("health", "recall")
        ]
        saves = _load(stack, options, "remember", options.seconds).run()
        busy = [collect(probe) for probe in probes]
        done = _jobs(stack, "completed") - done_before
        left = _jobs(stack, "pending")
    for label, tally in zip(
        ("/health, idle", "recall, idle", "/health, busy", "recall, busy", "remember, busy"),
        [*idle, *busy, saves],
        strict=True,
    ):
        report.rows.append(_row(label, tally))
    report.figures |= {
        "health_p99": busy[0].at(99),
        "health_p99_ratio": measure.ratio(busy[0].at(99), idle[0].at(99)),
        "recall_p99_ratio": measure.ratio(busy[1].at(99), idle[1].at(99)),
        "remember_per_second": saves.per_second,
        "jobs_before": float(open_before),
        "jobs_per_second": done / options.seconds,
        "jobs_left": float(left),
    }
    return report


def _row(label: str, tally: Tally) -> list[object]:
    answers = len(tally.latencies_ms)
    times = [tally.at(percent) for percent in (50, 95, 99)]
    failed = answers - tally.statuses.get("200", 0)
    return [label, answers, tally.per_second, *times, max(tally.latencies_ms), failed]


def _load(stack: Stack, options: Options, kind: str, seconds: float) -> Load:
    """Return what one kind of client sends: probes one request every 50 ms, saves as fast as they can."""
    path = {"health": "/health", "recall": "/api/memory/recall"}.get(kind, "/api/memory/remember")
    is_save = kind == "remember"
    return Load(
        port=stack.port,
        path=path,
        kind="get" if kind == "health" else kind,
        seconds=seconds,
        clients=options.clients if is_save else 1,
        every=0.0 if is_save else EVERY_SECONDS,
        seed=options.seed,
        name=f"{kind}{seconds}",
    )


def _probe(stack: Stack, options: Options, kind: str, seconds: float) -> Tally:
    return _load(stack, options, kind, seconds).run()


def _jobs(stack: Stack, status: str) -> int:
    connection = connect(stack.workspace.database, read_only=True)
    count = int(connection.execute(_COUNT, (status,)).fetchone()[0])
    connection.close()
    return count
