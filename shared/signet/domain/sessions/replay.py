"""Past sessions: their course, and what their prompts would receive with the current or other settings.

Labels (domain/learning) show which memories helped. Recall answers as of the session's time, finds nothing learned
later, and counts no use. Only memories that the session received or missed have labels: settings that find better
memories, which the session never received, earn nothing for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx
from signet.db.visibility import Here
from signet.domain.agents import registry as agents
from signet.domain.injections import show
from signet.domain.injections.models import ItemKind, tokens
from signet.domain.learning import influence
from signet.domain.learning import worth as label_session
from signet.domain.memory import lookup
from signet.domain.recall.models import Result
from signet.domain.sessions import every, prompt, prompt_text, transcript_search
from signet.domain.sessions.calls import Services, SessionCall
from signet.domain.sessions.context import context_of
from signet.domain.summaries import files
from signet.domain.transcripts import stored, transcript, withheld
from signet.domain.transcripts.models import Overview
from signet.errors import NotFound
from signet.wire.evaluation import Replayed
from signet.wire.injections import SessionReplay
from signet.wire.requests.recall import RecallBody

#: Prompts of a session that are replayed.
MOST_PROMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A past session: its prompts, and the value of its memories to it, 0..1."""

    key: str
    project: str | None
    at: datetime
    prompts: Sequence[str]
    relevance: dict[str, float]


def past(tx: ReadTx, agent_id: str, key: str) -> Past | None:
    """Return a past session; None if it is unknown or forgotten, or received nothing."""
    found = show.given_to_session(tx, agent_id, key, now=clock.now())
    if not found.injections:
        return None
    said = [prompt_text.cleaned(one.text) for one in found.turns if one.role == transcript.USER]
    return Past(
        key=key,
        project=found.project,
        at=clock.parse(found.injections[-1].created_at),
        prompts=[one for one in said if one][:MOST_PROMPTS],
        relevance=label_session.relevance(tx, agent_id, key),
    )


async def run(session: Past, services: Services, *, agent_id: str) -> Replayed:
    """Return what the prompts of a session would receive now."""

    async def recall_then(body: RecallBody, agent: str, here: Here | None) -> Result:
        then = body.model_copy(update={"touch": False, "as_of": session.at})
        return await services.recall(then, agent, here)

    call = SessionCall(
        agent_id=agent_id,
        harness="",
        key=session.key,
        project=session.project,
        here=session.project,
    )
    places: dict[str, int] = {}
    given_before: set[str] = set()
    carried: set[str] = set()
    chars = 0
    for message in session.prompts:
        found = await recall_then(
            RecallBody.model_validate({"query": message, "limit": influence.PLACES}), agent_id, None
        )
        for place, hit in enumerate(found.hits):
            places[hit.id] = min(place, places.get(hit.id, place))
        terms = prompt_text.terms(message)
        asked = prompt.question(call, message, terms, given_before, services.settings)
        if asked is None:
            continue
        context = await context_of(replace(asked, as_of=session.at), services)
        given_before |= set(context.given)
        carried |= {one.id for one in context.items if one.is_given and one.kind is ItemKind.MEMORY}
        chars += len(context.text)
    helped = {one for one, worth in session.relevance.items() if worth > 0}
    known = sorted((one for one in places if one in session.relevance), key=places.__getitem__)
    return {
        "prompts": len(session.prompts),
        "helped": len(helped),
        "found": len(helped & places.keys()),
        "carried": len(helped & carried),
        "ndcg": influence.reached_memories(
            [session.relevance[one] for one in known], session.relevance
        ),
        "tokens": tokens(chars),
    }


def replay(
    tx: ReadTx,
    key: str,
    *,
    agent_id: str | None,
    within: str | None,
    project: str | None,
    now: datetime,
) -> SessionReplay:
    """Return the session that `show.looked` would, or one with only a transcript. Raises NotFound."""
    try:
        found, turns = show.looked(
            tx, key, agent_id=agent_id, within=within, project=project, now=now
        )
    except NotFound:
        if (
            row := transcript_search.transcript(tx, key, agent_id=agent_id, project=within)
        ) is None:
            raise
        found, turns = show.unrecorded(row), transcript.parse(row["content"])
    owner, whole = found["agentId"], found["sessionKey"]
    reader = agents.reader(tx, owner, any_scope=True)
    told = withheld.all_cleaned(tx, owner, [one.text for one in turns])
    shown = stored.overviews(tx, [(owner, whole)]).get((owner, whole), Overview())
    return {
        **found,
        **every.overview(shown if turns or within is None else Overview(), found["project"]),
        "turns": [
            {"role": one.role, "text": text, "at": one.at}
            for one, text in zip(turns, told, strict=True)
        ],
        "memories": lookup.of_session(tx, whole, reader=reader),
        "summary": files.of_session(tx, owner, whole, within=within),
    }
