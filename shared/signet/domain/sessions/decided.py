"""List decisions, rules and open items from a project's sessions, in their authors' words.

A session starts with these statements, newest first: an agent must know them before the first prompt.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from signet.db import ReadTx, fts
from signet.db.visibility import Reader
from signet.domain.episodes import brief, fence, search, split
from signet.domain.episodes.models import STARTED
from signet.domain.extraction import rules
from signet.domain.graph import changes
from signet.domain.graph.changes import Dated, Replacement
from signet.domain.sessions import prompt_text
from signet.domain.statements import kinds, sentences
from signet.domain.statements.kinds import StatementKind
from signet.domain.statements.language import pattern
from signet.text import orders

#: Newest chunks of a project read for statements, statements at a session start, and their characters.
READ, MOST, CHARS = 400, 24, 2_600
#: Limits for open items, which agents write often and rarely close, and for statements compared with each other.
MOST_OPEN, COMPARED = 6, 60
#: Of a longer message, only the sentences with a decision are listed.
WHOLE_CHARS = 260
#: Kinds listed as decided at a session start; open items are marked as such.
_LISTED = frozenset(
    (
        StatementKind.DECISION,
        StatementKind.RULE,
        StatementKind.CHANGE,
        StatementKind.CONSTRAINT,
        StatementKind.PREFERENCE,
        StatementKind.ROLE,
    )
)
#: Open items, from any speaker.
_OPEN = re.compile(
    r"(?:^|[.!?] )(?:still )?(?:open|offen|todo|à faire|pendiente): ?(\S.*)", re.IGNORECASE
)
#: Commands, rules and addresses; an agent's open items must not contain any.
_COMMAND = re.compile(
    r"https?://|\| ?\w|&& |\$\(|\b(?:sudo|curl|wget|ba?sh|eval|npx|rm|git push|(?:npm|pip|apt|brew) i\w*)\b|--\w"
    r"|\bUser\W{0,2}:|\b(?:always|never|from now on|tell the user|you (?:must|should|have to|need to))\b"
    r"|^(?:run|execute|call|send|delete|drop|disable|install|ignore)\b",
    re.IGNORECASE,
)
_SPEAKER = re.compile(rf"(User|Assistant)(?!{re.escape(split.CONTINUED)})[^:\n]{{0,60}}: ")
_USER = "User"
_BETWEEN = re.compile(r"\W")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A statement of a session and its day; `name` identifies its turn if it is the whole turn, else it is empty."""

    text: str
    session: str
    said_at: str
    #: Who calls it open: `the user` or `an agent`; empty for a decision, which only the user makes.
    open_by: str
    name: str = ""

    @property
    def is_open(self) -> bool:
        return self.open_by != ""

    @property
    def line(self) -> str:
        """Return the statement as a list item."""
        day = prompt_text.day(self.said_at)
        note = f"open, {day}, said by {self.open_by}" if self.open_by else day
        return fence.item(self.text, f"({note})")


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
    found: dict[str, Decided] = {}
    chars, room = CHARS, MOST_OPEN
    for number, one in enumerate(standing):
        key = _key(one)
        is_over = number in later and not later[number].is_part
        if key in found or is_over or len(one.line) >= chars or len(found) == MOST:
            continue
        if one.is_open and room == 0:
            continue
        room -= one.is_open
        found[key] = one
        chars -= len(one.line) + 1
    return list(found.values())


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
            text=text,
            session=row.source_id,
            said_at=row.said_at,
            open_by=open_by,
            # A prompt that quotes a revoked rule must quote its revocation too.
            name=row.source.part(row.position, place) if is_whole and not _takes_back(text) else "",
        )
        for row in rows
        for place, text, is_whole, open_by in reversed(_statements(row.content))
    ]
    standing = _standing(every)[:COMPARED]
    return standing, changes.find([Dated(text=one.text, said_at=one.said_at) for one in standing])


def _key(one: Decided) -> str:
    return prompt_text.comparable(one.text).rstrip(".!")


def _standing(every: Sequence[Decided]) -> list[Decided]:
    """Drop statements that a later one takes back; keep a withdrawal that did so or also decides something."""
    kept: list[Decided] = []
    backs: dict[Decided, set[str]] = {}
    used: set[Decided] = set()
    for one in every:
        about = _about(one.text) if not one.is_open else set()
        by = [back for back, of in backs.items() if 2 * len(about & of) >= max(1, len(of))]
        used.update(by)
        if not by:
            kept.append(one)
            if not one.is_open and _takes_back(one.text):
                backs[one] = about
    return [one for one in kept if one not in backs or one in used or _decides(one.text)]


@lru_cache(2 * READ)
def _about(text: str) -> set[str]:
    """Return the stems of the words that name the subject of a statement."""
    return {*map(search.stem, fts.content_words(pattern("taken_back").sub(" ", text)))} - {
        "rule",
        "regel",
    }


def listable(chunk: str) -> list[str]:
    """Return the statements of a chunk that a start could list."""
    return [text for _, text, _, _ in _statements(chunk)]


def facts(one: Decided) -> list[str]:
    """Return the facts that the pipeline extracts from a statement: a session that has the statement knows them too."""
    return [fact.content for fact in rules.extract(f"{_USER}: {one.text}").facts]


def names(found: Sequence[Decided], told: str) -> list[str]:
    """Return the names of the turns that a text contains in full."""
    kept = [one.name for one in found if one.name and one.line in told]
    return [name.replace("episode:", STARTED, 1) for name in kept]


def texts(chunk: str) -> list[str]:
    """Return the user's decisions in a chunk."""
    return [text for _, text, _, is_open in _each(chunk) if not is_open]


@lru_cache(2 * READ)
def _statements(chunk: str) -> Sequence[tuple[int, str, bool, str]]:
    """Return each statement of a chunk: position, text, whether it is the whole turn, and who calls it open."""
    return list(_each(chunk))


def _each(chunk: str) -> Iterator[tuple[int, str, bool, str]]:
    turns: list[tuple[str | None, str]] = []
    parts = split.turns(brief.without_code(chunk))
    sides = [label or part for part, label in zip(parts, split.speakers(parts), strict=True)]
    for turn in parts:
        named = _SPEAKER.match(turn)
        turns.append((named[1], turn[named.end() :].strip()) if named else (None, turn))
    for place, (speaker, said) in enumerate(turns):
        reply = next((text for who, text in turns[place + 1 :] if who == _USER), "")
        is_standing = speaker == _USER and not kinds.takes_back(reply)
        ruled = list(_ruled(said)) if is_standing else []
        for text, kind, is_whole in ruled:
            yield place, text, is_whole, "the user" if kind is StatementKind.OPEN else ""
        if not ruled and (opened := _OPEN.search(said)):
            text = opened[1].strip()
            is_users = sides[place].startswith(_USER)
            is_order = orders.steers(text) or (not is_users and _COMMAND.search(text))
            if len(text) <= WHOLE_CHARS and not is_order:
                yield place, text, False, "the user" if is_users else "an agent"


def _ruled(said: str) -> Iterator[tuple[str, StatementKind | None, bool]]:
    """Yield the parts of a message that decide, leave open or take back (None), and whether each is all of it."""
    if orders.steers(said):
        return
    parts = sentences.paragraphs(said)
    every = [one for part in parts for one in part]
    found: list[tuple[str, StatementKind | None]] = []
    for one in kinds.sincere_sentences(parts):
        kind = kinds.kind_of(one)
        is_back = kind is None and _takes_back(one) and kinds.is_meant(one)
        if (kind in _LISTED or kind is StatementKind.OPEN or is_back) and not orders.steers(one):
            found.append((one, kind))
    is_whole = _BETWEEN.sub("", said) == _BETWEEN.sub("", "".join(every))
    if found and is_whole and len(said) <= WHOLE_CHARS:
        decided = [kind for _, kind in found if kind is not StatementKind.OPEN]
        open_item = _OPEN.sub(r"\1", said)
        yield (said, decided[0], True) if decided else (open_item, StatementKind.OPEN, True)
    else:
        yield from ((one, kind, False) for one, kind in found if len(one) <= WHOLE_CHARS)


def _takes_back(text: str) -> bool:
    return pattern("taken_back").search(text) is not None


def _decides(text: str) -> bool:
    return any(kinds.kind_of(one) in _LISTED for part in sentences.paragraphs(text) for one in part)
