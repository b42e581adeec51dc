"""The facts of a session as memories: which of them are news, and how they are saved."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx, fts
from signet.domain.extraction import contradiction
from signet.domain.extraction.grounding import Grounds
from signet.domain.memory import dates, derived, remember
from signet.domain.memory.lookup import ForgottenValue
from signet.domain.memory.models import Actor, Draft, ExtractionStatus, Rules, Visibility
from signet.domain.summaries.models import Asked, Said
from signet.domain.summaries.sql import summaries as sql
from signet.domain.transcripts import models, transcript
from signet.domain.transcripts.models import Part
from signet.wire.origin import Origin

SOURCE = derived.SESSION_END
ACTOR = Actor(name="summary-worker", type="pipeline")
#: A fact is looked up by its first words; a memory that has this share of all its words says it (PIP-42), unless what
#: they differ by is a name, a number or a denial: "lives in Bergen" and "lives in Tromso" share most of their words.
LOOKED_UP = 10
WORD_CHARS = 3
SAME_SHARE = 0.7
#: Types of what an agent has to follow.
RULES = frozenset({"rule", "constraint", "correction", "procedural"})


def news(tx: ReadTx, agent_id: str, facts: Sequence[Said], project: str | None) -> list[Said]:
    """Return the facts that no active memory of the agent says in this project."""
    return [fact for fact in facts if not _is_known(tx, agent_id, fact.content, project or "")]


def says(memory: str, fact: str) -> bool:
    """Return whether a memory says what a fact says: most of its words, all its names and numbers, no denial."""
    grounds = Grounds(memory)
    return grounds.share(fact) >= SAME_SHARE and not grounds.changes(fact)


def save(
    tx: WriteTx,
    asked: Asked,
    facts: Sequence[Said],
    *,
    held: Sequence[Part] = (),
    model: str,
    rules: Rules,
    now: datetime,
) -> list[str]:
    """Save facts the way every memory goes and return their ids; one that is stored already gives that one's id.

    Forgotten ones are left out. Each belongs to the repository in which it was said (`held`, see transcripts/parts.py).
    """
    saved = []
    for fact in facts:
        project = models.project_at(held, fact.said_at, asked.session.project or "") or None
        draft = replace(_draft(asked, fact, model, now), project=project)
        with contextlib.suppress(ForgottenValue):
            saved.append(remember.save_told(tx, draft, actor=ACTOR, rules=rules, now=now).id)
    return saved


def placed(facts: Sequence[Said], text: str) -> list[Said]:
    """Return facts with the time of the turn that says most of their words, and rules of others as plain facts.

    Only the user makes rules; a model may take a sentence of the agent for one.
    """
    turns = [(turn, contradiction.tokens(turn.text)) for turn in transcript.parse(text)]
    return [_placed(fact, turns) for fact in facts] if turns else list(facts)


def _placed(fact: Said, turns: Sequence[tuple[transcript.Turn, frozenset[str]]]) -> Said:
    words = contradiction.tokens(fact.content)
    turn, said = max(turns, key=lambda one: len(contradiction.overlap(one[1], words)))
    is_said = bool(contradiction.overlap(said, words))
    if fact.type in RULES and not (is_said and turn.role == transcript.USER):
        fact = replace(fact, type="fact")
    return fact if fact.said_at or not is_said else replace(fact, said_at=turn.at)


def _draft(asked: Asked, fact: Said, model: str, now: datetime) -> Draft:
    session = asked.session
    # A clock that was ahead does not make a fact the newest for years.
    said_at = min(clock.parsed(fact.said_at or "") or asked.ended_at, now)
    day = dates.told_day(fact.content, said_at) or dates.told_day(fact.sentence, said_at)
    return Draft(
        content=fact.content,
        type=fact.type,
        importance=fact.importance,
        tags=fact.tags,
        agent_id=session.agent_id,
        visibility=Visibility.usual(session.agent_id),
        origin=Origin.INFERRED,
        who=session.harness,
        why="session-summary",
        source_type=SOURCE,
        source_id=session.key,
        project=session.project,
        session_id=session.key,
        updated_by=ACTOR.name,
        created_at=said_at,
        event_at=day,
        extraction_status=ExtractionStatus.COMPLETED,
        extraction_model=model,
    )


def _is_known(tx: ReadTx, agent_id: str, content: str, project: str) -> bool:
    words = [word for word in fts.content_words(content) if len(word) >= WORD_CHARS][:LOOKED_UP]
    return bool(words) and any(
        says(memory, content)
        for memory in tx.column(sql.LIKE, (fts.any_of(words), agent_id, project))
    )
