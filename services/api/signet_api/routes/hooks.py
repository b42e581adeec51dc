"""What harnesses ask for while a session runs: to remember, and around a compaction."""

from functools import partial

from fastapi import APIRouter, Request

from signet import clock
from signet.domain.injections.models import Phase
from signet.domain.memory.models import Actor, NewMemory, Remembered
from signet.domain.sessions import compaction, continuity, injected, lifecycle
from signet.domain.sessions.calls import Call
from signet.errors import Invalid
from signet.wire.requests.hooks import CompactionBody, HookRememberBody, PreCompactionBody
from signet_api.bodies import body_of, described
from signet_api.deps import Shared, State, Who
from signet_api.hook import HookRoute, bypassed, call_of, is_internal
from signet_api.routes.remember import save

router = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=HookRoute)


class SummaryRoute(HookRoute):
    """The route of a summary, which says what failed."""

    FAILED = "Failed to save summary"


summaries = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=SummaryRoute)


@router.post("/remember", openapi_extra=described(HookRememberBody))
async def post_remember(request: Request, state: Shared, actor: Who) -> dict[str, object]:
    """Save a text from within a session; the same text or idempotency key twice is one memory."""
    if is_internal(request):
        return {"success": True, "memories": [], "internal": True}
    body = await body_of(request, HookRememberBody)
    if not (body.harness.strip() and body.content.strip()):
        raise Invalid("harness and content are required")
    call = await call_of(body, request.headers, state)
    if await bypassed(call, state):
        return {"success": True, "memories": [], "bypassed": True}
    new = NewMemory(
        content=body.content,
        agent_id=call.agent_id,
        who=body.who or body.harness,
        project=call.project,
        source_type="explicit",
        session_id=call.key,
        harness=body.harness,
        idempotency_key=body.idempotency_key,
        runtime_path=call.runtime_path,
    )
    saved = await save(state, new, actor)
    note = partial(continuity.remembered, content=saved.content)
    await state.db.awrite_quick(lifecycle.used, call, note, state.settings, now=clock.now())
    return {
        "success": True,
        "saved": True,
        "id": saved.id,
        "memoryId": saved.id,
        "deduped": saved.deduped,
        **({"masked": list(saved.masked)} if saved.masked else {}),
    }


@router.post("/pre-compaction", openapi_extra=described(PreCompactionBody))
async def post_pre_compaction(request: Request, state: Shared) -> dict[str, object]:
    """Write down where the session stands, and say what a summary of it should hold."""
    body = await body_of(request, PreCompactionBody)
    if not body.harness.strip():
        raise Invalid("harness is required")
    call = await call_of(body, request.headers, state)
    if await bypassed(call, state):
        return {"summaryPrompt": "", "guidelines": "", "instructions": "", "bypassed": True}
    now, settings = clock.now(), state.settings
    await state.db.awrite_quick(lifecycle.compacting, call, body.session_context, settings, now=now)
    rules = settings.hooks.pre_compaction
    asked = await state.db.aread(compaction.request, call.agent_id, rules, now=now)
    injected.record(state.injections.put, call, Phase.COMPACTION, asked.prompt, asked.items)
    return {"summaryPrompt": asked.prompt, "guidelines": asked.guidelines}


@summaries.post("/compaction-complete", openapi_extra=described(CompactionBody))
async def post_compaction_complete(
    request: Request, state: Shared, actor: Who
) -> dict[str, object]:
    """Save the summary to which a harness has shortened its context."""
    body = await body_of(request, CompactionBody)
    if not (body.harness.strip() and body.summary.strip()):
        raise Invalid("harness and summary are required")
    call = await call_of(body, request.headers, state)
    if await bypassed(call, state):
        return {"success": True, "bypassed": True}
    saved = await keep_summary(call, body.summary, state, actor)
    return {"success": True, "memoryId": saved.id}


async def keep_summary(call: Call, summary: str, state: State, actor: Actor) -> Remembered:
    """Save a summary as a memory of its session, which may then be given again what it was given (HK-93)."""
    new = NewMemory(
        content=summary,
        agent_id=call.agent_id,
        type="session_summary",
        importance=0.8,
        tags=("session", "summary", call.harness),
        who="system",
        project=call.project,
        source_type=call.harness,
        session_id=call.key,
        harness=call.harness,
        runtime_path=call.runtime_path,
    )
    saved = await save(state, new, actor)
    await state.db.awrite_quick(lifecycle.compacted, call, now=clock.now())
    return saved
