"""Is it there, is it stuck, is it ready.

`/health` and `/health/live` are answered in the event loop from memory and wait for nothing; what they say about
the database and the other processes is looked at in the background once a second (see health.py).
"""

import os

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from signet import __version__, clock
from signet.process.program import SUPERVISOR_PID
from signet_api.deps import Shared, State

router = APIRouter(tags=["health"])

#: How long after its start this process is not ready for want of the model: a start is to take 3 s at most.
MODEL_SECONDS = 1.5


@router.get("/health")
async def get_health(state: Shared) -> dict[str, object]:
    """Return that the API answers; `db` false when the database does not, `status` degraded when work stands still."""
    seen = state.health.last
    return {
        "status": "healthy" if seen.is_whole else "degraded",
        "uptime": uptime(state),
        "pid": main_pid(),
        "version": __version__,
        "port": state.port,
        "agentsDir": str(state.workspace.root),
        "db": seen.database,
        "reasons": list(seen.reasons),
        "updateAvailable": state.health.update.is_update,
        "pendingRestart": state.health.pending,
    }


@router.get("/health/live")
@router.get("/livez")
async def get_live() -> dict[str, object]:
    """Return that this process is not stuck; looks at nothing else."""
    return {"status": "live"}


@router.get("/health/ready")
@router.get("/readyz")
async def get_ready(request: Request, state: Shared) -> JSONResponse:
    """Return 200 when database, schema, worker and scheduler are there, else 503 with what is missing.

    A process that has just started is ready when it has the embedding model, too, so that the first question finds it.
    """
    seen = await state.health.look()
    is_loading = state.vectors.is_loading and uptime(state) < MODEL_SECONDS
    is_ready = seen.is_ready and not is_loading
    reasons = [*seen.reasons, *(["the embedding model is loading"] if is_loading else [])]
    body: dict[str, object] = {"status": "ready" if is_ready else "not ready", "reasons": reasons}
    if not is_ready:
        body["error"] = ", ".join(reasons)
    if "verbose" in request.query_params:
        body["checks"] = dict(seen.checks)
    return JSONResponse(body, 200 if is_ready else 503)


def uptime(state: State) -> float:
    """Return how long this process has been answering, in seconds."""
    return round((clock.now() - state.started_at).total_seconds(), 3)


def main_pid() -> int:
    """Return the pid that owns everything: the supervisor's, else this process's own."""
    return int(os.environ.get(SUPERVISOR_PID) or os.getpid())
