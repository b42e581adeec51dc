"""Where a session ends, and where a long one is read up to here (spec/hooks.md §6).

The transcript is read from its file and brought into its stored form on another thread; the answer waits for the
commit and for nothing else.
"""

import asyncio
from datetime import datetime

from fastapi import APIRouter, Request

from signet import clock
from signet.config import Settings
from signet.config.sections import AuthMode
from signet.db import WriteTx
from signet.domain.knowledge import feedback
from signet.domain.sessions import end, files
from signet.domain.sessions.models import Queued, Rules, Session
from signet.errors import Invalid
from signet.observe import logs, record
from signet.observe.record import Event
from signet.wire.sessions import SessionEndBody
from signet_api.bodies import JsonRoute, body_of, described
from signet_api.deps import Shared, State, agent_of, project_of
from signet_api.routes.hooks import INTERNAL

log = logs.get("hooks")

router = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=JsonRoute)

NOTHING: dict[str, object] = {"memoriesSaved": 0}
#: From this length on a log in which nobody speaks is worth a line.
SILENT_CHARS = 500


@router.post("/session-end", openapi_extra=described(SessionEndBody))
async def post_session_end(request: Request, state: Shared) -> dict[str, object]:
    """Keep the transcript of a session and queue its reading; nothing of a session that is cleared."""
    if request.headers.get(INTERNAL) == "1":
        return {**NOTHING, "internal": True}
    body = await body_of(request, SessionEndBody)
    if not body.harness.strip():
        raise Invalid("harness is required")
    if body.reason == "clear":
        return NOTHING
    session = await _session(body, request, state)
    queued = await state.db.awrite(_end, session, state.settings, now=clock.now())
    record.event(
        Event.SESSION_END,
        harness=body.harness,
        chars=len(session.text),
        queued=queued is not None and queued.is_open,
    )
    if queued is None:
        return NOTHING
    return {**NOTHING, "queued": queued.is_open, "jobId": queued.job_id}


@router.post("/session-checkpoint-extract", openapi_extra=described(SessionEndBody))
async def post_checkpoint(request: Request, state: Shared) -> dict[str, object]:
    """Keep the transcript so far and queue what is new in it, if that is enough."""
    if request.headers.get(INTERNAL) == "1":
        return {"skipped": True, "internal": True}
    body = await body_of(request, SessionEndBody)
    if not (body.harness.strip() and (body.session_key or body.session_id)):
        raise Invalid("harness and sessionKey are required")
    session = await _session(body, request, state)
    queued = await state.db.awrite(
        end.checkpoint, session, rules=Rules.of(state.settings), now=clock.now()
    )
    return {"queued": True, "jobId": queued.job_id} if queued else {"skipped": True}


def _end(tx: WriteTx, session: Session, settings: Settings, *, now: datetime) -> Queued | None:
    """Keep the session and queue its reading; what was brought to it has served now, or not."""
    learns, frozen = settings.pipeline.feedback, settings.pipeline.mutations_frozen
    if not frozen:
        feedback.apply_session(tx, session.key, agent_id=session.agent_id, settings=learns, now=now)
    return end.end(tx, session, rules=Rules.of(settings), now=now)


async def _session(body: SessionEndBody, request: Request, state: State) -> Session:
    """Return what was handed over; a remote caller cannot make the daemon read its files (HK-73)."""
    is_local = state.authority.mode is AuthMode.LOCAL
    path = body.transcript_path if is_local else None
    text = await asyncio.to_thread(files.text_of, path, body.transcript)
    if not text and len(body.transcript or "") > SILENT_CHARS:
        log.warning("session.silent", harness=body.harness, chars=len(body.transcript or ""))
    key = body.session_key or body.session_id
    return Session(
        agent_id=agent_of(body.agent_id, key, request.headers),
        key=key or files.key_of(text),
        harness=body.harness,
        project=project_of(body.cwd or body.project),
        text=text,
    )
