"""Waking the work in the background: what waits after a failure is tried now, and maintenance looks now."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.maintenance import cycle
from signet.queue import admin
from signet.wire import pipeline as wire
from signet_api import processes
from signet_api.deps import Shared, State
from signet_api.routes.pipeline import WORKER, WORKERS
from signet_api.serving import serves


@serves(wire.NUDGE)
async def post_nudge(state: Shared) -> wire.Nudged:
    """Try now what waits for its next try, ask providers again, and let maintenance look; return who was woken.

    Nobody is, while the worker is not there or the work is paused: it then begins with this.
    """
    now = clock.now()
    await state.db.awrite(_nudge, is_maintained=cycle.is_on(state.settings), now=now)
    return {"success": True, "nudged": await state.db.aread(_woken, state, now)}


def _nudge(tx: WriteTx, *, is_maintained: bool, now: datetime) -> None:
    admin.hurry(tx, now=now)
    if is_maintained:
        cycle.ask(tx, f"nudged {clock.to_text(now)}", now=now)


def _woken(tx: ReadTx, state: State, now: datetime) -> list[str]:
    living = processes.states(tx, state.workspace.runtime_dir, now=now)
    is_there = WORKER not in processes.missing(living)
    return list(WORKERS) if is_there and not admin.is_paused(tx) else []
