"""The facts of a session as memories: which of them are news, and how they are saved."""

import re
from collections.abc import Sequence
from datetime import datetime

from signet.db import ReadTx, WriteTx, fts
from signet.domain.extraction import contradiction
from signet.domain.memory import remember
from signet.domain.memory.models import Actor, Draft, ExtractionStatus, Rules, Visibility
from signet.domain.summaries import store
from signet.domain.summaries.models import Asked, Said

SOURCE = "session_end"
ACTOR = Actor(name="summary-worker", type="pipeline")
#: A fact is looked up by its first words; a memory that has this share of all its words says it (PIP-42).
LOOKED_UP = 10
WORD_CHARS = 3
SAME_SHARE = 0.7

_NUMBER = re.compile(r"\d+")


def news(tx: ReadTx, agent_id: str, facts: Sequence[Said]) -> list[Said]:
    """Return the facts that no active memory of the agent says."""
    return [fact for fact in facts if not _is_known(tx, agent_id, fact.content)]


def says(memory: str, fact: str) -> bool:
    """Return whether a memory says what a fact says: most of its words, all of its numbers, and no denial."""
    wanted, held = _words(fact), contradiction.tokens(memory)
    if not wanted or not set(_NUMBER.findall(fact)) <= set(_NUMBER.findall(memory)):
        return False
    return len(wanted & held) >= SAME_SHARE * len(wanted) and not contradiction.risk(fact, memory)


def save(
    tx: WriteTx, asked: Asked, facts: Sequence[Said], *, model: str, rules: Rules, now: datetime
) -> list[str]:
    """Save facts the way every memory goes and return their ids; one that is stored already gives that one's id."""
    return [
        remember.save_told(tx, _draft(asked, fact, model), actor=ACTOR, rules=rules, now=now).id
        for fact in facts
    ]


def _draft(asked: Asked, fact: Said, model: str) -> Draft:
    session = asked.session
    return Draft(
        content=fact.content,
        type=fact.type,
        importance=fact.importance,
        tags=fact.tags,
        agent_id=session.agent_id,
        visibility=Visibility.GLOBAL,
        who=session.harness,
        why="session-summary",
        source_type=SOURCE,
        source_id=session.key,
        project=session.project,
        session_id=session.key,
        updated_by=ACTOR.name,
        created_at=asked.ended_at,
        extraction_status=ExtractionStatus.COMPLETED,
        extraction_model=model,
    )


def _is_known(tx: ReadTx, agent_id: str, content: str) -> bool:
    words = [word for word in fts.content_words(content) if len(word) >= WORD_CHARS][:LOOKED_UP]
    return bool(words) and any(says(memory, content) for memory in store.like(tx, agent_id, words))


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in contradiction.tokens(text) if len(word) >= WORD_CHARS)
