"""What a prompt brings to mind (spec/hooks.md §5). Whatever fails in that, the prompt goes on without it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from fastapi import APIRouter, Request

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx
from signet.domain.hooks import claims, earlier, offered, progress, prompt, wording
from signet.domain.hooks.progress import Call
from signet.domain.hooks.prompt import Item as Line
from signet.domain.injections.models import Item, Kind, Phase, Reason
from signet.domain.memory.models import Actor
from signet.domain.recall import recall
from signet.domain.recall import store as uses
from signet.domain.recall.models import Hit
from signet.domain.sessions import ratings
from signet.errors import Invalid
from signet.observe import logs
from signet.wire.hooks import PromptBody
from signet.wire.recall import RecallBody
from signet_api import transcripts
from signet_api.bodies import body_of, described
from signet_api.deps import Shared, State, Who
from signet_api.episodes import Brief, brief_of
from signet_api.hook import HookRoute, call_of, is_internal, known
from signet_api.injections import record_injection
from signet_api.routes.recall import found

log = logs.get("hooks")

router = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=HookRoute)

#: Who answered where only episodes did.
EPISODES = "episodes"
#: What the record calls lines of the session itself.
SO_FAR = "session so far"
NOTHING: Mapping[str, object] = {"inject": "", "memoryCount": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Brought:
    """What a prompt brought to mind: what was found, and which of it is told by which means."""

    engine: str = ""
    lines: Sequence[str] = ()
    #: What the session is not to be told again soon; memories among it, which count as used.
    given: Sequence[str] = ()
    memories: Sequence[str] = ()
    hits: Sequence[tuple[str, float]] = field(default=())
    #: What the record of the session says of the hits, what was left out included.
    items: Sequence[Item] = ()


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
    brief = await brief_of(call, message, given, state)
    brought = await _brought(call, message, terms, given, brief, state)
    warning = claims.warning(session, now=now)
    await state.db.awrite_quick(
        _keep,
        call,
        message,
        terms,
        replace(brought, given=[*brought.given, *brief.given]),
        _ratings(body.memory_feedback),
        actor,
        state.settings,
        warned=warning is not None,
        now=now,
    )
    answer = _answer(call, terms, brought, brief, state.settings)
    record_injection(
        state,
        call,
        Phase.PROMPT,
        str(answer["inject"]),
        [*brief.items, *brought.items],
        prompt=message,
        best_score=max((score for _, score in brought.hits), default=None),
        floor=state.settings.hooks.user_prompt_submit.min_score,
    )
    answer["sessionKnown"] = session is not None
    return {**answer, "warnings": [warning]} if warning else answer


def _answer(
    call: Call, terms: Sequence[str], brought: _Brought, brief: Brief, settings: Settings
) -> dict[str, object]:
    if not (brought.lines or brief.text):
        return dict(NOTHING)
    query = " ".join(terms)
    text = prompt.told(brought.lines, brought.engine) if brought.lines else ""
    if call.key and brought.memories and settings.pipeline.predictor_pipeline.agent_feedback:
        text += prompt.feedback(call.key, brought.memories)
    return {
        "inject": "\n\n".join(part for part in (brief.text, text) if part),
        "memoryCount": len(brought.lines) + len(brief.given),
        "queryTerms": query,
        "engine": brought.engine or EPISODES,
    }


async def _brought(
    call: Call,
    message: str,
    terms: Sequence[str],
    given: Collection[str],
    brief: Brief,
    state: State,
) -> _Brought:
    """Return the memories that a prompt is about, without what the session was given and what the brief says."""
    rules = state.settings.hooks.user_prompt_submit
    if not (rules.enabled and terms):
        return _Brought()
    asked = RecallBody.model_validate(
        {
            "query": message[: prompt.VECTOR_CHARS],
            "keywordQuery": " ".join(terms),
            "limit": rules.recall_limit,
            "importance_min": prompt.LEAST_IMPORTANCE,
        }
    )
    try:
        result = await found(asked, call.agent_id, state)
        useful = frozenset(recall.touched(result))
        hits = [hit for hit in result.hits if hit.id in useful]
        if hits:
            near = max(hit.score for hit in hits) >= rules.min_score
            new = [
                hit
                for hit in hits
                if near and hit.id not in given and not prompt.is_said(hit.content, brief.text)
            ]
            told = _of_hits(hits, new, terms, brief.room)
            said = {hit.id for hit in hits} - {hit.id for hit in new}
            return replace(told, items=_items(hits, told, said, is_near=near))
        return await state.db.aread(_so_far, call, terms, given, brief.room)
    except Exception as error:  # a prompt is never held up by what could not be found (HK-59)
        log.error("prompt.without_recall", exc_info=error)
        return _Brought()


def _of_hits(hits: Sequence[Hit], new: Sequence[Hit], terms: Sequence[str], chars: int) -> _Brought:
    items = (
        Line(hit.id, f"- {prompt.compact(hit.content, terms)} ({wording.day(hit.created_at)})")
        for hit in new
    )
    told = prompt.selected(items, chars=chars)
    ids = [item.id for item in told]
    return _Brought(
        engine="hybrid",
        lines=[item.line for item in told],
        given=ids,
        memories=ids,
        hits=[(hit.id, hit.score) for hit in hits],
    )


def _items(
    hits: Sequence[Hit], brought: _Brought, said: Collection[str], *, is_near: bool
) -> list[Item]:
    """Return the hits as the record tells them: what was told, then what was left out and why."""
    chars = dict(zip(brought.memories, map(len, brought.lines), strict=True))
    return [
        Item(
            kind=Kind.MEMORY,
            id=hit.id,
            reason=_reason(hit, chars, said, is_near=is_near),
            is_given=hit.id in chars,
            text=hit.content,
            chars=chars.get(hit.id, 0),
            score=round(hit.score, 3),
            said_at=hit.created_at,
        )
        for hit in sorted(hits, key=lambda hit: hit.id not in chars)
    ]


def _reason(hit: Hit, told: Collection[str], said: Collection[str], *, is_near: bool) -> Reason:
    if hit.id in told:
        return Reason.MATCH
    if not is_near:
        return Reason.FLOOR
    return Reason.SAID if hit.id in said else Reason.BUDGET


def _so_far(
    tx: ReadTx, call: Call, terms: Sequence[str], given: Collection[str], chars: int
) -> _Brought:
    """Return what is known of this session so far, if it has to do with the terms (HK-58)."""
    name, lines = earlier.head(tx, call.agent_id, call.key, terms) if call.key else ("", [])
    if not lines or name in given:
        return _Brought()
    told = prompt.selected([Line(name, f"- {line}") for line in lines], chars=chars)
    lines = [one.line for one in told]
    so_far = Item(kind=Kind.SECTION, id=SO_FAR, reason=Reason.MATCH, chars=len("\n".join(lines)))
    return _Brought(engine="temporal", lines=lines, given=[name], items=[so_far])


def _keep(
    tx: WriteTx,
    call: Call,
    message: str,
    terms: Sequence[str],
    brought: _Brought,
    rated: Mapping[str, float],
    actor: Actor,
    settings: Settings,
    *,
    warned: bool,
    now: datetime,
) -> None:
    query = " ".join(terms)
    progress.prompted(tx, call, message, query, brought.given, settings, warned=warned, now=now)
    uses.touch(tx, brought.memories, now)
    if call.key is None:
        return
    offered.at_prompt(tx, call.agent_id, call.key, brought.hits, brought.memories, now=now)
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
