"""The texts of items, read where they still are: a memory that was forgotten has none any more."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.episodes import sql
from signet.domain.injections.models import Injection, Kind, Spans, hash_of
from signet.domain.memory import store as memories

EPISODES = frozenset({Kind.SESSION, Kind.COMMIT, Kind.DOCUMENT})
#: Stands where something between two ranges was not given.
GAP = "\n[…]\n"

#: What a brief puts where it leaves something out; no part of the source.
_MARKS = re.compile(r"\[…\]|\[code left out\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The text of an item as it is now, None when it is gone; `changed` is one that says something else than then."""

    content: str | None = None
    state: Literal["kept", "changed", "forgotten", "gone"] = "gone"
    #: Where a memory comes from: `source_type` and `source_id` of its row.
    origin: tuple[str | None, str | None] = (None, None)


def of_item(
    tx: ReadTx, reader: Reader, kind: str, id_: str, *, spans: Spans, text_hash: str | None
) -> Text:
    """Return the text of an item, as far as this reader may see it."""
    if kind == Kind.MEMORY:
        memory = memories.readable(tx, id_, reader)
        if memory is None:
            return Text()
        if memory.is_deleted:
            return Text(state="forgotten")
        return Text(
            content=memory.content,
            state="kept" if text_hash in (None, hash_of(memory.content)) else "changed",
            origin=(memory.source_type, memory.source_id),
        )
    if kind not in EPISODES:
        return Text()
    source = sql.whole(tx, reader.agent_id, kind, id_)
    if not source:
        return Text()
    content = cut(source, spans) or source
    is_same = not spans or hash_of(content) == text_hash
    return Text(content=content, state="kept" if is_same else "changed")


def located(tx: ReadTx, injections: Sequence[Injection]) -> list[Injection]:
    """Return injections with the ranges that their episodes are of their sources."""
    return [_located(tx, one) for one in injections]


def _located(tx: ReadTx, injection: Injection) -> Injection:
    items = list(injection.items)
    found: dict[int, Spans] = {}
    for place, item in enumerate(items):
        if item.text and item.kind in EPISODES:
            source = sql.whole(tx, injection.agent_id, item.kind, item.id)
            if spans := locate(item.text, source):
                found[place] = spans
                items[place] = replace(item, text=cut(source, spans))
    return replace(injection, items=items, spans=found)


def locate(text: str, source: str) -> Spans:
    """Return the ranges of a source that a stretch of it consists of, in order. Pure."""
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
