"""Where a session begins."""

from fastapi import Request

from signet.domain.sessions import session_start
from signet.domain.updates import state as updates
from signet.errors import Invalid
from signet.wire import hooks as wire
from signet.wire.requests.hooks import SessionStartBody
from signet_api.answering import services_of
from signet_api.deps import Shared
from signet_api.hook import call_of, unless_internal
from signet_api.serving import serves


@serves(wire.START_SESSION, first=unless_internal(session_start.NOTHING))
async def post_session_start(
    request: Request, state: Shared, body: SessionStartBody
) -> wire.StartedSession:
    """Claim a session and return what it begins with; one that was told before is told nothing again.

    A plugin that has lost what it was told says `needsContext`, and is told everything again.
    """
    if not body.harness.strip():
        raise Invalid("harness is required")
    state.vectors.warm()
    call = await call_of(body, request.headers, state, key=body.session_id, cwd=body.cwd)
    return await session_start.start(
        call,
        body.context or "",
        services_of(state),
        needs_context=body.needs_context is True,
        notice=updates.notice(state.health.update, state.health.pending),
    )
