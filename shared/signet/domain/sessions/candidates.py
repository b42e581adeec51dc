"""Which memories a session begins with: what matters most now, within its budget."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, fts
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.episodes import fence
from signet.domain.memory.models import tags_of
from signet.domain.recall import keyword
from signet.domain.sessions import start_text
from signet.domain.sessions.sql import history, memories
from signet.domain.sessions.sql.memories import MemoryRow
from signet.domain.synthesis.sources import effective
from signet.wire.origin import Origin, Review

#: Below this a memory has faded (HK-41); a pinned one never does.
LEAST_SCORE = 0.2
#: Pinned memories that are looked at with the newest.
MOST_PINNED = 100
#: Words of earlier sessions of a project (HK-44): from so many sessions, so much of each, in at least so many, so many.
SESSIONS, SUMMARY_CHARS, LEAST_SESSIONS, MOST_TERMS, LEAST_TERM = 5, 3_000, 2, 10, 4
#: Limits of what these words find: memories, and characters.
MOST_WORDED, WORDED_CHARS = 10, 600
#: Matches that are looked at before only what the reader may read is kept.
LOOKED_AT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that a session could be given, and why; `source` is a word of `session_memories`.

    `read_from` is the id of the memory that a fact was read from, None for what is no such fact.
    """

    id: str
    content: str
    type: str
    tags: tuple[str, ...]
    project: str | None
    importance: float
    created_at: str
    score: float
    source: str
    #: Who says it.
    origin: str
    read_from: str | None = None

    @property
    def line(self) -> str:
        """Return the memory as a line of the context."""
        return start_text.memory_line(self.content, self.tags, self.created_at, self.origin)


def find(
    tx: ReadTx,
    reader: Reader,
    *,
    pool: int,
    decay_rate: float,
    reached: Mapping[str, float],
    recalled: Mapping[str, float],
    now: datetime,
) -> list[Candidate]:
    """Return what could be given, unsorted: the newest and the pinned, what a walk reached, what recall found.

    `reached` and `recalled` are scores by id; a memory that came by several ways counts by the best.
    """
    found: dict[str, Candidate] = {}
    pinned = memories.alive(tx, memories.PINNED, reader, MOST_PINNED)
    for row in (*memories.alive(tx, memories.NEWEST, reader, pool), *pinned):
        score = _effective(row, decay_rate, now)
        if score > LEAST_SCORE and not _orders(row):
            found[row.id] = _candidate(row, score, "effective")
    for row in memories.listed(
        tx, memories.BY_ID, reader, as_list(dict.fromkeys([*reached, *recalled]))
    ):
        if _orders(row):
            continue
        walked, asked = reached.get(row.id, 0.0), recalled.get(row.id, 0.0)
        before = found.get(row.id)
        if before is not None and before.score >= max(walked, asked):
            continue
        by_walk = "ka_traversal_pinned" if row.pinned else "ka_traversal"
        source = by_walk if walked >= asked else "effective"
        found[row.id] = _candidate(row, max(walked, asked), source)
    return list(found.values())


def ranked(candidates: Iterable[Candidate], project: str | None) -> list[Candidate]:
    """Return candidates best first: those of the project, then by score, then the newer. Pure."""
    newest = sorted(candidates, key=lambda one: one.created_at, reverse=True)
    return sorted(newest, key=lambda one: (not _is_of(one, project), -one.score))


def chosen(
    candidates: Sequence[Candidate], *, most: int, chars: int, given: Sequence[Candidate] = ()
) -> list[Candidate]:
    """Return those that fit, in order: one that does not fit is skipped, not the end (HK-43). Pure.

    Of a memory and what was read from it only the better one is given, also when that is in `given` already.
    """
    ids = {one.id for one in given}
    sources = {one.read_from for one in given}
    taken: list[Candidate] = []
    for one in candidates:
        if len(taken) == most:
            break
        if one.id in sources or one.read_from in ids:
            continue
        if len(one.line) + 1 <= chars:
            chars -= len(one.line) + 1
            taken.append(one)
            ids.add(one.id)
            sources.add(one.read_from)
    return taken


def by_project_words(
    tx: ReadTx, reader: Reader, project: str, *, given: Sequence[Candidate]
) -> list[Candidate]:
    """Return memories that hold what the last sessions of the project were about, and that fit (HK-44).

    What is given already is in `given`.
    """
    terms = shared_terms(
        tx.column(history.BEGINNINGS, (SUMMARY_CHARS, reader.agent_id, project, SESSIONS))
    )
    if not terms:
        return []
    ranks = keyword.ranked(tx, fts.any_of(terms), LOOKED_AT)
    rows = memories.listed(tx, memories.BY_SEQ, reader, as_list(ranks))
    known = {one.id for one in given}
    found = [
        _candidate(row, 0.0, "fts_only") for row in rows if row.id not in known and not _orders(row)
    ]
    return chosen(found, most=MOST_WORDED, chars=WORDED_CHARS, given=given)


def shared_terms(texts: Sequence[str]) -> list[str]:
    """Return the words that several of the texts have in common, commonest first. Pure."""
    held = Counter(
        word
        for text in texts
        for word in set(fts.words(text))
        if len(word) >= LEAST_TERM and word not in fts.STOP_WORDS and not word.isdigit()
    )
    return [word for word, count in held.most_common() if count >= LEAST_SESSIONS][:MOST_TERMS]


def _effective(row: MemoryRow, rate: float, now: datetime) -> float:
    if row.pinned:
        return 1.0
    used = clock.parsed(row.last_accessed) or clock.parsed(row.created_at) or now
    return effective(row.importance or 0.0, used, now, rate=rate)


def _orders(row: MemoryRow) -> bool:
    """Return whether a memory is not to be read out unasked."""
    review = Review(row.review) if row.review else None
    return fence.is_held(Origin(row.origin), review, row.content)


def _is_of(offer: Candidate, project: str | None) -> bool:
    return project is not None and offer.project == project


def _candidate(row: MemoryRow, score: float, source: str) -> Candidate:
    return Candidate(
        id=row.id,
        content=row.content,
        type=row.type,
        tags=tags_of(row.tags),
        project=row.project,
        importance=row.importance or 0.0,
        created_at=row.created_at,
        score=score,
        source=source,
        read_from=row.read_from,
        origin=fence.origin(Origin(row.origin), row.who, is_derived=row.read_from is not None),
    )
