"""Learned ranking: its results, evaluation, and reset."""

import dataclasses
from typing import Annotated

from signet import clock
from signet.config import Settings, loading
from signet.db.visibility import Here
from signet.domain.learning import influence, report, worth
from signet.domain.recall.models import Result
from signet.domain.sessions import replay
from signet.errors import Invalid, NotFound
from signet.observe import latency
from signet.wire import evaluation
from signet.wire import predictor as wire
from signet.wire.evaluation import EVALUATION, Evaluation
from signet.wire.requests.hooks import bare
from signet.wire.requests.model import ClampedInt, Text
from signet.wire.requests.predictor import ReplayBody, RollBackBody, TrainBody
from signet.wire.requests.recall import RecallBody
from signet_api import scopes
from signet_api.answering import found, services_of
from signet_api.deps import Agent, Ask, Mine, Project, Shared, Since, State, Until
from signet_api.serving import serves

#: Maximum page size, and maximum past sessions.
MOST, MOST_PAST = 200, 500
FURTHEST = 1_000_000


@serves(wire.PREDICTOR_STATUS)
async def get_status(mine: Mine) -> wire.PredictorStatus | wire.PredictorOff:
    """Return the state and results of learned ranking."""
    settings = mine.state.settings.pipeline.predictor
    if not settings.enabled:
        return {"enabled": False, "status": None}
    window = settings.drift_reset_window
    return await mine.rows(report.status, window=window)


@serves(wire.COMPARISONS)
async def get_comparisons(
    mine: Mine,
    since: Since,
    until: Until,
    project: Project,
    entity_id: Text = None,
    limit: Annotated[int, ClampedInt(1, MOST)] = 50,
    offset: Annotated[int, ClampedInt(0, FURTHEST)] = 0,
) -> wire.ComparisonPage:
    """Return the sessions ranked both ways, newest first."""
    return await mine.rows(
        report.comparisons,
        project=project,
        entity_id=entity_id,
        since=since,
        until=until,
        limit=limit,
        offset=offset,
    )


@serves(wire.COMPARISONS_BY_PROJECT)
async def get_by_project(mine: Mine) -> wire.ProjectResults:
    """Return the results of learned ranking by project."""
    return {"items": await mine.rows(report.by_project)}


@serves(wire.COMPARISONS_BY_ENTITY)
async def get_by_entity(mine: Mine) -> wire.EntityResults:
    """Return the results of learned ranking by the session's entity."""
    return {"items": await mine.rows(report.by_entity)}


@serves(wire.TRAININGS)
async def get_trainings(
    mine: Mine, limit: Annotated[int, ClampedInt(1, 100)] = 20
) -> wire.Trainings:
    """Return activations and stops of learned ranking, newest first."""
    return {"items": await mine.rows(report.trainings, limit=limit)}


@serves(wire.TRAINING_PAIRS)
async def get_pair_count(mine: Mine) -> wire.PairCount:
    """Return the number of labels."""
    return {"count": await mine.rows(report.count_labels)}


@serves(EVALUATION)
async def get_evaluation(mine: Mine) -> Evaluation:
    """Compare sessions with and without memory: effect, cost, notable memories."""
    share = mine.state.settings.pipeline.predictor.held_out
    return await mine.rows(report.evaluation, holdout=share)


@serves(evaluation.PAST_SESSIONS)
async def get_past_sessions(
    agent: Agent, state: Shared, limit: Annotated[int, ClampedInt(1, MOST_PAST)] = 50
) -> evaluation.PastSessions:
    """Return the sessions that can be replayed, newest first."""
    return {"sessions": await state.db.aread(worth.helped, agent, limit)}


@serves(evaluation.REPLAY)
async def post_replay(body: ReplayBody, ask: Ask) -> evaluation.Replay:
    """Return what a past session's prompts would receive now and, with `settings` (values by dotted key), with those.

    Does not count as use.
    """
    state, agent_id = ask.state, await ask.agent(body)
    key = bare(body.session_key)
    await scopes.check_session(state.db, agent_id, key)
    past = await state.db.aread(replay.past, agent_id, key)
    if past is None:
        raise NotFound("Session not found")
    other = (
        await _replayed(past, agent_id, state, loading.changed(state.settings, body.settings))
        if body.settings
        else None
    )
    now = await _replayed(past, agent_id, state, state.settings)
    return {"sessionKey": key, "now": now, "other": other}


async def _replayed(
    past: replay.Past, agent_id: str, state: State, settings: Settings
) -> evaluation.Replayed:
    async def recall(body: RecallBody, agent: str, here: Here | None) -> Result:
        return await found(body, agent, state, settings, here=here)

    services = dataclasses.replace(services_of(state), settings=settings, recall=recall)
    return await replay.run(past, services, agent_id=agent_id)


@serves(wire.TRAIN)
async def post_train(ask: Ask, body: TrainBody | None = None) -> wire.Trained:
    """Recompute an agent's memories from all labels; each session end does this for its own."""
    state = ask.state
    if not state.settings.pipeline.predictor.enabled:
        raise Invalid("Predictor is not enabled")
    agent_id = await ask.agent(body)
    started, used = clock.monotonic_ms(), 0
    for memory_ids in await state.db.aread(worth.batches, agent_id):
        used += await state.db.awrite(worth.learn, agent_id, memory_ids, now=clock.now())
    labels = await state.db.aread(worth.counted, agent_id, used)
    duration_ms = clock.monotonic_ms() - started
    latency.observe(latency.TimedOperation.PREDICTOR_TRAIN, duration_ms / 1_000)
    return {
        "loss": None,
        "step": worth.VERSION,
        "samples_used": labels.used,
        "samples_skipped": labels.skipped,
        "duration_ms": round(duration_ms),
        "canary_score_variance": None,
        "canary_topk_stability": None,
        "checkpoint_path": None,
        "checkpoint_saved": labels.used > 0,
    }


@serves(wire.ROLL_BACK)
async def post_rollback(ask: Ask, body: RollBackBody | None = None) -> wire.RolledBack:
    """Restore the original order; observation restarts from zero."""
    if body and body.version is not None:
        raise NotFound("No such version: learned ranking has no versions")
    await ask.state.db.awrite(influence.rollback, await ask.agent(body), now=clock.now())
    return {"activeVersion": None}
