"""Read earlier sessions of the harnesses on this machine."""

import asyncio
from pathlib import Path

from signet import clock
from signet.domain.agents import registry as agents
from signet.domain.backfill import jobs, look
from signet.domain.backfill.models import UserHome, WantedSessions
from signet.wire import backfill as wire
from signet.wire.requests.backfill import BackfillBody
from signet_api.deps import Db, Shared, named_agent
from signet_api.serving import serves


@serves(wire.BACKFILL)
async def get_backfill(db: Db) -> wire.Backfill:
    """Return the progress of the last run."""
    return await db.aread(jobs.status, now=clock.now())


@serves(wire.START_BACKFILL)
async def post_backfill(state: Shared, body: BackfillBody) -> wire.StartedBackfill:
    """Find unread sessions and queue them, newest first; `dry_run` only lists them.

    With `by_model` the configured model extracts the facts, else the built-in rules.
    """
    agent_id = named_agent(body.agent_id, None, {})
    wanted = WantedSessions(
        agent_id=agent_id,
        since=body.since,
        harnesses=tuple(body.harnesses),
        projects=tuple(body.projects),
    )
    found = await asyncio.to_thread(look.find, UserHome(path=Path.home()), wanted)
    has_others = await state.db.aread(agents.has_others)
    seen = await state.db.aread(look.compared, found, agent_id, has_others=has_others)
    reads_commits = state.settings.hooks.session_start.read_commits
    roots = await asyncio.to_thread(look.repositories, state.db, seen) if reads_commits else {}
    if not body.dry_run:
        await state.db.awrite(
            jobs.start,
            seen,
            roots,
            by_model=body.by_model,
            is_frozen=state.settings.pipeline.mutations_frozen,
            now=clock.now(),
        )
    return {**look.survey(seen, len(roots)), "dryRun": body.dry_run}


@serves(wire.STOP_BACKFILL)
async def post_stop(db: Db) -> wire.StoppedBackfill:
    """Stop reading; finished sessions stay, and the next start finds the rest."""
    return {"stopped": await db.awrite(jobs.stop_run)}
