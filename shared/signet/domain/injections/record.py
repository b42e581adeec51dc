"""Store injections."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.episodes import brief, overview
from signet.domain.episodes.models import SourceType
from signet.domain.injections import sql
from signet.domain.injections.models import Injection, Item, ItemKind, Phase, Spans, hash_of
from signet.domain.injections.sql import ItemRow, NewRow, spans_of
from signet.domain.memory import lookup
from signet.domain.transcripts import steps, stored, withheld
from signet.domain.transcripts.withheld import Statement
from signet.queue import BULK, NewJob, enqueue
from signet.queue.job_context import JobContext
from signet.text.masking import mask

#: The kind of job that finds used items (trace.py).
TRACE = "trace_use"
#: The kind of job that labels a session's memories (domain/learning).
LABEL = "label_session"
#: Minimum length of a title: shorter lines ("ok", "go on") name no subject.
TITLE_CHARS = 12
#: Items stored per injection: a recall may request a thousand.
MOST_ITEMS = 100


def insert(tx: WriteTx, found: Iterable[Injection]) -> None:
    """Store injections. Sections never contain erased statements, even if a user's file does."""
    gone = withheld.erased_statements(tx)
    for injection in found:
        known = gone.get(injection.agent_id, ())
        items = [_without(item, known) for item in injection.items[:MOST_ITEMS]]
        is_prompt = injection.phase is Phase.PROMPT
        if injection.title:
            stored.put_first_title(tx, injection.agent_id, injection.key, injection.title)
        seq = tx.value(
            sql.INSERT,
            (
                injection.agent_id,
                injection.key,
                injection.harness,
                injection.project,
                injection.phase,
                int(tx.value(sql.PROMPTS, (injection.agent_id, injection.key))) + is_prompt,
                steps.hash_of(injection.prompt) if is_prompt else None,
                injection.chars,
                injection.best_score,
                injection.floor,
                clock.to_text(injection.at),
            ),
        )
        tx.many(
            sql.PUT_SECTION,
            [
                (injection.agent_id, hash_of(item.text), item.text)
                for item in items
                if item.kind is ItemKind.SECTION and item.text
            ],
        )
        tx.many(
            sql.INSERT_ITEM,
            [
                (seq, place, *_row(item, injection.spans.get(place)))
                for place, item in enumerate(items)
            ],
        )


def transcript_arrived(
    tx: WriteTx, agent_id: str, key: str, logged: str = "", *, now: datetime
) -> None:
    """Queue the use check of a session with a new transcript and the steps of its log, if it received anything."""
    if tx.value(sql.KNOWN, (agent_id, key)) is not None:
        if logged:
            tx.run(sql.PUT_STEPS, (agent_id, key, logged))
        queue_trace(tx, agent_id, key, now=now)


def queue_trace(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    _queue(tx, TRACE, agent_id, key, now)


def queue_label(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    """Queue the labels of an ended session, unless queued; a running session gets them at its end."""
    if not tx.value(sql.RUNS, (agent_id, key, clock.to_text(now))):
        _queue(tx, LABEL, agent_id, key, now)


def _queue(tx: WriteTx, kind: str, agent_id: str, key: str, now: datetime) -> None:
    job = NewJob(
        kind=kind,
        dedupe_key=f"{agent_id}:{key}",
        agent_id=agent_id,
        payload={"session_key": key},
        priority=BULK,
    )
    enqueue(tx, job, now=now)


def erase(job: JobContext, known: Mapping[str, Sequence[Statement]]) -> int:
    """Remove erased statements from start texts, and delete steps that contain them; return the number of changes."""
    steps = withheld.clean(job, withheld.TextTable(sql.STEPS_SAYING, sql.DROP_STEPS), known)
    return steps + withheld.clean(
        job, withheld.TextTable(sql.SECTIONS_SAYING, sql.CLEAN_SECTION), known
    )


def last(tx: ReadTx) -> int:
    return int(tx.value(sql.LAST))


def since(tx: ReadTx, seq: int, *, limit: int) -> list[NewRow]:
    return tx.rows(NewRow, sql.SINCE, (min(seq, last(tx)), limit))


def delete_old_injections(tx: WriteTx, before: str, limit: int) -> int:
    seqs = as_list(row[0] for row in tx.tuples(sql.OLD, (before, limit)))
    stored.delete_first_titles(tx, tx.tuples(sql.SESSIONS_OF, (seqs,)))
    tx.run(sql.DELETE_ITEMS, (seqs,))
    gone = tx.run(sql.DELETE, (seqs,))
    if gone:
        tx.run(sql.DELETE_LOST_STEPS)
        tx.run(sql.DELETE_LOST_SECTIONS)
    return gone


def count(tx: ReadTx, agent_id: str, key: str) -> int:
    return len(tx.tuples(sql.OF_KEY, (agent_id, key)))


def forget(tx: WriteTx, agent_id: str, key: str) -> None:
    seqs = as_list(row[0] for row in tx.tuples(sql.OF_KEY, (agent_id, key)))
    tx.run(sql.DELETE_ITEMS, (seqs,))
    tx.run(sql.DELETE, (seqs,))
    tx.run(sql.DELETE_LOST_SECTIONS)
    tx.run(sql.DELETE_STEPS_OF, (agent_id, key))
    tx.run(sql.DELETE_OF, (agent_id, key))


def _title(prompt: str) -> str:
    """Return the first sentence of a prompt that can stand alone as a title, without secrets and private text."""
    said = overview.lines(mask(prompt).text)
    return next((line for line in said if len(line) >= TITLE_CHARS), "")


def _without(item: Item, known: Sequence[Statement]) -> Item:
    is_section = item.kind is ItemKind.SECTION
    return replace(item, text=withheld.without(item.text, known)) if is_section else item


def _row(item: Item, spans: Spans | None) -> tuple[object, ...]:
    text_hash = hash_of(item.text) if item.text else None
    what = (item.kind, item.id, item.is_given, item.reason, item.score, item.said_at, item.chars)
    ranked = item.ranked or (None, None, None)
    return (*what, text_hash, json.dumps(spans) if spans else None, *ranked)


EPISODES = frozenset({ItemKind.SESSION, ItemKind.COMMIT, ItemKind.DOCUMENT})
#: Marks an omission between two ranges.
GAP = "\n[…]\n"

#: Omission marks in a brief, which are not part of the source.
_MARKS = re.compile(r"\[…\]|\[code left out\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """An item's current text, None if deleted; `changed` if it differs from the injected one."""

    content: str | None = None
    state: Literal["kept", "changed", "forgotten", "gone"] = "gone"
    #: A memory's source: `source_type` and `source_id` of its row.
    origin: tuple[str | None, str | None] = (None, None)
    project: str | None = None


class ItemTexts:
    """Reads items' texts that a reader may see; each source is read once."""

    def __init__(self, tx: ReadTx, reader: Reader) -> None:
        self._tx = tx
        self._reader = reader
        self._sources: dict[tuple[str, str], str] = {}

    def text_of(self, item: ItemRow) -> Text:
        if item.kind == ItemKind.MEMORY:
            return self._memory(item.source_id, item.text_hash)
        if item.kind == ItemKind.SECTION:
            return self._section(item.text_hash)
        if item.kind not in EPISODES:
            return Text()
        name = item.kind, item.source_id
        if name not in self._sources:
            self._sources[name] = brief.whole(
                self._tx, SourceType(item.kind), item.source_id, self._reader
            )
        source, spans = self._sources[name], spans_of(item)
        if not source:
            return Text()
        content = cut(source, spans) or source
        is_same = not spans or hash_of(content) == item.text_hash
        return Text(content=content, state="kept" if is_same else "changed")

    def _section(self, text_hash: str | None) -> Text:
        """Return a standing part as injected, without statements forgotten since."""
        stored = self._tx.value(sql.SECTION, (self._reader.agent_id, text_hash))
        if stored is None:
            return Text()
        content = withheld.cleaned(self._tx, self._reader.agent_id, stored)
        return Text(content=content, state="kept" if hash_of(content) == text_hash else "changed")

    def _memory(self, id_: str, text_hash: str | None) -> Text:
        memory = lookup.readable(self._tx, id_, reader=self._reader)
        if memory is None:
            pieces = brief.whole(self._tx, SourceType.MEMORY, id_, self._reader)
            return Text(content=pieces, state="kept") if pieces else Text()
        if memory.is_deleted:
            return Text(state="forgotten")
        is_same = text_hash in (None, hash_of(memory.content))
        return Text(
            content=memory.content,
            state="kept" if is_same else "changed",
            origin=(memory.source_type, memory.source_id),
            project=memory.project,
        )


def located(tx: ReadTx, injections: Sequence[Injection]) -> list[Injection]:
    """Return injections with their titles, their episodes' ranges in the sources, and sections without secrets."""
    return [_located(tx, one) for one in injections]


def _located(tx: ReadTx, injection: Injection) -> Injection:
    items = list(injection.items)
    reader = agents.reader(tx, injection.agent_id)
    found: dict[int, Spans] = {}
    for place, item in enumerate(items):
        if item.kind is ItemKind.SECTION:
            items[place] = replace(item, text=mask(item.text).text)
        elif item.text and item.kind in EPISODES:
            source = brief.whole(tx, SourceType(item.kind), item.id, reader)
            if spans := locate(item.text, source):
                found[place] = spans
                items[place] = replace(item, text=cut(source, spans))
    title = _title(injection.prompt) if injection.phase is Phase.PROMPT else ""
    return replace(injection, items=items, spans=found, title=title)


def locate(text: str, source: str) -> Spans:
    """Return the ranges of a source that make up a passage, in order. Pure."""
    found: list[tuple[int, int]] = []
    end = 0
    for line in _MARKS.sub("\n", text).split("\n"):
        piece = line.strip()
        start = source.find(piece, end) if piece else -1
        if start < 0:
            continue
        if found and not source[end:start].strip():
            found[-1] = (found[-1][0], start + len(piece) - found[-1][0])
        else:
            found.append((start, len(piece)))
        end = start + len(piece)
    return found


def cut(source: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the ranges of a source as one text. Pure."""
    return GAP.join(source[start : start + length] for start, length in spans)
