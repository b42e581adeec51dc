"""Which memories a session begins with (spec/hooks.md §4.1): what matters most now, within its budget."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, fts, visibility
from signet.db.visibility import Reader, Where
from signet.domain.episodes import fence
from signet.domain.memory.store import tags_of
from signet.domain.memory.supersede import is_current
from signet.domain.recall import store as recall
from signet.domain.sessions import start_text
from signet.domain.synthesis.sources import effective

#: Below this a memory has faded (HK-41); a pinned one never does.
LEAST_SCORE = 0.2
#: Pinned memories beside the newest.
MOST_PINNED = 100
#: Words of earlier sessions of a project (HK-44): from so many sessions, so much of each, in at least so many, so many.
SESSIONS, SUMMARY_CHARS, LEAST_SESSIONS, MOST_TERMS, LEAST_TERM = 5, 3_000, 2, 10, 4
#: What these words bring: at most so many, of so many characters.
MOST_WORDED, WORDED_CHARS = 10, 600
#: Matches that are looked at before only what the reader may read is kept.
LOOKED_AT = 100

_COLUMNS = (
    "m.id, m.content, m.type, m.tags, m.project, m.importance, m.pinned, m.created_at, m.last_accessed,"
    " CASE m.source_type WHEN 'pipeline-v2' THEN m.source_id END AS read_from,"
    " coalesce(m.source_type, '') AS kind, m.who,"
    " (SELECT coalesce(o.source_type, p.source_type) FROM memories p"
    "  LEFT JOIN documents o ON p.type = 'document_chunk' AND o.id = p.source_id"
    "  WHERE m.source_type = 'pipeline-v2' AND p.id = m.source_id) AS root"
)
_ALIVE = Where("m.is_deleted = 0 AND m.type <> 'document_chunk'") & is_current()
_NEWEST = f"""
SELECT {_COLUMNS} FROM memories m INDEXED BY idx_memories_created
 WHERE {{where}} ORDER BY m.created_at DESC LIMIT ?"""
_PINNED = f"""
SELECT {_COLUMNS} FROM memories m INDEXED BY idx_memories_pinned
 WHERE m.pinned = 1 AND {{where}} ORDER BY m.created_at DESC LIMIT ?"""
_BY_ID = f"""
SELECT {_COLUMNS} FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value WHERE {{where}}"""
_BY_SEQ = f"""
SELECT {_COLUMNS} FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value WHERE {{where}} ORDER BY j.key"""
_SUMMARIES = """
SELECT substr(content, 1, ?) FROM session_summaries
 WHERE agent_id = ? AND project = ? AND depth = 0 ORDER BY latest_at DESC LIMIT ?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A memory that could be told, and why; `source` is a word of `session_memories`.

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
        """Return the memory as it is told."""
        return start_text.memory_line(self.content, self.tags, self.created_at, self.origin)


def candidates(
    tx: ReadTx,
    reader: Reader,
    *,
    pool: int,
    decay_rate: float,
    reached: Mapping[str, float],
    recalled: Mapping[str, float],
    now: datetime,
) -> list[Offer]:
    """Return what could be told, unsorted: the newest and the pinned, what a walk reached, what recall found.

    `reached` and `recalled` are scores by id; a memory that came by several ways counts by the best.
    """
    seen = _ALIVE & visibility.readable(reader)
    found: dict[str, Offer] = {}
    rows = tx.all(_NEWEST.format(where=seen.sql), (*seen.params, pool))
    rows += tx.all(_PINNED.format(where=seen.sql), (*seen.params, MOST_PINNED))
    for row in rows:
        score = _effective(row, decay_rate, now)
        if score > LEAST_SCORE and not _orders(row):
            found[row["id"]] = _offer(row, score, "effective")
    others = json.dumps(list({**reached, **recalled}))
    for row in tx.all(_BY_ID.format(where=seen.sql), (others, *seen.params)):
        if _orders(row):
            continue
        walked, asked = reached.get(row["id"], 0.0), recalled.get(row["id"], 0.0)
        before = found.get(row["id"])
        if before is not None and before.score >= max(walked, asked):
            continue
        by_walk = "ka_traversal_pinned" if row["pinned"] else "ka_traversal"
        source = by_walk if walked >= asked else "effective"
        found[row["id"]] = _offer(row, max(walked, asked), source)
    return list(found.values())


def ranked(offers: Iterable[Offer], project: str | None) -> list[Offer]:
    """Return offers best first: those of the project, then by score, then the newer. Pure."""
    newest = sorted(offers, key=lambda one: one.created_at, reverse=True)
    return sorted(newest, key=lambda one: (not _is_of(one, project), -one.score))


def chosen(
    offers: Sequence[Offer], *, most: int, chars: int, beside: Sequence[Offer] = ()
) -> list[Offer]:
    """Return those that fit, in order: one that does not fit is skipped, not the end (HK-43). Pure.

    Of a memory and what was read from it only the better one is told, also when that stands in `beside` already.
    """
    ids = {one.id for one in beside}
    sources = {one.read_from for one in beside}
    taken: list[Offer] = []
    for one in offers:
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


def worded(tx: ReadTx, reader: Reader, project: str, *, beside: Sequence[Offer]) -> list[Offer]:
    """Return memories that hold what the last sessions of the project were about, and that fit (HK-44).

    What is told already is in `beside`.
    """
    texts = tx.all(_SUMMARIES, (SUMMARY_CHARS, reader.agent_id, project, SESSIONS))
    terms = shared_terms([row[0] for row in texts])
    if not terms:
        return []
    seen = _ALIVE & visibility.readable(reader)
    ranks = recall.keyword(tx, fts.any_of(terms), LOOKED_AT)
    rows = tx.all(_BY_SEQ.format(where=seen.sql), (json.dumps(list(ranks)), *seen.params))
    known = {one.id for one in beside}
    offers = [
        _offer(row, 0.0, "fts_only") for row in rows if row["id"] not in known and not _orders(row)
    ]
    return chosen(offers, most=MOST_WORDED, chars=WORDED_CHARS, beside=beside)


def shared_terms(texts: Sequence[str]) -> list[str]:
    """Return the words that several of the texts have in common, commonest first. Pure."""
    held = Counter(
        word
        for text in texts
        for word in set(fts.words(text))
        if len(word) >= LEAST_TERM and word not in fts.STOP_WORDS and not word.isdigit()
    )
    return [word for word, count in held.most_common() if count >= LEAST_SESSIONS][:MOST_TERMS]


def _effective(row: Row, rate: float, now: datetime) -> float:
    if row["pinned"]:
        return 1.0
    used = clock.parsed(row["last_accessed"]) or clock.parsed(row["created_at"]) or now
    return effective(row["importance"] or 0.0, used, now, rate=rate)


def _orders(row: Row) -> bool:
    """Return whether a memory comes from the web or a tool and tells its reader to do something."""
    return any(map(fence.is_strangers, (row["kind"], row["root"]))) and fence.orders(row["content"])


def _is_of(offer: Offer, project: str | None) -> bool:
    return project is not None and offer.project == project


def _offer(row: Row, score: float, source: str) -> Offer:
    return Offer(
        id=row["id"],
        content=row["content"],
        type=row["type"],
        tags=tags_of(row["tags"]),
        project=row["project"],
        importance=row["importance"] or 0.0,
        created_at=row["created_at"],
        score=score,
        source=source,
        read_from=row["read_from"],
        origin=fence.origin(row["kind"], row["who"]),
    )
