"""Choose the memories for a session start: the most important ones now, within the budget."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from signet import clock
from signet.db import ReadTx, fts
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.episodes import fence
from signet.domain.graph import lexicon
from signet.domain.graph.changes import Dated
from signet.domain.graph.traversal import WHOLE_CHARS
from signet.domain.injections.models import Ranked, Team
from signet.domain.learning import influence
from signet.domain.learning.labels import Worth
from signet.domain.memory.models import tags_of
from signet.domain.recall import view
from signet.domain.sessions import prompt_text, standing_rules, start_text
from signet.domain.sessions.sql import every, memories
from signet.domain.sessions.sql.memories import MemoryRow
from signet.domain.synthesis.sources import effective
from signet.wire.origin import Origin, doubt

#: Below this score a memory has faded (HK-41); pinned ones never fade.
LEAST_SCORE = 0.2
#: Pinned memories considered with the newest.
MOST_PINNED = 100
#: Rules of a start: number, characters, and those of one text.
MOST_RULES, RULES_CHARS, RULE_CHARS = 20, 3_000, 600
#: Of these, characters for rules recognised in talks. Prompts receive those that they need, and a project of 150 talks
#: began each session with 3,000 characters of them (`delivery`).
INFERRED_CHARS = 1_200
#: Words of a project's earlier sessions (HK-44): number of sessions, characters of each, sessions that must share a
#: word, number of words, and their least length.
SESSIONS, SUMMARY_CHARS, LEAST_SESSIONS, MOST_TERMS, LEAST_TERM = 5, 3_000, 2, 10, 4
#: Limits of what these words find: memories, and characters.
MOST_WORDED, WORDED_CHARS = 10, 600
#: Ranks memories of the project, and pinned ones, first: more than any score.
OF_PROJECT = 10.0
#: Matches read before filtering by what the reader may see.
LOOKED_AT = 100

#: Endings of English word forms.
_ENDINGS = ("s", "es", "d", "ed", "ing")
_HEADING = re.compile(r"^#.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartCandidate:
    """A memory that a start may inject, and why; `source` is a word of `session_memories`.

    `read_from` is the ID of the memory that a fact was extracted from, None for other memories.
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
    #: The speaker or program that stated it, and how far it is trusted (`wire/origin.py`).
    origin: str
    doubt: int
    event_at: str | None = None
    read_from: str | None = None
    is_pinned: bool = False
    #: The factor for its score from learned usefulness, once learning has proven better.
    factor: float = 1.0
    #: The order that chose it, if two were interleaved.
    team: Team | None = None
    #: Labels that show it belongs to no single project, or to another, or to a space.
    labels: tuple[str, ...] = ()

    @property
    def dated(self) -> Dated:
        return Dated(
            text=self.content,
            said_at=self.created_at,
            project=self.project,
            distance=self.doubt,
        )

    @property
    def line(self) -> str:
        days = prompt_text.days(self.created_at, self.event_at)
        said = ", ".join((self.origin, *self.labels))
        return start_text.memory_line(self.content, self.tags, days, said)


def find(
    tx: ReadTx,
    reader: Reader,
    *,
    pool: int,
    decay_rate: float,
    reached: Mapping[str, float],
    recalled: Mapping[str, float],
    known: Callable[[Collection[str]], Mapping[str, Worth]],
    now: datetime,
) -> list[StartCandidate]:
    """Return unsorted candidates: the newest and pinned memories, and those found by the graph walk or recall.

    `reached` and `recalled` are scores by ID; a memory found in several ways keeps its best score. `known` returns the
    ratings of sessions: memories that agents found useless count less (PR-13).
    """
    found: dict[str, StartCandidate] = {}
    pinned = memories.alive(tx, memories.PINNED, reader, MOST_PINNED)
    for row in (*memories.alive(tx, memories.NEWEST, reader, pool), *pinned):
        score = _effective(row, decay_rate, now)
        if score > LEAST_SCORE and not memories.is_held_back(row):
            found[row.id] = _candidate(row, score, "effective", reader)
    for row in memories.listed(
        tx, memories.BY_ID, reader, as_list(dict.fromkeys([*reached, *recalled]))
    ):
        if memories.is_held_back(row):
            continue
        walked, asked = reached.get(row.id, 0.0), recalled.get(row.id, 0.0)
        before = found.get(row.id)
        if before is not None and before.score >= max(walked, asked):
            continue
        by_walk = "ka_traversal_pinned" if row.pinned else "ka_traversal"
        source = by_walk if walked >= asked else "effective"
        found[row.id] = _candidate(row, max(walked, asked), source, reader)
    rated = {
        id_: replace(found[id_], score=found[id_].score * one.rated, factor=one.learned)
        for id_, one in known(found).items()
    }
    return _in_own_words(tx, reader, list((found | rated).values()))


def rules(tx: ReadTx, reader: Reader) -> list[StartCandidate]:
    """Return the user's rules for the reader's place that fit, pinned ones first, then the newest; they never fade."""
    ruled = memories.rules(tx, reader, chars=RULE_CHARS, limit=standing_rules.LOOKED_AT)
    wanted = [one.id for one in ruled if one.type != "preference" and standing_rules.is_rule(one)]
    known = {row.id: row for row in memories.listed(tx, memories.BY_ID, reader, as_list(wanted))}
    rows = [known[id] for id in wanted if id in known and not memories.is_held_back(known[id])]
    found = [_candidate(row, 1.0, "effective", reader) for row in rows]
    inferred = {row.id for row in rows if row.origin == Origin.INFERRED}
    kept: list[StartCandidate] = []
    room, room_inferred = RULES_CHARS, INFERRED_CHARS
    for one in _in_own_words(tx, reader, found):
        size, is_inferred = len(one.line) + 1, one.id in inferred and not one.is_pinned
        fits = size <= room and (not is_inferred or size <= room_inferred)
        if len(kept) < MOST_RULES and fits:
            room -= size
            room_inferred -= size if is_inferred else 0
            kept.append(one)
    return kept


def newest(
    tx: ReadTx, reader: Reader, *, pool: int, score: Callable[[MemoryRow], float]
) -> list[StartCandidate]:
    """Return the `pool` newest memories with the best scores, best first."""
    rows = memories.alive(tx, memories.NEWEST, reader, pool)
    found = [
        _candidate(row, score(row), "effective", reader)
        for row in rows
        if not memories.is_held_back(row)
    ]
    return ranked(_in_own_words(tx, reader, found), None)


def ranked(
    candidates: Iterable[StartCandidate], project: str | None, *, learned: bool = False
) -> list[StartCandidate]:
    """Return candidates best first: those of the project, then by score, then by age. Pure.

    `learned` includes the learned factor.
    """
    newest = sorted(candidates, key=lambda one: one.created_at, reverse=True)
    score = _learned if learned else _base
    return sorted(newest, key=lambda one: -score(one, project))


def interleaved(
    base: Sequence[StartCandidate], project: str | None, *, kept: Collection[str], seed: str
) -> list[StartCandidate]:
    """Interleave candidates ranked without (`base`) and with the learned factor. Pure.

    IDs in `kept` come before both: learning must not displace them (PR-19).
    """
    first = [one for one in base if one.id in kept]
    others = [one for one in base if one.id not in kept]
    learned = ranked(others, project, learned=True)
    drafted = influence.drafted(others, learned, lambda one: one.id, seed=seed)
    return [*first, *(replace(one, team=team) if team else one for one, team in drafted)]


def compared(one: StartCandidate, project: str | None) -> Ranked:
    """Return a candidate's rank keys without and with the learned factor. Pure."""
    return Ranked(_base(one, project), _learned(one, project), one.team)


def _base(one: StartCandidate, project: str | None) -> float:
    """Return the rank key of a candidate; those of the project, and pinned ones, precede all others."""
    return one.score + (OF_PROJECT if one.is_pinned or _is_of(one, project) else 0.0)


def _learned(one: StartCandidate, project: str | None) -> float:
    return _base(one, project) + one.score * (one.factor - 1.0)


def chosen(
    candidates: Sequence[StartCandidate],
    *,
    most: int,
    chars: int,
    given: Sequence[StartCandidate] = (),
) -> list[StartCandidate]:
    """Return the candidates that fit, in order; skip one that does not fit (HK-43). Pure.

    Skips memories in `given`. Of a memory and a fact extracted from it, only the better one is chosen. A memory that is
    the beginning of a longer one is skipped: rules distil a decision with and without its reason.
    """
    ids = {one.id for one in given}
    sources = {one.read_from for one in given}
    longer = _longer(candidates)
    taken: list[StartCandidate] = []
    for one in candidates:
        if len(taken) == most:
            break
        if one.id in ids | sources or one.read_from in ids or one.id in longer:
            continue
        if len(one.line) + 1 <= chars:
            chars -= len(one.line) + 1
            taken.append(one)
            ids.add(one.id)
            sources.add(one.read_from)
    return taken


def _longer(candidates: Sequence[StartCandidate]) -> set[str]:
    """Return the IDs of memories that are the beginning of a longer candidate."""
    short = [one for one in candidates if len(one.content) <= WHOLE_CHARS]
    texts = sorted((prompt_text.comparable(one.content).rstrip(".!"), one.id) for one in short)
    return {id for (text, id), (longer, _) in pairwise(texts) if longer.startswith(text)}


def by_project_words(
    tx: ReadTx, reader: Reader, project: str, *, given: Sequence[StartCandidate]
) -> list[StartCandidate]:
    """Return memories that contain the topics of the project's last sessions, and that fit (HK-44).

    Skips memories in `given`.
    """
    terms = shared_terms(
        tx.column(every.BEGINNINGS, (SUMMARY_CHARS, reader.agent_id, project, SESSIONS))
    )
    if not terms:
        return []
    ranks = view.best_of_all(tx, fts.any_of(terms), LOOKED_AT)
    rows = memories.listed(tx, memories.BY_SEQ, reader, as_list(ranks))
    found = [
        _candidate(row, 0.0, "fts_only", reader) for row in rows if not memories.is_held_back(row)
    ]
    said = _in_own_words(tx, reader, found)
    return chosen(said, most=MOST_WORDED, chars=WORDED_CHARS, given=given)


def _in_own_words(
    tx: ReadTx, reader: Reader, found: Sequence[StartCandidate]
) -> list[StartCandidate]:
    """Replace facts by the memories that they were extracted from, each memory once.

    A memory takes the place and score of its best fact. A pinned fact stays.
    """
    words = memories.in_own_words(tx, reader, [one.read_from for one in found])
    said: dict[str, StartCandidate] = {}
    for one in found:
        row = None if one.is_pinned else words.get(one.read_from)
        new = (
            replace(_candidate(row, one.score, one.source, reader), factor=one.factor)
            if row
            else one
        )
        before = said.get(new.id)
        if before is None or before.score < new.score:
            said[new.id] = new
    return list(said.values())


def shared_terms(texts: Sequence[str]) -> list[str]:
    """Return the words that several texts share, most frequent first. Pure.

    Excludes headings and words of any talk ("always", "handled"), which do not characterise a project.
    """
    held = Counter(
        word
        for text in texts
        for word in set(fts.words(_HEADING.sub("", text)))
        if len(word) >= LEAST_TERM and not (word.isdigit() or _is_ordinary(word))
    )
    return [word for word, count in held.most_common() if count >= LEAST_SESSIONS][:MOST_TERMS]


def _is_ordinary(word: str) -> bool:
    """Return whether a word, or its base form, is too common to be useful."""
    roots = {word.removesuffix(ending) for ending in _ENDINGS}
    doubled = {root[:-1] for root in roots if root[-1:] == root[-2:-1] != "" and root != word}
    forms = {word, *roots, *(f"{root}e" for root in roots), *doubled}
    return not forms.isdisjoint(fts.STOP_WORDS) or not forms.isdisjoint(lexicon.PLAIN)


def _effective(row: MemoryRow, rate: float, now: datetime) -> float:
    if row.pinned:
        return 1.0
    used = clock.parsed(row.last_accessed) or clock.parsed(row.created_at) or now
    return effective(row.importance or 0.0, used, now, rate=rate)


def _is_of(offer: StartCandidate, project: str | None) -> bool:
    return project is not None and offer.project == project


def _candidate(row: MemoryRow, score: float, source: str, reader: Reader) -> StartCandidate:
    return StartCandidate(
        id=row.id,
        content=row.content,
        type=row.type,
        tags=tags_of(row.tags),
        project=row.project,
        importance=row.importance or 0.0,
        created_at=row.created_at,
        event_at=row.event_at,
        score=score,
        source=source,
        read_from=row.read_from,
        is_pinned=bool(row.pinned),
        origin=fence.origin(Origin(row.origin), row.who, is_derived=row.read_from is not None),
        doubt=doubt(Origin(row.origin)),
        labels=(
            *(reader.here.labels(row.project) if reader.here else ()),
            *fence.labels(row),
        ),
    )
