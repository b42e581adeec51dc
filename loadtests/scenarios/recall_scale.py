"""Recall with a growing store: 10,000, 100,000 and 1,000,000 memories (`--count`), native vectors.

One client over HTTP, with and without a filter; then 50 at once, to measure memory. `bulk.py` creates the stores
once. Floors of the same run, in this process: the bare FTS5 query for the same words, the bare sqlite-vec query for
the same vectors, and NumPy over all floats in memory, which shows the results that the product's vector channel
misses.
"""

import json
import time
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt
from loadtests import bulk, measure
from loadtests.client import Load, Tally, collect
from loadtests.fill import DIMENSIONS
from loadtests.report import Options, Report
from loadtests.stack import API, Stack

from signet.db import Database, ReadTx, fts, vectors
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.recall import vector, view
from signet.domain.recall.models import Filters, Query
from signet.domain.recall.vector import MemoryVectors
from signet.providers.native.encoder import NativeEmbedder

COUNTS = (10_000, 100_000, 1_000_000)
#: More than the API's vector cache, so each question is embedded.
QUESTIONS = 2_000
FLOOR_QUESTIONS = 40
MANY_CLIENTS = 50
#: Seconds for model and signs to load after the first question.
WARM_SECONDS = 12.0
PROJECT = "p7"
NEAREST = 10
COLUMNS = ("what", "memories", "p50 ms", "p95 ms", "p99 ms", "API CPU ms each", "resident MB")
_FTS = "SELECT rowid, rank FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank LIMIT 10"
_ALL = """
SELECT m.seq, e.vector, m.project = ? FROM embeddings e JOIN memories m ON m.id = e.source_id ORDER BY e.seq"""

Floats = npt.NDArray[np.float32]


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    world = bulk.World()
    questions = [world.question() for _ in range(QUESTIONS)]
    for count in options.counts or COUNTS:
        _answers(report, options, count, questions)
        _floors(report, count, questions)
    return report


def _answers(report: Report, options: Options, count: int, questions: list[str]) -> None:
    options.folder.mkdir(exist_ok=True)
    for name, more in (("", {}), ("filter", {"project": PROJECT})):
        lines = [json.dumps({"query": question, **more}) for question in questions]
        (options.folder / f"bodies{name}").write_text("\n".join(lines))
    warming = [json.dumps({"query": f"{question} again"}) for question in questions]
    (options.folder / "bodieswarm").write_text("\n".join(warming))
    with Stack(bulk.store(count).root) as stack:
        stack.start(API)
        assert stack.api is not None
        _ask(stack, options, WARM_SECONDS, "warm")
        warm = measure.resident_mb([stack.api])
        for name in ("", "filter"):
            cpu = measure.cpu_seconds(stack.api)
            tally = _ask(stack, options, options.seconds, name)
            cpu_ms = (measure.cpu_seconds(stack.api) - cpu) * 1000 / len(tally.latencies_ms)
            p50, p95, p99 = (tally.at(percent) for percent in (50, 95, 99))
            what = f"recall, project {PROJECT}" if name else "recall"
            report.rows.append([what, count, p50, p95, p99, cpu_ms, warm])
            key = f"{name or 'plain'}_{count}"
            report.figures |= {f"{key}_p95": p95, f"{key}_cpu_ms": cpu_ms}
        client = _load(stack, options, options.seconds, "", MANY_CLIENTS).start()
        most = 0.0
        while client.poll() is None:
            most = max(most, measure.resident_mb([stack.api]))
            time.sleep(0.1)
        tally = collect(client)
        p50, p95, p99 = (tally.at(percent) for percent in (50, 95, 99))
        report.rows.append([f"recall, {MANY_CLIENTS} clients", count, p50, p95, p99, "-", most])
        report.figures[f"many_{count}_resident_ratio"] = measure.ratio(most, warm)


def _load(stack: Stack, options: Options, seconds: float, name: str, clients: int) -> Load:
    return Load(
        port=stack.port,
        path="/api/memory/recall",
        kind="recall",
        seconds=seconds,
        clients=clients,
        bodies=str(options.folder / f"bodies{name}"),
    )


def _ask(stack: Stack, options: Options, seconds: float, name: str) -> Tally:
    return _load(stack, options, seconds, name, 1).run()


def _floors(report: Report, count: int, questions: list[str]) -> None:
    """Measure the parts' cost alone, and compare the vector channel with exact results."""
    embedder = NativeEmbedder()
    asked = [(text, embedder.embed([text])[0]) for text in questions[:FLOOR_QUESTIONS]]
    db = Database(bulk.store(count).database)

    def fts_query(tx: ReadTx, text: str, _: bytes) -> object:
        return tx.all(_FTS, (fts.any_of(fts.content_words(text)),))

    def vec_query(tx: ReadTx, _: str, one: bytes) -> object:
        return vectors.knn(tx, one, NEAREST)

    numbers, floats, in_project = db.read(_everything)

    def numpy_query(_: ReadTx, __: str, one: bytes) -> object:
        return np.argpartition(-(floats @ np.frombuffer(one, dtype="<f4")), NEAREST)[:NEAREST]

    for name, query in (("FTS5", fts_query), ("sqlite-vec", vec_query), ("NumPy", numpy_query)):
        took = [db.read(_timed, query, *one) for one in asked]
        p50, p95, p99 = (measure.percentile(took, percent) for percent in (50, 95, 99))
        report.rows.append([f"bare {name}", count, p50, p95, p99, "-", "-"])
    while not db.read(_has_signs) and count >= 2 * NEAREST:
        time.sleep(0.1)
    for name, filters, rows in (
        ("plain", Filters(), np.ones_like(in_project)),
        ("filter", Filters(project=PROJECT), in_project),
    ):
        shares = [db.read(_share, filters, one, numbers[rows], floats[rows]) for _, one in asked]
        report.figures[f"{name}_{count}_recall_at_10"] = float(np.mean(shares))
    db.close()


def _timed(tx: ReadTx, query: Callable[[ReadTx, str, bytes], object], *one: object) -> float:
    """Return the ms of a query."""
    began = time.perf_counter()
    query(tx, *one)  # type: ignore[arg-type]  # a text and a vector
    return (time.perf_counter() - began) * 1000


def _has_signs(tx: ReadTx) -> bool:
    assert tx.caches is not None
    return tx.caches.get(MemoryVectors).fresh(tx, DIMENSIONS, NativeEmbedder.model) is not None


def _everything(tx: ReadTx) -> tuple[npt.NDArray[np.int64], Floats, npt.NDArray[np.bool_]]:
    rows: Iterable[tuple[int, bytes, int]] = tx.connection.execute(_ALL, (PROJECT,))
    numbers, found, flags = [], [], []
    for number, one, flag in rows:
        numbers.append(number)
        found.append(np.frombuffer(one, dtype="<f4"))
        flags.append(flag == 1)
    return np.array(numbers), np.stack(found), np.array(flags)


def _share(
    tx: ReadTx, filters: Filters, one: bytes, numbers: npt.NDArray[np.int64], floats: Floats
) -> float:
    """Return how many of the true nearest the vector channel finds."""
    true = numbers[np.argsort(-(floats @ np.frombuffer(one, dtype="<f4")))[:NEAREST]]
    asked = view.view_of(
        tx, Query(text="", reader=Reader(policy=ReadPolicy.SHARED), filters=filters)
    )
    found = vector.find(tx, one, asked, NEAREST, model=NativeEmbedder.model)
    return len(set(true.tolist()) & found.keys()) / max(1, len(true))
