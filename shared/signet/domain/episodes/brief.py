"""Passages of sessions, commits, memories and documents for delivery: verbatim, in order."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain

from signet import clock
from signet.db import ReadTx, fts, highlight
from signet.db.visibility import Reader
from signet.domain.episodes import fence, outcome, search, split, sql
from signet.domain.episodes.models import (
    Match,
    Source,
    SourceType,
    is_given,
    statement_name,
)
from signet.domain.statements import sentences
from signet.domain.statements.language import pattern
from signet.domain.transcripts import withheld
from signet.text import controls, orders

#: Most characters of the author of a memory or document in its heading.
ORIGIN_CHARS = 100
#: The longest possible session key.
ID_CHARS = 4_096
#: Most passages of one brief, and the least budget for a part of a source.
MOST_STRETCHES = 3
LEAST_ROOM = 400
#: A conversation of which the agent wrote this share consists of long answers.
MOSTLY = 0.8
#: Each further source keeps this share of the budget.
LATER_SHARE = 0.25
#: Chunks read on either side of a session's best chunk.
REACH = 12
#: A chunk belongs to the best chunk's subject if their vectors have this cosine, because a long session has many
#: subjects. A passage ends where this many chunks in a row belong to other subjects. One between two chunks of the
#: subject may be an aside and is included (decision 45).
MATTER, APART, ASIDE = 0.25, 5, 2
#: A longer code block is left out of a session that does not fit whole.
LONG_CODE = 200
#: Characters delivered of the session from which a fact was distilled.
PASSAGE_CHARS = 700

#: Chunks before an answer that are searched for its question, and characters of a question on a page.
ASKED, QUESTION = 3, 160
_USER = "User"
#: More pieces than any source has.
_LAST = 1_000_000

#: Words of a prompt that lines of tools share if the prompt asks about them.
ASKED_OF_TOOLS = 2

#: What a cosine that is higher by 1 is worth, in words of the question, and the worth of a part without any of them.
NEAR, NO_WORTH = 8.0, 0.01

#: Precedes an open item.
OPENS = (
    r"(?:still |noté comme )?(?:open|offen|ouvert|todo|à faire|pendiente|em aberto|da fare) ?: ?"
)
_OPENS = re.compile(rf"^{OPENS}", re.IGNORECASE)
#: Shorter turns may be the same in several sessions.
REPEAT_CHARS = 40

#: A backslash continues a line.
_LINE_END = re.compile(r"(?<!\\)\n")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
CODE_LEFT_OUT = "[code left out]"
LEFT_OUT = "[…]"
_MARKS = re.compile(r"\[…\](?:\s*\[…\])+")
#: Behind the heading of a source of which the session has already received a part.
MORE = " (more)"
AMENDS, AMENDED = " (amends what follows)", " (earlier; the amendment above wins)"
_TITLES = {
    SourceType.SESSION: "Session",
    SourceType.COMMIT: "Commit",
    SourceType.MEMORY: "Memory",
    SourceType.DOCUMENT: "Document",
}


#: The exchanges of a chunk with their nearness to a question.
Near = Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A passage of a source for delivery."""

    match: Match
    text: str
    #: Names of the conversation turns it contains.
    parts: Sequence[str] = ()
    #: `is_cut`: a part of a conversation. The other: from one that settles nothing, or is nearly all an agent's.
    is_cut: bool = False
    is_part: bool = False


def stretches(
    tx: ReadTx,
    prompt: str,
    matches: Sequence[Match],
    *,
    chars: int,
    reader: Reader,
    given: Collection[str] = (),
) -> list[Stretch]:
    """Return passages of the best matches that fit in `chars` with their headings, best first.

    `given` are names of turns that the session has received; they are left out.
    """
    asked = fts.content_words(prompt[: search.READ_CHARS])
    near = matches[:MOST_STRETCHES]
    talks = [_talk(tx, one, reader) for one in near]
    is_talk = [one.source.type is SourceType.SESSION for one in near]
    texts = [_text(tx, one, talk, given, reader) for one, talk in zip(near, talks, strict=True)]
    texts = [
        _asked_of_tools(one, asked) if talk else one
        for one, talk in zip(texts, is_talk, strict=True)
    ]
    texts = _unrepeated(texts, is_talk, asked)
    settled = any(_settles(text) for text, talk in zip(texts, is_talk, strict=True) if talk)
    # Later sources keep a share of the budget.
    kept = [min(len(text), int(chars * LATER_SHARE)) for text in texts]
    found: list[Stretch] = []
    for place, match in enumerate(near):
        left = chars - size(Stretch(match=match, text=""))
        room = max(left - sum(kept[place + 1 :]), min(left, LEAST_ROOM))
        text = _fitting(texts[place], asked, room, match.source.type, by_words=match.is_asked)
        new = _without_told(text, given) if is_talk[place] else text
        if says_something(new):
            is_cut = is_talk[place] and text != texts[place]
            is_part = is_cut and (not settled or _agents_share(texts[place]) >= MOSTLY)
            parts = _parts(match.source, talks[place], text)
            told = Stretch(match=match, text=new, parts=parts, is_cut=is_cut, is_part=is_part)
            found.append(told)
            chars -= size(found[-1])
    return found


def _asked_of_tools(talk: str, asked: Sequence[str]) -> str:
    """Return a conversation without the lines of tools, except those that a prompt asks about."""
    told = split.turns(talk)
    kept = [
        turn
        for turn in told
        if not split.is_tools(turn) or search.shared_words(asked, turn) >= ASKED_OF_TOOLS
    ]
    return talk if len(kept) == len(told) else "\n".join(kept)


def says_something(text: str) -> bool:
    """Return whether a text is more than omission marks."""
    return bool(text.replace(LEFT_OUT, "").strip())


def _unrepeated(texts: Sequence[str], is_talk: Sequence[bool], asked: Sequence[str]) -> list[str]:
    """Replace turns that an earlier text contains by a mark: forks of a session begin with the same turns.

    A text whose other turns contain no word of the prompt becomes empty.
    """
    seen: set[str] = set()
    found = []
    for text, talks in zip(texts, is_talk, strict=True):
        turns = split.turns(text) if talks else []
        known = [turn in seen for turn in turns]
        seen.update(turn for turn in turns if len(turn) >= REPEAT_CHARS)
        rest = split.without(turns, known, LEFT_OUT)
        is_near = search.shared_words(asked, rest.replace(LEFT_OUT, "")) > 0
        found.append((rest if is_near else "") if any(known) else text)
    return found


def _settles(talk: str) -> bool:
    return any(map(outcome.is_outcome, split.turns(talk)))


def _agents_share(text: str) -> float:
    """Return the agent's share of a conversation, 0..1; text without a speaker belongs to the previous one.

    The beginning counts as an agent's: long turns are cut into chunks, and agents write most of them.
    """
    speaker, chars = "Assi", Counter[str]()
    for turn in split.turns(text):
        named = turn.startswith(("User", "Assistant"))
        speaker = turn[:4] if named else speaker
        chars[speaker] += len(turn)
    return chars["Assi"] / (chars.total() or 1)


def size(one: Stretch) -> int:
    """Return the most characters that a passage takes in a block, with its heading and blank lines."""
    return len(f"{_heading(one)}{MORE}{AMENDED}\n{_shown(one.text, one.match.source.type)}\n\n")


def passage(
    tx: ReadTx, fact: str, key: str, *, reader: Reader, project: str | None
) -> Stretch | None:
    """Return the turns of a session from which a fact was distilled, None if they no longer exist."""
    known = withheld.unquoted(tx, reader.agent_id)
    rows = [
        row._replace(content=withheld.without(row.content, known, row.said_at))
        for row in sql.of_session(tx, key, agent_id=reader.agent_id, project=project)
    ]
    asked = fts.content_words(fact)
    if not rows or not asked:
        return None
    best = max(rows, key=lambda row: search.shared_words(asked, row.content))
    if search.shared_words(asked, best.content) < len(asked) / 2:
        return None
    source = Source(type=SourceType.SESSION, id=key, agent_id=reader.agent_id, project=best.project)
    match = Match(source=source, position=best.position, score=0.0, said_at=best.said_at)
    said = _asked_of_tools(unsteered(best.content, SourceType.SESSION), asked)
    text = _fitting(said, asked, PASSAGE_CHARS, SourceType.SESSION, by_words=True)
    return Stretch(match=match, text=text)


def answering(text: str, words: Sequence[str], near: Near, *, chars: int, type: SourceType) -> str:
    """Return the turns of a chunk that answer a question, with their context; without words and `near`, its outcome.

    Prefers turns with most of the words and in the nearest exchange (`search.near_exchanges`). Returns at least
    LEAST_ROOM characters if there are as many, and no instructions to agents. A long turn is cut around the words; the
    beginning of its question or answer stays.
    """
    room = max(chars, LEAST_ROOM)
    by_words = bool(words or near)
    kept = _fitting(text, words, room, type, near, by_words=by_words, is_page=True)
    return unsteered(kept, type)


def spoken(tx: ReadTx, source: Source, position: int, content: str, *, reader: Reader) -> str:
    """Return a conversation chunk with its speaker, and before an agent's words the beginning of the question."""
    if content.startswith(_USER):
        return content
    earlier = split.turns(around(tx, source, position - ASKED, position - 1, reader=reader))
    speaker = search.LABEL.match(earlier[-1]) if earlier else None
    if not search.LABEL.match(content):
        content = f"{speaker[0] if speaker else ''}{LEFT_OUT} {content}"
    asked = [turn for turn in earlier if turn.startswith(_USER)]
    is_users = speaker is not None and speaker[0].startswith(_USER) and content.startswith(_USER)
    return content if is_users or not asked else f"{_clipped(asked[-1], (), QUESTION)}\n{content}"


def whole(tx: ReadTx, type: SourceType, id: str, reader: Reader) -> str:
    """Return the text of a source that a reader may see, empty if none; `id` may be a long memory's group."""
    if type in (SourceType.SESSION, SourceType.COMMIT):
        return withheld.cleaned(tx, reader.agent_id, sql.whole(tx, reader.agent_id, type, id))
    source = Source(type=type, id=id, agent_id=reader.agent_id)
    return around(tx, source, 0, _LAST, reader=reader)


def around(
    tx: ReadTx, source: Source, first: int, last: int, *, reader: Reader, unasked: bool = False
) -> str:
    """Return the text of a source between two positions, as a reader may see it.

    Removes withheld statements, except from a memory, which was checked as a whole.
    """
    parts = sql.around(tx, source, first, last, reader=reader, unasked=unasked)
    text = _joined(parts, source.type)
    if source.type is SourceType.MEMORY:
        return text
    return withheld.cleaned(tx, reader.agent_id, text)


def _talk(tx: ReadTx, match: Match, reader: Reader) -> list[dict[int, str]]:
    """Return the runs of chunks of a session to quote, by position, without withheld statements; else none."""
    if match.source.type is not SourceType.SESSION:
        return []
    known = withheld.unquoted(tx, reader.agent_id)
    return [
        {
            position: withheld.without(content, known, match.said_at)
            for position, content in sql.chunks(tx, match.source, first, last).items()
        }
        for first, last in _reach(tx, match)
    ]


def _text(
    tx: ReadTx,
    match: Match,
    talk: Sequence[Mapping[int, str]],
    given: Collection[str],
    reader: Reader,
) -> str:
    source = match.source
    if talk:
        runs = [
            _joined([_new(source, at, text, given) for at, text in run.items()], source.type)
            for run in talk
        ]
        return unsteered(f"\n{LEFT_OUT}\n".join(runs), source.type)
    first, last = match.position - REACH, match.position + REACH
    text = around(tx, source, first, last, reader=reader, unasked=True)
    if not match.is_strangers:
        return unsteered(text, source.type)
    # Instructions to the reader are dropped, because no one asked for them.
    return " ".join(one for one in split.sentences(text) if not orders.orders(one))


def _new(source: Source, position: int, text: str, given: Collection[str]) -> str:
    """Replace turns the session has received by a mark; turns are counted as in `_parts`."""
    turns = split.turns(without_code(text))
    known = [is_given(source.part(position, place), given) for place in range(len(turns))]
    return split.without(turns, known, LEFT_OUT) if any(known) else text


def _without_told(text: str, given: Collection[str]) -> str:
    """Replace the statements of a conversation that the session has received from any source by marks."""
    turns = split.turns(text)
    told = [untold(turn, given) for turn in turns]
    return split.without(told, [turn == LEFT_OUT for turn in told], LEFT_OUT)


def untold(turn: str, given: Collection[str]) -> str:
    """Return a turn with a mark for each statement in `given` (`statement_name`); only the mark if no other is left.

    A withdrawal stays: a prompt that quotes a revoked rule must quote its revocation too.
    """
    for sentence in chain.from_iterable(sentences.paragraphs(search.LABEL.sub("", turn))):
        is_long = len(sentence) >= REPEAT_CHARS and not pattern("taken_back").search(sentence)
        if is_long and statement_name(_OPENS.sub("", sentence)) in given:
            turn = turn.replace(sentence, LEFT_OUT, 1)
    turn = _MARKS.sub(LEFT_OUT, turn)
    return LEFT_OUT if search.LABEL.sub("", turn).strip() == LEFT_OUT else turn


def _parts(source: Source, talk: Sequence[Mapping[int, str]], text: str) -> list[str]:
    """Return the names of the conversation turns that a text contains, with or without their code."""
    bare = _CODE.sub("", text)
    return [
        source.part(position, place)
        for run in talk
        for position, content in run.items()
        for place, turn in enumerate(split.turns(without_code(content)))
        if turn in text
        or (len(turn) >= REPEAT_CHARS and _CODE.sub("", turn.replace(CODE_LEFT_OUT, "")) in bare)
    ]


def _reach(tx: ReadTx, match: Match) -> list[tuple[int, int]]:
    """Return first and last position of each run of chunks to quote; of a session, those of the match's subject."""
    first, last = match.position - REACH, match.position + REACH
    near = sql.vectors(tx, match.source, first, last)
    if near.get(match.position) is None:
        return [(first, last)]
    cosines = search.similarities(list(near.values()), near[match.position])
    alike = [at for at, cosine in zip(near, cosines, strict=True) if (cosine or 0.0) >= MATTER]
    first = last = alike.index(match.position)
    while first > 0 and alike[first] - alike[first - 1] <= APART:
        first -= 1
    while last + 1 < len(alike) and alike[last + 1] - alike[last] <= APART:
        last += 1
    runs: list[tuple[int, int]] = []
    for at in alike[first : last + 1]:
        if runs and at - runs[-1][1] <= ASIDE:
            runs[-1] = (runs[-1][0], at)
        else:
            runs.append((at, at))
    return runs


def unsteered(text: str, type: SourceType) -> str:
    """Return a text without turns or lines that give an agent instructions; the user's stay."""
    if type is SourceType.MEMORY:
        return "" if orders.steers(" ".join(text.split())) else text
    if type is not SourceType.SESSION:
        return "\n".join(line for line in _LINE_END.split(text) if not orders.steers(line))
    said = split.turns(text)
    return split.without(
        said, [not turn.startswith("User") and orders.steers(turn) for turn in said], LEFT_OUT
    )


def _joined(parts: Sequence[str], type: SourceType) -> str:
    """Join the chunks of a source."""
    if type is SourceType.SESSION:
        return "\n".join(parts)
    if type is SourceType.DOCUMENT:
        return split.joined(parts)
    is_lined = type is SourceType.MEMORY and any("\n" in part for part in parts)
    return ("\n\n" if type is SourceType.COMMIT else "\n" if is_lined else " ").join(parts)


def _fitting(
    every: str,
    asked: Sequence[str],
    chars: int,
    type: SourceType,
    near: Near = (),
    *,
    by_words: bool = False,
    is_page: bool = False,
) -> str:
    """Return the whole text if it fits, else the turns or paragraphs around the one that states the outcome.

    Returns an empty text if neither fits. The displayed form must fit; the original form is returned.
    """
    is_talk = type is SourceType.SESSION
    if _least(every) <= chars and len(_shown(every, type)) <= chars:
        return every
    if chars < LEAST_ROOM:
        return ""
    between = "\n" if is_talk else "\n\n"
    told = without_code(every, asked if by_words else ())
    turns = split.turns(told) if is_talk else split.paragraphs(every)

    @cache
    def takes(place: int) -> int:
        return len(_shown(turns[place], type)) + len(between)

    if sum(map(_least, turns)) <= chars and sum(map(takes, range(len(turns)))) <= chars:
        return between.join(turns)
    value = [
        worth(asked, turn, _nearness(turn, near)) if by_words else _worth(turn, asked)
        for turn in turns
    ]
    first = last = max(range(len(turns)), key=lambda place: (value[place], place))
    speakers = list(split.speakers(turns)) if is_talk else [""] * len(turns)
    longest = max(map(len, speakers))
    room = chars - takes(first) - 2 * len(LEFT_OUT) - len(between) - longest
    sizes = [takes(one) for one in (first - 1, first + 1) if 0 <= one < len(turns)]
    if is_page and is_talk and by_words and (room < 0 or min(sizes, default=0) > room):
        said = [f"{one}{turn}" for one, turn in zip(speakers, turns, strict=True)]
        return between.join(_exchange(said, first, asked, chars))
    if room < 0:
        # One fewer, because a cut word may look like a heading's.
        shown = speakers[first] + _shown(turns[first], type)
        return shown[: chars - len(LEFT_OUT) - 1] + LEFT_OUT
    while True:
        beside = [place for place in (first - 1, last + 1) if 0 <= place < len(turns)]
        fitting = [place for place in beside if takes(place) <= room]
        if not fitting:
            break
        place = max(fitting, key=lambda one: value[one] / len(turns[one]))
        room -= takes(place)
        first, last = min(first, place), max(last, place)
    kept = [speakers[first] + turns[first], *turns[first + 1 : last + 1]]
    return between.join(
        [*([LEFT_OUT] if first else []), *kept, *([LEFT_OUT] if last + 1 < len(turns) else [])]
    )


def repeats(text: str, told: str) -> bool:
    """Return whether a delivered text contains a text, or a part of it between two marks or line ends."""
    pieces = chain.from_iterable(line.split(LEFT_OUT) for line in told.split("\n"))
    said = (search.LABEL.sub("", piece).strip() for piece in pieces)
    return text in told or any(len(piece) >= REPEAT_CHARS and piece in text for piece in said)


def worth(asked: Sequence[str], text: str, near: float) -> float:
    """Return how well a part of a session answers: the words of the question that it contains, and its nearness."""
    return search.shared_words(asked, text) + NEAR * near


def _nearness(turn: str, near: Near) -> float:
    """Return the nearness of the exchange that a turn belongs to."""
    beginning = turn[:REPEAT_CHARS]
    return max((one for text, one in near if beginning in text), default=0.0)


def _exchange(turns: Sequence[str], place: int, asked: Sequence[str], chars: int) -> list[str]:
    """Return a turn cut around the words, with the beginning of its question or answer."""
    is_users = turns[place].startswith(_USER)
    others = range(place + 1, len(turns)) if is_users else range(place - 1, -1, -1)
    other = next((one for one in others if turns[one].startswith(_USER) is not is_users), None)
    if other is None:
        return [_clipped(turns[place], asked, chars)]
    beside = _clipped(turns[other], (), min(QUESTION, chars // 3))
    kept = _clipped(turns[place], asked, chars - len(beside) - 1)
    return [beside, kept] if other < place else [kept, beside]


def _clipped(turn: str, asked: Sequence[str], chars: int) -> str:
    """Return a turn with its speaker, cut around words to a maximum number of characters."""
    label = search.LABEL.match(turn)
    said = turn[label.end() :] if label else turn
    room = chars - len(turn) + len(said)
    if len(said) <= room:
        return turn
    start, end = highlight.window(
        said, highlight.ranges(said, asked), room - 2 * len(f"{LEFT_OUT} ")
    )
    before, after = f"{LEFT_OUT} " if start else "", f" {LEFT_OUT}" if end < len(said) else ""
    return f"{label[0] if label else ''}{before}{said[start:end].strip()}{after}"


def _least(text: str) -> int:
    """Return the fewest characters of a text's displayed form: display removes only hidden text."""
    return len(controls.clean(text))


def _worth(turn: str, asked: Sequence[str]) -> float:
    """Return the weight of a turn: an outcome counts most, then rules, then the prompt's words."""
    settled = 20 * outcome.is_outcome(turn)
    return 1 + settled + 2 * min(3, outcome.rules(turn)) + search.shared_words(asked, turn)


def without_code(text: str, asked: Sequence[str] = ()) -> str:
    """Return a conversation without its long blocks of code; of these, only lines with `asked` words stay."""
    return _CODE.sub(partial(_short, asked), text)


def _short(asked: Sequence[str], code: re.Match[str]) -> str:
    if len(code[0]) <= LONG_CODE:
        return code[0]
    first, *lines = code[0].removesuffix("```").split("\n")
    kept, room = list[str](), LONG_CODE
    for line in lines if asked else ():
        if (places := highlight.ranges(line, asked)) and room > 0:
            start, end = highlight.window(line, places, room)
            kept.append(line[start:end])
            room -= end - start
    return "\n".join([first, *kept, "```"]) if kept else CODE_LEFT_OUT


def sections(found: Sequence[Stretch]) -> list[str]:
    """Return the passages under their headings; an amendment precedes what it amends, and its heading marks it."""
    ordered = list(found)
    amending = _amending(found)
    if amending is not None:
        ordered.remove(amending)
        ordered.insert(0, amending)
    sources: list[Source] = []
    told: list[str] = []
    for one in ordered:
        more = MORE if one.match.source in sources else ""
        told.append(_section(one, amending, found[0], more))
        sources.append(one.match.source)
    return told


def _amending(found: Sequence[Stretch]) -> Stretch | None:
    """Return the newest passage of the subject if it says that it changes something earlier."""
    matter = [one for one in found if one is found[0] or one.match.is_same_matter]
    newest = max(matter, key=lambda one: one.match.said_at, default=None)
    return newest if newest and len(matter) > 1 and outcome.amends(newest.text) else None


def _shown(text: str, type: SourceType) -> str:
    return fence.clean(text) if type is SourceType.SESSION else fence.quoted(text)


def _heading(one: Stretch) -> str:
    source = one.match.source
    id_ = source.name.partition(":")[2]
    title = f"## {_TITLES[source.type]} {fence.named(id_, ID_CHARS)}, {clock.local_day(one.match.said_at)}"
    return f"{title}, {one.match.origin[:ORIGIN_CHARS]}" if one.match.origin else title


def _section(one: Stretch, amending: Stretch | None, first: Stretch, more: str) -> str:
    title = _heading(one) + more
    is_earlier = one is first or one.match.is_same_matter
    if amending is not None and is_earlier:
        title += AMENDS if one is amending else AMENDED
    return f"{title}\n{_shown(one.text, one.match.source.type)}"
