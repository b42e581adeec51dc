"""Select the sessions, commits, memories and documents that a prompt needs from recall's candidates.

A question gets its best answers, but most prompts ask for nothing. A second logistic function of the fitted model
decides whether a prompt needs its best candidate (`rank.need`). Sources about the same subject, or with a similar
score, are selected too.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from signet.db import ReadTx, script, vectors
from signet.db.visibility import Here
from signet.domain.episodes import fence, outcome, search
from signet.domain.episodes.models import FoundRow, Match, Source, SourceType
from signet.domain.recall import rank, tuning
from signet.domain.recall.models import Hit, Query, QueryVector, RecallSettings
from signet.domain.recall.recall import memories, scored
from signet.domain.recall.run import Run
from signet.domain.recall.said import TYPES
from signet.providers.scale import FITTED
from signet.wire.origin import STRANGERS, Origin, Review

#: A saved memory from this length on is more than a sentence or two.
LONG_MEMORY = 300
#: Most characters of a document's title or address in its heading.
TITLE_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The sources that a prompt needs, best first, and the nearest of the others (`far`).

    `chunks` are the passages of sessions and commits with their scores, best first; `words` has the weight of each word
    of the prompt. Both are empty if nothing is needed. `memories` are those relevant enough for a page.
    """

    matches: Sequence[Match] = ()
    far: Sequence[Match] = ()
    chunks: Sequence[tuple[FoundRow, float]] = ()
    words: Mapping[str, float] = field(default_factory=dict)
    memories: Sequence[Hit] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """A source: its best chunk with score and cosine, and the mean vectors of all its chunks that were found."""

    row: FoundRow
    score: float
    cosine: float | None
    vectors: Sequence[bytes]

    @property
    def is_saved(self) -> bool:
        """Return whether it is a memory or a document."""
        return self.row.source_type in (SourceType.MEMORY, SourceType.DOCUMENT)

    def nearness(self, other: "_Source") -> float:
        """Return the cosine of the nearest two chunks of both."""
        return max(
            (max(vectors.cosines(one, other.vectors)) for one in self.vectors if other.vectors),
            default=0.0,
        )


def find(
    tx: ReadTx, query: Query, *, vector: QueryVector, settings: RecallSettings, now: datetime
) -> Needed:
    """Return the sources that a prompt needs, from those available to its session."""
    run = scored(tx, query, query_vector=vector, settings=settings, now=now)
    return replace(_needed(run), memories=memories(run))


def _needed(run: Run) -> Needed:
    """Return the sources that a prompt needs.

    The default model finds any two texts in Chinese, Japanese or Korean similar, so for these only words count;
    likewise if the best passage by words is too new to have a vector.
    """
    query, known = run.query, run.known
    by_words = rank.model(by_meaning=False)
    told = by_words.scores(known.features)
    best = max(run.said, key=lambda one: told[known.places[one]], default=None)
    by_meaning = (
        known.by_meaning
        and not (run.settings.scale == FITTED and script.has_runs(query.text))
        and (best is None or best in known.compared)
    )
    model = known.model if by_meaning else by_words
    scores = model.scores(known.features)
    by_score = [known.seqs[at] for at in np.argsort(-scores)]
    said = [(number, row) for number, row in run.said.items() if not run.allowed[number].asks]
    rows = [*said, *_saved(run, [seq for seq in by_score if seq > 0])]
    if not rows:
        return Needed()
    places = [known.places[seq] for seq, _ in rows]
    needed = model.needed(
        scores[places], known.features[places], known.sources[places], len(run.words)
    )
    pairs = [(row, float(scores[at])) for (_, row), at in zip(rows, places, strict=True)]
    cosines = [known.cosine(seq) if by_meaning else None for seq, _ in rows]
    found = _sources(pairs, cosines)
    is_needed = needed >= (tuning.NEEDED if by_meaning else tuning.NEEDED_BY_WORDS)
    kept = _kept(found) if is_needed else {}
    # A short prompt gets the passage that answers it, not the outcome of the conversation.
    is_asked = len(run.words) < tuning.MANY_WORDS

    def match(one: _Source) -> Match:
        behind = found[0].score - one.score
        return Match(
            source=one.row.source,
            position=one.row.position,
            # For the best source, this is the probability itself.
            score=2 * needed * rank.relevance(-behind),
            said_at=one.row.said_at,
            is_asked=is_asked,
            is_same_matter=kept.get(one, False),
            origin=_origin(one.row, query.reader.here),
            is_strangers=one.row.origin in STRANGERS,
        )

    far = [one for one in found if one not in kept][: tuning.MOST_FAR]
    if not kept:
        return Needed(far=[*map(match, far)])
    talk = [pair for pair in pairs if pair[0].source_type in TYPES]
    return Needed(
        matches=[*map(match, kept)],
        far=[*map(match, far)],
        chunks=sorted(talk, key=lambda pair: -pair[1]),
        words=dict(zip(run.words, known.weights.tolist(), strict=True)),
    )


def _saved(run: Run, seqs: Sequence[int]) -> Iterator[tuple[int, FoundRow]]:
    """Yield memories and document pieces shown as passages, a memory once for each of its vectors."""
    of = run.query.sessions
    for seq, row in search.saved(
        run.tx, seqs, reader=run.query.reader, project=of.project if of else None
    ):
        is_worthy = row.source_type == SourceType.DOCUMENT or (
            is_worth_a_place(row.content)
            and not fence.is_held(Origin(row.origin), _review(row), row.content)
        )
        if is_worthy:
            yield seq, row


def is_worth_a_place(memory: str) -> bool:
    """Return whether a memory is long or states a decision; others are shown in one line."""
    return len(memory) >= LONG_MEMORY or outcome.decides(memory)


def _sources(
    rows: Sequence[tuple[FoundRow, float]], cosines: Sequence[float | None]
) -> list[_Source]:
    """Return the sources of chunks with these scores, best first; of equals the older, because forks are copies."""
    found: dict[Source, _Source] = {}
    for (row, score), cosine in zip(rows, cosines, strict=True):
        source = row.source
        known = found.get(source, _Source(row, -math.inf, None, ()))
        middle = row.middle
        every = [*known.vectors, *([middle] if middle else [])]
        best = _Source(row, score, cosine, every) if score > known.score else known
        found[source] = replace(best, vectors=every)
    return sorted(found.values(), key=lambda one: (-round(one.score, 6), one.row.said_at))


def _kept(found: Sequence[_Source]) -> dict[_Source, bool]:
    """Return the best source, those nearly as good, and those about its subject (True)."""
    best, chance = found[0], found[min(tuning.FEW_SOURCES, len(found) - 1)].score
    kept = {best: False}
    for one in found[1:]:
        is_near = one.score - chance >= tuning.SELECTED_LEAD_SHARE * (best.score - chance)
        if one.cosine is not None and one.cosine < tuning.SAME_MATTER_COSINE:
            continue
        if (is_near or not one.is_saved) and best.nearness(one) >= tuning.SAME_MATTER:
            kept[one] = True
        elif is_near:
            kept[one] = False
    return kept


def _origin(row: FoundRow, here: Here | None) -> str:
    """Return the author of a row, if known."""
    words, title = Origin(row.origin), fence.named(row.title, TITLE_CHARS)
    if row.source_type == SourceType.DOCUMENT:
        return f"{'from the web' if words is Origin.WEB else 'document'}{title and f': {title}'}"
    if row.source_type != SourceType.MEMORY:
        return ""
    labels = here.labels(row.project) if here else ()
    return ", ".join((fence.origin(words, row.who), *labels, *fence.labels(row)))


def _review(row: FoundRow) -> Review | None:
    return Review(row.review) if row.review else None
