"""Where a session ends, and where a long one is read up to here."""

from collections.abc import Mapping

from fastapi import Request

from signet.domain.sessions import session_end
from signet.domain.sessions.session_end import Ended, Report
from signet.errors import Invalid
from signet.wire import hooks as wire
from signet.wire.requests.sessions import SessionEndBody
from signet_api import transcripts
from signet_api.answering import services_of
from signet_api.deps import Shared, State
from signet_api.hook import call_of, unless_internal
from signet_api.serving import serves


@serves(wire.END_SESSION, first=unless_internal({"memoriesSaved": 0}))
async def post_session_end(
    request: Request, state: Shared, body: SessionEndBody
) -> wire.EndedSession:
    """Let go of a session, keep its transcript and queue its reading; nothing of a session that is cleared."""
    if not body.harness.strip():
        raise Invalid("harness is required")
    return await end_session(body, request.headers, state)


@serves(wire.END_TURN, first=unless_internal({"skipped": True}))
async def post_checkpoint(request: Request, state: Shared, body: SessionEndBody) -> wire.EndedTurn:
    """Keep the transcript so far and queue what is new in it, if that is enough."""
    if not (body.harness.strip() and (body.session_key or body.session_id)):
        raise Invalid("harness and sessionKey are required")
    call = await call_of(body, request.headers, state, key=body.session_id, cwd=body.cwd)
    ended = await session_end.end_turn(call, _report(body, state), services_of(state))
    if ended.is_bypassed:
        return {"skipped": True, "bypassed": True}
    answer: wire.EndedTurn = {"skipped": True}
    if ended.queued:
        answer = {"queued": True, "jobId": ended.queued.job_id}
    if masked := _masked(ended):
        answer["masked"] = masked
    return answer


async def end_session(
    body: SessionEndBody, headers: Mapping[str, str], state: State, *, reads: bool = False
) -> wire.EndedSession:
    """End a session, or a turn of it.

    `reads` lets the file be read that the body names, whoever the caller is.
    """
    call = await call_of(body, headers, state, key=body.session_id, cwd=body.cwd)
    ended = await session_end.end(call, _report(body, state, reads=reads), services_of(state))
    if not ended.is_turn:
        state.following.pop((call.agent_id, call.key or ""), None)
    if ended.is_bypassed:
        return {"memoriesSaved": 0, "bypassed": True}
    answer: wire.EndedSession = {"memoriesSaved": 0}
    if ended.queued:
        answer["queued"] = ended.queued.is_open
        answer["jobId"] = ended.queued.job_id
    if masked := _masked(ended):
        answer["masked"] = masked
    return answer


def _report(body: SessionEndBody, state: State, *, reads: bool = False) -> Report:
    path = body.transcript_path
    return Report(
        harness=body.harness,
        reason=body.reason,
        path=path if reads else transcripts.readable_path(state, path),
        inline=body.transcript,
    )


def _masked(ended: Ended) -> list[str]:
    return list(ended.session.masked) if ended.session else []
