"""Interpret a request to forget by words: it matches memories that contain everything it names. Pure.

"Please delete everything about Ines" names Ines: the words of the request itself are removed (`meant.toml`). The
full-text index only finds candidates, because it stems "Ines" to "in" and matches `x@shop.com` with the beginning of
`x@shop.com.mx`. This module compares words with their inflected forms, and identifiers as a whole.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from signet import resources
from signet.db import fts, languages, script
from signet.db.languages import Language


def _words(text: str) -> frozenset[str]:
    return frozenset(map(fts.folded, text.split()))


_TABLE = resources.table(__file__)
#: The frame of a request in scripts without spaces.
_CJK_FRAME = re.compile(f"(?:{_TABLE.pop('frame_run')})+")
_FRAMES = {name: _words(text) for name, text in _TABLE.pop("frames").items()}
_INFLECTIONS: dict[str, list[str]] = _TABLE.pop("inflections")
_SAME = {word: some for line in _TABLE.pop("same") for some in (_words(line),) for word in some}
_WORDS = {name: _words(text) for name, text in _TABLE.items()}
#: A language without a table: its words of at most three letters name nothing.
_OTHER, _SLAVIC = (
    Language(name=name, stops=frozenset(), endings=()) for name in ("Other", "Slavic")
)
_SPOKEN = (languages.GERMAN, languages.FRENCH, languages.SPANISH, languages.RUSSIAN)
_ASKED_IN = [
    (None, _FRAMES["english"]),
    *((one, _FRAMES[one.name.lower()]) for one in _SPOKEN),
    (_OTHER, _FRAMES["others"]),
    (_SLAVIC, _FRAMES["slavic"]),
]
FRAME = frozenset[str]().union(*_FRAMES.values())
NOUNS, _KINDS, _ROLES = _WORDS["nouns"], _WORDS["kinds"], _WORDS["roles"]
_ADDRESSES, _TITLES, _BEHIND = _WORDS["addresses"], _WORDS["titles"], _WORDS["behind"]
_ACTS, _OF, _ADVERBS = _WORDS["acts"], _WORDS["of"], _WORDS["adverbs"]
_DERIVED = _WORDS["derived"] | {""}
_ENGLISH_OWN = _ACTS | _WORDS["own"]
_OWN = _ENGLISH_OWN | _WORDS["own_elsewhere"]
_SELF = _OWN - _WORDS["ours"]
_PERSON, _BEFORE_NOUNS = _OWN | _WORDS["person"], _OWN | _WORDS["before_nouns"]
_ARTICLES = _WORDS["own_elsewhere"] | _WORDS["articles"]
_RELATED = re.compile(
    r"^(?:ex|co|step|half|great|grand|schwieger|beau|belle)-?|-in-law$|(?<=[rnt])in$|(?<=[nrst])e$"
)

#: Characters between words of Chinese and Japanese sentences.
_PARTICLES = re.compile("[的了吗吧呢のはがをにへとでも、。，！？]+|さん")
#: Particles at the end of a Korean word.
_KOREAN = re.compile("(?<=[가-힣]{2})(?:에게|에서|으로|[은는을를에의과와로])$|^[은는을를에의]$")

#: How many words at the beginning may be verbs.
_LEAD = 6
_BOTH = re.compile(
    r"(?<!\bme)(?<!\bmir)(?<!\bmoi)\s(?:and|und|et|y)\s(?=(?:my|our|meine?n?|unsere?n?|mon|ma|mes|mis?)\s)",
    re.IGNORECASE,
)
#: "I" precedes a word, or the verb follows it, within this number of words.
_NEAR = 3
_BEFORE_ADVERBS = r"(?:^|[.!?:]\s*|\b(?:a|an|the|this|that|my|our|your|his|her|its|their)\s+)"
#: A German common noun.
_COMMON = re.compile(r"\b(?:[Dd](?:er|ie|as|en|em|es)|[Ee]in(?:e[mnrs]?)?) [A-ZÄÖÜ]\w+")
_TOKEN = re.compile(r'"([^"]+)"|(\S+)')
_OPENING, _CLOSING = "(\"'«“„‘[{<", ")(,.;:!?\"'»”“’]}>"
_FULL_NAME = re.compile(r"\b([^\W_]+) ([A-ZÀ-Þ][\w'-]+[a-zß-ÿ])\b")
_POSSESSIVE = re.compile(r"['’]s?$")
_OWNED = re.compile(r"([^\W_]+)(['’]s\b)?")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_WORD = re.compile(r"[^\W_]+")
#: Marks of an identifier: a digit, or a sign inside or before the token.
_IDENTIFIER = re.compile(r"\d|\w[^\w\s]+\w|_|^[@#/~$.%+-]+\w|\w[+#]+$")
#: A double name differs from each of its parts.
_DOUBLE = re.compile(r"(?<![^\W_])[A-ZÀ-Þ][^\W_]*+(?:-[A-ZÀ-Þ][^\W_]*+)+")
_PLAIN_HYPHENS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_TELEPHONE = re.compile(r"\+?[\d(][\d()/.-]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
#: A file name, which may follow its folder.
_FILE = re.compile(r"[\w-]+\.[A-Za-z]\w{0,4}")

#: From this number of words on, one may be missing if no memory contains all.
MANY_WORDS = 4
#: From this number of words on, memories with more than half of them are similar.
SEVERAL_WORDS = 2
#: Identifiers used to find candidates; all are compared.
_MAX_IDENTIFIERS = 20

#: Where something goes or comes from, and the name.
_WAY = re.compile(r"\b(to|from|nach|aus) (?=[A-ZÀ-Þ])([^\W_]+)")
#: "My wife", and a name.
_OUR = r"(?:my|our|mein|meine[mnrs]?|unsere?[mnrs]?|mon|ma|mi)"
#: "Mila wears"
_SUBJECT = re.compile(r"^([A-ZÀ-Þ][\w-]*[a-zß-ÿ]) (?:\w+s|had)\b")
_OPPOSITE = {"to": "from", "from": "to", "nach": "aus", "aus": "nach"}
_MY_RELATION = re.compile(rf"\b{_OUR} ((?:ex-)?)([^\W_]+(?:-in-law)?)", re.IGNORECASE)
_NAME = r"([A-ZÀ-Þ][\w-]+(?: [A-ZÀ-Þ][\w-]+)?)"
#: Endings that English nouns and verbs share; others are in `languages`.
_GERMAN_NOUN = frozenset(("", "e", "en", "er", "ern", "n", "s", "es", "em", "r"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestWord:
    """One word of a request; `is_name` allows no English endings and only those of German nouns."""

    text: str
    is_name: bool
    language: Language | None

    def is_in(self, words: frozenset[str], text: str) -> bool:
        """Return whether a text contains the word in some form; `words` are the text's folded words."""
        if script.has_runs(self.text) or script.is_picture(
            self.text
        ):  # these have no spaces around them
            return self.text in text
        is_noun = not self.is_name or self.language is languages.GERMAN
        if is_noun and not words.isdisjoint(_SAME.get(self.text, ())):
            return True
        return self.text in words or any(self._same(other) for other in words)

    def is_related_to(self, words: frozenset[str]) -> bool:
        """Return whether one of the words derives from it, or two are the parts of this compound."""
        return not self.is_name and any(
            (self.language and _is_form(self.text, other))
            or _is_derived(self.text, other)
            or (_common(self.text, other) >= max(4, len(other) - 2) and self._ends_in(words, other))
            for other in words
        )

    def _ends_in(self, words: frozenset[str], first: str) -> bool:
        """Return whether another of the words is the second part, after up to two linking letters."""
        rest = self.text[_common(self.text, first) :]
        ends = [rest[at:] for at in range(3)]
        return any(
            _common(end, other) >= max(4, len(end) - 4) for end in ends for other in words - {first}
        )

    def _same(self, other: str) -> bool:
        mine, language = self.text, self.language
        if mine[:3] != other[:3]:
            return False
        is_slavic = language is _SLAVIC or languages.is_russian(mine)
        if language is None and not is_slavic:
            return not self.is_name and not _lemmas(mine).isdisjoint(_lemmas(other))
        if is_slavic or not self.is_name:
            return _is_form(mine, other)
        if language is not languages.GERMAN:
            return False
        longest = max(map(len, _GERMAN_NOUN))
        least = max(language.least, min(len(mine), len(other)) - longest)
        return any(
            mine[:at] == other[:at] and mine[at:] in _GERMAN_NOUN and other[at:] in _GERMAN_NOUN
            for at in range(least, min(len(mine), len(other)) + 1)
        )


@dataclass(frozen=True, slots=True)
class Identifier:
    """One address, path, name with marks, number or quoted phrase; compared as a whole."""

    text: str

    def is_in(self, text: str) -> bool:
        """Return whether a text has exactly this identifier; case does not count."""
        return self._found(self._exact(), text)

    def is_spelled_otherwise_in(self, text: str) -> bool:
        """Return whether a text contains it with other signs between the same letters and digits."""
        parts = re.findall(r"[^\W\d_]+|\d+", self.text)
        if len("".join(parts)) < 3 or (len(parts) == 1 and parts[0].isdigit()):
            return False
        first = "v?" if re.fullmatch(r"v?\d.*", self.text, re.IGNORECASE) else ""
        if first and parts[0].lower() == "v":
            parts = parts[1:]
        return self._found(first + r"[\s\W_]?".join(map(re.escape, parts)), text)

    @property
    def match(self) -> str:
        """Return a query of the index for the identifier and its other spellings."""
        parts = re.findall(r"[^\W_]+", self.text.lower())
        if not parts:
            return ""
        bare = parts[1:] if len(parts) > 1 and parts[0] == "v" else parts
        bare = [re.sub(r"^v(?=\d)", "", bare[0]), *bare[1:]]
        split = re.findall(r"[^\W\d_]+|\d+", self.text.lower())
        forms = {" ".join(parts), " ".join(bare), "v" + " ".join(bare), "".join(parts)}
        return fts.any_of(sorted(forms | {" ".join(split)}))

    def _exact(self) -> str:
        exact = r"\s+".join(map(re.escape, self.text.split()))
        if _PLAIN_HYPHENS.fullmatch(self.text):
            return exact.replace(r"\-", r"[-\s]") + "(?:e?s)?"
        return exact

    def _found(self, pattern: str, text: str) -> bool:
        before, after = r"(?<!\w)(?<!\w[-.@/\\+_])", r"(?!\w)(?![-.@/\\+#~]+\w)(?!::)(?!~)"
        if _FILE.fullmatch(self.text):
            before = r"(?<!\w)(?<!\w[-.@\\+_])"
        if self.text[0] in "/.@":
            before += "(?<![~.])"
        if _YEAR.fullmatch(self.text):
            before, after = r"(?<![^\W\d])(?<!\d)(?<!\d[,])", r"(?!\w)(?!,\d)"
        elif self.text.isdigit():
            before += r"(?<!\d[,])"
            after += r"(?!,\d)"
        return re.search(before + pattern + after, text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """One interpretation of a request: all of these words and identifiers must match."""

    words: tuple[RequestWord, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    #: Relations and jobs in the request, each with the name it belongs to.
    roles: tuple[tuple[str, str], ...] = ()
    #: The "my" or "I" before what it names, and whether that is one word.
    own: str = ""
    is_single: bool = False
    #: A sentence around one common word, which memories may contain in several senses: "everything about the trial".
    is_vague: bool = False
    #: The opposite of each way in the request: "from Lisbon" for "to Lisbon".
    away: frozenset[tuple[str, str]] = frozenset()
    #: The folded names of the person who asks.
    user: frozenset[str] = frozenset()
    #: Whether it is a question.
    asks: bool = False
    #: Expressions of the index, one for each word.
    terms: tuple[str, ...] = field(repr=False, default=())

    @property
    def is_specific(self) -> bool:
        """Return whether it names more than one common word."""
        return len(self.words) > 1 or bool(self.identifiers or self.roles)

    def match(self, *, nearly: bool = False) -> str:
        """Return a query for memories with all words; with `nearly`, with all identifiers or, without any, one word."""
        identifiers = self.identifiers[:_MAX_IDENTIFIERS]
        parts = [f"({one.match})" for one in identifiers if one.match]
        if nearly and parts:
            return " AND ".join(parts)
        if self.terms:
            parts.append(f"({(' OR ' if nearly else ' AND ').join(self.terms)})")
        return " AND ".join(parts)


@dataclass(frozen=True, slots=True)
class Held:
    """Whether a memory matches an interpretation (`is_meant`) or only resembles it, and the reason."""

    is_meant: bool
    why: str
    #: Whether the memory gives the name the same relation or job; None if it gives none.
    is_same: bool | None = True
    #: The longer name that contains the name: "Colin Baker".
    full_name: str = ""


def parts(request: str) -> list[str]:
    """Return the requests in a compound one: "my shoe size and my ring size" asks for each."""
    return _BOTH.split(request)


def without_verbs(request: str, is_known: Callable[[str], bool]) -> str:
    """Drop request verbs that no memory contains: "nuke the notes on Hamburg" names Hamburg.

    Such a verb is one of the first words and precedes an article or a pronoun, or follows "I" or "we".
    """
    said = [fts.folded(_APOSTROPHE.split(one)[0]).strip(_CLOSING) for one in request.split()]
    kept = 0
    for at, word in enumerate(said[:_LEAD]):
        if word in FRAME or word in fts.STOP_WORDS:
            continue
        follows = next((one for one in said[at + 1 :] if one not in _ADVERBS), "")  # "clean up"
        asks = follows in _BEFORE_NOUNS or follows in FRAME or (at and said[at - 1] in _ACTS)
        if not asks or _IDENTIFIER.search(word) or is_known(word):
            break
        kept = at + 1
    return " ".join(request.split()[kept:])


def readings(request: str, user: str = "") -> list[Interpretation]:
    """Return the interpretations of a request by `user`, the narrowest first; none if it names nothing."""
    tokens, language, stops = _understood(request)
    away = frozenset((_OPPOSITE[way], name) for way, name in _WAY.findall(request))
    found: list[Interpretation] = []
    for keeps_nouns in (True, False):
        kept, own = _unframed(tokens, stops, keeps_nouns=keeps_nouns)
        for splits in (False, True) if kept else ():
            reading = _reading(kept, tokens, language, stops, own=own, splits=splits)
            reading = replace(reading, away=away, user=frozenset(_split(fts.folded(user))))
            if reading.match() and reading not in found:
                found.append(reading)
    alone = [one for one in found if len(one.words) == 1 and any(map(_names, one.identifiers))]
    return found + [replace(one, words=(), terms=(), roles=()) for one in alone[:1]]


def _understood(
    request: str,
) -> tuple[list[tuple[str, bool]], Language | None, frozenset[str]]:
    """Return the tokens of a request, its language, and its stop words."""
    tokens = list(_tokens(script.fold(request)))
    plain = fts.words(" ".join(text for text, is_exact in tokens if not is_exact))
    language = languages.language_of(plain, fts.STOP_WORDS) or _asked_in(plain)
    if language is None and not _WORDS["german_only"].isdisjoint(plain):
        language = languages.GERMAN
    stops = language.stops if language else frozenset()
    if language in (_OTHER, _SLAVIC):
        stops |= {
            text for text, is_exact in tokens if not is_exact and len(text) <= 3 and text.islower()
        }
    return tokens, language, fts.STOP_WORDS | stops


def subject(request: str) -> str:
    """Return what a request names, as a text for the embedding model; empty in scripts other than Latin."""
    tokens, _, stops = _understood(request)
    kept, own = _unframed(tokens, stops, keeps_nouns=False)
    text = " ".join([own if own in _OWN - _ACTS else "", *(text for text, _ in kept)]).strip()
    return text if all(one < "\u0250" for one in fts.folded(text)) else ""


def relation(request: str) -> re.Match[str] | None:
    """Return "my wife" in a request, with "ex-" and the relation as groups."""
    found = (one for one in _MY_RELATION.finditer(request) if _is_role(fts.folded(one[2])))
    return next(found, None)


def person(found: re.Match[str], user: str, text: str) -> str:
    """Return the name that a text gives a relation of the user: "Tobias's wife is called Ada"; empty if none."""
    was, role, names = found[1], re.escape(found[2]), "|".join(map(re.escape, user.split()))
    owned = rf"(?i:\b{_OUR} {found[1]}{role}\b" + (
        rf"|\b(?:{names})['’]?s? {role}\b|\bthe {role} of (?:{names})\b)" if names else ")"
    )
    verb = "was|war|était|era" if was else "is|ist|est|es"
    after = rf"{owned}(?: (?:{verb})(?: called| named)? | heißt | s'appelle | se llama | ){_NAME}"
    before = rf"{_NAME}(?:, | (?:{verb}) ){owned}"
    one = re.search(after, text) or re.search(before, text)
    return one[1] if one else ""


def _names(one: Identifier) -> bool:
    # Specific enough to drop a word such as "invoice" before it.
    return not (one.text.isdigit() or _PLAIN_HYPHENS.fullmatch(one.text))


def compare(reading: Interpretation, content: str, *, is_near: bool = False) -> Held | None:
    """Return the match of a memory; None if it lacks an identifier or half of the words.

    Of one that `is_near` in meaning, a related word is enough, but all must be there.
    """
    folded = fts.folded(content)
    words = frozenset(_split(folded))
    plain = script.parted(script.fold(content))
    exact = [one for one in reading.identifiers if one.is_in(plain)]
    others = [one for one in reading.identifiers if one not in exact]
    if any(not one.is_spelled_otherwise_in(plain) for one in others):
        return None
    have = [
        one
        for one in reading.words
        if one.is_in(words, content) or (is_near and one.is_related_to(words))
    ]
    single = frozenset(_split(fts.folded(_DOUBLE.sub(" ", content))))
    parts = [one for one in have if one.is_in(words, content) and not one.is_in(single, content)]
    lacks = [one for one in reading.words if one not in have]
    if not exact and 2 * len(lacks) >= len(reading.words) > 0:
        return None
    if others:
        return Held(False, f"other spelling of {', '.join(one.text for one in others)}")
    if parts:
        return Held(False, f"{parts[0].text} is part of a longer name")
    capital = frozenset(fts.folded(one) for one in _WORD.findall(content) if one[0].isupper())
    if have and not exact and not any(not one.is_name or one.is_in(capital, "") for one in have):
        return Held(False, f"holds {have[0].text}, not as a name")
    if is_near and reading.own in _SELF and reading.user.union(_PERSON).isdisjoint(words):
        return Held(False, "may be about somebody else")
    if reading.is_single and not is_near and not _is_own(reading, folded):
        return Held(False, f"holds {have[0].text}, not of a person")
    if reading.own and have and _is_of_another(reading, content):
        return Held(False, f"holds {have[-1].text} of somebody else")
    ways = [" ".join(one) for one in _WAY.findall(content) if one in reading.away]
    if ways:
        return Held(False, f"holds {ways[0]}")
    names = ", ".join([*(one.text for one in exact), *(one.text for one in have)])
    if not lacks:
        is_name = all(_has_name(name, plain) for _, name in reading.roles)
        same, full_name = _is_same(reading, folded), _full_name(reading, plain)
        return Held(is_name, f"holds {names}", same, full_name)
    is_nearly = len(lacks) == 1 and len(reading.words) + len(exact) >= MANY_WORDS
    if reading.asks and lacks == [reading.words[-1]]:
        is_nearly |= len(have) > 1 and not all(one.is_name for one in have)
    is_nearly = is_nearly and not any(one.is_name for one in lacks)
    is_nearly = is_nearly and not is_near
    if any(map(_names, exact)) and not is_near:  # a ticket or an address identifies the memory
        is_nearly = 2 * len(lacks) <= len(reading.words)
    return Held(is_nearly, f"holds {names}; lacks {', '.join(one.text for one in lacks)}")


def _is_form(one: str, other: str) -> bool:
    """Return whether two words have the same beginning, as the forms of a word in most languages."""
    same, long = _common(one, other), max(len(one), len(other))
    if not {one[same:], other[same:]}.isdisjoint(("in", "innen")):  # "Chefin" is no "Chef"
        return False
    return same >= max(4, min(len(one), len(other)) - 1 - (same > 5)) and long - same <= 3


def _is_derived(one: str, other: str) -> bool:
    same = _common(one, other)
    return same >= 4 and {one[same:], other[same:]} <= _DERIVED


def _common(one: str, other: str) -> int:
    """Return how many letters two words share at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _is_same(reading: Interpretation, folded: str) -> bool | None:
    """Return whether a text gives each name the requested relation or job; None if it gives none."""
    found: list[bool | None] = []
    for role, name in reading.roles:
        ending = "n?" if role in _ADDRESSES else r"\w{0,2}"
        if re.search(rf"(?<!\w){re.escape(role.removesuffix('n'))}{ending}(?!\w)", folded):
            continue
        at = re.escape(name)
        beside = (
            rf"([\w-]+) (?:\w+\. )?{at}(?!\w)"
            rf"|(?<!\w){at}(?: [\w-]+)?(?:,(?: \w+)?| (?:is|was|ist|est|es) \w+) ([\w-]+)"
        )
        others = {one for pair in re.findall(beside, folded) for one in pair}
        is_other = others & _ADDRESSES if role in _ADDRESSES else any(map(_is_role, others))
        found.append(False if is_other else None)
    return False if False in found else None if found else True


def _full_name(reading: Interpretation, text: str) -> str:
    """Return the longer name that contains the name of the request; empty without one."""
    known = {one.text for one in reading.words}
    for one in _FULL_NAME.finditer(text):
        first, last = map(fts.folded, one.groups())
        if last not in known and any(word.is_name and word.text == first for word in reading.words):
            return one[0]
    return ""


def _has_name(name: str, text: str) -> bool:
    """Return whether a text contains a word as a name: "project Falcon" is not about a falcon."""
    start = _WORD.findall(name)[0]
    forms = (start, f"{start}s")
    names = (one for one in _WORD.findall(_COMMON.sub("", text)) if one[0].isupper())
    return any(fts.folded(one) in forms for one in names)


def _is_role(word: str) -> bool:
    return _RELATED.sub("", word) in _ROLES or word in _ROLES


def _split(folded: str) -> list[str]:
    """Return the words of a folded text; runs of scripts without spaces are separate words."""
    words = _WORD.findall(folded)
    return script.cut_all(words) if script.has_runs(folded) else words


def _is_own(reading: Interpretation, folded: str) -> bool:
    """Return whether a text states the one word of a request about its speaker."""
    words = _WORD.findall(folded)
    (wanted,) = reading.words
    if not reading.user.isdisjoint(words):
        return True
    if wanted.text in _ADVERBS and not re.search(rf"{_BEFORE_ADVERBS}{wanted.text}\b", folded):
        return False
    if reading.own not in _ACTS:
        return not _PERSON.isdisjoint(words)
    return any(
        word in _ACTS and wanted.is_in(frozenset(words[at + 1 : at + 1 + _NEAR]), "")
        for at, word in enumerate(words)
    )


def _is_of_another(reading: Interpretation, content: str) -> bool:
    """Return whether a text gives what "my" names to somebody else: "the phone number of the dentist"."""
    said = _OWNED.findall(content)
    known = {one.text for one in reading.words}

    def is_asked(text: str) -> bool:
        return any(one.is_in(frozenset((fts.folded(text),)), "") for one in reading.words)

    subject = frozenset(map(fts.folded, _SUBJECT.findall(content))) - reading.user - fts.STOP_WORDS
    is_person = not reading.user.union(_PERSON).isdisjoint(_WORD.findall(fts.folded(content)))
    if subject and not is_person and not any(one.is_in(subject, "") for one in reading.words):
        return True
    first = next((at for at, (text, _) in enumerate(said) if is_asked(text)), 0)
    before = pairwise(fts.folded(text) for text, _ in said[: 0 if reading.roles else first])
    if any(own in _OWN and _is_role(one) and one not in known for own, one in before):
        return True  # "my uncle has asthma"
    for at, (text, _) in enumerate(said):
        if not is_asked(text):
            continue
        last, has_mark = said[at - 1] if at else ("", "")
        if fts.folded(last) in _OWN:
            return False
        link, first, second = [*(one for one, _ in said[at + 1 : at + 4]), "", "", ""][:3]
        is_name = _is_title_case(first) or _is_role(fts.folded(first))
        behind = first if is_name else second if _is_role(fts.folded(second)) else ""
        owner = last if has_mark else behind if link.lower() in _OF else ""
        owners = frozenset((fts.folded(owner),))
        is_other = owner and owners.isdisjoint(reading.user)
        if is_other and not any(one.is_in(owners, "") for one in reading.words):
            return True
    return False


def _tokens(request: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of a request, each with whether it is an identifier or a quoted phrase."""
    number = ""
    for quoted, raw in _TOKEN.findall(fts.encodable(request)):
        if number and (quoted or not _TELEPHONE.fullmatch(raw.strip(_CLOSING))):
            yield number, True
            number = ""
        if quoted:
            yield " ".join(quoted.split()), True
            continue
        token = raw.lstrip(_OPENING).rstrip(_CLOSING)
        token = _APOSTROPHE.sub(" ", _POSSESSIVE.sub("", token))
        if number or (raw[0] in "+(" and _TELEPHONE.fullmatch(token)):
            number = f"{number} {token}".strip()
        else:
            for part in token.split():
                yield part, _IDENTIFIER.search(part) is not None
    if number:
        yield number, True


def _asked_in(words: Sequence[str]) -> Language | None:
    """Return the language of the first request word; None for English, and without any."""
    said = (fts.folded(word) for word in words if word not in fts.STOP_WORDS)
    asking = (one for word in said for one, some in _ASKED_IN if word in some)
    return next(asking, None)


def _unframed(
    tokens: Sequence[tuple[str, bool]], stops: frozenset[str], *, keeps_nouns: bool
) -> tuple[list[tuple[str, bool]], str]:
    """Return a request without its frame, and the "my" or "I" before a single word."""
    first, last = 0, len(tokens)

    def says_nothing(at: int) -> bool:
        text, is_exact = tokens[at]
        word = fts.folded(text)
        if is_exact:
            return False
        if at and word in _WORDS["amounts"] and tokens[at - 1][0].lower() == "how":
            return True
        is_frame = word in FRAME or text in _BEFORE_NOUNS  # "la", not "La Paz"
        return is_frame or word in stops or word in languages.SAY_NOTHING

    def is_noun(at: int) -> bool:
        text, is_exact = tokens[at]
        return not is_exact and fts.folded(text) in NOUNS | _KINDS

    while first < last:
        is_kind = fts.folded(tokens[first][0]) in _KINDS
        leads = is_noun(first) and (
            not keeps_nouns or (not is_kind and first + 1 < last and says_nothing(first + 1))
        )
        if not (says_nothing(first) or leads):
            break
        first += 1
    while last > first and (says_nothing(last - 1) or (not keeps_nouns and is_noun(last - 1))):
        last -= 1
    is_framed = last - first < len(tokens)
    if is_framed and all(map(is_noun, range(first, last))):
        return [], ""
    own, at = "", first
    for at in range(first - 1, max(-1, first - 1 - _NEAR), -1):
        own = fts.folded(tokens[at][0])
        if own in _OWN or not (says_nothing(at) or (at == first - 1 and is_noun(at))):
            break
    around = {fts.folded(text) for text, _ in (*tokens[at + 1 : first], *tokens[last:])}
    is_about = own in _ACTS and not around.isdisjoint(FRAME)  # "what I said about tea"
    return list(tokens[first:last]), own if own in _OWN and not is_about else ""


def _reading(
    kept: Sequence[tuple[str, bool]],
    tokens: Sequence[tuple[str, bool]],
    language: Language | None,
    stops: frozenset[str],
    *,
    own: str,
    splits: bool,
) -> Interpretation:
    words: dict[str, RequestWord] = {}
    terms: dict[str, None] = {}
    identifiers: dict[str, Identifier] = {}
    roles, start = _roles(kept), tokens.index(kept[0])
    for at, (text, is_exact) in enumerate(kept):
        if at in roles:
            continue
        if is_exact and not script.has_runs(text):
            identifiers[text.lower()] = Identifier(text)
            continue
        for part in _parts(text, splits=splits):
            [plain] = languages.bare([part.lower()], language)
            pictures = filter(script.is_picture, script.apart(part).split())
            for raw in (*_WORD.findall(plain), *pictures):
                word = raw if script.has_runs(raw) else fts.folded(raw)
                is_letter = len(word) == 1 and word.isascii()
                if is_letter or {raw, word} & stops or raw in languages.SAY_NOTHING:
                    continue
                before = tokens[start + at - 1][0] if start + at else part
                is_noun = language is languages.GERMAN and before in _ARTICLES  # "die Scheidung"
                is_name = part[:1].isupper() and start + at > 0 and not is_noun
                words[word] = RequestWord(text=word, is_name=is_name, language=language)
                for piece in script.cut(raw):
                    forms = {languages.beginning(piece, language)}
                    if not is_name:
                        forms.add(f"{piece[: max(4, len(piece) - 3)]}*{piece}")
                    if not is_name:
                        forms.update(_SAME.get(word, ()))
                    terms[f"({fts.any_of(sorted(forms))})"] = None
    return Interpretation(
        words=tuple(words.values()),
        identifiers=tuple(identifiers.values()),
        roles=tuple(one for one in roles.values() if one[0] not in _TITLES),
        own=own,
        is_single=bool(own) and len(words) == len(kept) == 1,
        is_vague=len(kept) < len(tokens)
        and not (own or identifiers or roles)
        and [one.is_name or script.has_runs(one.text) for one in words.values()] == [False],
        asks=any(
            fts.folded(text) in _WORDS["asking"] for text, _ in tokens[: tokens.index(kept[0])]
        ),
        terms=tuple(terms)[: fts.MAX_WORDS],
    )


def _roles(kept: Sequence[tuple[str, bool]]) -> dict[int, tuple[str, str]]:
    """Return the positions of relations, jobs and titles next to a name, each with the folded word and name."""
    said = [fts.folded(text) for text, _ in kept]
    found: dict[int, tuple[str, str]] = {}
    for at in range(len(kept) - 1, -1, -1):
        after, before = said[at + 1 : at + 2], said[at - 1] if at else ""
        if after and (_is_role(said[at]) or said[at] in _TITLES | _ADDRESSES):
            if at + 1 in found:  # "Frau Dr. Wendt"
                found[at] = (said[at], found[at + 1][1])
            elif _is_title_case(kept[at + 1][0]):
                found[at] = (said[at], after[0])
        elif said[at] in _BEHIND and before and _is_title_case(kept[at - 1][0]):
            found[at] = (said[at], before)
    return found


def _is_title_case(text: str) -> bool:
    return text[:1].isupper() and any(map(str.islower, text)) and not re.search(r"[\d_]", text)


def _parts(text: str, *, splits: bool) -> list[str]:
    """Return the words of one token; in a script without spaces, without their frame."""
    if not script.has_runs(text):
        return [text]
    parts = [_KOREAN.sub("", part) for part in _CJK_FRAME.sub(" ", text).split()]
    if splits:
        parts = [word for part in parts for word in _PARTICLES.sub(" ", part).split()]
    else:
        parts = [bare for part in parts if (bare := _edges(part))]
    return parts


def _edges(part: str) -> str:
    for _ in range(2):
        part = re.sub(f"^(?:{_PARTICLES.pattern})|(?:{_PARTICLES.pattern})$", "", part)
    return part


def _lemmas(word: str) -> set[str]:
    """Return the forms of an English word without its endings, each of at least three letters."""
    found = {word}
    for ending, others in _INFLECTIONS.items():
        if word.endswith(ending) and not (ending == "s" and word.endswith("ss")):
            start = word[: -len(ending)]
            found |= {start + other for other in others if len(start + other) >= 3}
            if ending in ("ing", "ed") and len(start) > 3 and start[-1] == start[-2]:
                found.add(start[:-1])
    return found
