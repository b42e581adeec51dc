"""Memories of a context: results of recall as lines, or as the conversation they were distilled from."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from signet.db import ReadTx
from signet.domain.episodes import brief, fence, search
from signet.domain.episodes.brief import Stretch
from signet.domain.episodes.models import SourceType, statement_name
from signet.domain.graph import changes
from signet.domain.graph.changes import Dated
from signet.domain.injections.models import Item, ItemKind, Reason
from signet.domain.recall.models import Hit, PartKind
from signet.domain.sessions import prompt_text, transcript_search
from signet.domain.sessions.prompt_text import PromptLine as Line
from signet.domain.sessions.prompt_text import PromptQuery
from signet.domain.sessions.standing_rules import Rule
from signet.text import orders
from signet.wire.origin import Origin, Review, distance
from signet.wire.recall import Newer

#: The record's name for statements of the current session.
SO_FAR = "session so far"
#: Most characters of a later statement that a line quotes because the prompt does not contain it.
LATER_CHARS = 160
#: The line above memories, and the blank lines around it.
STATUS_CHARS = len(prompt_text.status(100, "temporal")) + len("\n\n\n")
#: Memories that are understood without their conversation.
_DERIVED = frozenset({"pipeline-v2", "session_end"})
#: Types of passages that are compared with memories.
_SAID = frozenset({SourceType.SESSION, SourceType.MEMORY})
_ALONE = frozenset({"preference", "rule", "constraint", "correction"})


class Memories(NamedTuple):
    """The memories that recall adds to the block."""

    lines: Sequence[Line] = ()
    passages: Sequence[Stretch] = ()
    engine: str = ""
    hits: Sequence[tuple[str, float]] = ()
    #: The replaced statement of an injected passage and the time of its replacement, by the passage's index.
    replaced: Mapping[int, tuple[str, str]] = MappingProxyType({})
    #: Items for the session's record: the lines, and the omitted memories.
    items: Sequence[Item] = ()
    left: Sequence[Item] = ()


def select(
    tx: ReadTx,
    asked: PromptQuery,
    hits: Sequence[Hit],
    rules: Sequence[Rule],
    stretches: Sequence[Stretch],
    *,
    later: Sequence[Dated],
    room: int,
    least: float,
) -> Memories:
    """Return memories in at most `room` characters that neither the session nor the block contains yet.

    `later` are whole texts that may replace a statement, even if the block leaves them out as known.

    Returns none if the best is less relevant than `least`.
    """
    if not asked.terms:
        return Memories(replaced=_newer([], stretches, later)[1])
    hits = [hit for hit in hits if hit.importance >= prompt_text.LEAST_IMPORTANCE]
    if not hits:
        found = _so_far(tx, asked, min(asked.line_chars, room - STATUS_CHARS))
        return found._replace(replaced=_newer([], stretches, later)[1])
    is_near = max(hit.score for hit in hits) >= least
    known = {
        *(one.memory_id for one in rules),
        *(one.match.source.id for one in stretches),
        *asked.given,
    }
    told = [*(one.text for one in rules), *(one.text for one in stretches)]
    words = prompt_text.words("\n".join(told))
    new = [
        hit
        for hit in hits
        if is_near
        and not hit.superseded_by
        and known.isdisjoint((*_ids(hit), statement_name(hit.content)))
        and not prompt_text.is_said(hit.content, words)
    ]
    scores = [(hit.id, hit.score) for hit in hits]
    left = [
        _item_of_hit(hit, Reason.SAID if is_near else Reason.FLOOR)
        for hit in hits
        if hit not in new
    ]
    delivered = _delivered(tx, asked, new, scores, stretches, later, room)
    return delivered._replace(left=[*delivered.left, *left])


def _delivered(
    tx: ReadTx,
    asked: PromptQuery,
    hits: Sequence[Hit],
    scores: Sequence[tuple[str, float]],
    stretches: Sequence[Stretch],
    later: Sequence[Dated],
    room: int,
) -> Memories:
    """Return hits as lines; a hit that needs its conversation becomes the passage it was distilled from."""
    reader = asked.reader(tx)
    roots = search.roots(tx, [hit.id for hit in hits])
    told = {one.match.source.id for one in stretches}
    told |= {one.removeprefix("session:") for one in asked.episodes}
    items: list[Line] = []
    passages: list[Stretch] = []
    left: list[Item] = []
    newer, replaced = _newer(hits, stretches, later)
    for hit in hits:
        key = roots.get(hit.id)
        if _is_held(hit):
            left.append(_item_of_hit(hit, Reason.ORIGIN))
            continue
        if key is None or key == asked.key or _stands_alone(hit):
            items.append(_line(hit, asked, newer.get(hit.id)))
            continue
        if key in told:
            left.append(_item_of_hit(hit, Reason.SAID))
            continue
        passage = brief.passage(tx, hit.content, key, reader=reader, project=asked.project)
        if passage is None:
            items.append(_line(hit, asked, newer.get(hit.id)))
        elif brief.size(passage) <= room and len(passages) < brief.MOST_STRETCHES:
            room -= brief.size(passage)
            told.add(key)
            passages.append(passage)
        else:
            left.append(_item_of_hit(hit, Reason.BUDGET))
    chars = min(asked.line_chars, room - STATUS_CHARS)
    lines = prompt_text.selected(items, chars=max(0, chars), most=asked.limit)
    chars_of = {one.id: len(one.line) for one in lines}
    names = {one.id for one in items}
    recorded = [
        _item_of_hit(hit, Reason.MATCH, chars_of[hit.id]) for hit in hits if hit.id in chars_of
    ]
    left += [_item_of_hit(hit, Reason.BUDGET) for hit in hits if hit.id in names - chars_of.keys()]
    return Memories(lines, passages, "hybrid", scores, replaced, recorded, left)


def _newer(
    hits: Sequence[Hit], stretches: Sequence[Stretch], later: Sequence[Dated]
) -> tuple[dict[str, Newer], dict[int, tuple[str, str]]]:
    """Return the later statements for replaced hits, by ID, and replaced statements of passages, by index.

    Recall has compared the hits with each other, but not with the passages. `says` is empty if the prompt contains the
    later statement.
    """
    talks = {place: one for place, one in enumerate(stretches) if one.match.source.type in _SAID}
    texts = [
        *(
            Dated(
                text=hit.content,
                said_at=hit.created_at,
                project=hit.project,
                distance=distance(Origin(hit.origin or Origin.IMPORTED)),
            )
            for hit in hits
        ),
        *(
            Dated(
                text=one.text,
                said_at=one.match.said_at,
                project=one.match.source.project,
                is_talk=one.match.source.type is SourceType.SESSION,
            )
            for one in talks.values()
        ),
    ]
    found = changes.find([*texts, *later], older=len(texts)) if talks or later else {}
    here = {hit.id for hit in hits}
    newer = {
        hit.id: Newer({**hit.newer, "says": "" if hit.newer["id"] in here else hit.newer["says"]})
        for hit in hits
        if hit.newer
    }
    replaced: dict[int, tuple[str, str]] = {}
    places = list(talks)
    for old, change in found.items():
        since = [*texts, *later][change.by].said_at
        if old >= len(hits):
            replaced[places[old - len(hits)]] = change.old, since
        elif hits[old].id not in newer:
            says = change.new if change.by >= len(texts) else ""
            newer[hits[old].id] = Newer(
                id="", since=since, says=says, replaces=change.old, is_part=change.is_part
            )
    return newer, replaced


def _ids(hit: Hit) -> list[str]:
    """Return the IDs under which a session may have received this hit; other passages of its text do not count."""
    said = [one.id for one in hit.parts if one.kind is not PartKind.PASSAGE]
    return [hit.id, *said, *([hit.source_id] if hit.source_id else [])]


def _stands_alone(hit: Hit) -> bool:
    """Return whether a fact is understood without its conversation: a preference, a rule, or a fact of one day."""
    return hit.type in _ALONE or hit.event_at is not None


def _is_held(hit: Hit) -> bool:
    review = Review(hit.review) if hit.review else None
    is_stranger = fence.is_held(Origin(hit.origin or Origin.IMPORTED), review, hit.content)
    return is_stranger or prompt_text.is_only_mask(hit.content)


def _line(hit: Hit, asked: PromptQuery, newer: Newer | None) -> Line:
    origin = fence.origin(
        Origin(hit.origin or Origin.IMPORTED), hit.who, is_derived=hit.source_type in _DERIVED
    )
    text = hit.content if asked.is_whole else prompt_text.compact(hit.content, asked.terms)
    labels = asked.here.labels(hit.project) if asked.here else ()
    days = prompt_text.days(hit.created_at, hit.event_at)
    if newer:
        days += (
            f"{', in part' if newer['is_part'] else ','} until {prompt_text.day(newer['since'])}"
        )
        if newer["says"] and not orders.steers(newer["says"]):
            days += f': "{fence.quoted(fence.one_line(newer["says"])[:LATER_CHARS])}"'
    note = ", ".join((days, origin, *labels, *fence.labels(hit)))
    return Line(hit.id, fence.item(text, f"({note})"))


def _so_far(tx: ReadTx, asked: PromptQuery, chars: int) -> Memories:
    """Return statements of the current session that relate to the terms (HK-58)."""
    name, lines = (
        transcript_search.head(tx, asked.agent_id, asked.key, asked.terms)
        if asked.key
        else ("", [])
    )
    if not lines or name in asked.given:
        return Memories()
    told = prompt_text.selected(
        [
            Line(name, f"- {fence.one_line(line)} (summary of this session)")
            for line in lines
            if not orders.steers(line)
        ],
        chars=max(0, chars),
    )
    size = len("\n".join(one.line for one in told))
    recorded = Item(kind=ItemKind.SECTION, id=SO_FAR, reason=Reason.MATCH, chars=size)
    return Memories(told, engine="temporal", items=[recorded])


def _item_of_hit(hit: Hit, reason: Reason, chars: int = 0) -> Item:
    return Item(
        kind=ItemKind.MEMORY,
        id=hit.id,
        reason=reason,
        is_given=chars > 0,
        text=hit.content,
        chars=chars,
        score=round(hit.score, 3),
        said_at=hit.created_at,
        ranked=hit.ranked,
    )
