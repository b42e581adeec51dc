"""What MEMORY.md is made of: memories by how much they still matter, and the notes of the last sessions (PIP-44)."""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, visibility
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.synthesis import sql
from signet.domain.synthesis.plan import Plan
from signet.domain.synthesis.sql import CandidateRow, NoteRow
from signet.domain.transcripts import withheld

#: Effective importance below which a memory is left out.
THRESHOLD = 0.2
#: More memories than this fit into no budget.
MOST = 4_000
#: Notes of sessions take at most this share of the budget, and are of this many sessions.
NOTES_SHARE = 0.25
MOST_NOTES = 10
#: A model states its own confidence, so its facts count less than the statements that they come from.
MODEL_SHARE = 0.8
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One memory and how much it matters now, 0..1."""

    type: str
    content: str
    created_at: str
    score: float
    project: str | None = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What one file, or the part of one project, is made of.

    `notes` are texts with their projects, `newest` is the number of the newest memory that was looked at.
    """

    memories: tuple[Source, ...]
    notes: tuple[NoteRow, ...]
    newest: int

    def parts(self) -> dict[str | None, "Sources"]:
        """Return them by project: those for every project ("") first, then the most important, imports (None) last."""
        names = dict.fromkeys(("", *(one.project for one in self.memories)))
        names |= dict.fromkeys(one.project or "" for one in self.notes)
        known = [one for one in names if one is not None] + [one for one in names if one is None]
        found = {name: self._of(name) for name in known}
        return {name: part for name, part in found.items() if part}

    def _of(self, project: str | None) -> "Sources":
        notes = tuple(
            one for one in self.notes if project is not None and (one.project or "") == project
        )
        return replace(
            self,
            memories=tuple(one for one in self.memories if one.project == project),
            notes=notes,
        )

    def __bool__(self) -> bool:
        return bool(self.memories or self.notes)

    def __len__(self) -> int:
        return len(self.memories) + len(self.notes)


def effective(importance: float, used_at: datetime, now: datetime, *, rate: float) -> float:
    """Return the importance after decay: importance * rate ** days since the last use (REC-28)."""
    days = max((now - used_at) / DAY, 0.0)
    return float(importance * rate**days)


def gather(tx: ReadTx, reader: Reader, plan: Plan, *, now: datetime) -> Sources:
    """Return what matters most to an agent, best first, as much as fits."""
    since = _oldest(plan.decay_rate, now)
    seen = visibility.readable(reader)
    rows = tx.rows(sql.CandidateRow, sql.CANDIDATES + seen.sql, (THRESHOLD, since, *seen.params))
    scored = ((_score(row, plan.decay_rate, now), row.seq) for row in rows)
    best = heapq.nlargest(MOST, (one for one in scored if one[0] >= THRESHOLD))
    known = tx.rows(sql.NoteRow, sql.NOTES, (reader.agent_id, MOST_NOTES))
    cleaned = withheld.all_cleaned(tx, reader.agent_id, [one.content for one in known])
    told = [one._replace(content=text) for one, text in zip(known, cleaned, strict=True)]
    notes = _fitting(told, int(plan.chars * NOTES_SHARE))
    listed = as_list(seq for _, seq in best)
    texts = {row.seq: row for row in tx.rows(sql.TextRow, sql.TEXTS, (listed,))}
    room = plan.chars - sum(len(one.content) for one in notes)
    memories: list[Source] = []
    for score, seq in best:
        row = texts[seq]
        if len(row.content) > room:
            continue
        room -= len(row.content)
        kept = Source(
            type=row.type,
            content=row.content,
            created_at=row.created_at,
            score=score,
            project=row.project,
        )
        memories.append(kept)
    return Sources(memories=tuple(memories), notes=tuple(notes), newest=sql.newest(tx, reader))


def _score(row: CandidateRow, rate: float, now: datetime) -> float:
    if row.pinned:
        return 1.0
    share = MODEL_SHARE if row.is_by_model else 1.0
    return share * effective(row.importance, clock.parsed(row.used_at) or now, now, rate=rate)


def _oldest(rate: float, now: datetime) -> str:
    """Return before which last use even the most important memory has faded."""
    if rate >= 1:
        return ""
    days = math.log(THRESHOLD) / math.log(rate) if rate > 0 else 0.0
    return clock.to_text(now - min(days + 1, 36_500) * DAY)


def _fitting(notes: Sequence[NoteRow], room: int) -> list[NoteRow]:
    kept = []
    for one in notes:
        if len(one.content) > room:
            break
        kept.append(one)
        room -= len(one.content)
    return kept
