"""Prometheus metrics of all processes, with gauges from rows and files at scrape time."""

import asyncio
import os
from collections.abc import Iterator
from datetime import datetime

from signet import __version__, clock
from signet.db import ReadTx
from signet.domain.diagnostics.counts import HealthReport
from signet.domain.transcripts import readings
from signet.observe import metrics
from signet.observe.metrics import Sample
from signet.queue import pauses, stats
from signet.queue.kinds import QUEUES, breaker_of
from signet.wire import status as wire
from signet_api import processes
from signet_api.deps import Shared, State
from signet_api.serving import serves

#: Maximum age of diagnostics scores in a scrape, because computing them is expensive.
SCORES_KEPT_MS = 60_000


@serves(wire.METRICS)
async def get_metrics(state: Shared) -> str:
    """Return counters of API, worker and scheduler, and the current queue."""
    rows = await state.db.aread(_of_rows, state, clock.now())
    report = await state.reports.get(state.settings, kept_ms=SCORES_KEPT_MS)
    return await asyncio.to_thread(_text, state, [*rows, *_of_health(report)])


def _text(state: State, samples: list[Sample]) -> str:
    text = metrics.exposition() + metrics.gauges([*samples, *_of_files(state), *_of_build()])
    return text.decode()


def _of_rows(tx: ReadTx, state: State, now: datetime) -> list[Sample]:
    found = [
        Sample(
            "signet_jobs",
            "Jobs in the queue",
            {"queue": depth.queue, "job_type": depth.kind, "status": depth.status},
            depth.jobs,
        )
        for depth in stats.depths(tx)
    ]
    oldest = stats.oldest_due_seconds(tx, now=now)
    found.append(Sample("signet_oldest_due_seconds", "Wait of the oldest due job", {}, oldest))
    open_breakers = {breaker.name for breaker in stats.breakers(tx)}
    found += [
        Sample(
            "signet_queue_waits_for_provider",
            "Whether a queue stands still because its provider does not answer",
            {"queue": queue},
            float(breaker_of(queue) in open_breakers),
        )
        for queue in QUEUES
    ]
    found += [
        Sample(
            "signet_unknown_records",
            "Log records of unknown types in sessions of the last 30 days",
            {"harness": one["harness"], "version": one["version"] or "", "type": one["type"]},
            one["records"],
        )
        for one in readings.capture(tx, now=now)["unknownRecords"]
    ]
    found += [
        Sample(
            "signet_jobs_dead", "Dead jobs by the code of their last error", {"code": code}, jobs
        )
        for code, jobs in stats.error_codes(tx).items()
    ]
    found += [
        Sample("signet_jobs_delayed", "Jobs that are due later", {"queue": queue}, jobs)
        for queue, jobs in stats.delayed(tx, now=now).items()
    ]
    paused = pauses.paused_queues(tx)
    found += [
        Sample(
            "signet_queue_paused",
            "Whether a queue is paused by a person",
            {"queue": queue},
            float(queue in paused),
        )
        for queue in QUEUES
    ]
    found += [
        Sample(
            "signet_process_up",
            "Whether a process runs",
            {"process": str(one["name"])},
            float(one["state"] == "running"),
        )
        for one in processes.states(tx, state.workspace, now=now)
    ]
    return found


def _of_health(report: HealthReport) -> Iterator[Sample]:
    scores = {name: domain.score for name, domain in report.domains.items()}
    for name, score in {"composite": report.score, **scores}.items():
        yield Sample(
            "signet_health_score", "Score from 0 to 1 of the diagnostics", {"domain": name}, score
        )


def _of_files(state: State) -> Iterator[Sample]:
    for suffix in ("", "-wal"):
        path = state.db.path.with_name(state.db.path.name + suffix)
        if path.exists():
            yield Sample(
                "signet_database_bytes",
                "Size of the database files",
                {"file": "wal" if suffix else "main"},
                path.stat().st_size,
            )
    disk = os.statvfs(state.workspace.root)
    for name, blocks in (("free", disk.f_bavail), ("size", disk.f_blocks)):
        yield Sample(
            f"signet_disk_{name}_bytes", "Disk of the workspace", {}, blocks * disk.f_frsize
        )


def _of_build() -> Iterator[Sample]:
    yield Sample("signet_build_info", "Version of the daemon", {"version": __version__}, 1)
