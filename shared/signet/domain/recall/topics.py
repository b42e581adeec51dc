"""Rank later statements before the ones they replace by their words (REC-30); no links are stored.

`run.replaced` has the links made by people and the pipeline. This compares the best candidates of a page with each
other (`graph/changes.py`). For questions about the past the older statement ranks first.

The pieces of one text, a fact and the text it was read from, the passages of one session, and copies are one saying. It
scores as its best member. A text of many pieces has a good one by chance: the model's weight of a text's length counts
for the number of its pieces, too.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from signet.db import fts
from signet.domain.embeddings import vectors
from signet.domain.episodes.models import FoundRow, SourceType
from signet.domain.episodes.search import near_exchanges, shared_words
from signet.domain.graph import assertions, changes, values
from signet.domain.graph.changes import Dated, Replacement
from signet.domain.recall import rank, said, time_lookup, tuning
from signet.domain.recall.columns import NONE, Allowed
from signet.domain.recall.models import PartKind, Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading
from signet.domain.recall.sql.reading import TextSource
from signet.wire.origin import Origin, Review, distance
from signet.wire.recall import Newer


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """The candidate that replaces another one, and its time; `ranks`: the question is about what it replaces."""

    seq: int
    since: str
    change: Replacement
    ranks: bool


def successors(run: Run, scores: Scores) -> dict[int, Successor]:
    """Return the successors of the best candidates without a link, and add these to the candidates."""
    order = sorted(scores, key=scores.__getitem__, reverse=True)[: tuning.TOPICS_COMPARED]
    talks = _later_talks(run, order)
    run.said |= talks
    followers = {**_followers(run, order), **said.allowed(run, talks)}
    allowed = {**followers, **run.allowed}
    texts = run.texts([*order, *followers])
    compared = [seq for seq in (*order, *followers) if seq in texts and seq not in run.replaced]
    projects = _projects(run, compared)
    every = changes.find(
        [
            Dated(
                text=texts[seq],
                said_at=allowed[seq].created_at,
                project=projects[seq],
                is_talk=allowed[seq].type == SourceType.SESSION,
                is_commit=allowed[seq].type == SourceType.COMMIT,
            )
            for seq in compared
        ],
        older=min(tuning.TOPICS_OLDER, len([seq for seq in compared if seq in scores])),
    )
    pairs = {
        compared[old]: (compared[change.by], change)
        for old, change in every.items()
        if not change.is_value or _concerns(run, compared[old], change)
    }
    if not pairs:
        return {}
    known = _provenances(run, {seq for old, (new, _) in pairs.items() for seq in (old, new)})
    origins = reading.origins(run.tx, [*pairs, *(new for new, _ in pairs.values())])
    successors = {
        old: Successor(
            seq=new,
            since=known[new].at,
            change=change,
            ranks=not change.is_part
            or changes.is_about(run.query.text, texts[old], texts[new], change),
        )
        for old, (new, change) in pairs.items()
        if {old, new} <= known.keys()
        and known[old].at < known[new].at
        and (known[new].distance <= known[old].distance or change.why == "commit")
        and not known[old].is_pinned
        and not _is_from(run, origins.get(new), old)
        and not _is_from(run, origins.get(old), new)
    }
    run.allowed |= {one.seq: allowed[one.seq] for one in successors.values()}
    return successors


def _concerns(run: Run, old: int, change: Replacement) -> bool:
    """Return whether a question is about a changed value, one of many that a talk agrees on.

    It shares a word with the new value's line, or the old one is in the exchange of its passage that is nearest to it.
    """
    if shared_words(run.words, change.new):
        return True
    near = near_exchanges(run.said[old], run.query_vector) if old in run.said else []
    return bool(near) and change.old in max(near, key=lambda one: one[1])[0]


def _is_from(run: Run, origin: TextSource | None, seq: int) -> bool:
    """Return whether a memory was read from the session of a passage: it repeats the passage, so neither replaces the
    other.
    """
    passage = run.said.get(seq)
    session = origin.source if origin else None
    return passage is not None and session is not None and session.endswith(f" {passage.source_id}")


def _followers(run: Run, order: Sequence[int]) -> dict[int, Allowed]:
    """Return later memories that share a rare word with the best, even if they do not match the question."""
    found: set[int] = set()
    at = run.view.table["created_at"]
    for seq, text in run.texts(order[: tuning.FOLLOWED]).items():
        words = assertions.names(text) if seq in run.said else fts.content_words(text)
        postings = run.view.postings(
            run.tx, fts.words(" ".join(words[: tuning.FOLLOWED_WORDS]))
        ).values()
        near = {
            row
            for one in postings
            if len(one.rows) <= tuning.FOLLOWED_RARE
            for row in one.rows.tolist()
        }
        rows = np.array(run.view.rows(near), dtype=np.int64)
        rows = rows[at[rows] > run.allowed[seq].created_at.encode()]
        found.update(rows[np.argsort(at[rows])][-tuning.FOLLOWERS :].tolist())
    return run.view.allowed(found.difference(order))


def _later_talks(run: Run, order: Sequence[int]) -> dict[int, FoundRow]:
    """Return later passages with a setting that the best ones name, even if they do not match the question."""
    best = [run.said[seq] for seq in order if seq in run.said][: tuning.FOLLOWED]
    names = {name for row in best for name in values.settings(row.content)}
    if not names:
        return {}
    words = sorted(names)[: tuning.FOLLOWED_WORDS]
    return said.naming(run, words, since=min(row.said_at for row in best))


def _projects(run: Run, seqs: list[int]) -> dict[int, str]:
    """Return a key for the project of each candidate; empty for none, and for a memory for every project."""
    column, everywhere = run.view.table["project"], run.view.table["everywhere"]
    found = {seq: int(column[seq]) for seq in seqs if seq > 0 and not everywhere[seq]}
    passages = {seq: run.said[seq].project for seq in seqs if seq in run.said}
    keys = {seq: hash(project) or 1 for seq, project in passages.items() if project}
    return {seq: str(key) if (key := (found | keys).get(seq, NONE)) != NONE else "" for seq in seqs}


class _Provenance(NamedTuple):
    """The time of a candidate, the distance of its origin, and whether it is pinned."""

    at: str
    distance: int
    is_pinned: bool = False


def _provenances(run: Run, seqs: set[int]) -> dict[int, _Provenance]:
    """Return the provenance of candidates; an unreviewed instruction counts as one from the web."""
    memories = [seq for seq in seqs if seq > 0]
    times = time_lookup.times_of(run.tx, memories)
    found: dict[int, _Provenance] = {}
    for seq, row in reading.rows(run.tx, memories, run.where).items():
        origin = Origin.WEB if row["review"] == Review.WAITING else Origin(row["origin"])
        found[seq] = _Provenance(times[seq][1], distance(origin), bool(row["pinned"]))
    for seq in seqs - set(memories):
        is_talk = run.said[seq].source_type == SourceType.SESSION
        origin = Origin.USER if is_talk else Origin.IMPORTED
        found[seq] = _Provenance(run.said[seq].said_at, distance(origin))
    return found


def ordered(run: Run, scores: Scores) -> Scores:
    """Rank each later statement at least as high as the older one, which follows directly.

    The older one ranks first for a question about the past, and where its score puts it for one about its other text.
    """
    after = dict(scores)
    for old, later in sorted(run.newer.items(), key=lambda pair: pair[1].since):
        if not later.ranks:
            continue
        is_past = changes.asks_past(run.query.text, later.change)
        first, second = (old, later.seq) if is_past else (later.seq, old)
        least = scores[old]
        after[first] = max(after.get(first, least), after.get(second, least))
        after[second] = min(after.get(second, least), after[first] - tuning.BEHIND_SUCCESSOR)
    return after


def marks(run: Run) -> Mapping[int, Newer]:
    """Return the later statement for each replaced candidate, as answers contain it."""
    ids = reading.ids(run.tx, [one.seq for one in run.newer.values() if one.seq > 0])
    return {
        old: Newer(
            id=ids.get(later.seq) or said.source(run.said[later.seq]).name,
            since=later.since,
            says=later.change.new,
            replaces=later.change.old,
            is_part=later.change.is_part,
        )
        for old, later in run.newer.items()
        if later.seq in ids or later.seq in run.said
    }


#: Words that do not change a statement, and marks at the ends of words.
_FILLERS = frozenset(("", "a", "an", "the", "also", "just", "really", "that"))
_MARKS = ".,;:!?\"'()[]…“”‘’。，！？"


@dataclass(slots=True, kw_only=True)
class Saying:
    """Candidates that say one thing, best first; `shown` is the one whose text is displayed."""

    members: list[int]
    shown: int
    score: float
    #: Its session, or the memories saved at the same instant.
    source: str | None
    #: The kind of each of several members.
    kinds: dict[int, PartKind]

    @property
    def best(self) -> int:
        """Return the member that answers best."""
        return self.members[0]

    def take(self, copy: "Saying") -> None:
        """Make a copy of this saying, with its members, a part of this one."""
        self.members.extend(copy.members)
        self.kinds |= copy.kinds | {copy.shown: PartKind.COPY}


def sayings_of(run: Run, order: Sequence[int], scores: Scores) -> list[Saying]:
    """Group candidates, given best first, into sayings, best first."""
    origins: Mapping[int, TextSource] = run.attempt("sayings", {}, reading.origins, run.tx, order)
    members: dict[str | int | tuple[str, str], list[int]] = {}
    for seq in order:
        members.setdefault(_key(run, seq, origins), []).append(seq)
    found = {
        key: Saying(
            members=seqs,
            shown=_shown(run, seqs, origins),
            score=scores[seqs[0]],
            source=origins[seqs[0]].source if seqs[0] in origins else None,
            kinds={seq: _kind(origins.get(seq)) for seq in seqs} if len(seqs) > 1 else {},
        )
        for key, seqs in members.items()
    }
    run.attempt("pieces", None, _level, run, found)
    _behind(run, list(found.values()))
    return sorted(found.values(), key=lambda saying: saying.score, reverse=True)


def comparable(text: str) -> tuple[str, ...]:
    """Return a key that is equal for copies of a text: its words in order, without fillers.

    Keeps who does what to whom: "Alice reports to Bob" is not "Bob reports to Alice".
    """
    words = [word.strip(_MARKS) for word in text.casefold().split()]
    return tuple([word for word in words if word not in _FILLERS])


def _key(run: Run, seq: int, origins: Mapping[int, TextSource]) -> str | int | tuple[str, str]:
    """Return the key that all candidates of one saying share: the text in pieces, else the source or itself."""
    if seq in run.said:
        row = run.said[seq]
        return row.source_type, row.source_id
    origin = origins.get(seq)
    if origin is None:
        return seq
    return origin.text or (origin.read_from if origin.read_from in origins else None) or seq


def _kind(origin: TextSource | None) -> PartKind:
    return PartKind.FACT if origin is not None and origin.read_from else PartKind.PASSAGE


def _shown(run: Run, seqs: Sequence[int], origins: Mapping[int, TextSource]) -> int:
    """Return the member to display: the best, or the source of a fact unless that is long.

    A replaced memory never represents a current one.
    """
    if len(seqs) == 1:
        return seqs[0]
    best = next((seq for seq in seqs if seq not in run.replaced), seqs[0])
    source = origins[best].read_from if best in origins else None
    if source is None or source not in seqs:
        return best
    hides = source in run.replaced and best not in run.replaced
    is_long = origins[source].chars > tuning.LONG_SOURCE * run.settings.truncate_chars
    return best if hides or is_long else source


def _level(run: Run, found: Mapping[str | int | tuple[str, str], Saying]) -> None:
    """Remove from texts in pieces the advantage of their best piece: the length of the whole counts."""
    weight = run.known.model.score * float(run.known.model.features[rank.at("length")])
    texts = [key for key in found if isinstance(key, str)]
    for text, chars in reading.lengths(run.tx, texts).items():
        own = run.allowed[found[text].best].passages
        found[text].score += weight * math.log(max(1.0, chars / vectors.TARGET) / max(1.0, own))


def _behind(run: Run, found: Sequence[Saying]) -> None:
    """Rank replaced sayings behind their successors, and these at least as high as the replaced ones."""
    replaced = run.later
    if not replaced:
        return
    sayings_of = {seq: saying for saying in found for seq in saying.members}
    for saying in found:
        for later in replaced.get(saying.shown, ()):
            other = sayings_of.get(later, saying)
            if other is not saying:
                other.score = max(other.score, saying.score)
                saying.score = min(saying.score, other.score - tuning.BEHIND_SUCCESSOR)
