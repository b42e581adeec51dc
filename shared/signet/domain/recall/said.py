"""Passages of earlier sessions and commits as candidates (REC-29).

A passage is an indexed chunk, with a negative number during one question. Questions find what hooks deliver of a
session, whether or not a memory was derived from it.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from signet import clock
from signet.db import fts
from signet.domain.embeddings import vectors
from signet.domain.episodes import brief, fence, outcome, search, split
from signet.domain.episodes.models import FoundRow, Source, SourceType
from signet.domain.memory import filters as asked
from signet.domain.recall import tuning
from signet.domain.recall.columns import Allowed, key
from signet.domain.recall.models import Filters, Hit, Query, Why
from signet.domain.recall.models import FoundBy as Brought
from signet.domain.recall.rank import Array

if TYPE_CHECKING:
    from signet.domain.recall.run import Run

#: Source types that a caller may request.
TYPES = (SourceType.SESSION, SourceType.COMMIT)
_compiled = lru_cache(1_024)(re.compile)
_WORD = re.compile(r"\w+")
#: Most further exchanges of its session that one of the first three results shows, and what precedes them.
MORE = 4
EARLIER, LATER = "[earlier in this session]", "[later in this session]"

Said = Mapping[int, FoundRow]


def find(run: "Run") -> dict[int, FoundRow]:
    """Return passages that may answer; if few contain a query word, also the newest."""
    is_asked = may_answer(run.query) or run.query.sessions is not None
    if not (run.words and is_asked and search.has_any(run.tx)):
        return {}
    words = fts.any_of(run.words)
    # Long answers of agents match more words and would displace all passages with a user message.
    found = [_rows(run, words), _rows(run, words, spoken=True)]
    if len(found[0]) < tuning.PASSAGES:
        found.append(_rows(run, None))
    if run.query_vector is not None:
        found.append(_rows(run, run.query_vector))
    rows = {_place(row): row for some in found for row in some[: tuning.PASSAGES]}
    return {-number: row for number, row in enumerate(rows.values(), start=1)}


def _rows(run: "Run", by: str | bytes | None, *, spoken: bool = False) -> list[FoundRow]:
    """Return passages that match an expression best, are nearest to a vector, or (None) are the newest."""
    wanted = run.query.filters
    since = asked.instant("since", wanted.since) or ""
    until = asked.instant("until", wanted.until, last=True) or "9999"
    scope = _scope(run)
    if isinstance(by, bytes):
        found = search.near(run.tx, by, scope, model=run.settings.embedding_model)
    else:
        found = search.by_words(run.tx, by, scope, spoken=spoken)
    return [
        row
        for row in found
        if wanted.type in (None, row.source_type) and since <= row.said_at <= until
    ]


def naming(run: "Run", words: Sequence[str], *, since: str) -> dict[int, FoundRow]:
    """Return the newest passages after a time that contain one of the words and are no candidates yet."""
    known = {_place(row) for row in run.said.values()}
    found = [row for row in _rows(run, fts.any_of(words)) if row.said_at > since]
    new = [row for row in found if _place(row) not in known]
    new.sort(key=lambda row: row.said_at, reverse=True)
    first = min(run.said, default=0) - 1
    return {first - number: row for number, row in enumerate(new[: tuning.FOLLOWERS])}


def _scope(run: "Run") -> search.ChunkScope:
    query, of = run.query, run.query.sessions
    project = of.project if of else query.reader.project or query.filters.project
    but = of.but if of else None
    scope = search.ChunkScope(query.reader, project, but, run.settings.commits)
    is_filtered = query.filters.type or query.filters.since or query.filters.until
    return scope if is_filtered else scope._replace(most=tuning.PASSAGES)


def within(run: "Run", types: Collection[SourceType]) -> list[FoundRow]:
    """Return one chunk for each session and commit of the time in question, of these types (none: all)."""
    scope = _scope(run)
    found: dict[tuple[str, str], list[FoundRow]] = {}
    for span in run.when.spans:
        rows = search.within(
            run.tx,
            scope,
            since=clock.to_text(span.start or run.now),
            until=clock.to_text(span.end or run.now),
        )
        for row in rows:
            if not types or row.source_type in types:
                found.setdefault((row.source_type, row.source_id), []).append(row)
    return [_standing(rows) for rows in found.values()]


def _standing(rows: Sequence[FoundRow]) -> FoundRow:
    """Return the chunk that represents a session: the last with a decision, else the first."""
    order = sorted(rows, key=lambda row: row.position)
    return next((row for row in reversed(order) if outcome.decides(row.content)), order[0])


def may_answer(query: Query) -> bool:
    """Return whether the query includes sessions and commits: a query with its own floor ranks only memories."""
    only = replace(query.filters, project=None, since=None, until=None)
    if only.type in TYPES:
        only = replace(only, type=None)
    return (
        only == Filters() and query.floor is None and query.as_of is None and not query.reader.scope
    )


def _place(row: FoundRow) -> tuple[str, str, str, int]:
    return row.source_type, row.source_id, row.project, row.position


def allowed(run: "Run", said: Said) -> dict[int, Allowed]:
    """Return the values of passages for later stages; `asks` marks a whole session in which people only ask."""
    asking = {row.source_id for row in said.values() if _only_asks(row)}
    whole = (
        search.in_one_chunk(run.tx, run.query.reader.agent_id, sorted(asking))
        if asking
        else frozenset()
    )
    return {
        number: Allowed(
            type=row.source_type,
            created_at=row.said_at,
            source=key(_place(row)[:3]),
            batch=None,
            passages=len(row.content) / vectors.TARGET,
            is_superseded=False,
            asks=row.source_id in whole and row.source_type == SourceType.SESSION,
        )
        for number, row in said.items()
    }


def _only_asks(row: FoundRow) -> bool:
    return row.source_type == SourceType.SESSION and outcome.only_asks(row.content)


def beside(said: Said) -> dict[int, list[int]]:
    """Return the previous and next candidates of each passage."""
    numbers = {_place(row): number for number, row in said.items()}
    return {
        number: [
            numbers[other]
            for step in (-1, 1)
            if (other := (*_place(row)[:3], row.position + step)) in numbers
        ]
        for number, row in said.items()
    }


def times(said: Said) -> dict[int, tuple[None, str]]:
    """Return the time of each passage, as `time_lookup.of` does for memories."""
    return {number: (None, row.said_at) for number, row in said.items()}


def word_matrix(words: Collection[str], rows: Iterable[FoundRow], question: str) -> Array:
    """Return 1 for each word (row) that each passage (column) contains.

    Words are compared by stems, identifiers (with digits, marks or inner capitals) as a whole.
    """
    texts = [fts.folded(row.content) for row in rows]
    names = {fts.folded(one) for one in _WORD.findall(question) if one[1:] != one[1:].lower()}
    parts = [_expression(fts.folded(fts.shown(word)), names) for word in words]
    found = [[one.search(text) is not None for text in texts] for one in map(_compiled, parts)]
    return np.array(found, dtype=np.float64).reshape(len(parts), len(texts))


def _expression(word: str, names: Collection[str]) -> str:
    """Return a regular expression for a word; the parts of a hyphenated one may be apart or one word."""
    if word in names or search.IDENTIFIER.search(word):
        return rf"(?<![^\W_]){re.escape(word)}(?![^\W_])"
    return r"\w*\W?".join(re.escape(search.stem(part)) for part in word.split("-"))


def holders(run: "Run") -> tuple[list[int], int]:
    """Return how many passages contain each word, and the total; empty without candidate passages."""
    if not run.said:
        return [0] * len(run.words), 0
    return search.holders(run.tx, run.words)


def source(row: FoundRow) -> Source:
    """Return the source of a passage."""
    return Source(
        type=SourceType(row.source_type),
        id=row.source_id,
        agent_id=row.agent_id,
        project=row.project,
    )


def hit(run: "Run", number: int, *, score: float, why: Why | None, place: int) -> Hit | None:
    """Return a passage as a result: the turns around the query words, else its outcome; the first one whole.

    Those of the first results are followed by the best exchanges of the same session (`MORE`).
    Returns None if no part may be shown.
    """
    row, chars = run.said[number], run.settings.truncate_chars
    if place == 0:
        chars = max(chars, split.CHUNK_CHARS)
    told, text = source(row), _answering(run, row, chars)
    if not text:
        return None
    if place < tuning.MOST_MEANT and told.type is SourceType.SESSION:
        text = _with_more(run, number, text)
    return Hit(
        id=told.name,
        content=fence.clean(text),
        score=score,
        source=Brought.EPISODE,
        type=told.type,
        project=told.project or None,
        created_at=row.said_at,
        source_type=told.type,
        source_id=told.id,
        why=why,
    )


def _answering(run: "Run", row: FoundRow, chars: int) -> str:
    """Return the turns of a passage that answer the question, empty if none may be shown."""
    told, content = source(row), row.content
    if told.type is SourceType.SESSION:
        content = brief.spoken(run.tx, told, row.position, content, reader=run.query.reader)
    words = [word for word in run.words if search.shared_words([word], content)]
    near = search.near_exchanges(row, run.query_vector)
    return brief.answering(content, words, near, chars=chars, type=told.type)


def _with_more(run: "Run", number: int, text: str) -> str:
    """Return the text of a passage, followed by the exchanges of its session that answer best."""
    row = run.said[number]
    found = [
        (brief.worth(run.words, exchange, cosine), place, exchange)
        for place, (exchange, cosine) in enumerate(
            one
            for chunk in search.beside(run.tx, row, _scope(run), brief.REACH)
            for one in search.exchanges(chunk, run.query_vector)
        )
    ]
    shown = next((place for _, place, exchange in found if brief.repeats(exchange, text)), 0)
    least = max((one for one, _, _ in found), default=0.0) - tuning.MORE_WITHIN
    added = 0
    for worth, place, exchange in sorted(found, reverse=True):
        if added == MORE or worth < max(least, brief.NO_WORTH):
            break
        asked, _, answer = exchange.partition("\n")
        new = answer if asked in text else exchange
        told = brief.answering(new, run.words, (), chars=brief.LEAST_ROOM, type=SourceType.SESSION)
        if told and not brief.repeats(new, text):
            text += f"\n{EARLIER if place < shown else LATER}\n{told}"
            added += 1
    return text


def without_repeats(run: "Run", hits: Sequence[Hit]) -> list[Hit]:
    """Return results without redundant passages: those of a session with a better result from a memory that is sure.

    Forks of a session have the same beginning: most lines of a passage must be new, or a new line must contain a word
    of the question.
    """
    memories = [one for one in hits if one.source is not Brought.EPISODE]
    sure = [one.id for one in memories if one.score >= 1 - tuning.LEAST_MEANT]
    roots = search.roots(run.tx, sure) if sure and len(memories) < len(hits) else {}
    told: set[str | None] = set()
    seen: set[str] = set()
    kept: list[Hit] = []
    for one in hits:
        if one.source is not Brought.EPISODE:
            told.add(roots.get(one.id))
        elif one.source_id in told or not _adds(one, seen, run.words):
            continue
        kept.append(one)
    return kept


def _adds(one: Hit, seen: set[str], words: Sequence[str]) -> bool:
    lines = [line for line in one.content.split("\n") if len(line) >= brief.REPEAT_CHARS]
    new = [line for line in lines if line not in seen]
    seen.update(lines)
    return not lines or 2 * len(new) >= len(lines) or search.shared_words(words, "\n".join(new)) > 0
