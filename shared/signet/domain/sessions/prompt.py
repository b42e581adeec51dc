"""Answer a prompt with memories. If that fails, the prompt continues without them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.config import Settings
from signet.db import WriteTx
from signet.domain.injections import ratings
from signet.domain.injections.models import Phase
from signet.domain.injections.ratings import Scored
from signet.domain.memory import marks
from signet.domain.memory.models import Actor
from signet.domain.sessions import calls, lifecycle, prompt_text
from signet.domain.sessions.calls import Services, SessionCall
from signet.domain.sessions.context import InjectedContext, context_of
from signet.domain.sessions.prompt_text import PromptQuery, is_first_context
from signet.text.masking import mask
from signet.wire.hooks import Prompted

#: The answer without memories.
NOTHING: Prompted = {"inject": "", "memoryCount": 0}


async def answer(
    call: SessionCall,
    message: str,
    last_answer: str,
    rated: Mapping[str, float],
    services: Services,
    *,
    actor: Actor,
) -> Prompted:
    """Return memories that are near to a prompt and were not injected recently; record prompt and injection.

    `last_answer` is the assistant's previous message, `rated` are ratings of memories sent with the prompt.
    """
    now = clock.now()
    if services.settings.memory.mask_secrets:
        message, last_answer = mask(message).text, mask(last_answer).text
    session = call.session
    terms = prompt_text.terms(message, last_answer)
    given = session.given if session else frozenset()
    held = await calls.is_held_out(call, services)
    context = await _context(call, message, terms, given, services, is_held_out=held)
    warning = calls.claim_warning(session, now=now)
    await services.note(
        _keep,
        call,
        message,
        terms,
        context,
        rated,
        actor,
        services.settings,
        warned=warning is not None,
        now=now,
    )
    found = _answer(call, terms, context, services.settings)
    calls.record_injection(
        services.record,
        call,
        Phase.PROMPT,
        found["inject"],
        context.items,
        prompt=message,
        best_score=max((score for _, score in context.hits), default=None),
        floor=services.settings.hooks.user_prompt_submit.min_score,
    )
    found["sessionKnown"] = session is not None
    if warning:
        found["warnings"] = [warning]
    return found


async def _context(
    call: SessionCall,
    message: str,
    terms: Sequence[str],
    given: Collection[str],
    services: Services,
    *,
    is_held_out: bool,
) -> InjectedContext:
    asked = question(call, message, terms, given, services.settings)
    if asked is None:
        return InjectedContext()
    return await context_of(replace(asked, is_held_out=is_held_out), services)


def question(
    call: SessionCall,
    message: str,
    terms: Sequence[str],
    given: Collection[str],
    settings: Settings,
) -> PromptQuery | None:
    """Return the query for a prompt, excluding the `given` items; None where prompts receive nothing."""
    rules = settings.hooks.user_prompt_submit
    if not rules.enabled:
        return None
    return PromptQuery(
        agent_id=call.agent_id,
        message=message,
        terms=terms,
        chars=rules.max_brief_chars if is_first_context(given) else rules.max_later_chars,
        line_chars=rules.max_inject_chars,
        key=call.key,
        here=call.where,
        given=given,
    )


def _answer(
    call: SessionCall, terms: Sequence[str], context: InjectedContext, settings: Settings
) -> Prompted:
    if not context.text:
        return NOTHING.copy()
    text = context.text
    if call.key and context.memories and settings.pipeline.predictor_pipeline.agent_feedback:
        asks = prompt_text.feedback(call.key, context.memories)
        rules = settings.hooks.user_prompt_submit
        if len(text) + len(asks) <= max(rules.max_brief_chars, rules.max_inject_chars):
            text += asks
    return {
        "inject": text,
        "memoryCount": context.count,
        "queryTerms": " ".join(terms),
        "engine": context.engine,
    }


def _keep(
    tx: WriteTx,
    call: SessionCall,
    message: str,
    terms: Sequence[str],
    context: InjectedContext,
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
    given = context.memories
    ratings.put(tx, Phase.PROMPT, call.agent_id, call.key, hits, given, now=now)
    if rated:
        ratings.record(tx, call.key, rated, agent_id=call.agent_id, actor=actor, now=now)
