"""The context of a prompt: what earlier work, rules and memories say of it, as one block.

Sessions that begin, prompts, tools and programs that ask for a context all get it from `context_of`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.episodes import brief, fence, search, sql
from signet.domain.episodes.brief import Stretch
from signet.domain.episodes.models import Match, SourceType
from signet.domain.injections.models import Item, Kind, Reason
from signet.domain.recall import recall
from signet.domain.recall.models import Hit, PartKind
from signet.domain.sessions import prompt, standing_rules, transcript_search, wording
from signet.domain.sessions.prompt import Item as Line
from signet.domain.sessions.standing_rules import Rule
from signet.observe import logs
from signet.wire.recall import ContextAnswer, ContextSource
from signet.wire.requests.recall import RecallBody
from signet_api.deps import State
from signet_api.routes.recall import found

log = logs.get("hooks")

#: Who answered where recall did not.
EPISODES = "episodes"
#: What the record calls that which a session said itself so far.
SO_FAR = "session so far"
#: By this a session knows that it was told what the block is.
EXPLAINED = "explained"
#: The line above rules.
RULES = "## Standing rules"
#: The line above memories, and what parts it from what is around it.
STATUS_CHARS = len(prompt.status(100, "temporal")) + len("\n\n\n")
#: What stands alone: whoever reads it needs nothing that was said around it.
_ALONE = frozenset({"preference", "rule", "constraint", "correction"})
#: Sources that are found by recall, too.
_SAVED = frozenset({SourceType.MEMORY, SourceType.DOCUMENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Who asks for the context of what. `given` is what its session was given before; `key` is that session.

    `chars` bounds the whole block, `line_chars` the memories in it that are told in a line each.
    """

    agent_id: str
    message: str
    terms: Sequence[str]
    chars: int
    line_chars: int
    key: str | None = None
    project: str | None = None
    given: Collection[str] = ()
    #: A project that everything must be of, and the scope of memories.
    only: str | None = None
    scope: str | None = None
    #: Most memories in lines of their own, the score that the best of them must have (None: as set for prompts), and
    #: whether they are told whole.
    limit: int = prompt.MOST_ITEMS
    min_score: float | None = None
    is_whole: bool = False

    @property
    def is_first(self) -> bool:
        """Return whether the session was given no earlier work yet."""
        return is_first(self.given)

    @property
    def explains(self) -> bool:
        """Return whether the session was not told yet what the block is, and saying it takes at most half of the room.

        Without room for earlier work memories have their own.
        """
        frame = len(fence.enclosed(["-"], is_first=True))
        return EXPLAINED not in self.given and (not self.chars or self.chars >= 2 * frame)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The block that is injected, empty for nothing, and what is in it.

    `given` names all of it, for the session to remember; `memories` are ids that count as used, `hits` what recall
    found with its scores, told or not.
    """

    text: str = ""
    rules: Sequence[Rule] = ()
    stretches: Sequence[Stretch] = ()
    lines: Sequence[Line] = ()
    engine: str = ""
    hits: Sequence[tuple[str, float]] = ()
    #: The block says what it is.
    is_explained: bool = False
    #: What the record of the session says: all that is told, then what was left out and why.
    items: Sequence[Item] = ()

    @property
    def memories(self) -> list[str]:
        """Return the memories that are told in a line, by id."""
        return [one.id for one in self.lines if self.engine == "hybrid"]

    @property
    def given(self) -> list[str]:
        """Return the names of everything that is told."""
        ids = [one.memory_id for one in self.rules if one.memory_id]
        return [
            *([EXPLAINED] if self.is_explained else []),
            *(one.id for one in self.lines),
            *(f"episode:{one.match.source.name}" for one in self.stretches),
            # A memory, the group of its pieces, or a document: recall finds them by these.
            *(one.match.source.id for one in self.stretches if one.match.source.type in _SAVED),
            *(one.name for one in self.rules),
            *ids,
        ]

    @property
    def count(self) -> int:
        """Return how many things are told."""
        return len(self.rules) + len(self.stretches) + len(self.lines)


def is_first(given: Collection[str]) -> bool:
    """Return whether a session was given no episodes yet."""
    return not any(one.startswith("episode:") for one in given)


async def context_of(asked: Question, state: State) -> Context:
    """Return the context of a message. Never raises: a prompt goes on without what could not be found (HK-59)."""
    frame = len(fence.enclosed(["-"], is_first=asked.explains))
    rules, stretches, left = await _earlier(asked, asked.chars - frame, state)
    inside = [_standing(rules), *brief.sections(stretches)]
    # Where earlier work is switched off, memories have their own room.
    room = asked.chars - frame - sum(len(one) + 2 for one in inside if one)
    room = room if asked.chars else asked.line_chars
    told = "\n".join([*(one.text for one in rules), *(one.text for one in stretches)])
    remembered = await _remembered(asked, rules, stretches, told, room, state)
    more = [*stretches, *remembered.passages]
    if not (more or remembered.lines or any(one.is_asked for one in rules)):
        return Context(hits=remembered.hits, items=_left_out([*left, *remembered.left], ()))
    status = prompt.status(len(remembered.lines), remembered.engine) if remembered.lines else ""
    text = fence.enclosed(
        [
            *inside,
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
    return Context(
        text=text,
        is_explained=asked.explains,
        rules=rules,
        stretches=more,
        lines=remembered.lines,
        engine=remembered.engine or (EPISODES if text else ""),
        hits=remembered.hits,
        items=[*items, *_left_out([*left, *remembered.left], items)],
    )


def _left_out(left: Sequence[Item], told: Sequence[Item]) -> list[Item]:
    """Return what was left out, each once and what was not near enough last: two searches may find the same."""
    seen = {(one.kind, one.id) for one in told}
    kept: list[Item] = []
    for one in sorted(left, key=lambda one: one.reason is Reason.FLOOR):
        if (one.kind, one.id) not in seen:
            seen.add((one.kind, one.id))
            kept.append(one)
    return kept


def _item_of_rule(rule: Rule) -> Item:
    kind = Kind.MEMORY if rule.memory_id else Kind.SECTION
    id = rule.memory_id or rule.name
    return Item(kind=kind, id=id, reason=Reason.RULE, text=rule.text, chars=len(rule.line))


def _item_of(match: Match, text: str = "", reason: Reason | None = None) -> Item:
    """Return what the record says of a source: that its `text` was told, or why nothing of it was."""
    told = Reason.SAME_MATTER if match.is_same_matter else Reason.MATCH
    kind = Kind(match.source.type)
    return Item(
        kind=kind,
        id=match.source.id,
        reason=reason or told,
        is_given=reason is None,
        # Of a memory the record compares the whole, and this may be a part.
        text="" if kind is Kind.MEMORY else text,
        chars=len(text),
        score=round(match.score, 3),
        said_at=match.said_at,
    )


def _item_of_hit(hit: Hit, reason: Reason, chars: int = 0) -> Item:
    return Item(
        kind=Kind.MEMORY,
        id=hit.id,
        reason=reason,
        is_given=chars > 0,
        text=hit.content,
        chars=chars,
        score=round(hit.score, 3),
        said_at=hit.created_at,
    )


def _standing(rules: Sequence[Rule]) -> str:
    return "\n".join([RULES, *(one.line for one in rules)]) if rules else ""


class _Earlier(NamedTuple):
    """Rules and stretches for a message, and what was left out."""

    rules: Sequence[Rule] = ()
    stretches: Sequence[Stretch] = ()
    left: Sequence[Item] = ()


async def _earlier(asked: Question, chars: int, state: State) -> _Earlier:
    """Return rules and stretches for a message; neither where there is no room or the store cannot be read."""
    if chars <= 0:
        return _Earlier()
    try:
        vector = await state.vectors.of(asked.message)

        def read(tx: ReadTx) -> _Earlier:
            reader = _reader(tx, asked)
            about = vector()
            project = asked.only or asked.project
            rules = standing_rules.find(
                tx,
                asked.message,
                vector=about,
                reader=reader,
                project=project,
                given=asked.given,
                chars=chars - len(f"{RULES}\n\n"),
            )
            if not asked.is_first:
                rules = [one for one in rules if one.is_asked]
            far: list[Match] = []
            found = search.find(
                tx,
                asked.message,
                vector=about,
                reader=reader,
                project=project,
                but=asked.key,
                commits=state.settings.hooks.session_start.read_commits,
                far=far,
            )
            said = {one.memory_id for one in rules} | frozenset(asked.given)
            new = [
                match
                for match in found
                if f"episode:{match.source.name}" not in said and match.source.id not in said
            ]
            room = chars - len(f"{_standing(rules)}\n\n")
            told = brief.stretches(tx, asked.message, new, chars=room, reader=reader)
            sources = {one.match.source for one in told}
            left = [
                *(_item_of(one, reason=Reason.SAID) for one in found if one not in new),
                *(_item_of(one, reason=Reason.BUDGET) for one in new if one.source not in sources),
                *(_item_of(one, reason=Reason.FLOOR) for one in far),
            ]
            return _Earlier(rules, told, left)

        return await state.db.aread(read)
    except Exception as error:
        log.error("prompt.without_episodes", exc_info=error)
        return _Earlier()


def _reader(tx: ReadTx, asked: Question) -> Reader:
    return agents.reader(tx, asked.agent_id, scope=asked.scope)


class _Remembered(NamedTuple):
    """What recall adds to the block."""

    lines: Sequence[Line] = ()
    passages: Sequence[Stretch] = ()
    engine: str = ""
    hits: Sequence[tuple[str, float]] = ()
    #: What the record says of the lines, and of what was left out.
    items: Sequence[Item] = ()
    left: Sequence[Item] = ()


async def _remembered(
    asked: Question,
    rules: Sequence[Rule],
    stretches: Sequence[Stretch],
    told: str,
    room: int,
    state: State,
) -> _Remembered:
    """Return what recall finds, without what the session was given and what is told already."""
    hooks = state.settings.hooks.user_prompt_submit
    if not asked.terms:
        return _Remembered()
    body = RecallBody.model_validate(
        {
            "query": asked.message[: prompt.VECTOR_CHARS],
            "keywordQuery": " ".join(asked.terms),
            "limit": max(asked.limit, hooks.recall_limit),
            "importance_min": prompt.LEAST_IMPORTANCE,
            "project": asked.only,
            "scope": asked.scope,
        }
    )
    try:
        result = await found(body, asked.agent_id, state)
        useful = frozenset(recall.touched(result))
        hits = [hit for hit in result.hits if hit.id in useful]
        if not hits:
            chars = min(asked.line_chars, room - STATUS_CHARS)
            return await state.db.aread(_so_far, asked, chars)
        least = hooks.min_score if asked.min_score is None else asked.min_score
        near = max(hit.score for hit in hits) >= least
        known = {
            *(one.memory_id for one in rules),
            *(one.match.source.id for one in stretches),
            *asked.given,
        }
        new = [
            hit
            for hit in hits
            if near
            and not hit.superseded_by
            and known.isdisjoint(_ids(hit))
            and not prompt.is_said(hit.content, told)
        ]
        scores = [(hit.id, hit.score) for hit in hits]
        said = [
            _item_of_hit(hit, Reason.SAID if near else Reason.FLOOR)
            for hit in hits
            if hit not in new
        ]
        delivered = await state.db.aread(_delivered, asked, new, scores, stretches, room)
        return delivered._replace(left=[*delivered.left, *said])
    except Exception as error:  # a prompt is never held up by what could not be found (HK-59)
        log.error("prompt.without_recall", exc_info=error)
        return _Remembered()


def _delivered(
    tx: ReadTx,
    asked: Question,
    hits: Sequence[Hit],
    scores: Sequence[tuple[str, float]],
    stretches: Sequence[Stretch],
    room: int,
) -> _Remembered:
    """Return hits as lines; of one that does not stand alone the passage of the session that it was distilled from."""
    reader = _reader(tx, asked)
    roots = sql.roots(tx, [hit.id for hit in hits])
    told = {one.match.source.id for one in stretches}
    items: list[Line] = []
    passages: list[Stretch] = []
    left: list[Item] = []
    for hit in hits:
        key, kind = roots.get(hit.id, (None, ""))
        if fence.is_strangers(kind) and fence.orders(hit.content):
            left.append(_item_of_hit(hit, Reason.ORIGIN))
            continue
        if key is None or key == asked.key or _stands_alone(hit):
            items.append(_line(hit, asked, kind))
            continue
        if key in told or f"episode:session:{key}" in asked.given:
            left.append(_item_of_hit(hit, Reason.SAID))
            continue
        passage = brief.passage(
            tx, hit.content, key, reader=reader, project=asked.only or asked.project
        )
        if passage is None:
            items.append(_line(hit, asked, kind))
        elif brief.size(passage) <= room and len(passages) < brief.MOST_STRETCHES:
            room -= brief.size(passage)
            told.add(key)
            passages.append(passage)
        else:
            left.append(_item_of_hit(hit, Reason.BUDGET))
    chars = min(asked.line_chars, room - STATUS_CHARS)
    lines = prompt.selected(items, chars=max(0, chars), most=asked.limit)
    chars_of = {one.id: len(one.line) for one in lines}
    names = {one.id for one in items}
    recorded = [
        _item_of_hit(hit, Reason.MATCH, chars_of[hit.id]) for hit in hits if hit.id in chars_of
    ]
    left += [_item_of_hit(hit, Reason.BUDGET) for hit in hits if hit.id in names - chars_of.keys()]
    return _Remembered(lines, passages, "hybrid", scores, recorded, left)


def _ids(hit: Hit) -> list[str]:
    """Return by which ids a session may have been given what a hit says; another passage of its text is not that."""
    said = [one.id for one in hit.parts if one.kind is not PartKind.PASSAGE]
    return [hit.id, *said, *([hit.source_id] if hit.source_id else [])]


def _stands_alone(hit: Hit) -> bool:
    """Return whether a fact is whole without the talk that it is from: a preference or rule, or one of a day."""
    return hit.type in _ALONE or hit.event_at is not None


def _line(hit: Hit, asked: Question, kind: str) -> Line:
    origin = fence.origin(hit.source_type, hit.who)
    if fence.is_strangers(kind) and origin == "inferred":
        origin += f" from {kind}"
    text = fence.one_line(
        hit.content if asked.is_whole else prompt.compact(hit.content, asked.terms)
    )
    return Line(hit.id, f"- {text} ({wording.day(hit.created_at)}, {origin})")


def _so_far(tx: ReadTx, asked: Question, chars: int) -> _Remembered:
    """Return what is known of this session so far, if it has to do with the terms (HK-58)."""
    name, lines = (
        transcript_search.head(tx, asked.agent_id, asked.key, asked.terms)
        if asked.key
        else ("", [])
    )
    if not lines or name in asked.given:
        return _Remembered()
    told = prompt.selected(
        [Line(name, f"- {fence.one_line(line)}") for line in lines], chars=max(0, chars)
    )
    size = len("\n".join(one.line for one in told))
    recorded = Item(kind=Kind.SECTION, id=SO_FAR, reason=Reason.MATCH, chars=size)
    return _Remembered(told, engine="temporal", items=[recorded])


def described(context: Context) -> ContextAnswer:
    """Return a context as programs read it: the text, and under `sources` what is in it, in its order."""
    sources: list[ContextSource] = [
        {"id": one.memory_id or one.name, "type": "rule", "content": one.text}
        for one in context.rules
    ]
    sources += [
        {
            "id": one.match.source.name,
            "type": one.match.source.type,
            "date": one.match.said_at[:10],
            "project": one.match.source.project or None,
            "content": fence.clean(one.text),
        }
        for one in context.stretches
    ]
    sources += [{"id": one.id, "type": "memory", "content": one.line[2:]} for one in context.lines]
    return {"context": context.text, "sources": sources, "count": context.count}
