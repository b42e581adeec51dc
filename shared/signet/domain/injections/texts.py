"""Read items' texts from their sources; a forgotten memory has none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.episodes import sources
from signet.domain.episodes.models import SourceType
from signet.domain.injections.models import Injection, Kind, Spans, hash_of
from signet.domain.injections.sql import injections as sql
from signet.domain.injections.sql.injections import ItemRow, spans_of
from signet.domain.memory import lookup
from signet.domain.transcripts import withheld
from signet.text.masking import mask

EPISODES = frozenset({Kind.SESSION, Kind.COMMIT, Kind.DOCUMENT})
#: Marks an omission between two ranges.
GAP = "\n[…]\n"

#: Omission marks in a brief, which are not part of the source.
_MARKS = re.compile(r"\[…\]|\[code left out\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """An item's current text, None if it is gone; `changed` if it differs from the injected one."""

    content: str | None = None
    state: Literal["kept", "changed", "forgotten", "gone"] = "gone"
    #: A memory's source: `source_type` and `source_id` of its row.
    origin: tuple[str | None, str | None] = (None, None)


class Texts:
    """Reads items' texts that a reader may see; each source is read once."""

    def __init__(self, tx: ReadTx, reader: Reader) -> None:
        self._tx = tx
        self._reader = reader
        self._sources: dict[tuple[str, str], str] = {}

    def of(self, item: ItemRow) -> Text:
        """Return the text of an item."""
        if item.kind == Kind.MEMORY:
            return self._memory(item.source_id, item.text_hash)
        if item.kind == Kind.SECTION:
            return self._section(item.text_hash)
        if item.kind not in EPISODES:
            return Text()
        name = item.kind, item.source_id
        if name not in self._sources:
            self._sources[name] = sources.whole(
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
            pieces = sources.whole(self._tx, SourceType.MEMORY, id_, self._reader)
            return Text(content=pieces, state="kept") if pieces else Text()
        if memory.is_deleted:
            return Text(state="forgotten")
        is_same = text_hash in (None, hash_of(memory.content))
        return Text(
            content=memory.content,
            state="kept" if is_same else "changed",
            origin=(memory.source_type, memory.source_id),
        )


def located(tx: ReadTx, injections: Sequence[Injection]) -> list[Injection]:
    """Return injections with their episodes' ranges in the sources, and sections without secrets."""
    return [_located(tx, one) for one in injections]


def _located(tx: ReadTx, injection: Injection) -> Injection:
    items = list(injection.items)
    reader = agents.reader(tx, injection.agent_id)
    found: dict[int, Spans] = {}
    for place, item in enumerate(items):
        if item.kind is Kind.SECTION:
            items[place] = replace(item, text=mask(item.text).text)
        elif item.text and item.kind in EPISODES:
            source = sources.whole(tx, SourceType(item.kind), item.id, reader)
            if spans := locate(item.text, source):
                found[place] = spans
                items[place] = replace(item, text=cut(source, spans))
    return replace(injection, items=items, spans=found)


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
