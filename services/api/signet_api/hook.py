"""Shared by the hook routes: caller, session, and disabled hooks."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.backfill.models import UserHome
from signet.domain.backfill.places import log_folders
from signet.domain.projects.folder import NOWHERE, is_within
from signet.domain.sessions import calls, session_end
from signet.domain.sessions.calls import Services, SessionCall, SessionHome
from signet.domain.sessions.models import RuntimePath
from signet.domain.sessions.session_end import Ended, Report
from signet.domain.transcripts import log_files, stored
from signet.domain.transcripts.log_files import LogFile
from signet.domain.transcripts.models import Reading, Session
from signet.errors import SignetError
from signet.ids import agent_of_session
from signet.observe import logs
from signet.wire.requests.hooks import HookBody, HookRecallBody
from signet_api import projects
from signet_api.deps import State, bound, named_agent
from signet_api.serving import First

#: Set by processes that Signet started; their hooks do nothing (HK-6).
INTERNAL = "x-signet-no-hooks"
_PATHS = frozenset(RuntimePath)
#: Seconds that a hook waits for another one of its session.
TURN_SECONDS = 2.0


def unless_internal(nothing: Mapping[str, object]) -> First:
    """Return a `first` that answers `nothing` to processes started by Signet, before the body is read."""

    async def skip(request: Request) -> Response | None:
        is_internal = request.headers.get(INTERNAL) == "1"
        return JSONResponse({**nothing, "internal": True}) if is_internal else None

    return skip


async def call_of(
    body: HookBody | HookRecallBody,
    headers: Mapping[str, str],
    state: State,
    *,
    key: str | None = None,
    cwd: str | None = None,
) -> SessionCall:
    """Return the caller; a session keeps the agent and project of its start, whatever later calls name.

    Prompts receive the memory of the current repository, because an agent changes its folder with `cd`.
    """
    key, harness = body.session_key or key or None, body.harness.strip()
    agent = body.agent_id or agent_of_session(key) or headers.get("x-signet-agent-id")
    named = body.project or cwd or ""
    elsewhere = projects.elsewhere(body.repository if isinstance(body, HookBody) else None)
    place = await state.projects.find(named, elsewhere) if named.strip() else NOWHERE
    project = bound(place.project)

    def known(tx: ReadTx) -> tuple[str, SessionHome]:
        owner = calls.owner(tx, key, harness) if key and not (agent or "").strip() else None
        found = agents.known_as(tx, named_agent(body.agent_id or owner, key, headers))
        session = calls.known(tx, found, harness, key) if key else calls.NO_SESSION
        if session.key:
            calls.check_scope(tx, found, session.key)
        return found, session

    agent_id, session = await state.db.aread(known)
    begun = session.state.project if session.state else None
    private = state.settings.hooks.private_folders
    folders = [one for one in (named, begun) if one] if private else []
    is_private = any([await asyncio.to_thread(is_within, one, private) for one in folders])
    project = project or session.project
    here = project if place.is_repository or begun is None else begun
    return SessionCall(
        agent_id=agent_id,
        harness=harness,
        key=session.key or None,
        project=begun or project,
        here=here,
        place=place if elsewhere is None else NOWHERE,
        runtime_path=runtime_path(headers, body.runtime_path),
        session=session.state,
        is_private=is_private,
    )


@asynccontextmanager
async def in_turn(call: SessionCall, state: State) -> AsyncIterator[None]:
    """Answer the hooks of one session in turn: each leaves out what the previous one injected.

    Harnesses run the hooks of a start and of the first prompt at once. A slow hook delays others only for a moment.
    """
    lock = state.turns.setdefault((call.agent_id, call.key or ""), asyncio.Lock())
    is_ours = False
    with suppress(TimeoutError):
        async with asyncio.timeout(TURN_SECONDS if call.key else 0):
            is_ours = await lock.acquire()
    try:
        yield
    finally:
        if is_ours:
            lock.release()


def bypassed(call: SessionCall) -> bool:
    """Return whether a session's hooks are disabled; raises Conflict if another runtime path serves it."""
    return call.bypasses(calls.session_of(call), clock.now())


def runtime_path(headers: Mapping[str, str], said: str | None) -> str | None:
    """Return the runtime path of a session; the header takes precedence, unknown values count as none."""
    path = headers.get("x-signet-runtime-path", said)
    return path if path in _PATHS else None


log = logs.get("hooks")

#: Growth in bytes and share after which a log is read again: reading 1 GB takes many seconds.
LEAST_NEW_BYTES, LEAST_NEW_SHARE = 4_096, 0.02


#: Seconds between polls of a log without an answer: Copilot writes a turn only after its hook has returned.
LOOKS = (1.0, 4.0, 15.0)


def readable(path: str | None) -> LogFile | None:
    """Return the log file named by a request if the daemon may read it for this caller (HK-73)."""
    asked = caller.current()
    if path is None or not asked.is_local_user:
        return None
    if asked.is_own_client:
        return LogFile(path)
    return LogFile(path, partial(log_folders, UserHome(path=Path.home())))


def later(
    state: State, call: SessionCall, path: str | None, inline: str | None, *, offset: timedelta
) -> None:
    """Store the current transcript in the background; one log at a time per session."""
    log_file = readable(path)
    if call.key is None or not (log_file or inline):
        return
    name = (call.agent_id, call.key)
    size = _size(log_file.path) if log_file else len(inline or "")
    before = state.following.get(name)
    if size is None or (
        before is not None and size < before + max(LEAST_NEW_BYTES, before * LEAST_NEW_SHARE)
    ):
        return
    state.following[name] = size
    task = asyncio.create_task(_keep(state, call, log_file, inline, offset))
    state.tasks.add(task)
    task.add_done_callback(state.tasks.discard)


def again(
    state: State, call: SessionCall, report: Report, ended: Ended, services: Services
) -> None:
    """Read a session's log again in the background if it ends without an answer and then grows."""
    read = ended.session.reading if ended.session else None
    if report.log is None or read is None:
        return
    if read.text.rfind("\nAssistant: ") > max(0, read.text.rfind("\nUser: ")):
        return
    late = report if ended.is_turn else replace(report, reason=session_end.LONG_AGO)
    task = asyncio.create_task(_again(call, late, report.log.path, read.log_bytes or 0, services))
    state.tasks.add(task)
    task.add_done_callback(state.tasks.discard)


async def _again(
    call: SessionCall, report: Report, path: str, size: int, services: Services
) -> None:
    for seconds in LOOKS:
        await asyncio.sleep(seconds)
        now = _size(path) or size
        if now > size:
            try:
                await session_end.end(call, report, services)
                size = now
            except SignetError as error:
                log.info("transcript.not_stored", code=error.code)


async def _keep(
    state: State, call: SessionCall, log_file: LogFile | None, inline: str | None, offset: timedelta
) -> None:
    masks = state.settings.memory.mask_secrets
    found = await asyncio.to_thread(
        log_files.read, log_file, inline, masks=masks, with_steps=False, offset=offset
    )
    if not found.text:
        return
    try:
        await state.db.awrite_quick(_store, call, found, at=clock.now())
    except SignetError as error:  # the session end submits it again
        log.info("transcript.not_stored", code=error.code)


def _store(tx: WriteTx, call: SessionCall, found: Reading, *, at: datetime) -> None:
    assert call.key is not None
    session = Session(
        agent_id=call.agent_id,
        key=call.key,
        harness=call.harness,
        project=call.project,
        text=found.text,
        reading=found,
    )
    stored.keep(tx, session, now=at)


def _size(path: str) -> int | None:
    try:
        return Path(path).expanduser().stat().st_size
    except (OSError, ValueError, RuntimeError):
        return None
