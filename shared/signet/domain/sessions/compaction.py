"""What a harness is told before it shortens its context (HK-92)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.config.hooks import PreCompaction
from signet.db import ReadTx, visibility
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.episodes import fence
from signet.domain.injections.models import Item, Kind, Reason
from signet.domain.sessions.sql import memories as sql
from signet.domain.sessions.sql.memories import RecentRow
from signet.wire.origin import Origin

LEAD = "Summarize this session before its context is shortened, so that the work can go on from the summary."
GUIDELINES = """\
- Decisions that were made, and why
- What was learned about the code, the system and the people
- Preferences that the user has shown
- Open threads: what is unfinished, and what comes next
- Errors that came up, and how they were solved"""
#: How much age takes from importance.
RECENCY = 0.9
#: The newest memories among which the best are sought.
POOL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """What a harness is asked for before it shortens its context, and what of it comes from memory."""

    prompt: str
    guidelines: str
    items: Sequence[Item]


def request(tx: ReadTx, agent_id: str, settings: PreCompaction, *, now: datetime) -> SummaryRequest:
    """Return the request for a summary of a session of this agent."""
    guidelines = settings.summary_guidelines or GUIDELINES
    memories: Sequence[RecentRow] = ()
    if settings.include_recent_memories:
        reader = agents.reader(tx, agent_id)
        memories = recent(tx, reader, limit=settings.memory_limit, now=now)
    return SummaryRequest(
        prompt=_prompt(guidelines, memories),
        guidelines=guidelines,
        items=[_item(one) for one in memories],
    )


def recent(tx: ReadTx, reader: Reader, *, limit: int, now: datetime) -> list[RecentRow]:
    """Return the memories that matter and are new, best first."""
    seen = sql.ALIVE & visibility.readable(reader)
    rows = tx.rows(sql.RecentRow, sql.RECENT.format(where=seen.sql), (*seen.params, POOL))
    rows.sort(key=lambda row: _score(row, now), reverse=True)
    return rows[:limit]


def _prompt(guidelines: str, memories: Sequence[RecentRow]) -> str:
    text = f"{LEAD}\n\n{guidelines}"
    if memories:
        text += "\n\nAlready remembered, so it need not be repeated:\n"
        text += fence.enclosed(["\n".join(map(_line, memories))], is_first=False)
    return text


def _item(row: RecentRow) -> Item:
    return Item(
        kind=Kind.MEMORY,
        id=row.id,
        reason=Reason.IMPORTANT,
        text=row.content,
        chars=len(_line(row)),
        said_at=row.created_at,
    )


def _line(row: RecentRow) -> str:
    said = fence.origin(Origin(row.origin), None)
    return f"- {fence.one_line(row.content)} ({said})"


def _score(row: RecentRow, now: datetime) -> float:
    created = clock.parsed(row.created_at) or now
    days = max(0.0, (now - created).total_seconds() / 86_400)
    return float((row.importance or 0.0) * (1 - RECENCY) + RECENCY / (1 + days))
