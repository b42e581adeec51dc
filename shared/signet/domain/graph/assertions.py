"""Reads short texts as assertions: sentences and clauses with their meaningful words and values. Pure.

`changes.py` compares them. `statements/language.toml` contains the words, in several languages.
"""

import re
from bisect import bisect
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from signet.db import fts, languages, script
from signet.domain.statements.language import alternatives, listed, table

#: Longest text that is read, and the number of statements read from the end of a talk.
MAX_CHARS, MAX_STATEMENTS = 400, 12
#: Words to either side of a cue that it refers to.
NEAR = 3
_CUE = re.compile(
    "|".join(
        f"(?P<{part}>{alternatives(part)})"
        for part in ("replaced", "instead", "ends", "moves", "switches", "scales", "now")
    )
)
_OPEN, _PAST, _ADDS = (re.compile(alternatives(part)) for part in ("unsure", "past", "adds"))
_ASKS = re.compile(
    r"[?？]\W*$|^(?:who|what|when|where|which|why|how|wer|wann|wo|wie|qui|quand|où|quién|cuándo|dónde)\b"
)
_LIFTS, _FORBIDS = re.compile(alternatives("taken_back")), re.compile(alternatives("forbids"))
_COPULA = re.compile(r"(?<!\w)(?:is|are|ist|sind|est|sont|es|son|è|é|:|=)(?!\w)|['’]s(?!\w)")
_IS_AT = re.compile(
    rf"(?<!\w)(?:is|are|ist|sind|liegt|liegen|est|sont|está|están) (?:{'|'.join(sorted(listed('words', 'places')))}) "
)
_DAYS, _MONTHS, OFTEN, NUMBERS, PLACES, _ORIGINS = (
    listed("words", name) for name in ("days", "months", "often", "numbers", "places", "origins")
)
UNITS = {unit: kind for kind in table()["units"] for unit in listed("units", kind)}
_TOKEN = re.compile(r"\.?[$€£]?[^\W_](?:[\w.:/@+#'’-]*[\w+#%])?|%|€")
_TIME = re.compile(r"\d{1,2}(?::\d\d)?(?:am|pm|h)|\d{1,2}[:h]\d\d")
PREPOSITIONS = PLACES | _ORIGINS
#: Between a preposition and its noun.
ARTICLES = frozenset(
    "the a an our my der die das den dem unser mein le la les l un une mon notre el los las mi il lo o de het".split()
)
_GERMAN_ARTICLES = frozenset(
    "der die das den dem des ein eine einen einem einer unser unsere mein meine im am ins".split()
)
CLOCK = frozenset(("am", "pm", "uhr", "h", "o'clock"))
#: Words before a new value: "it's Dr. Pruitt".
LEADS = frozenset(
    "is are it's ist est es son that's c'est dr dr. mr mr. mrs mrs. ms herr frau docteur doctor doctora".split()
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"[$€£]?(\d[\d.,]*)([a-zäöü%]*)")
_CODE = re.compile(r"\d|[_/@]|\w\.\w|\w-\w+-|[a-z][A-Z]")
_CLAUSE = re.compile(r"[,;:()–—]\s|\s[–—-]\s|\s(?:but|sondern|mais|sino|pero|aber|and|und|et|y)\s")
#: How a clause names the subject of the one before: "and its disk is full".
_ITS = re.compile(r"(?:its|their|h(?:is|er)|seine?|ihre?|s(?:a|es|us?|u[oa])|leurs?)\s")
#: A full stop behind one letter, a title or an abbreviation ends no sentence.
SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\b\w\.)(?<!\b(?:[DMSF]r|M[se]|St|No|Nr|ca|vs|cf)\.)(?<!\b(?:[MD]r[as]|bzw|etc|sog)\.)\s+|(?<=[。！？])|\n+"
)
SPEAKER = re.compile(r"^(User|Assistant)[^:\n]{0,60}: ", re.MULTILINE)
#: Endings without which forms of a word are the same, the longest first.
_ENDINGS = tuple(
    sorted(
        "ments ment ations ation ing ed es s e y en er ten te ée és ent ez as os í ó ado ada aba".split(),
        key=len,
        reverse=True,
    )
)
#: Words without a subject matter, and measures that are clear from a number.
IDLE = (
    fts.STOP_WORDS
    | frozenset().union(*(one.stops for one in (*languages.BY_SPACES, languages.RUSSIAN)))
    | frozenset(
        """
        dr mr mrs ms herr frau monsieur madame señor señora doctor doctora docteur uhr am pm today yesterday week last
        longer got gets finally recently this morning afternoon evening limit limited length size need needs needed says
        say said it's its i'm we're they're definitive definitivo whole everybody everything please note least number
        amount value equals amounts one newer beträgt betragen liegt liegen lautet heute gestern woche bitte wurde wird
        sera esta c'est d'un man o il lo j'ai we've i've
        """.split()
    )
)
_IRREGULAR = dict(
    pair.split("/")
    for pair in """
    kept/keep sent/send held/hold built/build paid/pay met/meet ran/run written/write taken/take taught/teach sold/sell
    spoken/speak driven/drive läuft/laufen fährt/fahren trägt/tragen
    """.split()
)


@lru_cache(maxsize=4_096)
def stem_of(word: str) -> str:
    plain = _IRREGULAR.get(word) or fts.folded(word)
    for _ in range(2):  # an ending of its number, and one of its form
        for ending in _ENDINGS:
            if plain.endswith(ending) and len(plain) - len(ending) >= 4:
                plain = plain[: -len(ending)]
                break
    return plain[:7]


_AGAIN = frozenset(map(stem_of, "again wieder nouveau nuevo nuovo novo".split()))
_SLOTS = listed("single", "slots")
_NAMING = _SLOTS | listed("single", "names")
_LOCATED = listed("single", "located")
_RELATIONS = _LOCATED | listed("single", "relations")
_APART = {
    word: (name, line)
    for name, lines in table()["apart"].items()
    for line, listed in enumerate(lines)
    for word in listed.split()
}
UNTYPED = frozenset(("", "name", "code"))


class Term(NamedTuple):
    """A word of a statement: its compared form, kind and position.

    The kind is empty for plain words, `name`, `code`, `time`, `day`, `date`, or the unit of a number. Adjacent names
    have one `group`.
    """

    stem: str
    kind: str
    at: int
    before: str
    group: int


@dataclass(frozen=True, eq=False)
class Assertion:
    """A sentence or one of its clauses, with its meaningful words."""

    text: str
    words: Sequence[Term]
    #: How these are compared.
    stems: frozenset[str]
    #: Stems of the things that ended.
    ends: frozenset[str]
    moves: bool
    #: Whether only a number or a time did.
    scales: bool
    is_new: bool
    #: Stems of what moved: the last noun before the cue, and that of the object behind it.
    moved: frozenset[str]
    #: Whether it says that a thing is at another place, not that another thing was chosen.
    relocates: bool
    #: The sentence of which it is a clause, and the start of that sentence.
    whole: "Assertion | None" = None
    begin: int = 0

    @cached_property
    def is_sure(self) -> bool:
        """Return whether it states a present fact."""
        low = self.text.lower()
        if _ASKS.search(low) or _OPEN.search(low) or (self.whole and not self.whole.is_sure):
            return False
        return self.is_new or self.moves or not _PAST.search(low)

    @cached_property
    def has_copula(self) -> bool:
        return _COPULA.search(self.text.lower()) is not None

    def is_predicate(self, word: Term) -> bool:
        """Return whether a word follows the verb; also true without a verb."""
        verb = _COPULA.search(self.text.lower())
        return verb is None or word.at - self.begin > verb.start()

    @cached_property
    def is_at(self) -> bool:
        return _IS_AT.search(self.text.lower()) is not None

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the stems of nouns that have one value at a time, such as a limit."""
        return frozenset(stem_of(word) for word in self._every if word in _NAMING)

    @cached_property
    def slots(self) -> frozenset[str]:
        """Return the stems of nouns among `names`."""
        return frozenset(stem_of(word) for word in self._every if word in _SLOTS)

    @cached_property
    def is_located(self) -> bool:
        return self.is_at or not _LOCATED.isdisjoint(self._every)

    @cached_property
    def relates(self) -> frozenset[str]:
        """Return the stems of its words that take one value after a preposition, such as `hosted` on."""
        return frozenset(stem_of(word) for word in self._every if word in _RELATIONS)

    @cached_property
    def _every(self) -> list[str]:
        return re.findall(r"\w+", self.text.lower())

    @cached_property
    def named(self) -> str:
        """Return the stem of its first word if that may be a name."""
        first = self.words[0]
        return first.stem if first.at == 0 and self.text[0].isupper() else ""

    @cached_property
    def adds(self) -> bool:
        return _ADDS.search(self.text.lower()) is not None

    @cached_property
    def lifted(self) -> frozenset[str]:
        """Return the stems of the rule that it takes back; that somebody "may" do something is certain here."""
        low = self.text.lower()
        found = _LIFTS.search(low)
        if (
            found is None
            or _ASKS.search(low)
            or _OPEN.search(low[: found.start()] + low[found.end() :])
        ):
            return frozenset()
        named = (
            word for word in self.words if not found.start() <= word.at - self.begin < found.end()
        )
        return frozenset(word.stem for word in named) - _AGAIN

    @cached_property
    def forbids(self) -> bool:
        return _FORBIDS.search(self.text.lower()) is not None

    @cached_property
    def apart(self) -> dict[str, int]:
        """Return its limits, such as an environment."""
        return dict(_APART[word] for word in self._every if word in _APART)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of values that it has: numbers, days, amounts."""
        return frozenset([word.kind for word in self.words]) - UNTYPED

    def others(self, shared: Collection[str]) -> list[Term]:
        return [word for word in self.words if word.stem not in shared]


def announces(text: str) -> bool:
    """Return whether a short text contains a cue of an end, a move or a new value."""
    return len(text) <= MAX_CHARS and _CUE.search(text.lower()) is not None


def tokens(text: str) -> list[str]:
    return [found[0] for found in _TOKEN.finditer(text)]


def names(text: str) -> list[str]:
    """Return the stems of nouns that have one value at a time, such as a limit."""
    found = tokens(text[:MAX_CHARS])
    named = [raw.lower() for raw in found if raw[0].isupper() or _CODE.search(raw)]
    return list(dict.fromkeys([one for one in named if one not in IDLE and len(one) > 1]))


def lifts(text: str) -> bool:
    """Return whether a text takes back a rule that it names: "you may use tabs again"."""
    return any(one.lifted for one in statements(text))


@lru_cache(maxsize=1_024)
def statements(text: str, is_talk: bool = False) -> tuple[Assertion, ...]:
    """Return the sentences of a text, or of the user in a talk, and the clauses of long ones."""
    found: list[Assertion] = []
    for spoken in _spoken(text) if is_talk else [text]:
        if len(spoken) <= MAX_CHARS:
            for sentence in SENTENCE.split(spoken):
                found += _read(sentence.strip())
    return tuple(found[-MAX_STATEMENTS:])


@lru_cache(maxsize=1_024)
def stems_of(text: str, is_talk: bool) -> frozenset[str]:
    return frozenset[str]().union(*[part.stems for part in statements(text, is_talk)])


def _spoken(text: str) -> list[str]:
    parts = SPEAKER.split(text)
    return [said for who, said in zip(parts[1::2], parts[2::2], strict=True) if who == "User"]


def _read(sentence: str) -> list[Assertion]:
    """Return a sentence as a statement, then its clauses, each with its own subject or the first one's."""
    low = sentence.lower()
    if len(low) != len(sentence):  # places would differ
        return []
    cues = list(_CUE.finditer(low))
    words = _words(sentence, low, cues)
    if not words:
        return []
    breaks = [found.end() for found in _CLAUSE.finditer(sentence)]
    whole = _statement(sentence, words, cues, breaks, (0, len(sentence)), None)
    read = [whole]
    if not breaks or len(words) < 3:
        return read
    edges = [0, *breaks, len(sentence)]
    clauses = [
        (start, end, [word for word in words if start <= word.at < end])
        for start, end in pairwise(edges)
    ]
    subject = [word for word in clauses[0][2][:2] if word.kind in ("", "name")]
    if len(subject) > 1 and subject[1].before in PLACES:
        subject = subject[:1]
    for start, end, own in clauses:
        if own and len(own) < len(words):
            verb = _COPULA.search(low, start, end)
            is_own = start == 0 or (
                verb and own[0].at < verb.start() and not _ITS.match(low, start)
            )
            every = own if is_own else [*subject, *own]
            if len(every) > 1:
                read.append(_statement(sentence, every, cues, breaks, (start, end), whole))
    return read


def _statement(
    sentence: str,
    words: Sequence[Term],
    cues: Sequence[re.Match[str]],
    breaks: Sequence[int],
    span: tuple[int, int],
    whole: Assertion | None,
) -> Assertion:
    own = [cue for cue in cues if span[0] <= cue.start() + 2 * (cue[0][0] == ",") < span[1]]
    kinds = {cue.lastgroup for cue in own}
    return Assertion(
        text=sentence[slice(*span)].strip(" ,;:."),
        words=words,
        stems=frozenset([word.stem for word in words]),
        ends=_ended(own, words, breaks) if own else frozenset(),
        moves=not kinds.isdisjoint(("moves", "switches", "scales")),
        scales="scales" in kinds and kinds.isdisjoint(("moves", "switches")),
        is_new="now" in kinds,
        moved=_moved(own, words, breaks) if own else frozenset(),
        relocates="moves" in kinds,
        whole=whole,
        begin=span[0],
    )


def _ended(
    cues: Sequence[re.Match[str]], words: Sequence[Term], breaks: Sequence[int]
) -> frozenset[str]:
    """Return the stems of things that ended, and of origins of a move."""
    found: set[str] = set()
    for cue in cues:
        at = cue.start() + 2 * (cue[0][0] == ",")
        clause = [word for word in words if bisect(breaks, word.at) == bisect(breaks, at)]
        before = [word.stem for word in clause if word.at < at][-NEAR:]
        after = [word.stem for word in clause if word.at >= at][:NEAR]
        if cue.lastgroup in ("moves", "switches"):
            found.update(word.stem for word in clause if word.kind and word.before in _ORIGINS)
        elif cue.lastgroup not in ("now", "scales"):
            found.update(() if cue.lastgroup == "instead" else before)
            found.update(() if cue.lastgroup == "replaced" else after[:2])
    return frozenset(found)


def _moved(
    cues: Sequence[re.Match[str]], words: Sequence[Term], breaks: Sequence[int]
) -> frozenset[str]:
    found: set[str] = set()
    for cue in cues:
        if cue.lastgroup in ("moves", "switches", "scales"):
            clause = [
                word for word in words if bisect(breaks, word.at) == bisect(breaks, cue.start())
            ]
            things = [
                word
                for word in clause
                if word.before not in PLACES and word.kind in ("", "name", "code")
            ]
            found.update([word.stem for word in things if word.at < cue.start()][-1:])
            behind = [word for word in clause if word.at >= cue.end()]
            objects = list(takewhile(lambda word: word.before not in PLACES, behind))
            found.update([word.stem for word in objects[-1:]])
    return frozenset(found)


def _words(sentence: str, low: str, cues: Sequence[re.Match[str]]) -> list[Term]:
    """Return the meaningful words of a sentence without cues."""
    edges: set[int] = set()
    for cue in cues:
        edges.update(range(*cue.span()) if cue.lastgroup == "now" else (), cue.span())
    tokens = list(_TOKEN.finditer(sentence))
    found: list[Term] = []
    before, group, is_name_before, is_unit = "", 0, False, False
    for number, token in enumerate(tokens):
        at, end = token.span()
        raw, bare = token[0], low[at:end].removesuffix("'s").removesuffix("’s")
        is_named = is_name_before
        is_name_before = False
        if is_unit:
            is_unit = False
        elif at not in edges and end not in edges and bare not in IDLE:
            after = tokens[number + 1] if number + 1 < len(tokens) else None
            next_ = low[after.start() : after.end()] if after else ""
            kind, is_unit = _kind(raw, bare, next_, before, is_first=not number)
            is_name_before = kind in ("name", "code")
            group += not (is_named and is_name_before)
            if kind in ("", "name"):
                found.append(Term(stem_of(bare), kind, at, before, group))
            elif kind == "runs":
                found += [Term(pair, "", at, before, group) for pair in script.cut(bare)]
            elif kind != "idle":
                stem = f"{kind} {bare.removesuffix('s')} {next_ if kind == 'date' else ''}"
                found.append(Term(stem, kind, at, before, group))
        if bare not in ARTICLES or before not in PREPOSITIONS:
            before = bare
    return found


def _kind(raw: str, bare: str, after: str, before: str, *, is_first: bool) -> tuple[str, bool]:
    """Return the kind of a word, `idle` for a meaningless one, and whether the next word is its unit."""
    if raw[0].isdigit() or raw[0] in "$€£":
        return _kind_of_number(bare, after, before)
    if bare in NUMBERS:
        unit = UNITS.get(after)
        return (unit, True) if unit else ("idle", False)
    if bare in _APART:
        return "idle", False
    if bare in _DAYS or bare.removesuffix("s") in _DAYS:
        return "day", False
    if bare in OFTEN:
        return "time", False
    if bare in _MONTHS and (after[:1].isdigit() or before[:1].isdigit() or raw[0].isupper()):
        return "date", after[:1].isdigit()
    if script.has_runs(bare):
        return "runs", False
    if _CODE.search(raw):
        return "code", False
    if len(bare) < 2:
        return "idle", False
    # German writes every noun with a capital; proper names have no article.
    is_name = raw[0].isupper() and not is_first and before not in _GERMAN_ARTICLES
    return ("name" if is_name else ""), False


def _kind_of_number(bare: str, after: str, before: str) -> tuple[str, bool]:
    unit = UNITS.get(after)
    if _DATE.fullmatch(bare) or after in _MONTHS:
        return "date", after in _MONTHS
    if _TIME.fullmatch(bare) or after in CLOCK:
        return "time", after in CLOCK
    found = _NUMBER.fullmatch(bare)
    if found is None or (_YEAR.fullmatch(bare) and (not after or before in PREPOSITIONS)):
        return "code", False
    if found[2]:
        return UNITS.get(found[2], "code"), False
    if unit:
        return unit, True
    if bare[0] in "$€£":
        return "money", False
    return ("time" if before in ("at", "um", "las") else "number"), False
