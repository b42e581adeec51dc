"""What a harness asks during a session: recall in the form of a hook."""

from functools import partial

from fastapi import APIRouter, Request

from signet import clock
from signet.domain.sessions import continuity, lifecycle
from signet.errors import Invalid
from signet.wire.requests.hooks import HookRecallBody
from signet_api.bodies import body_of, described
from signet_api.deps import Shared
from signet_api.hook import HookRoute, bypassed, call_of, is_internal
from signet_api.routes.recall import recalled

router = APIRouter(tags=["hooks"], route_class=HookRoute)


@router.post("/api/hooks/recall", openapi_extra=described(HookRecallBody))
async def post_hook_recall(request: Request, state: Shared) -> dict[str, object]:
    """Return the memories that answer a question; nothing to a process that Signet itself started (HK-6)."""
    if is_internal(request):
        return {"memories": [], "results": [], "count": 0, "internal": True}
    body = await body_of(request, HookRecallBody)
    if not (body.harness.strip() and body.query.strip()):
        raise Invalid("harness and query are required")
    call = await call_of(body, request.headers, state)
    if await bypassed(call, state):
        return {"memories": [], "results": [], "count": 0, "bypassed": True}
    answer = await recalled(body.model_copy(update={"agent_id": call.agent_id}), request, state)
    if call.key is not None:
        note = partial(continuity.asked, query=body.query)
        await state.db.awrite_quick(lifecycle.used, call, note, state.settings, now=clock.now())
    return dict(answer)
