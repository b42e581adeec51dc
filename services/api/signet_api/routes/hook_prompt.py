"""What a prompt brings to mind (spec/hooks.md §5). Whatever fails in that, the prompt goes on without it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from fastapi import APIRouter, Request

from signet import clock
from signet.config import Settings
from signet.db import WriteTx
from signet.domain.auth import caller
from signet.domain.injections import candidates, ratings
from signet.domain.injections.candidates import Scored
from signet.domain.injections.models import Phase
from signet.domain.memory import marks
from signet.domain.memory.models import Actor
from signet.domain.sessions import claims, lifecycle, prompt
from signet.domain.sessions.calls import Call
from signet.errors import Invalid
from signet.wire.requests.hooks import PromptBody
from signet_api import episodes, transcripts
from signet_api.bodies import body_of, described
from signet_api.deps import Shared, State, Who
from signet_api.episodes import Context, Question
from signet_api.hook import HookRoute, call_of, is_internal, known
from signet_api.injections import record_injection

router = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=HookRoute)

NOTHING: Mapping[str, object] = {"inject": "", "memoryCount": 0}


@router.post("/user-prompt-submit", openapi_extra=described(PromptBody))
async def post_prompt(request: Request, state: Shared, actor: Who) -> dict[str, object]:
    """Return what is known about a prompt, if it is near enough and has not just been told."""
    if is_internal(request):
        return {**NOTHING, "internal": True}
    body = await body_of(request, PromptBody)
    message = body.user_message.strip() or prompt.cleaned(body.user_prompt)
    if not (body.harness.strip() and (body.user_message.strip() or body.user_prompt.strip())):
        raise Invalid("harness and userMessage or userPrompt are required")
    call = await call_of(body, request.headers, state, cwd=body.cwd)
    session, now = await known(call, state), clock.now()
    if session is not None and session.bypasses(now):
        return {**NOTHING, "bypassed": True}
    transcripts.later(state, call, body.transcript_path, body.transcript)
    terms = prompt.terms(message, body.last_assistant_message)
    given = session.given if session else frozenset()
    context = await _context(call, message, terms, given, state)
    warning = claims.warning(session, now=now)
    await state.db.awrite_quick(
        _keep,
        call,
        message,
        terms,
        context,
        _ratings(body.memory_feedback),
        actor,
        state.settings,
        warned=warning is not None,
        now=now,
    )
    answer = _answer(call, terms, context, state.settings)
    record_injection(
        state,
        call,
        Phase.PROMPT,
        str(answer["inject"]),
        context.items,
        prompt=message,
        best_score=max((score for _, score in context.hits), default=None),
        floor=state.settings.hooks.user_prompt_submit.min_score,
    )
    answer["sessionKnown"] = session is not None
    return {**answer, "warnings": [warning]} if warning else answer


async def _context(
    call: Call, message: str, terms: Sequence[str], given: Collection[str], state: State
) -> Context:
    rules = state.settings.hooks.user_prompt_submit
    if not rules.enabled:
        return Context()
    asked = Question(
        agent_id=call.agent_id,
        message=message,
        terms=terms,
        chars=rules.max_brief_chars if episodes.is_first(given) else rules.max_later_chars,
        line_chars=rules.max_inject_chars,
        key=call.key,
        project=caller.current().scope.project or call.project,
        given=given,
    )
    return await episodes.context_of(asked, state)


def _answer(
    call: Call, terms: Sequence[str], context: Context, settings: Settings
) -> dict[str, object]:
    if not context.text:
        return dict(NOTHING)
    text = context.text
    if call.key and context.memories and settings.pipeline.predictor_pipeline.agent_feedback:
        text += prompt.feedback(call.key, context.memories)
    return {
        "inject": text,
        "memoryCount": context.count,
        "queryTerms": " ".join(terms),
        "engine": context.engine,
    }


def _keep(
    tx: WriteTx,
    call: Call,
    message: str,
    terms: Sequence[str],
    context: Context,
    rated: Mapping[str, float],
    actor: Actor,
    settings: Settings,
    *,
    warned: bool,
    now: datetime,
) -> None:
    query = " ".join(terms)
    lifecycle.prompted(tx, call, message, query, context.given, settings, warned=warned, now=now)
    marks.count_use(tx, context.memories, now=now)
    if call.key is None:
        return
    hits = [Scored(memory_id, score) for memory_id, score in context.hits]
    candidates.put_of_prompt(tx, call.agent_id, call.key, hits, context.memories, now=now)
    if rated:
        ratings.record(tx, call.key, rated, agent_id=call.agent_id, actor=actor, now=now)


def _ratings(said: object) -> dict[str, float]:
    """Return the ratings among what was sent with a prompt; the rest is left out, because the prompt goes on."""
    if not isinstance(said, Mapping):
        return {}
    return {
        str(name): float(value)
        for name, value in said.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
