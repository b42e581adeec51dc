"""What harnesses ask for while a session runs: to remember, and around a compaction."""

from functools import partial

from fastapi import Request

from signet import clock
from signet.domain.injections.models import Phase
from signet.domain.memory.models import Actor, NewMemory, Remembered
from signet.domain.sessions import compaction, continuity, injected, lifecycle
from signet.domain.sessions.calls import Call
from signet.errors import Invalid
from signet.wire import hooks as wire
from signet.wire.origin import Origin
from signet.wire.requests.hooks import CompactionBody, HookRememberBody, PreCompactionBody
from signet_api.deps import Shared, State, Who
from signet_api.hook import bypassed, call_of, unless_internal
from signet_api.routes.remember import save
from signet_api.serving import serves

NOTHING: wire.NothingRemembered = {"success": True, "memories": []}


@serves(wire.HOOK_REMEMBER, first=unless_internal(NOTHING))
async def post_remember(
    request: Request, state: Shared, actor: Who, body: HookRememberBody
) -> wire.RememberedByHook | wire.NothingRemembered:
    """Save a text from within a session; the same text or idempotency key twice is one memory."""
    if not (body.harness.strip() and body.content.strip()):
        raise Invalid("harness and content are required")
    call = await call_of(body, request.headers, state)
    if await bypassed(call, state):
        return {**NOTHING, "bypassed": True}
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
    answer: wire.RememberedByHook = {
        "success": True,
        "saved": True,
        "id": saved.id,
        "memoryId": saved.id,
        "deduped": saved.deduped,
    }
    if saved.masked:
        answer["masked"] = list(saved.masked)
    return answer


@serves(wire.BEFORE_COMPACTION)
async def post_pre_compaction(
    request: Request, state: Shared, body: PreCompactionBody
) -> wire.Precompaction:
    """Write down where the session stands, and say what a summary of it should hold."""
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


@serves(wire.AFTER_COMPACTION)
async def post_compaction_complete(
    request: Request, state: Shared, actor: Who, body: CompactionBody
) -> wire.Compacted:
    """Save the summary to which a harness has shortened its context."""
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
        origin=Origin.INFERRED,
        project=call.project,
        source_type=call.harness,
        session_id=call.key,
        harness=call.harness,
        runtime_path=call.runtime_path,
    )
    saved = await save(state, new, actor)
    await state.db.awrite_quick(lifecycle.compacted, call, now=clock.now())
    return saved
