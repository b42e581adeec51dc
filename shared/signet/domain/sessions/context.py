"""Build the context of a prompt as one block: earlier work, rules and memories.

Session starts, prompts, tools and programs all get their context from `context_of`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx
from signet.db.dialect import as_list
from signet.db.visibility import Here, Reader
from signet.domain.episodes import brief, fence, search
from signet.domain.episodes.brief import Stretch
from signet.domain.episodes.models import Match, SourceType
from signet.domain.graph import changes
from signet.domain.graph.changes import Dated
from signet.domain.injections.models import Item, ItemKind, Reason
from signet.domain.recall import answer_type, prompt, turns
from signet.domain.recall.models import Filters, Query, QueryVector, Sessions
from signet.domain.sessions import calls, context_memories, prompt_text, standing_rules
from signet.domain.sessions.calls import Services
from signet.domain.sessions.context_memories import Memories
from signet.domain.sessions.prompt_text import EXPLAINED, PromptQuery
from signet.domain.sessions.prompt_text import PromptLine as Line
from signet.domain.sessions.sql import memories
from signet.domain.sessions.standing_rules import Rule
from signet.observe import logs
from signet.wire.recall import ContextAnswer, ContextSource

log = logs.get("hooks")

#: The engine named in the answer if recall found nothing.
EPISODES = "episodes"
#: A message with fewer search words, such as "yes, do that", is read together with the previous answer.
FEW_TERMS = 3
#: Sources that recall also finds.
_SAVED = frozenset({SourceType.MEMORY, SourceType.DOCUMENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedContext:
    """The injected block, empty if there is nothing, and its contents.

    `given` names all contents, for the session to remember. `memories` are IDs that count as used. `hits` are the
    results of recall with their scores, injected or not.
    """

    text: str = ""
    rules: Sequence[Rule] = ()
    stretches: Sequence[Stretch] = ()
    lines: Sequence[Line] = ()
    engine: str = ""
    hits: Sequence[tuple[str, float]] = ()
    #: Whether the block explains what it is.
    is_explained: bool = False
    #: Items for the session's record: the injected ones, then the omitted ones with reasons.
    items: Sequence[Item] = ()

    @property
    def memories(self) -> list[str]:
        """Return the IDs of the memories injected as lines."""
        return [one.id for one in self.lines if self.engine == "hybrid"]

    @property
    def given(self) -> list[str]:
        ids = [one.memory_id for one in self.rules if one.memory_id]
        return [
            *([EXPLAINED] if self.is_explained else []),
            *(one.id for one in self.lines),
            *(
                part
                for one in self.stretches
                for part in one.parts or [f"episode:{one.match.source.name}"]
            ),
            # Recall finds memories, the pieces of a long memory, and documents by these IDs.
            *(one.match.source.id for one in self.stretches if one.match.source.type in _SAVED),
            *(one.name for one in self.rules),
            *ids,
        ]

    @property
    def count(self) -> int:
        return len(self.rules) + len(self.stretches) + len(self.lines)


async def context_of(asked: PromptQuery, services: Services) -> InjectedContext:
    """Return the context of a message. Never raises: if it fails, the prompt continues without a context (HK-59)."""
    try:
        vector = await services.vector(asked.message)
        return await services.db.aread(_context, asked, vector, services)
    except Exception as error:
        log.error("prompt.without_context", exc_info=error)
        return InjectedContext()


def _context(
    tx: ReadTx, asked: PromptQuery, vector: QueryVector, services: Services
) -> InjectedContext:
    hooks = services.settings.hooks.user_prompt_submit
    reader = asked.reader(tx)
    needed = prompt.find(
        tx,
        _query(asked, reader, hooks.recall_limit),
        vector=vector,
        settings=services.tuning,
        now=clock.now(),
    )
    frame = len(fence.enclosed(["-"], is_first=asked.explains))
    chars = asked.chars - frame
    rules: list[Rule] = []
    earlier = _Earlier()
    if chars > 0:
        rules = _rules(tx, asked, reader, vector({}), chars)
        room = chars - len(f"{_standing(rules)}\n\n")
        earlier = _earlier(tx, asked, reader, needed, rules, room)
    stretches, left = earlier.stretches, earlier.left
    inside = [_standing(rules), *brief.sections(stretches)]
    room = chars - sum(len(one) + 2 for one in inside if one)
    # If earlier work is switched off, memories have a budget to themselves.
    room = room - len(stretches) * changes.MARK_CHARS if asked.chars else asked.line_chars
    remembered = context_memories.select(
        tx,
        asked,
        needed.memories,
        rules,
        stretches,
        later=_whole(tx, needed.matches, reader),
        room=room,
        least=hooks.min_score if asked.min_score is None else asked.min_score,
    )
    stretches = [
        replace(one, text=changes.marked(one.text, *remembered.replaced[place]))
        if place in remembered.replaced
        else one
        for place, one in enumerate(stretches)
    ]
    if asked.is_held_out:
        passages = [_item_of(one.match, one.text) for one in (*stretches, *remembered.passages)]
        left = [*left, *map(calls.left_out, [*passages, *remembered.items])]
        stretches, remembered = [], Memories(hits=remembered.hits, left=remembered.left)
    more = [*stretches, *remembered.passages]
    if not (more or remembered.lines or any(one.is_asked for one in rules)):
        return InjectedContext(hits=remembered.hits, items=_left_out([*left, *remembered.left], ()))
    status = (
        prompt_text.status(len(remembered.lines), remembered.engine) if remembered.lines else ""
    )
    text = fence.enclosed(
        [
            _standing(rules),
            *brief.sections(stretches),
            *brief.sections(remembered.passages),
            "\n".join([status, *(one.line for one in remembered.lines)]) if status else "",
        ],
        is_first=asked.explains,
    )
    items = [
        *(_item_of_rule(one) for one in rules),
        *(_item_of(one.match, one.text) for one in more),
        *remembered.items,
    ]
    return InjectedContext(
        text=text,
        is_explained=asked.explains,
        rules=rules,
        stretches=more,
        lines=remembered.lines,
        engine=remembered.engine or (EPISODES if text else ""),
        hits=remembered.hits,
        items=[*items, *_left_out([*left, *remembered.left], items)],
    )


def _query(asked: PromptQuery, reader: Reader, limit: int) -> Query:
    """Return the query for recall: the words of the message and, for a short one, of the previous answer."""
    text = asked.message[: search.READ_CHARS]
    before = [one for one in asked.terms if one not in text.lower()]
    is_short = len(asked.terms) - len(before) < FEW_TERMS
    return Query(
        text=text,
        keyword_text=" ".join([text, *before]) if before and is_short else None,
        reader=reader,
        limit=max(asked.limit, limit),
        filters=Filters(project=asked.only),
        sessions=Sessions(project=asked.project, but=asked.key),
        as_of=asked.as_of,
    )


def _rules(
    tx: ReadTx, asked: PromptQuery, reader: Reader, vector: bytes | None, chars: int
) -> list[Rule]:
    """Return the rules for a message; after the first prompt, only those related to it."""
    rules = standing_rules.find(
        tx,
        asked.message,
        vector=vector,
        reader=replace(reader, here=asked.here or Here(asked.project or "")),
        given=asked.given,
        chars=chars - len(f"{standing_rules.HEADING}\n\n"),
    )
    return rules if asked.is_first else [one for one in rules if one.is_asked]


def _left_out(left: Sequence[Item], told: Sequence[Item]) -> list[Item]:
    """Return the omitted items, each once; those below the score limit last."""
    seen = {(one.kind, one.id) for one in told}
    kept: list[Item] = []
    for one in sorted(left, key=lambda one: one.reason is Reason.FLOOR):
        if (one.kind, one.id) not in seen:
            seen.add((one.kind, one.id))
            kept.append(one)
    return kept


def _item_of_rule(rule: Rule) -> Item:
    kind = ItemKind.MEMORY if rule.memory_id else ItemKind.SECTION
    id = rule.memory_id or rule.name
    return Item(kind=kind, id=id, reason=Reason.RULE, text=rule.text, chars=len(rule.line))


def _item_of(match: Match, text: str = "", reason: Reason | None = None) -> Item:
    """Return the record of a source: its injected `text`, or the reason why it was omitted."""
    told = Reason.SAME_MATTER if match.is_same_matter else Reason.MATCH
    kind = ItemKind(match.source.type)
    return Item(
        kind=kind,
        id=match.source.id,
        reason=reason or told,
        is_given=reason is None,
        # For a memory, the record compares the whole text, and this may be a part.
        text="" if kind is ItemKind.MEMORY else text,
        chars=len(text),
        score=round(match.score, 3),
        said_at=match.said_at,
    )


def _standing(rules: Sequence[Rule]) -> str:
    return "\n".join([standing_rules.HEADING, *(one.line for one in rules)]) if rules else ""


class _Earlier(NamedTuple):
    """The passages for a message, and the omitted items."""

    stretches: Sequence[Stretch] = ()
    left: Sequence[Item] = ()


def _earlier(
    tx: ReadTx,
    asked: PromptQuery,
    reader: Reader,
    needed: prompt.Needed,
    rules: Sequence[Rule],
    room: int,
) -> _Earlier:
    """Return passages that are needed and new to the session, in at most `room` characters."""
    near, far = needed.matches, needed.far
    said = {one.memory_id for one in rules} | frozenset(asked.given)
    new = [match for match in near if not asked.knows(match) and match.source.id not in said]
    known = prompt_text.every_word("\n".join([asked.message, *_given(tx, asked, reader)]))
    answering = partial(turns.find, needed, asked.message, given=asked.given)
    found = _told(tx, asked, new, room, reader, answering)
    told = [one for one in found if _adds(one, known)]
    sources = {one.match.source for one in found}
    left = [
        *(_item_of(one, reason=Reason.SAID) for one in near if one not in new),
        *(_item_of(one.match, reason=Reason.SAID) for one in found if one not in told),
        *(_item_of(one, reason=Reason.BUDGET) for one in new if one.source not in sources),
        *(_item_of(one, reason=Reason.FLOOR) for one in far),
    ]
    return _Earlier(told, left)


def _whole(tx: ReadTx, matches: Sequence[Match], reader: Reader) -> list[Dated]:
    """Return the best chunks of the nearest sessions, with the turns that this session has received."""
    return [
        Dated(
            text=brief.around(tx, one.source, one.position, one.position, reader=reader),
            said_at=one.said_at,
            project=one.source.project,
            is_talk=True,
        )
        for one in matches[: 2 * brief.MOST_STRETCHES]
        if one.source.type is SourceType.SESSION
    ]


def _adds(one: Stretch, known: frozenset[str]) -> bool:
    """Return whether a passage says more than these words; an earlier session may only have asked the same."""
    is_session = one.match.source.type is SourceType.SESSION
    return not is_session or not prompt_text.every_word(one.text) <= known


def _given(tx: ReadTx, asked: PromptQuery, reader: Reader) -> list[str]:
    """Return the texts of the memories that the session received."""
    ids = as_list(one for one in asked.given if ":" not in one)
    return [row.content for row in memories.listed(tx, memories.BY_ID, reader, ids)]


def _told(
    tx: ReadTx,
    asked: PromptQuery,
    near: Sequence[Match],
    chars: int,
    reader: Reader,
    answering: Callable[..., list[Stretch]],
) -> list[Stretch]:
    """Choose the passages of earlier work: the turns that answer a question, else the settled outcome.

    If the question also matches memories or documents, these share half of the budget. A settled outcome shares half
    with single turns if it is part of a discussion. Single turns alone are chosen if nothing was settled, or if an
    agent answered at length, because they say more. Turns that are only near to a request get half of the budget.
    """
    stretches = partial(brief.stretches, tx, asked.message, reader=reader, given=asked.given)
    asks = answer_type.asks(asked.message)
    if asks:
        saved = [one for one in near if one.source.type in _SAVED]
        first = stretches(saved, chars=chars // 2)
        if answers := answering(chars=chars - sum(map(brief.size, first))):
            return [*first, *answers]
    found = stretches(near, chars=chars)
    if not found:
        return answering(chars=chars // 2)
    if not any(one.is_cut for one in found):
        return found
    kept = [one for one in found if not one.is_part]
    if any(one.is_cut for one in kept):
        settling = [one.match for one in kept]
        kept = stretches(settling, chars=chars // 2)
    answers = answering(chars=chars - sum(map(brief.size, kept)), told=[one.text for one in kept])
    return [*kept, *answers] if answers else found


def described(context: InjectedContext) -> ContextAnswer:
    """Return a context for programs: the text, and its `sources` in order."""
    sources: list[ContextSource] = [
        {"id": one.memory_id or one.name, "type": "rule", "content": one.text}
        for one in context.rules
    ]
    sources += [
        {
            "id": one.match.source.name,
            "type": one.match.source.type,
            "date": clock.local_day(one.match.said_at),
            "project": one.match.source.project or None,
            "content": fence.clean(one.text),
        }
        for one in context.stretches
    ]
    sources += [{"id": one.id, "type": "memory", "content": one.line[2:]} for one in context.lines]
    return {"context": context.text, "sources": sources, "count": context.count}
