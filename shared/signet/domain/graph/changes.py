"""Whether a later statement replaces an earlier one, in everyday language: "we moved from Fly to Hetzner". Pure.

`claims.py` judges plain English sentences, and its findings are stored. This compares a few texts with each other, in
several languages, and stores nothing: the older one is shown behind the newer one, with a date. A wrong pair marks a
true statement, so questions, plans, doubts and reports of earlier times replace nothing. A later statement replaces an
earlier one if

- it ends something that the earlier one names: "Splunk is gone", "pnpm instead of yarn" (`ended`);
- it permits what the earlier one forbids: "you may use tabs again" (`ended`);
- it says that something moved or changed, and both have a value of one kind, such as a time or a name (`moved`);
- they differ in one value of which there can be only one at a time (`value`); or
- it is a commit with another amount for what a talk in its project agreed on (`commit`).

`statements/language.toml` contains the words.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, lru_cache
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

from signet import clock
from signet.db import fts, languages, script
from signet.domain.statements.language import alternatives, listed, table

#: Longest text that is read, and the number of statements read from the end of a talk.
MAX_CHARS, MAX_STATEMENTS = 400, 12
#: Characters of what marks a replaced statement.
MARK_CHARS = len(" [until 2026-01-01]")
#: Share of an earlier statement's words that a later one must contain to end it without naming a value of it.
COVERED = 0.5
#: Share that it must contain in any case, and most words of either.
LEAST, MOST_WORDS = 0.25, 14
#: Words of a value, and words to either side of a cue that it refers to.
VALUE_WORDS, NEAR = 2, 3
#: Most words in which two statements with another value may differ.
MOST_VALUE_WORDS = 4
#: Most digits of a number that distinguishes things of a kind.
LABEL_DIGITS = 3
#: A word in more than this share of the compared texts is no evidence, from MANY texts on.
COMMON, MANY = 0.25, 12
#: Most texts that one statement about an end or a move replaces.
MOST_ENDED = 2

_CUE = re.compile(
    "|".join(
        f"(?P<{part}>{alternatives(part)})"
        for part in ("replaced", "instead", "ends", "moves", "switches", "scales", "now")
    )
)
_OPEN, _PAST, _ADDS, _ASKS_PAST, _ASKED_PAST = (
    re.compile(alternatives(part)) for part in ("unsure", "past", "adds", "asks_past", "asked_past")
)
_ASKS = re.compile(
    r"[?？]\W*$|^(?:who|what|when|where|which|why|how|wer|wann|wo|wie|qui|quand|où|quién|cuándo|dónde)\b"
)
_LIFTS, _FORBIDS = re.compile(alternatives("taken_back")), re.compile(alternatives("forbids"))
_COPULA = re.compile(r"(?<!\w)(?:is|are|ist|sind|est|sont|es|son|è|é|:|=)(?!\w)|['’]s(?!\w)")
_IS_AT = re.compile(
    rf"(?<!\w)(?:is|are|ist|sind|liegt|liegen|est|sont|está|están) (?:{'|'.join(sorted(listed('words', 'places')))}) "
)
_DAYS, _MONTHS, _OFTEN, _NUMBERS, _PLACES, _ORIGINS = (
    listed("words", name) for name in ("days", "months", "often", "numbers", "places", "origins")
)
_UNITS = {unit: kind for kind in table()["units"] for unit in listed("units", kind)}
_TOKEN = re.compile(r"\.?[$€£]?[^\W_](?:[\w.:/@+#'’-]*[\w+#%])?|%|€")
_TIME = re.compile(r"\d{1,2}(?::\d\d)?(?:am|pm|h)|\d{1,2}[:h]\d\d")
_PREPOSITIONS = _PLACES | _ORIGINS
#: Between a preposition and its noun.
_ARTICLES = frozenset(
    "the a an our my der die das den dem unser mein le la les l un une mon notre el los las mi il lo o de het".split()
)
_GERMAN_ARTICLES = frozenset(
    "der die das den dem des ein eine einen einem einer unser unsere mein meine im am ins".split()
)
_CLOCK = frozenset(("am", "pm", "uhr", "h", "o'clock"))
#: Words before a new value: "it's Dr. Pruitt".
_LEADS = frozenset(
    "is are it's ist est es son that's c'est dr dr. mr mr. mrs mrs. ms herr frau docteur doctor doctora".split()
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"[$€£]?(\d[\d.,]*)([a-zäöü%]*)")
_CODE = re.compile(r"\d|[_/@]|\w\.\w|\w-\w+-|[a-z][A-Z]")
_CLAUSE = re.compile(r"[,;:()–—]\s|\s[–—-]\s|\s(?:but|sondern|mais|sino|pero|aber|and|und|et|y)\s")
#: A full stop behind one letter, a title or an abbreviation ends no sentence.
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\b\w\.)(?<!\b(?:[DMSF]r|M[se]|St|No|Nr|ca|vs|cf)\.)(?<!\b(?:[MD]r[as]|bzw|etc|sog)\.)\s+|(?<=[。！？])|\n+"
)
_USERS = re.compile(r"^(?=User[^:\n]{0,60}: )", re.MULTILINE)
_SPEAKER = re.compile(r"^(User|Assistant)[^:\n]{0,60}: ", re.MULTILINE)
#: Endings without which forms of a word are the same, the longest first.
_ENDINGS = tuple(
    sorted(
        "ments ment ations ation ing ed es s e y en er ten te ée és ent ez as os í ó ado ada aba".split(),
        key=len,
        reverse=True,
    )
)
#: Words without a subject matter, and measures that are clear from a number.
_IDLE = (
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
def _stem(word: str) -> str:
    plain = _IRREGULAR.get(word) or fts.folded(word)
    for _ in range(2):  # an ending of its number, and one of its form
        for ending in _ENDINGS:
            if plain.endswith(ending) and len(plain) - len(ending) >= 4:
                plain = plain[: -len(ending)]
                break
    return plain[:7]


_AGAIN = frozenset(map(_stem, "again wieder nouveau nuevo nuovo novo".split()))
_SLOTS = listed("single", "slots")
_NAMING = _SLOTS | listed("single", "names")
_LOCATED = listed("single", "located")
_RELATIONS = _LOCATED | listed("single", "relations")
_KIN = frozenset(map(_stem, listed("single", "kin")))
_APART = {
    word: (name, line)
    for name, lines in table()["apart"].items()
    for line, listed in enumerate(lines)
    for word in listed.split()
}


_UNTYPED = frozenset(("", "name", "code"))

#: Parts of identifiers and words, and amounts with what may be their unit.
_PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")
_AMOUNT = re.compile(r"(?<!\w)\d[\d_.,:]*|[^\W\d_]+|[€$£%]")
#: Words that a commit's subject must share with an exchange, or one if its whole message shares MESSAGE_SHARED. On four
#: developers' days 2 and 4 found 11 of 22 changes, with 1 wrong pair (loadtests, `ownday`).
SUBJECT_SHARED, MESSAGE_SHARED = 2, 4
#: An earlier commit records what the talk agreed on.
LATER_HOURS = 24


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
        return frozenset(_stem(word) for word in self._every if word in _NAMING)

    @cached_property
    def slots(self) -> frozenset[str]:
        """Return the stems of nouns among `names`."""
        return frozenset(_stem(word) for word in self._every if word in _SLOTS)

    @cached_property
    def is_located(self) -> bool:
        return self.is_at or not _LOCATED.isdisjoint(self._every)

    @cached_property
    def relates(self) -> frozenset[str]:
        """Return the stems of words for things with one value after a preposition."""
        return frozenset(_stem(word) for word in self._every if word in _RELATIONS)

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
        return frozenset([word.kind for word in self.words]) - _UNTYPED

    def others(self, shared: Collection[str]) -> list[Term]:
        return [word for word in self.words if word.stem not in shared]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A text with its time (ISO) and project; `is_talk` marks lines of speakers ("User: …").

    `distance` is that of its origin (`wire/origin.py`).
    """

    text: str
    said_at: str
    project: str | None = None
    is_talk: bool = False
    is_commit: bool = False
    distance: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """A replacement: the index of the newer text, both statements, and the reason (`ended`, `moved`, `value`).

    `is_part`: other statements of the older text may still hold.
    """

    by: int
    old: str
    new: str
    why: str
    is_part: bool
    #: Share of the older statement's words that the newer one names.
    near: float

    @property
    def is_certain(self) -> bool:
        """Return whether the older text may be left out: the newer says that something changed, or is the same but for
        one value, which is no number of a thing ("room 42").
        """
        if self.is_part or self.why != "value" or announces(self.new):
            return not self.is_part
        before, after = (
            [token[0].lower() for token in _TOKEN.finditer(text)] for text in (self.old, self.new)
        )
        gone = [one for one in before if one not in after]
        came = [at for at, one in enumerate(after) if one not in before]
        if len(gone) != 1 or len(came) != 1:
            return False
        value, lead = after[came[0]], after[came[0] - 1] if came[0] else ""
        is_label = value.isdigit() and len(value) <= LABEL_DIGITS
        return not is_label or lead in _PREPOSITIONS | _LEADS


def find(texts: Sequence[Dated], older: int | None = None) -> dict[int, Replacement]:
    """Map the index of each replaced text (of the first `older`, by default all) to its newest replacement.

    Texts of other projects or less trusted origins replace nothing. Quadratic: 30 texts take about 1 ms.
    """
    read = [statements(one.text, one.is_talk) for one in texts]
    stems = [_stems_of(one.text, one.is_talk) for one in texts]
    common = _common(stems)
    found: dict[int, Replacement] = {}
    for newer, other in enumerate(texts):
        changes: dict[int, Replacement] = {}
        for number, one in enumerate(texts[:older]):
            if one.said_at >= other.said_at:
                continue
            if other.is_commit and one.project == other.project and not one.is_commit:
                is_later = is_after_talk(one.said_at, other.said_at)
                change = by_commit(one.text, other.text) if is_later else None
                if change:
                    changes[number] = replace(change, by=newer)
                continue
            if stems[newer].isdisjoint(stems[number]):
                continue
            is_here = not one.project or not other.project or one.project == other.project
            if is_here and other.distance <= one.distance:
                change = _between(newer, read[number], read[newer], common)
                if change:
                    changes[number] = change
        for number in _nearest(changes) if changes else ():
            known = found.get(number)
            if known is None or texts[known.by].said_at < other.said_at:
                found[number] = changes[number]
    return found


def _common(stems: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return stems that occur in too many texts to distinguish them."""
    if len(stems) < MANY:
        return frozenset()
    held = Counter(chain.from_iterable(stems))
    return frozenset([stem for stem, count in held.items() if count > COMMON * len(stems)])


def _nearest(changes: Mapping[int, Replacement]) -> list[int]:
    """Return the texts closest to a statement, and all that differ in one value."""
    ended = [older for older, change in changes.items() if change.why != "value"]
    ended.sort(key=lambda older: changes[older].near, reverse=True)
    return [*(changes.keys() - ended), *ended[:MOST_ENDED]]


def is_after_talk(said_at: str, committed_at: str) -> bool:
    """Return whether a commit is too late to record what a talk agreed on."""
    said, committed = clock.parsed(said_at), clock.parsed(committed_at)
    return bool(said and committed and committed - said >= timedelta(hours=LATER_HOURS))


def by_commit(text: str, message: str) -> Replacement | None:
    """Return how a later commit of the same project changes an amount that a text or talk states, None if it does not.

    Both are about the same by the words of a sentence of the message and of an exchange with the one before it. `old`
    is the line of the exchange with the earlier amount, `new` the sentence; `by` is 0.
    """
    known, parts, exchanges = _exchanges(text)
    every = _parts(message)
    best, found = 0, None
    for number, (said, topic, amounts) in enumerate(_committed(message)):
        kinds = {kind for kind, _ in amounts - known}
        if not kinds or 2 * len(topic & parts) + 2 * len(amounts) < len(topic):
            continue
        for exchange, around, told in exchanges:
            earlier = {one for one in told if one[0] in kinds}
            near = len(topic & around) + len(earlier & amounts)
            is_about = not number and near > 0 and len(every & around) >= MESSAGE_SHARED
            is_about = is_about or near >= SUBJECT_SHARED
            if earlier and is_about and 2 * near >= len(topic) and near > best:
                line = next(one for one in exchange.splitlines() if _amounts(one) & earlier)
                best, old = near, _SPEAKER.sub("", line)
                share = near / len(topic)
                found = Replacement(by=0, old=old, new=said, why="commit", is_part=True, near=share)
    return found


class _Exchanges(NamedTuple):
    """The amounts and stems of a text; its exchanges, each with the stems of it and the one before, and its amounts."""

    amounts: frozenset[tuple[str, str]]
    parts: frozenset[str]
    each: Sequence[tuple[str, frozenset[str], frozenset[tuple[str, str]]]]


@lru_cache(maxsize=1_024)
def _exchanges(text: str) -> _Exchanges:
    every = _USERS.split(text)
    parts = [_parts(one) for one in every]
    around = [one | before for one, before in zip(parts, [frozenset[str](), *parts], strict=False)]
    amounts = list(map(_amounts, every))
    each = list(zip(every, around, amounts, strict=True))
    return _Exchanges(_amounts(text), frozenset().union(*parts), each)


@lru_cache(maxsize=1_024)
def _committed(message: str) -> Sequence[tuple[str, frozenset[str], frozenset[tuple[str, str]]]]:
    """Return the sentences of a commit's message with amounts, the subject first, each with its stems and amounts.

    An amount without a unit has that of another one in the sentence: "20 minutes instead of 12".
    """
    found = []
    for said in [one.strip() for one in _SENTENCE.split(message.strip())]:
        amounts = _amounts(said)
        units = sorted({kind for kind, _ in amounts} - {"number"})
        if len(units) == 1:
            amounts = frozenset([(units[0], value) for _, value in amounts])
        found.append((said, _parts(said), amounts))
    return found


@lru_cache(maxsize=4_096)
def _parts(text: str) -> frozenset[str]:
    """Return the stems of a text's words and of parts of its identifiers, without numbers and units."""
    words = [part.lower() for part in _PART.findall(text)]
    plain = _IDLE | _NUMBERS | _PLACES | _UNITS.keys() | _OFTEN | {"instead", "every", "ever"}
    said = [word.removesuffix("s") for word in words if word not in plain and len(word) > 1]
    return frozenset(map(_stem, said))


@lru_cache(maxsize=4_096)
def _amounts(text: str) -> frozenset[tuple[str, str]]:
    """Return the amounts of a text, each with its kind: `time`, the unit next to it, else `number`."""
    tokens = ["", *_AMOUNT.findall(text.lower()), ""]
    found: set[tuple[str, str]] = set()
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        unit = next((one for one in (after, before) if one in _UNITS), "")
        kind = _UNITS.get(unit, "number")
        if kind == "duration":
            kind = unit if unit in ("ms", "months") else unit[0]
        if token[:1].isdigit():
            is_time = ":" in token.strip(":") or after in _CLOCK
            found.add(("time" if is_time else kind, re.sub("[_,]", "", token.rstrip(".:_,"))))
        elif (token in _NUMBERS and unit) or (token == "half" and after in _ARTICLES):
            found.add((kind, token))
    return frozenset(found)


def announces(text: str) -> bool:
    """Return whether a short text contains a cue of an end, a move or a new value."""
    return len(text) <= MAX_CHARS and _CUE.search(text.lower()) is not None


def marked(text: str, replaced: str, since: str) -> str:
    """Insert the date of replacement after a replaced statement; it takes `MARK_CHARS`."""
    return text.replace(replaced, f"{replaced} [until {clock.local_day(since)}]", 1)


def names(text: str) -> list[str]:
    """Return the stems of nouns that have one value at a time, such as a limit."""
    found = [token[0] for token in _TOKEN.finditer(text[:MAX_CHARS])]
    named = [raw.lower() for raw in found if raw[0].isupper() or _CODE.search(raw)]
    return list(dict.fromkeys([one for one in named if one not in _IDLE and len(one) > 1]))


def lifts(text: str) -> bool:
    """Return whether a text takes back a rule that it names: "you may use tabs again"."""
    return any(one.lifted for one in statements(text, False))


def is_lifted(rule: str, by: str) -> bool:
    """Return whether a text takes back a rule."""
    every = [(new, old) for new in statements(by, False) for old in statements(rule, False)]
    return any(new.lifted and _is_lifted(new, old) for new, old in every)


def is_about(question: str, text: str, change: Replacement) -> bool:
    """Return whether a question shares a word with the replaced statement or none with the rest, or by a commit."""
    asked, old = ({*map(_stem, fts.content_words(one))} for one in (question, change.old))
    rest = {*map(_stem, fts.content_words(text.replace(change.old, " ")))}
    return change.why == "commit" or not asked.isdisjoint(old) or asked.isdisjoint(rest)


def asks_past(question: str, change: Replacement) -> bool:
    """Return whether a question is about the time before a change.

    The past tense is enough for something that ended; "which port did we choose" is about the current one.
    """
    low = question.lower()
    is_past = change.why == "ended" and _ASKED_PAST.search(low) is not None
    return is_past or _ASKS_PAST.search(low) is not None


def _between(
    newer: int, old: Sequence[Assertion], new: Sequence[Assertion], common: Set[str]
) -> Replacement | None:
    for later in new:
        for earlier in old:
            shared = later.stems & earlier.stems
            why = ""
            if shared and len(shared) >= LEAST * len(earlier.stems):
                why = _replaces(later, earlier, shared, common)
            if why:
                return Replacement(
                    by=newer,
                    old=earlier.text,
                    new=later.text,
                    why=why,
                    is_part=bool(earlier.whole) or sum(not one.whole for one in old) > 1,
                    near=len(shared) / len(earlier.stems),
                )
    return None


def _replaces(new: Assertion, old: Assertion, shared: Set[str], common: Set[str]) -> str:
    """Return why a statement replaces an earlier one; empty if both may hold."""
    most = max(len(new.stems), len(old.stems))
    if new.lifted and _is_lifted(new, old):
        return "ended"
    is_change = new.moves or new.is_new or not new.ends.isdisjoint(shared)
    is_near = most - len(shared) <= MOST_VALUE_WORDS and _may_differ(new, old)
    if most > MOST_WORDS or not (is_change or is_near):
        return ""
    ours, theirs = new.others(shared), old.others(shared)
    why = ""
    if new.ends & shared and _is_ended(new, old, shared, common):
        why = "ended"
    elif (new.moves or new.is_new) and _is_moved(new, old, shared - common, ours, theirs):
        why = "moved"
    elif ours and theirs and shared - common and _is_same_but_value(new, old, ours, theirs):
        why = "" if new.adds else "value"
    if not why or not new.is_sure or not old.is_sure:
        return ""
    is_apart = any(new.apart.get(name, line) != line for name, line in old.apart.items())
    return "" if is_apart else why


def _is_lifted(new: Assertion, old: Assertion) -> bool:
    """Return whether a permission names an earlier rule: two thirds of its words, and at least two."""
    if not old.forbids or old.lifted or not old.is_sure:
        return False
    about = len(new.lifted & old.stems)
    is_same = about >= min(2, len(new.lifted)) and 3 * about >= 2 * len(new.lifted)
    return is_same and new.apart.items() <= old.apart.items()  # not only on staging


def _may_differ(new: Assertion, old: Assertion) -> bool:
    """Return whether two statements may be the same but for a value: a quick test before `_is_same_but_value`."""
    return bool(
        new.kinds & old.kinds
        or new.names & old.names
        or new.slots & old.slots
        or new.relates & old.relates
        or (new.is_at and old.is_at)
    )


def _values(words: Sequence[Term], *, is_named: bool) -> dict[str, set[int]]:
    """Return the groups of values by kind; with `is_named`, names in any position count.

    Without a name, plain words after a preposition count as one.
    """
    found: dict[str, set[int]] = {}
    for word in words:
        is_there = word.before in _PLACES or word.before in _LEADS
        is_there = is_there or (word.kind == "name" and word.before in ("a", "an"))
        if word.kind not in _UNTYPED:
            found.setdefault(word.kind, set()).add(word.group)
        elif is_there or (is_named and word.kind):
            found.setdefault("name" if word.kind else "", set()).add(word.group)
    plain = found.pop("", None)
    return {"name": plain} | found if plain else found


def _is_ended(new: Assertion, old: Assertion, shared: Set[str], common: Set[str]) -> bool:
    """Return whether a statement ends the matter of an earlier one, not only its subject."""
    ended = [word for word in new.words if word.stem in new.ends]
    kinds = {word.kind for word in ended if word.stem not in shared} - {""}
    if any(word.kind in kinds for word in old.others(shared)):
        return False
    both = (new.ends & shared) - common
    if any(_is_evidence(word) for word in (*ended, *old.words) if word.stem in both):
        return True
    if old.words[0].stem in both and (new.ends <= shared or new.named == old.named != ""):
        return True
    is_covered = len(shared - common) >= 2 and len(shared) >= COVERED * len(old.stems)
    return is_covered and not any(word.kind == "name" for word in old.others(shared))


def _is_evidence(word: Term) -> bool:
    """Return whether two statements about an end that share this word alone are about the same."""
    is_time = word.kind in ("day", "date", "time")
    return word.kind not in ("", "number") and not (is_time and word.before in _PLACES)


def _is_moved(
    new: Assertion, old: Assertion, shared: Set[str], ours: Sequence[Term], theirs: Sequence[Term]
) -> bool:
    """Return whether a statement of a move is about the subject of an earlier one, which has one value."""
    after, before = _values(ours, is_named=False), _values(theirs, is_named=True)
    kinds = (after.keys() & before.keys()) - ({"name"} if new.scales else set())
    if not new.moves:
        kinds &= {"number"}
    if "number" in kinds and not _labels(new).isdisjoint(_labels(old)):
        return True
    if not kinds or min(len(one.get("name", ())) for one in (after, before)) > 1:
        return False
    if new.moved and new.moved.isdisjoint(shared):
        return False
    if kinds == {"name"} and new.slots.isdisjoint(old.slots):
        is_place = any(word.before in _PLACES for word in theirs)
        if not (new.relocates and old.is_located and is_place):
            return False
    firsts = {new.words[0].stem in shared, old.words[0].stem in shared}
    is_subject = firsts == {True} or (True in firsts and kinds != {"name"})
    return is_subject or len(shared) > 1


def _labels(one: Assertion) -> set[str]:
    return {word.stem for word, after in pairwise(one.words) if after.kind == "number"}


def _is_same_but_value(
    new: Assertion, old: Assertion, ours: Sequence[Term], theirs: Sequence[Term]
) -> bool:
    """Return whether two statements differ only in one value that a thing has once."""
    if _has_other_value(new, old, ours, theirs):
        return True
    typed = {word.kind for word in ours if word.kind not in _UNTYPED}
    kinds = typed & {word.kind for word in theirs}
    shared = new.stems & old.stems
    if len(kinds) == 1:
        return _is_same_but_number(new, old, ours, theirs, kinds.pop())
    if typed or max(len(ours), len(theirs)) > MOST_VALUE_WORDS:
        return False
    named = [word for word in old.words if word.kind == "name" and word.stem in shared]
    if not _KIN.isdisjoint(shared) and not named:
        return False
    if new.is_new and len(shared) > 1:  # it may omit known words
        theirs = [word for word in theirs if word.group == theirs[-1].group]
    is_place = ours[0].before in _PLACES and theirs[0].before in _PLACES
    is_told = new.is_new and new.has_copula and all(word.kind for word in ours)
    is_one = (
        not shared.isdisjoint(new.names & old.names)
        or (is_place and not shared.isdisjoint(new.relates & old.relates))
        or (is_place and (is_told or (new.is_at and old.is_at)))
        or (is_told and old.has_copula and all(word.kind for word in theirs))
    )
    # "Ana is the lead" and "the lead is Ben": the value is on the other side of the verb.
    is_turned = (ours[0] is new.words[0]) != (theirs[0] is old.words[0])
    is_long = len(shared) > 1 and not is_turned
    is_long = is_long or (new.has_copula and old.has_copula)
    return is_one and is_long and _is_value(ours, new) and _is_value(theirs, old)


def _has_other_value(
    new: Assertion, old: Assertion, ours: Sequence[Term], theirs: Sequence[Term]
) -> bool:
    """Return whether two sentences fill the same slot with different values: "the address is …"."""
    if (new.stems & old.stems).isdisjoint(new.slots & old.slots):
        return False
    for one, words in ((new, ours), (old, theirs)):
        is_end = words[0].at == one.words[-len(words)].at
        is_value = one.has_copula and one.is_predicate(words[0])
        if not is_end or not is_value or len(words) > MOST_VALUE_WORDS:
            return False
    return True


def _is_same_but_number(
    new: Assertion, old: Assertion, ours: Sequence[Term], theirs: Sequence[Term], kind: str
) -> bool:
    """Return whether two statements differ only in a number, day or time of one kind."""
    if kind == "number" and not _is_single_number(new, old):
        return False
    more, less = ([word for word in words if word.kind != kind] for words in (ours, theirs))
    if more and less:
        return False
    if new.is_new and not more and len(new.stems & old.stems) > 1:
        return True
    one = new if more else old
    kinds = [word.kind for word in one.words]
    place = kinds.index(kind)
    # Words before the value name the thing; "port 80" is one value.
    labels = one.words[place - 1 : place] if kind == "number" else ()
    at = one.words[place].at
    rest = more or less
    return not [word for word in rest if word.kind or (word.at < at and word not in labels)]


def _is_single_number(new: Assertion, old: Assertion) -> bool:
    """Return whether a thing has one such number: "Node 22", "8 lines" or a port, but not "trip 22"."""
    counted = [{word.stem for word in one.words if word.before[:1].isdigit()} for one in (new, old)]
    versions = [
        {word.stem for word, after in pairwise(one.words) if after.kind == "number" and word.kind}
        for one in (new, old)
    ]
    single = (new.names | new.relates) & (old.names | old.relates)
    values = [[word.before for word in one.words if word.kind == "number"] for one in (new, old)]
    if all(_LEADS.issuperset(befores) for befores in values):  # "the code is 4471"
        return True
    is_same = any(not one.isdisjoint(other) for one, other in (counted, versions))
    return is_same or bool(single) or (new.is_at and old.is_at)


def _is_value(words: Sequence[Term], one: Assertion) -> bool:
    """Return whether some words are one value at the start or end of a statement."""
    places = [one.words.index(word) for word in words]
    is_run = places[-1] - places[0] == len(places) - 1
    is_short = len(words) <= VALUE_WORDS or len({word.group for word in words}) == 1
    is_end = places[-1] == len(one.words) - 1 and one.is_predicate(words[0])
    return is_run and is_short and (places[0] == 0 or is_end)


@lru_cache(maxsize=1_024)
def statements(text: str, is_talk: bool = False) -> tuple[Assertion, ...]:
    """Return the sentences of a text, or of the user in a talk, and the clauses of long ones."""
    found: list[Assertion] = []
    for spoken in _spoken(text) if is_talk else [text]:
        if len(spoken) <= MAX_CHARS:
            for sentence in _SENTENCE.split(spoken):
                found += _read(sentence.strip())
    return tuple(found[-MAX_STATEMENTS:])


@lru_cache(maxsize=1_024)
def _stems_of(text: str, is_talk: bool) -> frozenset[str]:
    return frozenset[str]().union(*[part.stems for part in statements(text, is_talk)])


def _spoken(text: str) -> list[str]:
    parts = _SPEAKER.split(text)
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
    if len(subject) > 1 and subject[1].before in _PLACES:
        subject = subject[:1]
    for start, end, own in clauses:
        if own and len(own) < len(words):
            verb = _COPULA.search(low, start, end)
            is_own = start == 0 or (verb and own[0].at < verb.start())
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
                if word.before not in _PLACES and word.kind in ("", "name", "code")
            ]
            found.update([word.stem for word in things if word.at < cue.start()][-1:])
            behind = [word for word in clause if word.at >= cue.end()]
            objects = list(takewhile(lambda word: word.before not in _PLACES, behind))
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
        elif at not in edges and end not in edges and bare not in _IDLE:
            after = tokens[number + 1] if number + 1 < len(tokens) else None
            next_ = low[after.start() : after.end()] if after else ""
            kind, is_unit = _kind(raw, bare, next_, before, is_first=not number)
            is_name_before = kind in ("name", "code")
            group += not (is_named and is_name_before)
            if kind in ("", "name"):
                found.append(Term(_stem(bare), kind, at, before, group))
            elif kind == "runs":
                found += [Term(pair, "", at, before, group) for pair in script.cut(bare)]
            elif kind != "idle":
                stem = f"{kind} {bare.removesuffix('s')} {next_ if kind == 'date' else ''}"
                found.append(Term(stem, kind, at, before, group))
        if bare not in _ARTICLES or before not in _PREPOSITIONS:
            before = bare
    return found


def _kind(raw: str, bare: str, after: str, before: str, *, is_first: bool) -> tuple[str, bool]:
    """Return the kind of a word, `idle` for a meaningless one, and whether the next word is its unit."""
    if raw[0].isdigit() or raw[0] in "$€£":
        return _kind_of_number(bare, after, before)
    if bare in _NUMBERS:
        unit = _UNITS.get(after)
        return (unit, True) if unit else ("idle", False)
    if bare in _APART:
        return "idle", False
    if bare in _DAYS or bare.removesuffix("s") in _DAYS:
        return "day", False
    if bare in _OFTEN:
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
    unit = _UNITS.get(after)
    if _DATE.fullmatch(bare) or after in _MONTHS:
        return "date", after in _MONTHS
    if _TIME.fullmatch(bare) or after in _CLOCK:
        return "time", after in _CLOCK
    found = _NUMBER.fullmatch(bare)
    if found is None or (_YEAR.fullmatch(bare) and (not after or before in _PREPOSITIONS)):
        return "code", False
    if found[2]:
        return _UNITS.get(found[2], "code"), False
    if unit:
        return unit, True
    if bare[0] in "$€£":
        return "money", False
    return ("time" if before in ("at", "um", "las") else "number"), False
