"""The text for a harness that is about to shorten its context (HK-92)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.config.sections import PreCompaction
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.episodes import fence
from signet.domain.injections.models import Item, ItemKind, Reason
from signet.domain.sessions import candidates
from signet.domain.sessions.candidates import StartCandidate
from signet.domain.sessions.sql.memories import MemoryRow

LEAD = "Summarize this session before its context is shortened, so that the work can go on from the summary."
GUIDELINES = """\
- Decisions that were made, and why
- What was learned about the code, the system and the people
- Preferences that the user has shown
- Open threads: what is unfinished, and what comes next
- Errors that came up, and how they were solved"""
#: The hook's output. Claude Code shows it to the user and leaves it in the context; therefore one line and no
#: instruction.
NOTE = "Worth keeping in the summary: decisions and reasons, preferences, open threads, errors and their fixes."
#: How strongly age reduces importance.
RECENCY = 0.9
#: Newest memories considered, and the characters of all injected ones.
POOL = 200
MOST_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """The request to a harness before it shortens its context, with memories to include."""

    prompt: str
    guidelines: str
    note: str
    items: Sequence[Item]


def request(tx: ReadTx, agent_id: str, settings: PreCompaction, *, now: datetime) -> SummaryRequest:
    guidelines = settings.summary_guidelines or GUIDELINES
    memories: Sequence[StartCandidate] = ()
    if settings.include_recent_memories:
        newest = candidates.newest(
            tx, agents.reader(tx, agent_id), pool=POOL, score=lambda row: _score(row, now)
        )
        memories = candidates.chosen(newest, most=settings.memory_limit, chars=MOST_CHARS)
    return SummaryRequest(
        prompt=_prompt(guidelines, memories),
        guidelines=guidelines,
        note=" ".join((settings.summary_guidelines or NOTE).split()),
        items=[_item(one) for one in memories],
    )


def _prompt(guidelines: str, memories: Sequence[StartCandidate]) -> str:
    text = f"{LEAD}\n\n{guidelines}"
    if memories:
        text += "\n\nAlready remembered, so it need not be repeated:\n"
        text += fence.enclosed(["\n".join(one.line for one in memories)], is_first=False)
    return text


def _item(one: StartCandidate) -> Item:
    return Item(
        kind=ItemKind.MEMORY,
        id=one.id,
        reason=Reason.IMPORTANT,
        text=one.content,
        chars=len(one.line),
        said_at=one.created_at,
    )


def _score(row: MemoryRow, now: datetime) -> float:
    created = clock.parsed(row.created_at) or now
    days = max(0.0, (now - created).total_seconds() / 86_400)
    return float((row.importance or 0.0) * (1 - RECENCY) + RECENCY / (1 + days))
