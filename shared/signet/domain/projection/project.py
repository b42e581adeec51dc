"""Return the stored map of memories, or queue its drawing.

A filtered or paged map of up to `AT_ONCE` memories is drawn for the answer; every other one by a job, and stored until
its vectors change.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.projection import sql
from signet.domain.projection.models import Failure, Map, MapExtent, MapView
from signet.queue import NewJob, enqueue
from signet.queue.job_context import JobContext

KIND = "umap_projection"
#: Memories of a filtered map drawn while the caller waits: about a quarter of a second of one core (EM-12).
AT_ONCE = 500
#: How long a failure is shown before another attempt (EM-11), and the attempts of a job.
FAILURE_SHOWN = timedelta(seconds=30)
ATTEMPTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A stored map, or the vectors to draw one, or neither yet."""

    extent: MapExtent
    drawn: Map | None = None
    vectors: tuple[list[str], list[bytes]] | None = None
    #: The fields of each memory on the map.
    rows: Mapping[str, Row] = field(default_factory=dict)
    failure: Failure | None = None
    is_open: bool = False


def lookup(tx: ReadTx, view: MapView, *, now: datetime) -> Looked:
    reader = agents.common_reader(tx, view.agent_id)
    extent = sql.extent(tx, view, reader)
    drawn = sql.stored_map(tx, view, extent.stamp)
    if drawn is not None:
        return Looked(extent=extent, drawn=drawn, rows=sql.nodes(tx, drawn.ids, reader))
    shown = min(view.size, max(0, extent.total - view.offset))
    if shown <= 2 or (shown <= AT_ONCE and not view.is_whole):
        found = sql.vectors(tx, view, reader, extent)
        return Looked(extent=extent, vectors=found, rows=sql.nodes(tx, found[0], reader))
    key = _job(view).unique_key or ""
    row = tx.one(sql.DIED, (clock.to_text(now - FAILURE_SHOWN), key))
    failure = None if row is None else Failure(error=row[0] or "", at=row[1])
    return Looked(extent=extent, failure=failure, is_open=tx.one(sql.IS_OPEN, (key,)) is not None)


def begin(tx: WriteTx, view: MapView, *, now: datetime) -> None:
    """Queue drawing the map, unless it is queued."""
    enqueue(tx, _job(view), now=now, max_attempts=ATTEMPTS)


def drawn(view: MapView, looked: Looked) -> Map:
    if looked.drawn is not None:
        return looked.drawn
    from signet.domain.projection.draw import draw  # NumPy takes 0.1 s to load

    ids, vectors = looked.vectors or ([], [])
    return draw(ids, vectors, dimensions=view.dimensions, stamp=looked.extent.stamp)


def run(job: JobContext, view: MapView) -> None:
    """Draw and store the map in the worker and complete the job; raises LeaseLost, Cancelled."""
    from signet.domain.projection.draw import draw

    extent, (ids, vectors) = job.db.read(_snapshot, view)
    made = draw(ids, vectors, dimensions=view.dimensions, stamp=extent.stamp)
    job.check()

    def keep(tx: WriteTx) -> dict[str, object]:
        fields = {"stamp": made.stamp, "ids": made.ids, "places": made.places, "edges": made.edges}
        text = json.dumps(fields, separators=(",", ":"))
        tx.run(
            sql.KEEP, (view.key, view.dimensions, len(made.ids), text, clock.to_text(clock.now()))
        )
        tx.run(sql.FORGET, (sql.KEPT,))
        return {"nodes": len(made.ids), "edges": len(made.edges)}

    job.commit(keep)


def delete_maps(tx: WriteTx) -> None:
    tx.run(sql.DELETE_ALL)


def _snapshot(tx: ReadTx, view: MapView) -> tuple[MapExtent, tuple[list[str], list[bytes]]]:
    reader = agents.common_reader(tx, view.agent_id)
    extent = sql.extent(tx, view, reader)
    return extent, sql.vectors(tx, view, reader, extent)


def _job(view: MapView) -> NewJob:
    return NewJob(
        kind=KIND, dedupe_key=str(view.key), payload=view.payload(), agent_id=view.agent_id
    )
