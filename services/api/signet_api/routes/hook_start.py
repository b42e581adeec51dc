"""Where a session begins."""

from fastapi import APIRouter, Request

from signet.domain.sessions import session_start
from signet.domain.updates import state as updates
from signet.errors import Invalid
from signet.wire.requests.hooks import SessionStartBody
from signet_api.answering import services_of
from signet_api.bodies import body_of, described
from signet_api.deps import Shared
from signet_api.hook import HookRoute, call_of, is_internal

router = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=HookRoute)


@router.post("/session-start", openapi_extra=described(SessionStartBody))
async def post_session_start(request: Request, state: Shared) -> dict[str, object]:
    """Claim a session and return what it begins with; one that was told before is told nothing again.

    A plugin that has lost what it was told says `needsContext`, and is told everything again.
    """
    if is_internal(request):
        return {**session_start.NOTHING, "internal": True}
    body = await body_of(request, SessionStartBody)
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
