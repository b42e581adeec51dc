"""MEMORY.md: generate it, show the request, or submit a text written elsewhere."""

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Query

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx
from signet.domain.synthesis import file, run
from signet.domain.synthesis.plan import Plan
from signet.domain.transcripts import withheld
from signet.errors import Conflict, Invalid, Unavailable
from signet.wire import synthesis as wire
from signet.wire.requests.hooks import SynthesisBody, SynthesisCompleteBody
from signet.wire.requests.model import Text
from signet_api import processes
from signet_api.deps import Ask, Shared, State
from signet_api.serving import serves
from signet_api.shapes import as_wire


async def _owner(ask: Ask, body: SynthesisBody | None = None) -> str:
    return await ask.agent(body)


#: The owner of the file; the body is optional.
Owner = Annotated[str, Depends(_owner)]


@serves(wire.SYNTHESIS_CONFIG)
async def get_config(state: Shared) -> wire.SynthesisConfig:
    """Return the settings of synthesis."""
    return _config(state.settings)


@serves(wire.SYNTHESIS_REQUEST)
async def post_request(agent_id: Owner, state: Shared) -> wire.SynthesisRequest:
    """Return the request that a run would send to a model now; writes nothing."""
    current = await asyncio.to_thread(file.read, _path(state, agent_id))
    plan = Plan.from_settings(state.settings)
    prompt, count = await state.db.aread(run.request, agent_id, plan, current, clock.now())
    return {"harness": "daemon", "model": "synthesis", "prompt": prompt, "fileCount": count}


@serves(wire.COMPLETE_SYNTHESIS)
async def post_complete(ask: Ask, body: SynthesisCompleteBody) -> wire.Synthesised:
    """Replace MEMORY.md with a text, keeping the earlier one as a backup."""
    if body.content is None:
        raise Invalid("content is required")
    text = file.checked(body.content)
    state, agent_id = ask.state, await ask.agent(body)
    path = _path(state, agent_id)
    await state.db.aread(_must_be_free, state)
    newest = await asyncio.to_thread(_write, state, agent_id, path, text, clock.now())
    await state.db.awrite(run.note_run, agent_id, now=clock.now(), newest=newest)
    return {"success": True}


@serves(wire.TRIGGER_SYNTHESIS)
async def post_trigger(agent_id: Owner, state: Shared) -> wire.TriggeredSynthesis:
    """Queue a run now, regardless of the schedule, if a memory has changed; else return the `reason` why not."""
    _path(state, agent_id)
    done = await state.db.awrite(_trigger, state, agent_id, clock.now())
    if done.reason:
        return {"success": False, "skipped": True, "reason": done.reason}
    return {"success": True, "skipped": False, "jobId": done.job_id}


@serves(wire.UNDO_SYNTHESIS)
async def post_undo(agent_id: Owner, state: Shared) -> wire.UndoneSynthesis:
    """Restore the MEMORY.md before the last run, without forgotten and outdated statements; a second time brings the
    replaced one back.
    """
    path, now = _path(state, agent_id), clock.now()
    if await state.db.aread(run.is_running):
        raise Conflict("Synthesis already in progress")
    chars = await asyncio.to_thread(_undo, state, agent_id, path, now)
    await state.db.awrite(run.note_run, agent_id, now=now, newest=None, has_failed=True)
    return {"success": True, "chars": chars}


@serves(wire.SYNTHESIS_STATUS)
async def get_status(
    ask: Ask, agent_id: Annotated[Text, Query(alias="agentId")] = None
) -> wire.SynthesisStatus:
    """Return whether MEMORY.md is being written, and when it last was."""
    owner = await ask.agent(named=agent_id)
    running, last = await ask.state.db.aread(
        lambda tx: (run.is_running(tx), run.last_run_at(tx, owner))
    )
    return {"running": running, "lastRunAt": last, "config": _config(ask.state.settings)}


def _config(settings: Settings) -> wire.SynthesisConfig:
    synthesis, plan = settings.pipeline.synthesis, Plan.from_settings(settings)
    return as_wire(
        wire.SynthesisConfig,
        synthesis,
        harness="daemon",
        schedule=plan.schedule,
        timeout=synthesis.timeout_ms,
        maxTokens=plan.max_tokens,
    )


def _path(state: State, agent_id: str) -> Path:
    path = file.path_of(state.workspace, agent_id)
    if path is None:
        raise Invalid("agentId is not an agent name")
    return path


def _trigger(tx: WriteTx, state: State, agent_id: str, now: datetime) -> run.Triggered:
    if not state.settings.pipeline.enabled:
        return run.Triggered(reason="The pipeline is off")
    _must_have_worker(tx, state)
    return run.trigger(tx, agent_id, now=now)


def _must_be_free(tx: ReadTx, state: State) -> None:
    _must_have_worker(tx, state)
    if run.is_running(tx):
        raise Conflict("Synthesis already in progress")


def _must_have_worker(tx: ReadTx, state: State) -> None:
    if "worker" in processes.missing(tx, state.workspace):
        raise Unavailable("Synthesis worker not running")


def _undo(state: State, agent_id: str, path: Path, now: datetime) -> int:
    """Exchange the file for its newest backup and return the length of the text."""
    with file.alone(state.workspace, wait=False):
        earlier = file.checked(file.previous(path))
        forgotten, outdated = state.db.read(run.unwanted, agent_id, "")
        text = withheld.without(earlier, [*forgotten, *outdated])
        file.write(state.workspace, path, text, at=now, run_at=now, is_run=False)
    return len(text)


def _write(state: State, agent_id: str, path: Path, text: str, now: datetime) -> int:
    """Write the file and return the number of the newest memory."""
    newest = state.db.read(run.newest, agent_id)
    with file.alone(state.workspace, wait=False):
        file.write(state.workspace, path, text, at=now, run_at=now)
    return newest
