"""What a harness asks during a session: recall in the form of a hook."""

from functools import partial

from fastapi import Request

from signet import clock
from signet.domain.sessions import continuity, lifecycle
from signet.errors import Invalid
from signet.wire import hooks as wire
from signet.wire.recall import Recalled
from signet.wire.requests.hooks import HookRecallBody
from signet_api.deps import Shared
from signet_api.hook import bypassed, call_of, unless_internal
from signet_api.routes.recall import recalled
from signet_api.serving import serves

NOTHING: wire.NothingRecalled = {"memories": [], "results": [], "count": 0}


@serves(wire.HOOK_RECALL, first=unless_internal(NOTHING))
async def post_hook_recall(
    request: Request, state: Shared, body: HookRecallBody
) -> Recalled | wire.NothingRecalled:
    """Return the memories that answer a question; nothing to a process that Signet itself started (HK-6)."""
    if not (body.harness.strip() and body.query.strip()):
        raise Invalid("harness and query are required")
    call = await call_of(body, request.headers, state)
    if await bypassed(call, state):
        return {**NOTHING, "bypassed": True}
    answer = await recalled(body.model_copy(update={"agent_id": call.agent_id}), request, state)
    if call.key is not None:
        note = partial(continuity.asked, query=body.query)
        await state.db.awrite_quick(lifecycle.used, call, note, state.settings, now=clock.now())
    return answer
