"""Hooks of harnesses, from session start to session end."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypedDict

from signet import clock
from signet.domain.auth import caller
from signet.domain.injections.models import Phase
from signet.domain.memory import wording
from signet.domain.memory.models import Actor, NewMemory, Remembered, Rules, Visibility
from signet.domain.sessions import (
    calls,
    compaction,
    lifecycle,
    models,
    offline,
    prompt,
    prompt_text,
    session_end,
    session_start,
)
from signet.domain.sessions.calls import SessionCall
from signet.domain.sessions.session_end import Ended, Report
from signet.domain.transcripts import records, withheld
from signet.domain.updates import check
from signet.errors import Invalid
from signet.wire import access
from signet.wire import hooks as wire
from signet.wire.origin import Origin
from signet.wire.recall import Recalled
from signet.wire.requests.hooks import (
    CompactionBody,
    HookRecallBody,
    HookRememberBody,
    OfflineBody,
    PreCompactionBody,
    PromptBody,
    SessionEndBody,
    SessionStartBody,
)
from signet_api import hook
from signet_api.answering import services_of
from signet_api.deps import Ask, State, clock_offset
from signet_api.hook import bypassed, call_of, in_turn, unless_internal
from signet_api.routes.recall import recalled
from signet_api.routes.remember import save
from signet_api.serving import serves
from signet_api.shapes import as_wire

NOTHING_SAVED: wire.NothingRemembered = {"success": True, "memories": []}


@serves(wire.HOOK_REMEMBER, first=unless_internal(NOTHING_SAVED))
async def post_remember(
    ask: Ask, body: HookRememberBody
) -> wire.RememberedByHook | wire.NothingRemembered:
    """Save a text from a session; the same text or idempotency key twice creates one memory."""
    if not (body.harness.strip() and body.content.strip()):
        raise Invalid("harness and content are required")
    state = ask.state
    call = await call_of(body, ask.headers, state)
    if bypassed(call):
        return {**NOTHING_SAVED, "bypassed": True}
    # `/remember` accepts prefixes (MEM-4).
    said = wording.parse_prefixes(body.content)
    new = NewMemory(
        content=said.content,
        pinned=said.pinned,
        importance=said.importance,
        tags=said.tags,
        agent_id=call.agent_id,
        who=body.who or body.harness,
        visibility=Visibility(body.visibility) if body.visibility else None,
        project=call.project,
        source_type="explicit",
        session_id=call.key,
        harness=body.harness,
        idempotency_key=body.idempotency_key,
        runtime_path=call.runtime_path,
    )
    saved = await save(state, new, ask.actor())
    note = partial(models.after_save, content=saved.content)
    await state.db.awrite_quick(lifecycle.used, call, note, state.settings, now=clock.now())
    return as_wire(wire.RememberedByHook, saved, success=True, saved=True, memoryId=saved.id)


@serves(wire.BEFORE_COMPACTION)
async def post_pre_compaction(ask: Ask, body: PreCompactionBody) -> wire.Precompaction:
    """Store a checkpoint and return instructions for a summary before compaction."""
    if not body.harness.strip():
        raise Invalid("harness is required")
    state = ask.state
    call = await call_of(body, ask.headers, state)
    if bypassed(call):
        return {"summaryPrompt": "", "guidelines": "", "instructions": "", "bypassed": True}
    now, settings = clock.now(), state.settings
    await state.db.awrite_quick(lifecycle.compacting, call, body.session_context, settings, now=now)
    rules = settings.hooks.pre_compaction
    asked = await state.db.aread(compaction.request, call.agent_id, rules, now=now)
    calls.record_injection(state.injections.put, call, Phase.COMPACTION, asked.prompt, asked.items)
    return {"summaryPrompt": asked.prompt, "guidelines": asked.guidelines, "note": asked.note}


@serves(wire.AFTER_COMPACTION)
async def post_compaction_complete(ask: Ask, body: CompactionBody) -> wire.Compacted:
    """Save the summary of a compaction."""
    if not (body.harness.strip() and body.summary.strip()):
        raise Invalid("harness and summary are required")
    call = await call_of(body, ask.headers, ask.state)
    if bypassed(call):
        return {"success": True, "bypassed": True}
    saved = await keep_summary(call, body, ask.state, ask.actor())
    return {"success": True, "memoryId": saved.id}


async def keep_summary(
    call: SessionCall, body: CompactionBody, state: State, actor: Actor
) -> Remembered:
    """Save a summary as a memory; its session may then receive earlier injections again (HK-93)."""
    told = await state.db.aread(withheld.cleaned, call.agent_id, body.summary)
    new = NewMemory(
        content=told if told.strip() else body.summary,
        idempotency_key=body.idempotency_key,
        agent_id=call.agent_id,
        type="session_summary",
        importance=0.8,
        tags=("session", "summary", call.harness),
        who="system",
        origin=Origin.INFERRED,
        visibility=Rules.from_settings(state.settings).of_session(call.agent_id),
        project=call.project,
        source_type=call.harness,
        session_id=call.key,
        harness=call.harness,
        runtime_path=call.runtime_path,
        is_asked=False,
    )
    saved = await save(state, new, actor)
    await state.db.awrite_quick(lifecycle.compacted, call, now=clock.now())
    return saved


@serves(wire.PREPARE_OFFLINE)
async def post_offline(ask: Ask, body: OfflineBody) -> wire.OfflineContexts:
    """Return the session starts of these projects for offline use, as far as the caller may read them; "" means no
    project.
    """
    state, agent_id, now = ask.state, await ask.agent(body), clock.now()
    bound = caller.current().scope.project
    named = {one: await state.projects.named(one) or "" for one in dict.fromkeys(body.projects)}
    projects = {one: project for one, project in named.items() if bound in (None, project)}
    found = await offline.contexts(agent_id, projects, services_of(state), now=now)
    return {"at": clock.to_text(now), "contexts": found}


NOTHING_FOUND: wire.NothingRecalled = {"memories": [], "results": [], "count": 0}


@serves(wire.HOOK_RECALL, first=unless_internal(NOTHING_FOUND))
async def post_hook_recall(ask: Ask, body: HookRecallBody) -> Recalled | wire.NothingRecalled:
    """Return the memories that answer a question; empty for processes that Signet starts."""
    if not (body.harness.strip() and body.query.strip()):
        raise Invalid("harness and query are required")
    state = ask.state
    call = await call_of(body, ask.headers, state)
    if bypassed(call):
        return {**NOTHING_FOUND, "bypassed": True}
    asked = body.model_copy(update={"agent_id": call.agent_id, "session_key": call.key})
    answer = await recalled(asked, ask)
    if call.key is not None:
        note = partial(models.after_query, query=body.query)
        await services_of(state).note(lifecycle.used, call, note, state.settings, now=clock.now())
    return answer


@serves(wire.START_SESSION, first=unless_internal(session_start.NOTHING))
async def post_session_start(ask: Ask, body: SessionStartBody) -> wire.StartedSession:
    """Claim a session and return its start context: identity and memories; empty if it already received them.

    `context` is the session's topic. A plugin that has lost its context sends `needsContext` to receive everything
    again. 409 if the other runtime path has claimed the session.
    """
    if not body.harness.strip():
        raise Invalid("harness is required")
    state = ask.state
    state.vectors.warm()
    call = await call_of(body, ask.headers, state, key=body.session_id, cwd=body.cwd)
    async with in_turn(call, state):
        return await session_start.start(
            call,
            body.context or "",
            services_of(state),
            needs_context=body.needs_context is True,
            notice=state.health.notice or check.notice(state.health.update, state.health.pending),
        )


@serves(wire.SUBMIT_PROMPT, first=unless_internal(prompt.NOTHING))
async def post_prompt(ask: Ask, body: PromptBody) -> wire.Prompted:
    """Return the context for a user's message; each text is injected once per session.

    Transcript and ratings are stored only for a caller that may save.
    """
    message = body.user_message.strip() or prompt_text.cleaned(body.user_prompt)
    if not (body.harness.strip() and (body.user_message.strip() or body.user_prompt.strip())):
        raise Invalid("harness and userMessage or userPrompt are required")
    call = await call_of(body, ask.headers, ask.state, cwd=body.cwd)
    async with in_turn(call, ask.state):
        return await _prompted(ask, body, call, message)


async def _prompted(ask: Ask, body: PromptBody, call: SessionCall, message: str) -> wire.Prompted:
    state = ask.state
    # Hooks that were answered meanwhile have changed the session.
    call = replace(
        call, session=await state.db.aread(calls.state_of, call.agent_id, call.key or "")
    )
    if bypassed(call):
        return {**prompt.NOTHING, "bypassed": True}
    may_save = caller.current().may(access.REMEMBER)
    if may_save:
        offset = clock_offset(ask.headers)
        hook.later(state, call, body.transcript_path, body.transcript, offset=offset)
    if not records.without_injected(message).strip():
        return prompt.NOTHING  # a notification of the harness
    return await prompt.answer(
        call,
        message,
        body.last_assistant_message,
        _ratings(body.memory_feedback) if may_save else {},
        services_of(state),
        actor=ask.actor(),
    )


def _ratings(said: object) -> dict[str, float]:
    """Return the valid ratings of a prompt; others are ignored, because the prompt must be answered."""
    if not isinstance(said, Mapping):
        return {}
    return {
        str(name): float(value)
        for name, value in said.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


@serves(wire.END_SESSION, first=unless_internal({"memoriesSaved": 0}))
async def post_session_end(ask: Ask, body: SessionEndBody) -> wire.EndedSession:
    """End a session, store its transcript and queue its processing; a cleared session is not stored."""
    if not body.harness.strip():
        raise Invalid("harness is required")
    return await end_session(body, ask.headers, ask.state)


@serves(wire.END_TURN, first=unless_internal({"skipped": True}))
async def post_checkpoint(ask: Ask, body: SessionEndBody) -> wire.EndedTurn:
    """Store the current transcript; the session continues, and new text is queued if there is enough."""
    if not (body.harness.strip() and (body.session_key or body.session_id)):
        raise Invalid("harness and sessionKey are required")
    state = ask.state
    call = await call_of(body, ask.headers, state, key=body.session_id, cwd=body.cwd)
    ended = await session_end.end_turn(call, _report(body, ask.headers), services_of(state))
    if ended.is_bypassed:
        return {"skipped": True, "bypassed": True}
    queued: wire.EndedTurn = {"skipped": True}
    if ended.queued:
        queued = {"queued": True, "jobId": ended.queued.job_id}
    return {**queued, **_masked(ended)}


async def end_session(
    body: SessionEndBody, headers: Mapping[str, str], state: State
) -> wire.EndedSession:
    call = await call_of(body, headers, state, key=body.session_id, cwd=body.cwd)
    report, services = _report(body, headers), services_of(state)
    ended = await session_end.end(call, report, services)
    hook.again(state, call, report, ended, services)
    if not ended.is_turn:
        state.following.pop((call.agent_id, call.key or ""), None)
    if ended.is_bypassed:
        return {"memoriesSaved": 0, "bypassed": True}
    saved: wire.EndedSession = {"memoriesSaved": 0}
    if ended.queued:
        saved |= {"queued": ended.queued.is_open, "jobId": ended.queued.job_id}
    return {**saved, **_masked(ended)}


def _report(body: SessionEndBody, headers: Mapping[str, str]) -> Report:
    return Report(
        harness=body.harness,
        reason=body.reason,
        log=hook.readable(body.transcript_path),
        inline=body.transcript,
        offset=clock_offset(headers),
    )


class _Masked(TypedDict, total=False):
    masked: list[str]


def _masked(ended: Ended) -> _Masked:
    found = ended.session and ended.session.reading
    return {"masked": list(found.masked)} if found and found.masked else {}
