"""Time questions over many memories: by words alone, and by words and vectors.

One client that asks continuously shows an answer's time; several show the API's capacity. The floor is the bare FTS5
query for the same words in the same file, in this process.
"""

import time

from loadtests import fill, measure
from loadtests.client import Load, Tally
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from loadtests.stack import API, Stack

from signet.db import fts
from signet.db.driver import connect
from signet.providers.native import install

MEMORIES = 10_000
MANY_CLIENTS = 8
FLOOR_QUERIES = 300
#: Seconds for the model to load after the first question.
WARM_SECONDS = 5.0
COLUMNS = ("what", "per second", "p50 ms", "p95 ms", "p99 ms", "API CPU ms each", "failed")
_FLOOR = "SELECT rowid, rank FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank LIMIT 10"


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    variants = [("words", fill.NO_MODEL)]
    if install.status().state is install.InstallState.READY:
        variants.append(("hybrid", ""))
    else:
        report.notes.append("vectors skipped: the model is not installed (signet models install)")
    seconds = options.seconds / (2 * len(variants))
    for name, settings in variants:
        _variant(report, options, name, settings, seconds)
    return report


def _variant(report: Report, options: Options, name: str, settings: str, seconds: float) -> None:
    with Stack(options.folder / name, settings=settings) as stack:
        count = options.count or MEMORIES
        corpus = Corpus(options.seed)
        fill.memories(stack.workspace, corpus, count, jobs=False, vectors=name == "hybrid")
        stack.start(API)
        assert stack.api is not None
        _ask(stack, options, WARM_SECONDS if name == "hybrid" else 1.0, 1, "warm")
        for clients in (1, MANY_CLIENTS):
            cpu = measure.cpu_seconds(stack.api)
            tally = _ask(stack, options, seconds, clients, f"c{clients}")
            answers = len(tally.latencies_ms)
            cpu_ms = (measure.cpu_seconds(stack.api) - cpu) * 1000 / answers
            p50, p95, p99 = (tally.at(percent) for percent in (50, 95, 99))
            failed = answers - tally.statuses.get("200", 0)
            report.rows.append(
                [f"{name}, {clients} clients", tally.per_second, p50, p95, p99, cpu_ms, failed]
            )
            if clients == 1:
                report.figures |= {f"{name}_p50": p50, f"{name}_p95": p95, f"{name}_p99": p99}
                report.figures[f"{name}_cpu_ms"] = cpu_ms
        floor = _floor(stack, corpus)
    p50, p95, p99 = (measure.percentile(floor, percent) for percent in (50, 95, 99))
    rate = len(floor) * 1000 / sum(floor)
    report.rows.append([f"bare FTS5 query ({name} file)", rate, p50, p95, p99, "-", "-"])
    report.figures[f"{name}_floor_ratio"] = measure.ratio(report.figures[f"{name}_p50"], p50)


def _ask(stack: Stack, options: Options, seconds: float, clients: int, name: str) -> Tally:
    return Load(
        port=stack.port,
        path="/api/memory/recall",
        kind="recall",
        seconds=seconds,
        clients=clients,
        seed=options.seed,
        name=name,
    ).run()


def _floor(stack: Stack, corpus: Corpus) -> list[float]:
    """Return ms of each bare query."""
    connection = connect(stack.workspace.database, read_only=True)
    took = []
    for _ in range(FLOOR_QUERIES):
        match = fts.any_of(fts.content_words(corpus.question()))
        began = time.perf_counter()
        connection.execute(_FLOOR, (match,)).fetchall()
        took.append((time.perf_counter() - began) * 1000)
    connection.close()
    return took
