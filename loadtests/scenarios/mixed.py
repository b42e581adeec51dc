"""Latency under load: /health and recall probes while clients save and the worker drains.

First the probes with idle worker and scheduler, then while `--clients` clients save as fast as they can and the
worker drains 5,000 jobs, then alone again, without the worker, because the store has grown several times. The idle
value combines both idle phases; `recall_p99_ratio_before` compares with the first one, when the store was small. Each
phase asks other questions.
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
PROBES = ("health", "recall")
COLUMNS = ("what", "requests", "per second", "p50 ms", "p95 ms", "p99 ms", "worst ms", "failed")
_COUNT = "SELECT COUNT(*) FROM memory_jobs WHERE status = ?"


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    with Stack(options.folder / "ws") as stack:
        corpus = Corpus(options.seed, "old")
        fill.memories(stack.workspace, corpus, options.count or MEMORIES, jobs=False, vectors=True)
        stack.start(API, WORKER, SCHEDULER)
        _load(stack, options, "recall", "warm").run()
        before = _alone(stack, options, "before")
        fill.backlog(stack.workspace, Corpus(options.seed, "backlog"), BACKLOG_JOBS // 2)
        open_before, done_before = _jobs(stack, "pending"), _jobs(stack, "completed")
        probes = [_load(stack, options, kind, "busy").start() for kind in PROBES]
        saves = _load(stack, options, "remember", "busy").run()
        busy = [collect(probe) for probe in probes]
        done = _jobs(stack, "completed") - done_before
        left = _jobs(stack, "pending")
        stack.stop(WORKER)
        after = _alone(stack, options, "after")
    for when, tallies in (("before", before), ("busy", [*busy, saves]), ("after", after)):
        for what, tally in zip(("/health", "recall", "remember"), tallies, strict=False):
            report.rows.append(_row(f"{what}, {when}", tally))
    report.figures |= {
        "health_p99": busy[0].at(99),
        "health_p99_ratio": measure.ratio(busy[0].at(99), _p99(before[0], after[0])),
        "recall_p99_ratio": measure.ratio(busy[1].at(99), _p99(before[1], after[1])),
        "recall_p99_ratio_before": measure.ratio(busy[1].at(99), before[1].at(99)),
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


def _alone(stack: Stack, options: Options, name: str) -> list[Tally]:
    return [_load(stack, options, kind, name).run() for kind in PROBES]


def _p99(*tallies: Tally) -> float:
    return measure.percentile([one for tally in tallies for one in tally.latencies_ms], 99)


def _load(stack: Stack, options: Options, kind: str, name: str) -> Load:
    """Return one client's load: probes every 50 ms, saves as fast as possible."""
    path = {"health": "/health", "recall": "/api/memory/recall"}.get(kind, "/api/memory/remember")
    is_save = kind == "remember"
    return Load(
        port=stack.port,
        path=path,
        kind="get" if kind == "health" else kind,
        seconds=WARM_SECONDS if name == "warm" else options.seconds,
        clients=options.clients if is_save else 1,
        every=0.0 if is_save else EVERY_SECONDS,
        seed=options.seed,
        name=f"{kind} {name}",
    )


def _jobs(stack: Stack, status: str) -> int:
    connection = connect(stack.workspace.database, read_only=True)
    count = int(connection.execute(_COUNT, (status,)).fetchone()[0])
    connection.close()
    return count
