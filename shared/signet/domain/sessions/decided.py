"""List decisions, rules and open items from the sessions of a project, in their authors' words.

A session starts with these statements, newest first: an agent must know them before the first prompt.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.episodes import brief, fence, search, split
from signet.domain.episodes.models import STARTED
from signet.domain.sessions import wording
from signet.text import orders

#: Newest chunks of a project that are read for statements, statements at a session start, and their characters.
READ, MOST, CHARS = 400, 24, 2_600
#: Of a longer message, only the sentences with a decision are listed.
WHOLE_CHARS = 260
#: Phrases of decisions and rules.
_DECIDES = re.compile(
    r"\b(?:decision|decided|settled?|agreed|rule (?:for|of)|from now on|going forward|never|always|must(?:n['’]t)?"
    r"|no longer|not any ?more|instead of|at (?:most|least)|only (?:in|on|with|if|when|after|by|for|the)|no \w+ at all"
    r"|ha(?:s|ve) to (?:agree|approve|sign)|ask \w+ (?:\w+ ){0,2}(?:before|first)|until \w+ (?:says|agrees|signs)"
    r"|not allowed|forbidden|protected|budget|that was wrong|(?:write|note|keep|leave) \w+ (?:\w+ )?(?:as )?open"
    r"|entschieden|entscheidung|beschlossen|ab (?:jetzt|sofort)|künftig|niemals?|immer|nicht mehr|höchstens|mindestens"
    r"|nur (?:in|mit|wenn|nach|bei)|darf (?:nicht|nie)|verboten"
    r"|décidé|décision|désormais|dorénavant|jamais|toujours|ne \w+ plus|au plus|interdit|seulement (?:si|avec|après)"
    r"|decidi(?:mos|do)|decisión|a partir de ahora|nunca|siempre|ya no|como máximo|prohibido"
    r"|sólo (?:si|con|después))\b",
    re.IGNORECASE,
)
#: Open items, from any speaker.
_OPEN = re.compile(
    r"(?:^|[.!?] )(?:still )?(?:open|offen|todo|à faire|pendiente): ?(\S.*)", re.IGNORECASE
)
_SPEAKER = re.compile(r"(User|Assistant)[^:\n]{0,60}: ")
_USER = "User"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A statement of a session and its day; `name` is that of the turn that it is the whole of, else empty."""

    text: str
    session: str
    said_at: str
    is_open: bool
    name: str = ""

    @property
    def line(self) -> str:
        """Return it as an item of a list."""
        note = f"open, {wording.day(self.said_at)}" if self.is_open else wording.day(self.said_at)
        return fence.item(self.text, f"({note})")


def find(tx: ReadTx, *, reader: Reader, project: str, but: str | None) -> list[Decided]:
    """Return the statements of a project's sessions that fit at a session start, newest first, each once.

    Decisions are from messages of the user alone. What is open may be said by an agent; nothing that steers one is
    taken. Empty without a project.
    """
    if not project:
        return []
    rows = search.within(tx, reader=reader, project=project, commits=False, but=but, most=READ)
    found: dict[str, Decided] = {}
    chars = CHARS
    for row in rows:
        source = row.source
        for place, text, is_whole, is_open in reversed(_statements(row.content)):
            name = source.part(row.position, place) if is_whole else ""
            one = Decided(
                text=text, session=row.source_id, said_at=row.said_at, is_open=is_open, name=name
            )
            key = wording.comparable(text).rstrip(".!")
            if key in found or len(one.line) >= chars:
                continue
            found[key] = one
            chars -= len(one.line) + 1
            if len(found) == MOST:
                return list(found.values())
    return list(found.values())


def names(found: Sequence[Decided], told: str) -> list[str]:
    """Return the names of the turns that a text tells whole."""
    kept = [one.name for one in found if one.name and one.line in told]
    return [name.replace("episode:", STARTED, 1) for name in kept]


@lru_cache(2 * READ)
def _statements(chunk: str) -> Sequence[tuple[int, str, bool, bool]]:
    """Return place, text, whether it is the whole turn, and whether it is open, of each statement of a chunk."""
    return list(_each(chunk))


def _each(chunk: str) -> Iterator[tuple[int, str, bool, bool]]:
    for place, turn in enumerate(split.turns(brief.without_code(chunk))):
        named = _SPEAKER.match(turn)
        speaker, said = (named[1], turn[named.end() :].strip()) if named else (None, turn)
        if speaker == _USER and _DECIDES.search(said):
            if len(said) <= WHOLE_CHARS:
                yield place, said, True, False
            else:
                for sentence in split.sentences(said):
                    if _DECIDES.search(sentence) and len(sentence) <= WHOLE_CHARS:
                        yield place, sentence, False, False
        elif opened := _OPEN.search(said):
            text = opened[1].strip()
            if len(text) <= WHOLE_CHARS and not orders.steers(text):
                yield place, text, False, True
