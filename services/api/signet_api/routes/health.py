"""Is it there, is it stuck, is it ready.

`/health` and `/health/live` are answered in the event loop from memory and wait for nothing; what they say about
the database and the other processes is looked at in the background once a second (see health.py).
"""

import os

from fastapi import Response

from signet import __version__, clock
from signet.process.program import SUPERVISOR_PID
from signet.wire import status as wire
from signet.wire.status import Health, Live, Ready
from signet_api.deps import Shared, State
from signet_api.serving import respond, serves

#: How long after its start this process is not ready for want of the model: a start is to take 3 s at most.
MODEL_SECONDS = 1.5


@serves(wire.HEALTH)
async def get_health(state: Shared) -> Health:
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


@serves(wire.HEALTH_LIVE)
@serves(wire.LIVE)
async def get_live() -> Live:
    """Return that this process is not stuck; looks at nothing else."""
    return {"status": "live"}


@serves(wire.HEALTH_READY)
@serves(wire.READY)
async def get_ready(state: Shared, verbose: str | None = None) -> Response:
    """Return 200 when database, schema, worker and scheduler are there, else 503 with what is missing.

    A process that has just started is ready when it has the embedding model, too, so that the first question finds it.
    """
    seen = await state.health.look()
    is_loading = state.vectors.is_loading and uptime(state) < MODEL_SECONDS
    is_ready = seen.is_ready and not is_loading
    reasons = [*seen.reasons, *(["the embedding model is loading"] if is_loading else [])]
    body: Ready = {"status": "ready" if is_ready else "not ready", "reasons": reasons}
    if not is_ready:
        body["error"] = ", ".join(reasons)
    if verbose is not None:
        body["checks"] = dict(seen.checks)
    return respond(body, wire.READY, 200 if is_ready else 503)


def uptime(state: State) -> float:
    """Return how long this process has been answering, in seconds."""
    return round((clock.now() - state.started_at).total_seconds(), 3)


def main_pid() -> int:
    """Return the pid that owns everything: the supervisor's, else this process's own."""
    return int(os.environ.get(SUPERVISOR_PID) or os.getpid())
