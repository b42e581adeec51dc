"""Watch, pause and resume the work in the background."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from fastapi import APIRouter

from signet import clock
from signet.db import ReadTx
from signet.domain.extraction.apply import Mode
from signet.domain.extraction.pipeline import mode_of
from signet.queue import Status, console, stats
from signet.queue.stats import Depth
from signet_api import processes
from signet_api.deps import Db, Shared, State, Who

router = APIRouter(tags=["pipeline"])

#: Which process does the work that clients know under these names.
WORKERS = {
    "extraction": "worker",
    "document": "worker",
    "embedding": "worker",
    "retention": "scheduler",
}


@router.get("/api/pipeline/status")
async def get_pipeline_status(state: Shared) -> dict[str, object]:
    """Return what runs, what waits and what died; answers while worker and scheduler are down too (PS-1)."""
    return await state.db.aread(_status, state, clock.now())


@router.post("/api/pipeline/pause")
async def post_pause(db: Db, actor: Who) -> dict[str, object]:
    """Let workers finish what they run and take nothing new; survives restarts."""
    await db.awrite(console.pause, True, now=clock.now(), actor=actor.name)
    return {"success": True, "paused": True}


@router.post("/api/pipeline/resume")
async def post_resume(db: Db, actor: Who) -> dict[str, object]:
    """Let workers take jobs again."""
    await db.awrite(console.pause, False, now=clock.now(), actor=actor.name)
    return {"success": True, "paused": False}


def _status(tx: ReadTx, state: State, now: datetime) -> dict[str, object]:
    depths = stats.depths(tx)
    counts = stats.by_status(depths)
    living = processes.states(tx, state.workspace.runtime_dir, now=now)
    by_name = {str(one["name"]): one for one in living}
    paused = console.is_paused(tx)
    mode = mode_of(state.settings)
    return {
        "mode": "paused" if paused and mode is not Mode.DISABLED else mode,
        "paused": paused,
        "workers": {name: _worker(by_name[program]) for name, program in WORKERS.items()},
        "queues": {
            "memory": counts
            | {
                "byType": _by_kind(depths),
                "oldestAgeSec": stats.oldest_due_seconds(tx, now=now),
                "lastError": stats.last_error(tx),
            },
            "summary": stats.summary_by_status(tx),
        },
        "queue": counts[Status.PENDING],
        "processing": counts[Status.LEASED],
        "deadLetter": counts[Status.DEAD],
    }


def _worker(process: Mapping[str, object]) -> dict[str, object]:
    return {
        "running": process["state"] == "running",
        "process": process["name"],
        "pid": process["pid"],
    }


def _by_kind(depths: Sequence[Depth]) -> dict[str, dict[str, int]]:
    found: defaultdict[str, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys((status.value for status in Status), 0)
    )
    for depth in depths:
        found[depth.kind][depth.status] += depth.jobs
    return dict(found)
