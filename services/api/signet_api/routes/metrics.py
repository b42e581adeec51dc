"""Prometheus text of all processes, and gauges read from rows at scrape time."""

from datetime import datetime

from fastapi import APIRouter, Response

from signet import clock
from signet.db import ReadTx
from signet.observe import metrics
from signet.queue import stats
from signet_api import processes
from signet_api.deps import Shared, State

router = APIRouter(tags=["status"])


@router.get("/metrics", response_class=Response)
async def get_metrics(state: Shared) -> Response:
    """Return counters of API, worker and scheduler, and the queue as it is now."""
    gauges = await state.db.aread(_gauges, state, clock.now())
    text = metrics.exposition() + metrics.gauges(gauges)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def _gauges(tx: ReadTx, state: State, now: datetime) -> list[metrics.Sample]:
    found = [
        metrics.Sample(
            "signet_jobs",
            "Jobs in the queue",
            {"queue": depth.queue, "kind": depth.kind, "status": depth.status},
            depth.jobs,
        )
        for depth in stats.depths(tx)
    ]
    found.append(
        metrics.Sample(
            "signet_oldest_due_seconds",
            "Time the oldest due job has waited",
            {},
            stats.oldest_due_seconds(tx, now=now),
        )
    )
    found += [
        metrics.Sample(
            "signet_process_up",
            "Whether a process runs",
            {"process": str(one["name"])},
            float(one["state"] == "running"),
        )
        for one in processes.states(tx, state.workspace.runtime_dir, now=now)
    ]
    for suffix in ("", "-wal"):
        path = state.db.path.with_name(state.db.path.name + suffix)
        if path.exists():
            found.append(
                metrics.Sample(
                    "signet_database_bytes",
                    "Size of the database files",
                    {"file": "wal" if suffix else "main"},
                    path.stat().st_size,
                )
            )
    return found
