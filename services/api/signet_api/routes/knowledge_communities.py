"""Which entities belong together; finding it out is the worker's work."""

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from signet import clock
from signet.db import ReadTx
from signet.domain.knowledge import clustering, communities
from signet.domain.knowledge.communities import Overview
from signet.errors import Frozen
from signet.queue import console
from signet_api import processes
from signet_api.deps import Shared, State
from signet_api.routes.knowledge import agent, look

router = APIRouter(tags=["knowledge"])

ACTION = "clusterEntities"
#: How long a caller waits for the worker, and how often is looked; the largest graphs take a few seconds.
PATIENCE_MS = 25_000
LOOK_SECONDS = 0.05


@router.get("/api/knowledge/communities")
async def get_communities(request: Request, state: Shared) -> dict[str, object]:
    """Return the groups of entities that were found last, the largest first."""
    found = await look(state, agent(request), communities.overview, otherwise=Overview())
    return {
        "items": [dict(row) for row in found.rows],
        "count": len(found.rows),
        "modularity": found.modularity,
        "quality": found.quality,
    }


@router.post("/api/repair/cluster-entities")
async def post_cluster_entities(request: Request, state: Shared) -> JSONResponse:
    """Find the groups anew and return them; 202 while the worker is at it, or is not there."""
    if state.settings.pipeline.mutations_frozen:
        raise Frozen
    agent_id = agent(request)
    job_id = await state.db.awrite(clustering.begin, agent_id, now=clock.now())
    ends_at = clock.monotonic_ms() + PATIENCE_MS
    nothing = clustering.Progress(is_done=False, overview=Overview())
    is_at_work = await state.db.aread(_is_at_work, state)
    found = await look(state, agent_id, clustering.progress, job_id, otherwise=nothing)
    while is_at_work and not found.is_done and clock.monotonic_ms() < ends_at:
        await asyncio.sleep(LOOK_SECONDS)
        found = await look(state, agent_id, clustering.progress, job_id, otherwise=nothing)
    if not found.is_done:
        details = {"jobId": job_id}
        return _result(202, 0, "clustering is queued", details)
    if found.error is not None:
        return _result(500, 0, f"clustering failed: {found.error}", {"jobId": job_id})
    made = found.overview
    fields = {
        "communities": len(made.rows),
        "modularity": made.modularity,
        "quality": made.quality,
        "members": [
            {
                "id": row["id"],
                "name": row["name"],
                "count": row["member_count"],
                "cohesion": row["cohesion"],
            }
            for row in made.rows
        ],
    }
    message = f"found {len(made.rows)} communities; modularity {made.modularity:.2f}"
    return _result(200, len(made.rows), message, fields, **fields)


def _is_at_work(tx: ReadTx, state: State) -> bool:
    """Return whether somebody takes jobs now."""
    living = processes.states(tx, state.workspace.runtime_dir, now=clock.now())
    return "worker" not in processes.missing(living) and not console.is_paused(tx)


def _result(
    status: int, affected: int, message: str, details: Mapping[str, object], **more: object
) -> JSONResponse:
    """Return the body that all repairs answer with."""
    fields = {
        "action": ACTION,
        "success": status < 400,
        "affected": affected,
        "message": message,
        "details": details,
    }
    failed = {} if status < 400 else {"error": message}
    return JSONResponse({**fields, **failed, **more}, status)
