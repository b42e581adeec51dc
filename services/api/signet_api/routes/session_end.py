"""Where a session ends, and where a long one is read up to here."""

from collections.abc import Mapping

from fastapi import APIRouter, Request

from signet.domain.sessions import session_end
from signet.domain.sessions.session_end import Ended, Report
from signet.errors import Invalid
from signet.wire.requests.sessions import SessionEndBody
from signet_api import transcripts
from signet_api.answering import services_of
from signet_api.bodies import body_of, described
from signet_api.deps import Shared, State
from signet_api.hook import HookRoute, call_of, is_internal

router = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=HookRoute)

NOTHING: dict[str, object] = {"memoriesSaved": 0}


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
    ended = await session_end.end_turn(call, _report(body, state), services_of(state))
    if ended.is_bypassed:
        return {"skipped": True, "bypassed": True}
    answer = {"queued": True, "jobId": ended.queued.job_id} if ended.queued else {"skipped": True}
    return answer | _masked(ended)


async def end_session(
    body: SessionEndBody, headers: Mapping[str, str], state: State, *, reads: bool = False
) -> dict[str, object]:
    """End a session, or a turn of it.

    `reads` lets the file be read that the body names, whoever the caller is.
    """
    call = await call_of(body, headers, state, key=body.session_id, cwd=body.cwd)
    ended = await session_end.end(call, _report(body, state, reads=reads), services_of(state))
    if not ended.is_turn:
        state.following.pop((call.agent_id, call.key or ""), None)
    if ended.is_bypassed:
        return {**NOTHING, "bypassed": True}
    queued = ended.queued
    job = {} if queued is None else {"queued": queued.is_open, "jobId": queued.job_id}
    return {**NOTHING, **job, **_masked(ended)}


def _report(body: SessionEndBody, state: State, *, reads: bool = False) -> Report:
    path = body.transcript_path
    return Report(
        harness=body.harness,
        reason=body.reason,
        path=path if reads else transcripts.readable_path(state, path),
        inline=body.transcript,
    )


def _masked(ended: Ended) -> dict[str, object]:
    masked = ended.session.masked if ended.session else ()
    return {"masked": list(masked)} if masked else {}
