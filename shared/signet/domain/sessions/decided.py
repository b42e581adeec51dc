"""List decisions, rules and open items from the sessions of a project, in their authors' words.

A session starts with these statements, newest first: an agent must know them before the first prompt.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from signet.db import ReadTx, fts
from signet.db.visibility import Reader
from signet.domain.episodes import brief, fence, search, split
from signet.domain.episodes.models import STARTED
from signet.domain.extraction import rules_sentences
from signet.domain.graph import changes
from signet.domain.graph.changes import Dated
from signet.domain.sessions import wording
from signet.text import orders

#: Newest chunks of a project that are read for statements, statements at a session start, and their characters.
READ, MOST, CHARS = 400, 24, 2_600
#: Open items among them, which agents write often and close seldom; and statements that are compared with each other.
MOST_OPEN, COMPARED = 6, 60
#: Of a longer message, only the sentences with a decision are listed.
WHOLE_CHARS = 260
#: Phrases of decisions and rules.
_DECIDES = re.compile(
    r"\b(?:decision|decided|settled?|agreed|rule (?:for|of)|from now on|going forward|never(?! ?mind)|always"
    r"|must(?:n['’]t)?|no longer|not any ?more|instead of|at (?:most|least)|no \w+ at all"
    r"|only (?:in|on|with|if|when|after|by|for|the)|ha(?:s|ve) to (?:agree|approve|sign)"
    r"|ask \w+ (?:\w+ ){0,2}(?:before|first)|budget|protected|until \w+ (?:says|agrees|signs)|not allowed|forbidden"
    r"|that was wrong(?!, (?:undo|revert|try))|(?:write|note|keep|leave) \w+ (?:\w+ )?(?:as )?open"
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
#: Questions, reports of faults, settings, commands and passwords in words of rules; "ok?" after a rule asks nothing.
_NO_DECISION = re.compile(
    r"(?<!\bok)(?<!\bokay)(?<!\bclear)(?<!\bklar)(?<!\bvale)[?？]"
    r"|^(?:(?:and|but|so|then|ok|und|aber|et|mais|y|pero),? )?(?:why|who|where|should|shall|ca?n|could|would|will"
    r"|do(?! not)|does|did|is|are|was|were|has|warum|wieso|pourquoi|est-ce|por qué)\b"
    r"|\b(?:(?:not|n['’]t|nothing)(?: yet| been| really)* (?:decided|agreed|settled)|noch nicht entschieden"
    r"|(?:I|it|this|that|he|she)(?:['’]ve| have| has)? (?:always|never) (?:\w+ed|knew|saw|understood|felt|had|went|got)"
    r"|(?!must|should|may|can|will|to|and|or|but|please)\w+ (?:always|never|no longer) (?:crash|fail|hang|break|work"
    r"|pass|finish|compile|load|start|happen|respond|stop)(?:e?s|ed)?|takes? at least|403 forbidden"
    r"|immer noch|noch immer|(?:geht|läuft|klappt|funktioniert|startet|baut) (?:\w+ )?(?:nie|nicht|immer)"
    r"|(?:marche|fonctionne|compile|passe|démarre) (?:jamais|plus|toujours)|plante|toujours (?:en erreur|pas|cassé)"
    r"|(?:ya no|nunca|siempre) (?:me )?(?:funciona|falla|arranca|compila|termina|sale|pasa))\b"
    r"|^(?:this|it|that|there) must (?:be|have|not)\b"
    r"|^\W*\w[\w-]*(?:\W+\w[\w-]*)?\W*$|^/\w|(?:\b[\w.-]+: [\w./-]+ ){2}[\w.-]+:"
    r"|\b(?:password|passwort|passphrase|mot de passe|contraseña|token|secret|key) (?=\S*[a-z])(?=\S*\d)\S{6}",
    re.IGNORECASE,
)
#: How people say that they do not mean a statement.
_NOT_MEANT = re.compile(
    r"\b(?:disagree|nonsense|ha(?:ha)+|lol|kidding|joking|just thinking|what if|suppose (?:we|that)|imagine"
    r"|hypothetical\w*|Quatsch|Unsinn|nur Spaß|je plaisante|es broma|always the same|immer dasselbe)\b",
    re.IGNORECASE,
)
#: How the user takes a statement back; the other words of the sentence name its subject.
_TAKEN_BACK = re.compile(
    r"\b(?:(?:forget|scrap|strike|never mind) (?:about )?(?:that|this|it|what I said|(?:that|the) rule)(?: \w+ rule)?"
    r"|changed? (?:my|our) minds?|(?:is|are) (?:fine|ok|okay|allowed)(?: again| now| after all)?|on second thoughts?"
    r"|(?:no longer|not|n['’]t) (?:apply|applies|hold|holds|valid)(?: any ?more)?|vergiss (?:das|die regel)"
    r"|gilt nicht(?: mehr)?|(?:doch|wieder) (?:ok|okay|erlaubt|in ordnung)|oublie[zr]? (?:ça|cela|la règle)"
    r"|ne s['’]applique plus|n['’]est plus valable|olvida (?:eso|la regla)|olvídalo|ya no (?:vale|aplica))\b",
    re.IGNORECASE,
)
#: A message that takes back the user's message before it.
_FORGET_THAT = re.compile(
    r"\W*(?:(?:no|nein|non|actually|doch)\W+)?(?:(?:forget|scrap|strike) (?:that|this|it|what I said)|never ?mind"
    r"|vergiss (?:das|es)|oublie[zr]? (?:ça|cela)|olvida eso|olvídalo)\W*$",
    re.IGNORECASE,
)
#: Commands, rules and addresses; what an agent calls open must not contain any.
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
    """A statement of a session and its day; `name` is that of the turn that it is the whole of, else empty."""

    text: str
    session: str
    said_at: str
    #: Who calls it open: `the user` or `an agent`; empty for a decision, which is the user's.
    open_by: str
    name: str = ""

    @property
    def is_open(self) -> bool:
        """Return whether it is an open item."""
        return self.open_by != ""

    @property
    def line(self) -> str:
        """Return it as an item of a list."""
        day = wording.day(self.said_at)
        note = f"open, {day}, said by {self.open_by}" if self.open_by else day
        return fence.item(self.text, f"({note})")


def find(tx: ReadTx, *, reader: Reader, project: str, but: str | None) -> list[Decided]:
    """Return the statements of a project's sessions that fit at a session start, newest first, each once.

    Decisions are from messages of the user alone, without questions, reports and what the user took back. What is open
    may be said by an agent, without commands; nothing that steers one is taken. Empty without a project.
    """
    if not project:
        return []
    rows = search.within(tx, reader=reader, project=project, commits=False, but=but, most=READ)
    every = [
        Decided(
            text=text,
            session=row.source_id,
            said_at=row.said_at,
            open_by=open_by,
            # A prompt that quotes a revoked rule must quote its revocation too.
            name=row.source.part(row.position, place)
            if is_whole and not _TAKEN_BACK.search(text)
            else "",
        )
        for row in rows
        for place, text, is_whole, open_by in reversed(_statements(row.content))
    ]
    standing = _standing(every)[:COMPARED]
    later = changes.find([Dated(text=one.text, said_at=one.said_at) for one in standing])
    found: dict[str, Decided] = {}
    chars, room = CHARS, MOST_OPEN
    for number, one in enumerate(standing):
        key = wording.comparable(one.text).rstrip(".!")
        is_over = number in later and not later[number].is_part
        if key in found or is_over or len(one.line) >= chars or len(found) == MOST:
            continue
        if one.is_open and room == 0:
            continue
        room -= one.is_open
        found[key] = one
        chars -= len(one.line) + 1
    return list(found.values())


def _standing(every: Sequence[Decided]) -> list[Decided]:
    """Return what no later statement takes back; one that takes back stays if it did, or decides something."""
    kept: list[Decided] = []
    backs: dict[Decided, set[str]] = {}
    used: set[Decided] = set()
    for one in every:
        about = _about(one.text) if not one.is_open else set()
        by = [back for back, of in backs.items() if 2 * len(about & of) >= max(1, len(of))]
        used.update(by)
        if not by:
            kept.append(one)
            if not one.is_open and _TAKEN_BACK.search(one.text):
                backs[one] = about
    return [one for one in kept if one not in backs or one in used or _DECIDES.search(one.text)]


@lru_cache(2 * READ)
def _about(text: str) -> set[str]:
    """Return the stems of the words that name the subject of a statement."""
    return {*map(search.stem, fts.content_words(_TAKEN_BACK.sub(" ", text)))} - {"rule", "regel"}


def names(found: Sequence[Decided], told: str) -> list[str]:
    """Return the names of the turns that a text tells whole."""
    kept = [one.name for one in found if one.name and one.line in told]
    return [name.replace("episode:", STARTED, 1) for name in kept]


def texts(chunk: str) -> list[str]:
    """Return what the user decides in a chunk."""
    return [text for _, text, _, is_open in _each(chunk) if not is_open]


@lru_cache(2 * READ)
def _statements(chunk: str) -> Sequence[tuple[int, str, bool, str]]:
    """Return place, text, whether it is the whole turn, and who calls it open, of each statement of a chunk."""
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
        is_standing = speaker == _USER and not _FORGET_THAT.match(reply)
        ruled = list(_ruled(said)) if is_standing else []
        yield from ((place, text, is_whole, "") for text, is_whole in ruled)
        if not ruled and (opened := _OPEN.search(said)):
            text = opened[1].strip()
            is_users = sides[place].startswith(_USER)
            is_order = orders.steers(text) or (not is_users and _COMMAND.search(text))
            if len(text) <= WHOLE_CHARS and not is_order:
                yield place, text, False, "the user" if is_users else "an agent"


def _ruled(said: str) -> Iterator[tuple[str, bool]]:
    """Yield what a message decides or takes back, and whether that is all of it: no questions or machine text."""
    if not (_DECIDES.search(said) or _TAKEN_BACK.search(said)) or orders.steers(said):
        return
    sentences = [one for part in rules_sentences.paragraphs(said) for one in part]
    ruling = [one for one in sentences if _is_ruling(one)]
    is_short = len(said) <= WHOLE_CHARS
    if is_short and (not ruling or _NOT_MEANT.search(said)):
        return
    if is_short and _BETWEEN.sub("", said) == _BETWEEN.sub("", "".join(sentences)):
        yield said, True
    else:
        yield from ((one, False) for one in ruling if len(one) <= WHOLE_CHARS)


def _is_ruling(text: str) -> bool:
    is_meant = not (_NO_DECISION.search(text) or _NOT_MEANT.search(text) or orders.steers(text))
    return is_meant and bool(_DECIDES.search(text) or _TAKEN_BACK.search(text))
