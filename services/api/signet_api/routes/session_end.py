"""Where a session ends, and where a long one is read up to here.

The transcript is read from its file and brought into its stored form on another thread; the answer waits for the
commit and for nothing else.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from fastapi import APIRouter, Request

from signet import clock
from signet.domain.sessions import lifecycle, session_end
from signet.domain.sessions.calls import Call
from signet.domain.summaries.models import Queued
from signet.domain.transcripts import log_files, merge
from signet.domain.transcripts.models import Session
from signet.errors import Invalid
from signet.observe import logs, record
from signet.observe.record import Event
from signet.wire.requests.sessions import SessionEndBody
from signet_api import transcripts
from signet_api.bodies import body_of, described
from signet_api.deps import Shared, State
from signet_api.hook import HookRoute, call_of, is_internal

log = logs.get("hooks")

router = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=HookRoute)

NOTHING: dict[str, object] = {"memoriesSaved": 0}
#: From this length on a log in which nobody speaks is worth a line.
SILENT_CHARS = 500


@router.post("/session-end", openapi_extra=described(SessionEndBody))
async def post_session_end(request: Request, state: Shared) -> dict[str, object]:
    """Let go of a session, keep its transcript and queue its reading; nothing of a session that is cleared."""
    if is_internal(request):
        return {**NOTHING, "internal": True}
    body = await body_of(request, SessionEndBody)
    if not body.harness.strip():
        raise Invalid("harness is required")
    return await end_session(body, request.headers, state)


@router.post("/session-checkpoint-extract", openapi_extra=described(SessionEndBody))
async def post_checkpoint(request: Request, state: Shared) -> dict[str, object]:
    """Keep the transcript so far and queue what is new in it, if that is enough."""
    if is_internal(request):
        return {"skipped": True, "internal": True}
    body = await body_of(request, SessionEndBody)
    if not (body.harness.strip() and (body.session_key or body.session_id)):
        raise Invalid("harness and sessionKey are required")
    call = await call_of(body, request.headers, state, key=body.session_id, cwd=body.cwd)
    queued, session = await _end_turn(body, call, state)
    if session is None:
        return {"skipped": True, "bypassed": True}
    answer = {"queued": True, "jobId": queued.job_id} if queued else {"skipped": True}
    return answer | _masked(session)


async def end_session(
    body: SessionEndBody, headers: Mapping[str, str], state: State, *, reads: bool = False
) -> dict[str, object]:
    """Let go of the session first, so that it is free whatever becomes of its transcript (HK-13).

    A call that reports the end of a turn only hands over what was said (see `sessions/merge.py`). `reads` lets the
    file be read that the body names, whoever the caller is.
    """
    call = await call_of(body, headers, state, key=body.session_id, cwd=body.cwd)
    if call.key and merge.is_turn_end(call.harness, call.runtime_path, body.reason):
        queued, kept = await _end_turn(body, call, state, reads=reads)
        return _told(queued, kept) if kept else {**NOTHING, "bypassed": True}
    is_cleared, now = body.reason == "clear", clock.now()
    before = await state.db.awrite(
        lifecycle.ended, call, state.settings, is_kept=not is_cleared, now=now
    )
    state.following.pop((call.agent_id, call.key or ""), None)
    if before is not None and before.bypasses(now):
        return {**NOTHING, "bypassed": True}
    if is_cleared:
        return dict(NOTHING)
    call = replace(call, project=call.project or (before.project if before else None))
    session = await _session(body, call, state, reads=reads)
    await state.injections.flush()
    queued = await state.db.awrite(session_end.finish, session, state.settings, now=now)
    record.event(
        Event.SESSION_END,
        harness=body.harness,
        chars=len(session.text),
        queued=queued is not None and queued.is_open,
    )
    return _told(queued, session)


async def _end_turn(
    body: SessionEndBody, call: Call, state: State, *, reads: bool = False
) -> tuple[Queued | None, Session | None]:
    """Keep what was said so far and queue what is new in it; without a session it is bypassed."""
    now = clock.now()
    before = await state.db.awrite(lifecycle.turned, call, now=now)
    if before is not None and before.bypasses(now):
        return None, None
    session = replace(await _session(body, call, state, reads=reads), is_turn=True)
    await state.injections.flush()
    return await state.db.awrite(session_end.turn, session, state.settings, now=now), session


def _told(queued: Queued | None, session: Session) -> dict[str, object]:
    job = {} if queued is None else {"queued": queued.is_open, "jobId": queued.job_id}
    return {**NOTHING, **job, **_masked(session)}


def _masked(session: Session) -> dict[str, object]:
    return {"masked": list(session.masked)} if session.masked else {}


async def _session(
    body: SessionEndBody, call: Call, state: State, *, reads: bool = False
) -> Session:
    """Return what was handed over."""
    path = body.transcript_path if reads else transcripts.readable_path(state, body.transcript_path)
    masks = state.settings.memory.mask_secrets
    masked, steps = await asyncio.to_thread(
        log_files.session_of, path, body.transcript, masks=masks
    )
    text = masked.text
    if not text and len(body.transcript or "") > SILENT_CHARS:
        log.warning("session.silent", harness=body.harness, chars=len(body.transcript or ""))
    return Session(
        agent_id=call.agent_id,
        key=call.key or log_files.key_of(text),
        harness=body.harness,
        project=call.project,
        text=text,
        steps=steps,
        masked=masked.kinds,
    )
