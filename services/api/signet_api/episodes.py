"""The context of a prompt: what earlier work, rules and memories say of it, as one block.

Sessions that begin, prompts, tools and programs that ask for a context all get it from `context_of`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.agents import store as agents
from signet.domain.episodes import brief, fence, search, sql
from signet.domain.episodes.brief import Stretch
from signet.domain.hooks import earlier, prompt, standing, wording
from signet.domain.hooks.prompt import Item
from signet.domain.hooks.standing import Rule
from signet.domain.recall import recall
from signet.domain.recall.models import Hit
from signet.observe import logs
from signet.wire.recall import RecallBody
from signet_api.deps import State
from signet_api.routes.recall import found

log = logs.get("hooks")

#: Who answered where recall did not.
EPISODES = "episodes"
#: By this a session knows that it was told what the block is.
EXPLAINED = "explained"
#: The line above memories, and what parts it from what is around it.
STATUS_CHARS = len(prompt.status(100, "temporal")) + len("\n\n\n")
#: What stands alone: whoever reads it needs nothing that was said around it.
_ALONE = frozenset({"preference", "rule", "constraint", "correction"})


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
        """Return whether the session was not told yet what the block is."""
        return EXPLAINED not in self.given


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The block that is injected, empty for nothing, and what is in it.

    `given` names all of it, for the session to remember; `memories` are ids that count as used, `hits` what recall
    found with its scores, told or not.
    """

    text: str = ""
    rules: Sequence[Rule] = ()
    stretches: Sequence[Stretch] = ()
    lines: Sequence[Item] = ()
    engine: str = ""
    hits: Sequence[tuple[str, float]] = field(default=())

    @property
    def memories(self) -> list[str]:
        """Return the memories that are told in a line, by id."""
        return [one.id for one in self.lines if self.engine == "hybrid"]

    @property
    def given(self) -> list[str]:
        """Return the names of everything that is told."""
        ids = [one.memory_id for one in self.rules if one.memory_id]
        return [
            *([EXPLAINED] if self.text else []),
            *(one.id for one in self.lines),
            *(f"episode:{one.match.source.name}" for one in self.stretches),
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
    rules, stretches = await _earlier(asked, asked.chars - frame, state)
    inside = [_standing(rules), *brief.sections(stretches)]
    # Where earlier work is switched off, memories have their own room.
    room = asked.chars - frame - sum(len(one) + 2 for one in inside if one)
    room = room if asked.chars > frame else asked.line_chars
    told = "\n".join([*(one.text for one in rules), *(one.text for one in stretches)])
    remembered = await _remembered(asked, rules, stretches, told, room, state)
    more = [*stretches, *remembered.passages]
    if not (more or remembered.lines or any(one.is_asked for one in rules)):
        return Context(hits=remembered.hits)
    status = prompt.status(len(remembered.lines), remembered.engine) if remembered.lines else ""
    text = fence.enclosed(
        [
            *inside,
            *brief.sections(remembered.passages),
            "\n".join([status, *(one.line for one in remembered.lines)]) if status else "",
        ],
        is_first=asked.explains,
    )
    return Context(
        text=text,
        rules=rules,
        stretches=more,
        lines=remembered.lines,
        engine=remembered.engine or (EPISODES if text else ""),
        hits=remembered.hits,
    )


def _standing(rules: Sequence[Rule]) -> str:
    return "\n".join(["## Standing rules", *(one.line for one in rules)]) if rules else ""


async def _earlier(asked: Question, chars: int, state: State) -> tuple[list[Rule], list[Stretch]]:
    """Return rules and stretches for a message; neither where there is no room or the store cannot be read."""
    if chars <= 0:
        return [], []
    try:
        vector = await state.vectors.of(asked.message)

        def read(tx: ReadTx) -> tuple[list[Rule], list[Stretch]]:
            reader = _reader(tx, asked)
            about = vector()
            project = asked.only or asked.project
            rules = standing.find(
                tx, asked.message, vector=about, reader=reader, project=project, given=asked.given
            )
            if not asked.is_first:
                rules = [one for one in rules if one.is_asked]
            ids = {one.memory_id for one in rules}
            matches = [
                match
                for match in search.find(
                    tx,
                    asked.message,
                    vector=about,
                    reader=reader,
                    project=project,
                    but=asked.key,
                    commits=state.settings.hooks.session_start.read_commits,
                )
                if f"episode:{match.source.name}" not in asked.given
                and match.source.id not in asked.given
                and match.source.id not in ids
            ]
            room = chars - len(_standing(rules)) - 2
            return rules, brief.stretches(tx, asked.message, matches, chars=room, reader=reader)

        return await state.db.aread(read)
    except Exception as error:
        log.error("prompt.without_episodes", exc_info=error)
        return [], []


def _reader(tx: ReadTx, asked: Question) -> Reader:
    return agents.reader(tx, asked.agent_id, scope=asked.scope)


class _Remembered(NamedTuple):
    """What recall adds to the block."""

    lines: Sequence[Item] = ()
    passages: Sequence[Stretch] = ()
    engine: str = ""
    hits: Sequence[tuple[str, float]] = ()


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
        known = {one.memory_id for one in rules} | {one.match.source.id for one in stretches}
        new = [
            hit
            for hit in hits
            if near
            and not hit.superseded_by
            and hit.id not in asked.given
            and hit.id not in known
            and hit.source_id not in known
            and not prompt.is_said(hit.content, told)
        ]
        scores = [(hit.id, hit.score) for hit in hits]
        return await state.db.aread(_delivered, asked, new, scores, stretches, room)
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
    items: list[Item] = []
    passages: list[Stretch] = []
    for hit in hits:
        key, kind = roots.get(hit.id, (None, ""))
        if fence.is_strangers(kind) and fence.orders(hit.content):
            continue
        if key is None or key == asked.key or _stands_alone(hit):
            items.append(_item(hit, asked, kind))
            continue
        if key in told or f"episode:session:{key}" in asked.given:
            continue
        passage = brief.passage(
            tx, hit.content, key, reader=reader, project=asked.only or asked.project
        )
        if passage is None:
            items.append(_item(hit, asked, kind))
        elif (
            len(passage.text) + brief.HEADING_CHARS <= room and len(passages) < brief.MOST_STRETCHES
        ):
            room -= len(passage.text) + brief.HEADING_CHARS
            told.add(key)
            passages.append(passage)
    chars = min(asked.line_chars, room - STATUS_CHARS)
    lines = prompt.selected(items, chars=max(0, chars), most=asked.limit)
    return _Remembered(lines, passages, "hybrid", scores)


def _stands_alone(hit: Hit) -> bool:
    """Return whether a fact is whole without the talk that it is from: a preference or rule, or one of a day."""
    return hit.type in _ALONE or hit.event_at is not None


def _item(hit: Hit, asked: Question, kind: str) -> Item:
    origin = fence.origin(hit.source_type, hit.who)
    if fence.is_strangers(kind) and origin == "inferred":
        origin += f" from {kind}"
    text = fence.one_line(
        hit.content if asked.is_whole else prompt.compact(hit.content, asked.terms)
    )
    return Item(hit.id, f"- {text} ({wording.day(hit.created_at)}, {origin})")


def _so_far(tx: ReadTx, asked: Question, chars: int) -> _Remembered:
    """Return what is known of this session so far, if it has to do with the terms (HK-58)."""
    name, lines = (
        earlier.head(tx, asked.agent_id, asked.key, asked.terms) if asked.key else ("", [])
    )
    if not lines or name in asked.given:
        return _Remembered()
    items = [Item(name, f"- {fence.one_line(line)}") for line in lines]
    return _Remembered(prompt.selected(items, chars=max(0, chars)), engine="temporal")


def described(context: Context) -> Mapping[str, object]:
    """Return a context as programs read it: the text, and under `sources` what is in it, in its order."""
    sources: list[dict[str, object]] = [
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
