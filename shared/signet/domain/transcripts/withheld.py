"""Withhold forgotten statements from texts that contain them: transcripts, documents, commits, notes.

Quotes also lack what a person has corrected by an edit since it was said.

The texts stay unchanged; sentences with a forgotten statement are left out when read. A statement is stored as hashes
of its words, so it outlives its memory and cannot be read from the table. Recovering the memory lifts it, and so does
saving the same text again. Measured: docs/decisions/0040.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx, fts
from signet.domain.graph.lexicon import PLAIN
from signet.domain.transcripts import sql
from signet.queue import NewJob, enqueue
from signet.queue.job_context import JobContext

#: The kind of job that keeps MEMORY.md and the notes of sessions in sync.
KIND = "clean_texts"

#: A sentence states a statement if it contains this share of its words, and all its names and numbers; the lower share
#: is enough if it contains any of these.
SHARE, SHARE_WITH_NAMES = 0.7, 0.6
#: Three or more sentences state it together only if they have at most this multiple of its words.
DENSITY = 2
#: Words are compared by this many first letters, approximately their stems.
STEM = 5
#: Words for the speaker: "my dog" is "the user's dog".
_SPEAKERS = frozenset(("user", "users", "team", "teams"))
_HASH_BYTES = 6
_SENTENCE_END = re.compile(r"((?<=[.!?])\s+|(?<=[。！？]))")
#: Marks at the start of a line: a list item, a heading, a speaker.
_LABEL = re.compile(r"\s*(?:(?:[-*+>]|#+|\d+[.)])\s+)*(?:(?:User|Assistant)(?: \([^)]*\))?: )?")
_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d+(?:[.,:/-]\d+)*")


class Statement(NamedTuple):
    """A statement as hashes of its words, of the names and numbers among them, and of the words that replace it.

    With `until`, only texts of that time or before are meant, and also those that repeat only a part with what changed.
    """

    memory_id: str
    words: frozenset[str]
    names: frozenset[str]
    newer: frozenset[str] = frozenset()
    until: str = ""

    @property
    def lost(self) -> frozenset[str]:
        """Return the words that its successor lacks."""
        return self.words - self.newer

    def is_said_in(self, words: frozenset[str]) -> bool:
        """Return whether a text with these hashed words states it, and not rather its successor."""
        won = self.newer - self.words
        if self.newer and len(words & self.lost) <= len(words & won):
            return False
        is_part = self.may_be_in_part(words) and len(self.words & words) >= SHARE * len(words)
        return is_part or self.covers(words)

    def may_be_in_part(self, words: frozenset[str]) -> bool:
        """Return whether a text with these hashed words has a name or number that changed, else a word that did."""
        return bool(self.until) and not (self.lost & self.names or self.lost).isdisjoint(words)

    def covers(self, words: frozenset[str]) -> bool:
        """Return whether a text with these hashed words has most of it."""
        share = SHARE_WITH_NAMES if self.names else SHARE
        return (
            bool(self.words)
            and self.names <= words
            and len(self.words & words) >= share * len(self.words)
        )

    def holds(self, words: frozenset[str]) -> bool:
        return bool(words) and words <= self.words


def queue(tx: WriteTx, agent_id: str, *, is_back: bool, now: datetime, file: str = "") -> None:
    """Queue the cleaning of an agent's files, or with `is_back` restoring them.

    `file` is one that was just written, which a running cleaning may have missed.
    """
    job = NewJob(
        kind=KIND,
        dedupe_key=f"{agent_id}:{is_back}:{file}",
        agent_id=agent_id,
        payload={"is_back": is_back},
    )
    enqueue(tx, job, now=now)


def withhold(tx: WriteTx, memory_id: str, agent_id: str, text: str, *, at: datetime) -> None:
    """Withhold a statement from all texts given to an agent."""
    one = statement(text)
    stored = (json.dumps(sorted(one.words)), json.dumps(sorted(one.names)))
    tx.run(sql.WITHHOLD, (memory_id, agent_id, *stored, clock.to_text(at)))


def lift(tx: WriteTx, memory_ids: Iterable[str]) -> None:
    tx.many(sql.LIFT, [(memory_id,) for memory_id in memory_ids])


def say_again(tx: WriteTx, agent_id: str, text: str) -> None:
    """Lift withheld statements that an agent's text states."""
    known = statements(tx, agent_id)
    words = hashed(text) if known else frozenset()
    lift(tx, [one.memory_id for one in known if one.is_said_in(words)])


def whole(tx: ReadTx) -> list[tuple[str, ...]]:
    """Return every row, for `carry`."""
    return tx.tuples(sql.WHOLE_WITHHELD)


def carry(tx: WriteTx, rows: Sequence[tuple[str, ...]], *, now: datetime) -> None:
    """Withhold the statements of another database too, and queue the cleaning of its agents' files."""
    tx.many(sql.CARRY, rows)
    for agent_id in sorted({row[1] for row in rows}):
        queue(tx, agent_id, is_back=False, now=now)


def statements(tx: ReadTx, agent_id: str | None) -> list[Statement]:
    rows = tx.tuples(sql.WITHHELD, (agent_id,)) if agent_id else tx.tuples(sql.ALL_WITHHELD)
    return [read(*row) for row in rows]


def unquoted(tx: ReadTx, agent_id: str) -> list[Statement]:
    """Return what quotes for an agent lack: its withheld statements, and what a person has corrected since (MEM-71)."""
    edited = [
        outdated(*row[:2])._replace(until=row[2]) for row in tx.tuples(sql.EDITED, (agent_id,))
    ]
    return [*statements(tx, agent_id), *edited]


def read(memory_id: str, words: str, names: str) -> Statement:
    every = frozenset(json.loads(words))
    return Statement(memory_id, every, frozenset(json.loads(names)) & every)


def cleaned(tx: ReadTx, agent_id: str, text: str) -> str:
    return without(text, statements(tx, agent_id))


def all_cleaned(tx: ReadTx, agent_id: str, texts: Sequence[str]) -> list[str]:
    """Return an agent's texts without sentences that state something withheld."""
    known = statements(tx, agent_id)
    return [without(text, known) for text in texts]


def without(text: str, statements: Sequence[Statement], said_at: str = "") -> str:
    """Remove sentences that state one of these, alone or in the shortest run that does. Pure.

    A line without sentences is removed with its label. `said_at` is the time of the text.
    """
    statements = [one for one in statements if not one.until or said_at <= one.until]
    if not statements or not (near := _near(hashed(text), statements)):
        return text
    lines = [_Line.read(line) for line in text.split("\n")]
    words = [hashed(one) for line in lines for one in line.sentences]
    hidden = _hidden(words, near)
    if not hidden:
        return text
    kept = []
    first = 0
    for line in lines:
        places = range(first, first := first + len(line.sentences))
        left = [
            one for place, one in zip(places, line.sentences, strict=True) if place not in hidden
        ]
        if len(left) == len(line.sentences):
            kept.append(line.label + "".join(left))
        elif said := "".join(left).strip():
            kept.append(line.label + said)
    return "\n".join(kept)


def hides(text: str, statements: Sequence[Statement]) -> bool:
    """Return whether a line states one of these, or was cut from a sentence that does. Pure."""
    if not statements:
        return False
    words = hashed(text)
    return any(
        one.is_said_in(words) or (words and len(one.words & words) >= SHARE * len(words))
        for one in statements
    )


def sentences(text: str) -> set[str]:
    """Return the bare sentences of a text, without list marks and labels. Pure."""
    lines = map(_Line.read, text.split("\n"))
    return {bare for line in lines for one in line.sentences if (bare := one.strip())}


def says(text: str, said: str) -> bool:
    """Return whether a text states the same as another one, in similar words. Pure."""
    return statement(said).is_said_in(hashed(text))


def statement(text: str) -> Statement:
    """Return the statement of a text without a memory. Pure."""
    words = hashed(text)
    # "I'm" has a capital but is not a name.
    names = {_hash(name, is_whole=_has_digit(name)) for name in _names(text)}
    return Statement("", words, words.intersection(names))


def outdated(old: str, new: str) -> Statement:
    """Return the statement of a text that another one has replaced. Pure."""
    return statement(old)._replace(newer=hashed(new))


def hashed(text: str) -> frozenset[str]:
    """Return the hashes of the meaningful words of a text. Pure."""
    found = {word.partition("*")[0] for part in _parts(text) for word in fts.content_words(part)}
    whole = (_hash(one, is_whole=True) for one in _WORD.findall(text) if _has_digit(one))
    return frozenset((*map(_hash, found - _SPEAKERS), *whole))


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _parts(text: str) -> Iterator[str]:
    """Yield the lines of a text, long ones in parts."""
    for line in text.split("\n"):
        words = line.split()
        if len(words) <= fts.MAX_WORDS:
            yield line
        else:
            starts = range(0, len(words), fts.MAX_WORDS)
            yield from (" ".join(words[at : at + fts.MAX_WORDS]) for at in starts)


class _Line(NamedTuple):
    """A line: its label, and its sentences with their ends."""

    label: str
    sentences: list[str]

    @classmethod
    def read(cls, line: str) -> "_Line":
        label = _LABEL.match(line)
        start = label.end() if label else 0
        parts = [*_SENTENCE_END.split(line[start:]), ""]
        return cls(
            line[:start], [said + end for said, end in zip(parts[::2], parts[1::2], strict=True)]
        )


def _near(words: frozenset[str], statements: Iterable[Statement]) -> list[Statement]:
    return [one for one in statements if one.covers(words) or one.may_be_in_part(words)]


def _hidden(sentences: Sequence[frozenset[str]], near: Sequence[Statement]) -> set[int]:
    """Return the indexes of sentences that state one of these: of several runs the shortest, without overlap."""
    hidden: set[int] = set()
    found = [(run, one) for one in near for run in _runs(sentences, one)]
    for run, one in sorted(found, key=lambda pair: len(pair[0])):
        if hidden.isdisjoint(run):
            hidden.update(_grown(sentences, run, one))
    return hidden


def _runs(sentences: Sequence[frozenset[str]], one: Statement) -> Iterator[range]:
    """Yield, for each sentence that shares a word, the shortest run from it that states a statement."""
    for first, begins in enumerate(sentences):
        if begins.isdisjoint(one.words):
            continue
        words: frozenset[str] = frozenset()
        for last in range(first, len(sentences)):
            words |= sentences[last]
            if last > first + 1 and len(words) > DENSITY * len(one.words):
                break
            if one.is_said_in(words):
                yield range(first, last + 1)
                break


def _grown(sentences: Sequence[frozenset[str]], run: range, one: Statement) -> range:
    """Extend a run by neighbours that add nothing to the statement."""
    first, last = run[0], run[-1]
    while first and one.holds(sentences[first - 1]):
        first -= 1
    while last + 1 < len(sentences) and one.holds(sentences[last + 1]):
        last += 1
    return range(first, last + 1)


def _names(text: str) -> set[str]:
    """Return the names and numbers in a text; a name has a digit, or a capital and is not an ordinary word."""
    found = set()
    for word in _WORD.finditer(text):
        bare = re.sub(r"['’]s?$", "", word[0])
        is_plain = len(bare) < 2 or bare.lower() in PLAIN or bare.lower() in _SPEAKERS
        if _has_digit(bare) or (bare[0].isupper() and not is_plain):
            found.add(bare)
    return found


@lru_cache(maxsize=16_384)
def _hash(word: str, *, is_whole: bool = False) -> str:
    folded = fts.folded(word)
    is_plural = len(folded) > STEM - 2 and folded.endswith("s") and not folded.endswith("ss")
    stem = (
        folded if is_whole or folded[:1].isdigit() else folded.removesuffix("s" * is_plural)[:STEM]
    )
    return hashlib.blake2b(stem.encode(), digest_size=_HASH_BYTES).hexdigest()


#: A single word has no certain meaning: no line is deleted for it.
LEAST_WORDS = 2
#: Texts that are read, and written, at once.
BATCH = 20


class TextTable(NamedTuple):
    """A table with texts: `read` selects a batch (rowid, agent, text) after a rowid.

    `write` takes the new text, the rowid and the old text, so that no concurrent change is lost.
    """

    read: str
    write: str


class Cleaned(NamedTuple):
    rowid: int
    before: str
    after: str


def erased_statements(tx: ReadTx) -> Mapping[str, list[Statement]]:
    """Return the erased statements with enough words, by agent."""
    found: dict[str, list[Statement]] = {}
    for agent_id, *row in tx.tuples(sql.ERASED):
        one = read(*row)
        if len(one.words) >= LEAST_WORDS:
            found.setdefault(agent_id, []).append(one)
    return found


def clean(
    job: JobContext, texts: TextTable, known: Mapping[str, Sequence[Statement]], *more: object
) -> int:
    """Remove the statements from a table's texts; return how many changed. Raises LeaseLost, Cancelled.

    `more` are further parameters of `read`.
    """
    changed = 0
    for found in saying(job, texts.read, known, *more):
        job.db.write(_write, texts, found)
        changed += len(found)
    return changed


def saying(
    job: JobContext, read: str, known: Mapping[str, Sequence[Statement]], *more: object
) -> Iterator[list[Cleaned]]:
    """Yield batches of texts that contain one of the statements. Raises LeaseLost, Cancelled."""
    last = -1
    while known and (rows := job.db.read(_rows, read, (last, BATCH, *more))):
        job.check()
        last = rows[-1][0]
        found = [
            Cleaned(rowid, text, left)
            for rowid, agent_id, text in rows
            if (left := without(text, known.get(agent_id, ()))) != text
        ]
        if found:
            yield found


def clean_transcripts(
    job: JobContext, known: Mapping[str, Sequence[Statement]], session_key: str | None = None
) -> int:
    """Remove statements from all stored transcripts, or from one; return the number changed."""
    clean(job, TextTable(sql.OVERVIEW_TEXTS, sql.CLEAN_OVERVIEW), known, session_key)
    return clean(job, TextTable(sql.TEXTS, sql.CLEAN), known, session_key)


def _rows(tx: ReadTx, read: str, asked: tuple[object, ...]) -> list[tuple[int, str, str]]:
    return [(row[0], row[1], row[2]) for row in tx.tuples(read, asked)]


def _write(tx: WriteTx, texts: TextTable, found: Sequence[Cleaned]) -> None:
    tx.many(texts.write, [(one.after, one.rowid, one.before) for one in found])
