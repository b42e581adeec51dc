"""List decisions, rules and open items from a project's sessions, in their authors' words.

A session starts with the most probable of these statements, newest first: an agent must know them before the first
prompt. A short answer follows the question of the agent.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from signet.db import ReadTx, fts
from signet.db.visibility import Reader
from signet.domain.episodes import brief, fence, search, split
from signet.domain.episodes.models import STARTED, FoundRow, SourceType
from signet.domain.extraction import rules
from signet.domain.graph import changes, values
from signet.domain.graph.changes import Dated, Replacement
from signet.domain.sessions import prompt_text
from signet.domain.statements import kinds, sentences, settles
from signet.domain.statements.kinds import StatementKind
from signet.domain.statements.language import pattern
from signet.text import orders

#: Newest chunks of a project read for statements, statements at a session start, and their characters.
READ, MOST, CHARS = 400, 24, 2_600
#: Newest commits of a project that may have changed a listed decision.
MOST_COMMITS = 200
#: Limits for open items, which agents write often and rarely close, and for statements compared with each other.
MOST_OPEN, COMPARED = 6, 60
#: Longest message that is listed as a whole; of a longer one, the most characters of the sentences that decide.
WHOLE_CHARS, LISTED_CHARS = 140, 260
#: Least chance that a listed sentence settles something (`statements/settles.py`).
LEAST = 0.6
#: Longest answer that needs its question, and the longest question that is listed.
ANSWER_CHARS, QUESTION_CHARS = 80, 100
#: Open items, from any speaker.
_OPEN = re.compile(rf"(?:^|(?<=[.!?] )){brief.OPENS}(\S.*)", re.IGNORECASE)
#: Commands, rules and addresses; an agent's open items must not contain any.
_COMMAND = re.compile(
    r"https?://|\| ?\w|&& |\$\(|\b(?:sudo|curl|wget|ba?sh|eval|npx|rm|git push|(?:npm|pip|apt|brew) i\w*)\b|--\w"
    r"|\bUser\W{0,2}:|\b(?:always|never|from now on|tell the user|you (?:must|should|have to|need to))\b"
    r"|^(?:run|execute|call|send|delete|drop|disable|install|ignore)\b",
    re.IGNORECASE,
)
#: Stems that name no subject.
_NO_SUBJECT = frozenset("rule regel may again ist wieder est nouve nuevo".split())
_SPEAKER = re.compile(rf"(User|Assistant)(?!{re.escape(split.CONTINUED)})[^:\n]{{0,60}}: ")
_USER = "User"
_BETWEEN = re.compile(r"\W")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A statement of a session and its day; `name` identifies its turn, and `is_whole` means that it is all of it."""

    text: str
    session: str
    said_at: str
    #: Who calls it open: `the user` or `an agent`; empty for a decision, which only the user makes.
    open_by: str
    name: str = ""
    is_whole: bool = False
    #: The chance that it settles something, 0..1.
    chance: float = 1.0
    #: The agent's question that it answers, if it is short.
    question: str = ""
    #: The part of the session that contains it, and the note on a later commit that changed its amount.
    chunk: str = ""
    commit: str = ""

    @property
    def shown(self) -> str:
        return f"{self.question} – {self.text}" if self.question else self.text

    @property
    def dated(self) -> Dated:
        return Dated(text=self.text, said_at=self.said_at)

    @property
    def is_open(self) -> bool:
        return self.open_by != ""

    @property
    def line(self) -> str:
        """Return the statement as a list item."""
        day = prompt_text.day(self.said_at)
        note = f"open, {day}, said by {self.open_by}" if self.open_by else f"{day}{self.commit}"
        return fence.item(self.shown, f"({note})")


class ReversedDecision(NamedTuple):
    """A statement, and the later one that replaced it."""

    before: Decided
    after: Decided


def find(tx: ReadTx, *, reader: Reader, project: str, but: str | None) -> list[Decided]:
    """Return the statements of a project's sessions for a session start, newest first, each once.

    Decisions come only from messages of the user, without questions, reports and withdrawn ones. Agents may name open
    items, but none that contains a command. Empty without a project.
    """
    if not project:
        return []
    standing, later = _compared(tx, reader=reader, project=project, but=but)
    holds = [
        one for number, one in enumerate(standing) if number not in later or later[number].is_part
    ]
    found: dict[str, Decided] = {}
    chars, room = CHARS, MOST_OPEN
    for one in sorted(holds, key=lambda one: -one.chance):
        key = _key(one)
        if key in found or len(one.line) >= chars or len(found) == MOST:
            continue
        if one.is_open and room == 0:
            continue
        room -= one.is_open
        found[key] = one
        chars -= len(one.line) + 1
    listed = [one for one in holds if found.get(_key(one)) is one]
    scope = search.ChunkScope(reader, project, but, most=MOST_COMMITS)
    return _with_commits(listed, search.messages(tx, scope)) if listed else []


def _with_commits(listed: Sequence[Decided], commits: Sequence[FoundRow]) -> list[Decided]:
    """Add the newest commit that changed a listed decision."""
    return [
        replace(one, commit=next(filter(None, (_changed(one, commit) for commit in commits)), ""))
        for one in listed
    ]


def _changed(one: Decided, commit: FoundRow) -> str:
    if one.is_open:
        return ""
    change = values.by_commit(one.chunk, one.said_at, commit.content, commit.said_at)
    if change is None or len(change.new) > LISTED_CHARS or orders.steers(change.new):
        return ""
    exchanges = split.exchanges(one.chunk, SourceType.SESSION)
    if not any(one.text in exchange and change.old in exchange for exchange in exchanges):
        return ""
    day = prompt_text.day(commit.said_at)
    return f'; changed by a commit on {day}: "{fence.one_line(change.new)}"'


def digest(
    tx: ReadTx, *, reader: Reader, project: str
) -> tuple[list[Decided], list[ReversedDecision]]:
    """Return the project's newest valid statements, each once, and those that were replaced."""
    standing, later = _compared(tx, reader=reader, project=project, but=None)
    holds = [one for number, one in enumerate(standing) if number not in later]
    changed = [
        ReversedDecision(standing[number], standing[change.by]) for number, change in later.items()
    ]
    return list({_key(one): one for one in reversed(holds)}.values())[::-1], changed


def _compared(
    tx: ReadTx, *, reader: Reader, project: str, but: str | None
) -> tuple[list[Decided], dict[int, Replacement]]:
    """Return the newest statements that hold, and by index the replacements of some of them."""
    rows = search.within(tx, search.ChunkScope(reader, project, but, commits=False, most=READ))
    every = [
        Decided(
            text=one.text,
            session=row.source_id,
            said_at=row.said_at,
            open_by=one.open_by,
            name=row.source.part(row.position, one.place),
            is_whole=one.is_whole,
            chance=one.chance,
            question=one.question,
            chunk=row.content,
        )
        for row in rows
        for one in reversed(_statements(row.content, row.position == 0))
    ]
    standing = _standing(every)[:COMPARED]
    return standing, changes.find([one.dated for one in standing])


def _key(one: Decided) -> str:
    return prompt_text.comparable(one.text).rstrip(".!")


def _standing(every: Sequence[Decided]) -> list[Decided]:
    """Drop statements that a later one takes back; keep a withdrawal that did so or also decides something."""
    kept: list[Decided] = []
    backs: dict[Decided, set[str]] = {}
    used: set[Decided] = set()
    for one in every:
        parts = _sentences(one) if backs and not one.is_open else [one.text]
        rest = []
        for part in parts:
            about = _about(part) if backs and not one.is_open else set()
            by = [back for back, of in backs.items() if 3 * len(about & of) >= max(1, 2 * len(of))]
            used.update(by)
            if not by:
                rest.append(part)
        if len(rest) < len(parts):
            one = replace(one, text=" ".join(rest), is_whole=False)
        if rest:
            kept.append(one)
            if not one.is_open and _takes_back(one.text):
                backs[one] = set().union(*map(_about, filter(_takes_back, _sentences(one))))
    return [one for one in kept if one not in backs or one in used or _decides(one.text)]


def _sentences(one: Decided) -> list[str]:
    return [*chain.from_iterable(sentences.paragraphs(one.text))] or [one.text]


@lru_cache(2 * READ)
def _about(text: str) -> set[str]:
    """Return the stems of the words that name the subject of a statement."""
    rest = fts.content_words(pattern("taken_back").sub(" ", text))
    return {*map(search.stem, rest)} - _NO_SUBJECT


def listable(chunk: str) -> list[str]:
    """Return the statements that a start could list of a chunk at the beginning of a session."""
    return [one.text for one in _statements(chunk, is_first=True)]


def known(one: Decided) -> list[str]:
    """Return the statements and facts that a session with a statement knows, and the agent's question."""
    facts = rules.extract(f"{_USER}: {one.text}").facts
    parts = chain.from_iterable(sentences.paragraphs(one.text))
    return [one.question, one.text, *parts, *(fact.content for fact in facts)]


def names(found: Sequence[Decided], told: str) -> list[str]:
    """Return the names of the turns that a text quotes as a whole.

    A prompt that quotes a revoked rule must quote its revocation too.
    """
    return [
        one.name.replace("episode:", STARTED, 1)
        for one in found
        if one.is_whole and one.line in told and not _takes_back(one.text)
    ]


def texts(chunk: str, is_first: bool) -> list[str]:
    """Return the user's decisions in a chunk; `is_first` at the beginning of a session."""
    found = (one for one in _each(chunk, is_first) if not one.open_by)
    return [f"{one.question} – {one.text}" if one.question else one.text for one in found]


class Stated(NamedTuple):
    """A statement of a chunk: the place of its turn, whether it is all of it, and who calls it open."""

    place: int
    text: str
    is_whole: bool
    open_by: str
    chance: float
    question: str = ""


@lru_cache(2 * READ)
def _statements(chunk: str, is_first: bool) -> Sequence[Stated]:
    return list(_each(chunk, is_first))


def _each(chunk: str, is_first: bool) -> Iterator[Stated]:
    turns: list[tuple[str | None, str]] = []
    parts = split.turns(brief.without_code(chunk))
    sides = [label or part for part, label in zip(parts, split.speakers(parts), strict=True)]
    for turn in parts:
        named = _SPEAKER.match(turn)
        said = "" if split.is_tools(turn) else turn
        turns.append((named[1], turn[named.end() :].strip()) if named else (None, said))
    before = None if is_first else ""
    for place, (speaker, said) in enumerate(turns):
        reply = next((text for who, text in turns[place + 1 :] if who == _USER), "")
        is_standing = speaker == _USER and not kinds.takes_back(reply)
        ruled = list(_ruled(said, before)) if is_standing else []
        for text, kind, is_whole, chance in ruled:
            open_by = "the user" if kind is StatementKind.OPEN else ""
            asked = _question(text, before) if said.startswith(text) else ""
            yield Stated(place, text, is_whole, open_by, chance, asked)
        if not ruled and (opened := _OPEN.search(said)):
            text = opened[1].strip()
            is_users = sides[place].startswith(_USER)
            is_order = orders.steers(text) or (not is_users and _COMMAND.search(text))
            if len(text) <= LISTED_CHARS and not is_order:
                yield Stated(place, text, False, "the user" if is_users else "an agent", 1.0)
        if speaker != _USER:
            before = said or before


def _ruled(
    said: str, before: str | None
) -> Iterator[tuple[str, StatementKind | None, bool, float]]:
    """Yield the parts of a message that decide, leave open or take back (None), whether they are all, and the chance.

    `before` is the agent's last message, None at the start of a session.
    """
    if orders.steers(said):
        return
    parts = sentences.paragraphs(said)
    every = [one for part in parts for one in part]
    found: list[tuple[str, StatementKind | None, float]] = []
    for one in kinds.sincere_sentences(parts):
        kind, chance = kinds.kind_of(one), settles.chance(one, before)
        is_back = kind is None and _takes_back(one) and kinds.is_meant(one)
        is_listed = kind in settles.SETTLING or kind is StatementKind.OPEN or chance >= LEAST
        if (is_listed or is_back) and not orders.steers(one):
            found.append((one, None if is_back else kind or StatementKind.DECISION, chance))
    if not found:
        return
    decided = [kind for _, kind, _ in found if kind is not StatementKind.OPEN]
    is_talk = _BETWEEN.sub("", said) == _BETWEEN.sub("", "".join(every))
    # The sentence before an open item often names it.
    is_whole = is_talk and len(said) <= (WHOLE_CHARS if decided else LISTED_CHARS)
    listed = said if is_whole else " ".join(text for text, _, _ in found)
    if len(listed) <= LISTED_CHARS and (decided or is_whole):
        kind = decided[0] if decided else StatementKind.OPEN
        text = listed if decided else _OPEN.sub(r"\1", listed)
        yield text, kind, is_whole, max(chance for _, _, chance in found)
    else:
        short = (one for one in found if len(one[0]) <= LISTED_CHARS)
        yield from ((text, kind, False, chance) for text, kind, chance in short)


def _question(said: str, before: str | None) -> str:
    """Return the agent's question that a short message answers, else nothing."""
    asked = split.sentences(before or "")[-1:]
    if len(said) > ANSWER_CHARS or not asked or not asked[0].endswith(("?", "？")):
        return ""
    is_order = orders.steers(asked[0]) or _COMMAND.search(asked[0])
    return "" if is_order or len(asked[0]) > QUESTION_CHARS else asked[0]


def _takes_back(text: str) -> bool:
    return pattern("taken_back").search(text) is not None


def _decides(text: str) -> bool:
    return any(
        kinds.kind_of(one) in settles.SETTLING
        for part in sentences.paragraphs(text)
        for one in part
    )
