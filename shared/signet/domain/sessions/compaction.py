"""What a harness is told before it shortens its context (HK-92)."""

from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.config.hooks import PreCompaction
from signet.db import ReadTx, Row, visibility
from signet.db.visibility import Reader, Where
from signet.domain.episodes import fence
from signet.domain.injections.models import Item, Kind, Reason
from signet.domain.memory.supersede import is_current

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

_RECENT = """
SELECT m.id, m.content, m.importance, m.created_at FROM memories m INDEXED BY idx_memories_created
 WHERE {where} ORDER BY m.created_at DESC LIMIT ?"""


def guidelines(settings: PreCompaction) -> str:
    """Return what a summary is to hold."""
    return settings.summary_guidelines or GUIDELINES


def recent(tx: ReadTx, reader: Reader, *, limit: int, now: datetime) -> list[Row]:
    """Return the memories that matter and are new, best first."""
    seen = Where("m.is_deleted = 0 AND m.type <> 'document_chunk'") & is_current()
    seen &= visibility.readable(reader)
    rows = tx.all(_RECENT.format(where=seen.sql), (*seen.params, POOL))
    rows.sort(key=lambda row: _score(row, now), reverse=True)
    return rows[:limit]


def prompt(asked: str, memories: Sequence[Row]) -> str:
    """Return the request for a summary. Pure."""
    text = f"{LEAD}\n\n{asked}"
    if memories:
        text += "\n\nAlready remembered, so it need not be repeated:\n"
        text += "\n".join(_line(one) for one in memories)
    return text


def items(memories: Sequence[Row]) -> list[Item]:
    """Return the memories as the record of the session tells them. Pure."""
    return [
        Item(
            kind=Kind.MEMORY,
            id=row["id"],
            reason=Reason.IMPORTANT,
            text=row["content"],
            chars=len(_line(row)),
            said_at=row["created_at"],
        )
        for row in memories
    ]


def _line(row: Row) -> str:
    return f"- {fence.one_line(row['content'])}"


def _score(row: Row, now: datetime) -> float:
    created = clock.parsed(row["created_at"]) or now
    days = max(0.0, (now - created).total_seconds() / 86_400)
    return float((row["importance"] or 0.0) * (1 - RECENCY) + RECENCY / (1 + days))
