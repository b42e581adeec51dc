"""One `trace_use` job: find which injected or candidate items a session used.

Runs after each new transcript. Use is permanent; an item counts as unused only after the session has ended. For each
use the record has the sign and its place: the message's number in the transcript (from 0) or the tool. No text is
copied.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache

from signet import clock, ids
from signet.db import Database, ReadTx, WriteTx, fts
from signet.domain.agents import registry as agents
from signet.domain.episodes import search
from signet.domain.injections import record, sql
from signet.domain.injections.models import ItemKind, Used
from signet.domain.injections.record import EPISODES, ItemTexts
from signet.domain.injections.sql import InjectionRow, ItemRow
from signet.domain.transcripts import steps, stored, transcript
from signet.domain.transcripts.steps import Step, StepType
from signet.domain.transcripts.transcript import Turn
from signet.queue.job_context import JobContext

#: Minimum characters of an ID, such as a commit hash prefix.
LEAST_MARK = 7
#: Length of a run of equal words that is a quotation, and minimum of new words in it.
QUOTED_WORDS, QUOTED_NEW = 6, 3
#: Minimum of rare values (identifiers, paths, numbers) and words in one step: two values, one value with some words,
#: or only words; half of it for a short text.
LEAST_VALUES, WORDS_WITH_VALUE, LEAST_WORDS = 2, 3, 5
#: Maximum new words of a short text, for which one value of this length is enough.
SHORT_WORDS, SHORT_VALUE_CHARS = 6, 3
#: Characters to read of a long step or text.
READ_CHARS = 20_000
#: Words are compared by prefix, because they are inflected.
_STEM = 6
_LEAST_WORD = 4

_TOKEN = re.compile(r"[^\W_](?:[\w./:@+-]*\w)?|_\w+", re.UNICODE)
#: Marks of a value: a digit, or a special character or capital inside it.
_VALUE = re.compile(r"\d|[\w][_/.]|_\w|[a-z][A-Z]")
_PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])", re.UNICODE)


@dataclass(frozen=True, slots=True)
class TextMarks:
    """The identifying parts of a text: values, and word prefixes."""

    values: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def __or__(self, other: "TextMarks") -> "TextMarks":
        return TextMarks(self.values | other.values, self.words | other.words)

    def __sub__(self, other: "TextMarks") -> "TextMarks":
        return TextMarks(self.values - other.values, self.words - other.words)

    def __and__(self, other: "TextMarks") -> "TextMarks":
        return TextMarks(self.values & other.values, self.words & other.words)


@dataclass(frozen=True, slots=True)
class SaidText:
    """The content of one step; `words` are whole words by prefix."""

    text: str
    marks: TextMarks
    words: Mapping[str, str]


def read_said(text: str) -> SaidText:
    text = text[:READ_CHARS]
    words = _words(text)
    return SaidText(text, TextMarks(_values(text), frozenset(words)), words)


def read_marks(text: str) -> TextMarks:
    return read_said(text).marks


def _values(text: str) -> frozenset[str]:
    return frozenset(
        token.lower() for token in _TOKEN.findall(text) if len(token) > 1 and _VALUE.search(token)
    )


def _words(text: str) -> dict[str, str]:
    """Return a text's words, including those inside identifiers, by prefix."""
    evidence_of = (part.lower() for token in _TOKEN.findall(text) for part in _PART.findall(token))
    return {
        word[:_STEM]: word
        for word in evidence_of
        if len(word) >= _LEAST_WORD and word not in fts.STOP_WORDS
    }


def evidence_of(
    ids: Collection[str],
    text: str,
    own: TextMarks,
    step: SaidText,
    before: TextMarks,
    is_rare: Callable[[str], bool],
) -> Used | None:
    """Return the evidence that a step used a text, None without any.

    `ids` name the text and `own` are its marks; `before` are marks from earlier steps. `is_rare` is called with a
    value, a whole word, or consecutive words.
    """
    if any(len(one) >= LEAST_MARK and one in step.text for one in ids):
        return Used.NAMED
    new = own - before
    shared = new & step.marks
    if not (shared.values or shared.words):
        return None
    is_enough = len(shared.values) + len(shared.words) >= QUOTED_NEW
    if is_enough and _is_quoted(text[:READ_CHARS], step.text, shared, is_rare):
        return Used.QUOTED
    values = [value for value in shared.values if is_rare(value)]
    words = sum(is_rare(step.words[word]) for word in shared.words)
    is_short = len(new.words) <= SHORT_WORDS
    if (
        len(values) >= LEAST_VALUES
        or (values and words >= WORDS_WITH_VALUE)
        or (is_short and any(len(value) >= SHORT_VALUE_CHARS for value in values))
    ):
        return Used.VALUES
    needed = max(2, min(LEAST_WORDS, math.ceil(len(new.words) / 2)))
    return Used.WORDS if words >= needed else None


def _is_quoted(
    text: str, read_said: str, shared: TextMarks, is_rare: Callable[[str], bool]
) -> bool:
    """Return whether both contain a run of words that other sessions lack, which excludes greetings."""
    runs = set(_runs(text))
    quoted = {run for run in _runs(read_said) if run in runs and _is_new(run, shared)}
    return any(is_rare(" ".join(run)) for run in quoted)


def _runs(text: str) -> Iterable[tuple[str, ...]]:
    words = [token.lower() for token in _TOKEN.findall(text)]
    return zip(*(words[start:] for start in range(QUOTED_WORDS)), strict=False)


def _is_new(run: tuple[str, ...], shared: TextMarks) -> bool:
    new = sum(word in shared.values or word[:_STEM] in shared.words for word in run)
    return new >= QUOTED_NEW


#: Maximum share of other sessions and commits that contain a rare mark.
RARE_SHARE = 0.03
#: Minimum of sessions that may contain rare consecutive words: the memory's author used them somewhere.
LEAST_HOLDERS = 1
#: Minimum length of an ID that names something; a commit is named by its hash prefix.
LEAST_ID, COMMIT_CHARS = 8, 7
#: Step types in which something may be used.
ANSWERS = frozenset({StepType.ASSISTANT, StepType.CALL})


@dataclass(frozen=True, slots=True)
class _Said:
    """A step with its text; `turn` is its message, or the one it follows."""

    type: StepType
    text: str
    turn: int
    name: str = ""


@dataclass(slots=True, kw_only=True)
class _SessionTrace:
    injections: Sequence[InjectionRow] = ()
    #: Items without a result, or without use, yet.
    items: Sequence[ItemRow] = ()
    #: Sessions and commits injected together, by injection.
    together: Mapping[int, Sequence[str]] = field(default_factory=dict)
    #: The source sessions of memories, by memory.
    roots: Mapping[str, str | None] = field(default_factory=dict)
    #: By injection and place.
    texts: Mapping[tuple[int, int], str] = field(default_factory=dict)
    content: str = ""
    steps: str = ""
    is_over: bool = False
    sources: int = 0


def run(job: JobContext) -> None:
    """Store the used items and complete the job. Raises LeaseLost, Cancelled."""
    agent_id, key = job.lease.agent_id or "", str(job.lease.payload.get("session_key"))
    now = clock.now()
    found = job.db.read(_read, agent_id, key, now)
    used = list(_used(found, _rarity(job.db, agent_id, key, found)))

    def write(tx: WriteTx) -> dict[str, object]:
        tx.many(sql.USE, [(by, where, item.injection_seq, item.place) for item, by, where in used])
        tx.run(sql.DELETE_STEPS, (agent_id, key, found.steps))
        chars = stored.length(tx, agent_id, key)
        is_over = not tx.value(sql.RUNS, (agent_id, key, clock.to_text(clock.now())))
        is_newer = chars != len(found.content) or bool(tx.value(sql.STEPS, (agent_id, key)) or "")
        if is_newer or is_over != found.is_over:
            record.queue_trace(tx, agent_id, key, now=clock.now())
        else:
            record.queue_label(tx, agent_id, key, now=clock.now())
        return {"items": len(found.items), "used": sum(by != Used.NO for _, by, _ in used)}

    job.commit(write)


def _read(tx: ReadTx, agent_id: str, key: str, now: datetime) -> _SessionTrace:
    items = [row for row in sql.items(tx, agent_id, key) if row.kind != ItemKind.SECTION]
    open_ = [row for row in items if row.used in (None, Used.NO)]
    # Nothing of these texts is shown or stored: they are compared with what the session said.
    known = ItemTexts(tx, replace(agents.reader(tx, agent_id, any_scope=True), spaces=None))
    together: dict[int, list[str]] = {}
    for row in items:
        if row.kind in EPISODES:
            together.setdefault(row.injection_seq, []).append(row.source_id)
    return _SessionTrace(
        injections=tx.rows(sql.InjectionRow, sql.OF_SESSION, (agent_id, key)),
        items=open_,
        together=together,
        roots=search.roots(tx, [row.source_id for row in open_ if row.kind == ItemKind.MEMORY]),
        texts={_name(row): text for row in open_ if (text := known.text_of(row).content)},
        content=stored.text(tx, agent_id, key),
        steps=tx.value(sql.STEPS, (agent_id, key)) or "",
        is_over=not tx.value(sql.RUNS, (agent_id, key, clock.to_text(now))),
        sources=search.count_sources(tx, agent_id),
    )


def _name(row: ItemRow) -> tuple[int, int]:
    return row.injection_seq, row.place


def _used(
    found: _SessionTrace, rarity: Callable[[int, str | None], Callable[[str], bool]]
) -> Iterator[tuple[ItemRow, str, str | None]]:
    """Yield the items with a result, its sign, and the place."""
    turns = transcript.parse(found.content) if found.content else []
    said = list(_steps(turns, steps.read(found.steps)))
    starts = begins(found.injections, turns)
    answered = max((one.turn for one in said if one.type in ANSWERS), default=-1)
    compared = [read_said(one.text) for one in said]
    for row in found.items:
        text, start = found.texts.get(_name(row)), starts[row.injection_seq]
        if text is None or answered < start:
            continue
        is_rare = rarity(row.injection_seq, found.roots.get(row.source_id))
        use = _use(row, text, said, compared, start, is_rare)
        if use is not None:
            yield row, use[0], json.dumps(use[1])
        elif found.is_over and row.used is None:
            yield row, Used.NO, None


def _use(
    row: ItemRow,
    text: str,
    said: Sequence[_Said],
    compared: Sequence[SaidText],
    start: int,
    is_rare: Callable[[str], bool],
) -> tuple[Used, dict[str, object]] | None:
    """Return an item's first use from a message on, and its place."""
    own, before, names = read_marks(text), TextMarks(), _names(row)
    for one, step in zip(said, compared, strict=True):
        if one.type in ANSWERS and one.turn >= start:
            by = evidence_of(names, text, own, step, before, is_rare)
            if by is not None:
                return by, {"turn": one.turn, **({"tool": one.name} if one.name else {})}
        else:
            before |= step.marks & own
    return None


def _names(row: ItemRow) -> list[str]:
    """Return an item's names; a session key may be a common word, so it does not count."""
    id_ = row.source_id
    if row.kind == ItemKind.COMMIT:
        return [id_[:COMMIT_CHARS]]
    if len(id_) < LEAST_ID or not any(letter.isdigit() for letter in id_):
        return []
    return [ids.short(id_)] if row.kind == ItemKind.MEMORY else [id_]


def _steps(turns: Sequence[Turn], logged: Sequence[Step]) -> Iterator[_Said]:
    """Yield messages, tool calls and results in order.

    After a compaction a log may lack part of the transcript: its calls then follow the messages that they follow in
    the log.
    """
    places: dict[str, list[int]] = {}
    for number, turn in enumerate(turns):
        if (step := steps.of_turn(turn)) is not None:
            places.setdefault(step.text, []).append(number)
    between: dict[int, list[Step]] = {}
    place = -1
    for step in logged:
        if step.type in (StepType.USER, StepType.ASSISTANT):
            place = next((one for one in places.get(step.text, ()) if one > place), place)
        else:
            between.setdefault(place, []).append(step)
    for number in range(-1, len(turns)):
        if number >= 0 and (step := steps.of_turn(turns[number])) is not None:
            yield _Said(step.type, turns[number].text, number)
        for step in between.get(number, ()):
            yield _Said(step.type, step.text, max(number, 0), step.name)


def begins(injections: Sequence[InjectionRow], turns: Sequence[Turn]) -> dict[int, int]:
    """Return for each injection the number of the first message after it.

    A prompt is found by its hash, otherwise by time, like all others. Pure.
    """
    said = [step.text if (step := steps.of_turn(turn)) else "" for turn in turns]
    found: dict[int, int] = {}
    last = next_prompt = 0
    for row in injections:
        if row.prompt_hash in said[next_prompt:]:
            last = said.index(row.prompt_hash, next_prompt)
            next_prompt = last + 1
        elif found:
            at = row.created_at[:19]
            later = (n for n in range(last, len(turns)) if (turns[n].at or "")[:19] >= at)
            last = next(later, last)
        found[row.seq] = last
    return found


def is_said(row: InjectionRow, turns: Sequence[Turn], place: int) -> bool:
    """Return whether the message at a place is the prompt of an injection. Pure."""
    step = steps.of_turn(turns[place]) if place < len(turns) else None
    return step is not None and step.text == row.prompt_hash


def _rarity(
    db: Database, agent_id: str, key: str, found: _SessionTrace
) -> Callable[[int, str | None], Callable[[str], bool]]:
    """Return a function that decides whether a word is rare in the store, for an injection and a memory's source
    session.

    Excludes this session, the source session, and sources injected together, because they share a subject.
    """
    most = int(found.sources * RARE_SHARE)

    def rarity_of(injection: int, root: str | None) -> Callable[[str], bool]:
        but = [key, *found.together.get(injection, ()), *filter(None, [root])]

        @cache
        def is_rare(word: str) -> bool:
            least = max(most, LEAST_HOLDERS) if " " in word else most
            asked = fts.all_of(fts.words(word) or [word])
            return db.read(search.count_holding, agent_id, asked, but=but, most=least + 1) <= least

        return is_rare

    return cache(rarity_of)
