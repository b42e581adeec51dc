"""Convert the first person to the third: `I prefer my setup` to `The user prefers the user's setup`."""

import re
from dataclasses import dataclass

from signet.domain.graph.lexicon import FUNCTION, words

ADVERBS = (
    "also|always|never|really|usually|generally|strongly|personally|still|now|currently|just|typically|mostly|often "
    "|actually|already|recently|mainly|only|absolutely|definitely|normally|sometimes|simply|even|highly|much|greatly "
    "|both|finally|eventually|no longer|originally"
    "|initially|all|rarely|primarily|deliberately|explicitly|first|then|once"
)

_IRREGULAR = {
    "am": "is",
    "are": "is",
    "were": "was",
    "have": "has",
    "do": "does",
    "go": "goes",
    "don't": "doesn't",
    "dont": "doesn't",
    "don’t": "doesn't",
    "haven't": "hasn't",
    "haven’t": "hasn't",
    "aren't": "isn't",
    "weren't": "wasn't",
}
_CONTRACTED = {"m": "is", "re": "is", "ve": "has", "ll": "will", "d": "would"}

#: Forms that are the same for every person: auxiliaries and irregular pasts.
_UNCHANGED = words(
    "was had did will would can could should shall may might must cannot can't won't didn't "
    "couldn't wouldn't hadn't wasn't shouldn't mustn't went bought got made found took gave came "
    "saw knew thought told said felt kept left met ran sat stood understood began became broke "
    "brought built caught chose drew drank drove ate fell flew forgot grew heard held hid hurt "
    "led lent lost meant paid rode rose sang sent shook shot slept sold spent spoke stole stuck "
    "swam taught threw woke wore won wrote fought shut split quit read put set hit cut let cost "
    "spread rebuilt rewrote reran redid is has does gets ended used"
)
_EED = words("need feed speed embed exceed proceed succeed breed seed bleed bed shed wed")

#: Present forms that may follow `and` and still belong to the first person.
_COORDINATED = words(
    "use work live prefer like love hate enjoy avoid run deploy store keep build write read play "
    "want need manage lead teach study maintain own host ship test commit push review start "
    "finish take make have do go drink eat drive speak know think feel rely depend switch move "
    "try help plan design develop cook paint swim hike volunteer train practice exercise travel "
    "listen watch collect sell serve edit record draw sing dance bake garden explore meet attend "
    "visit care support don't"
)

_COORDINATION = re.compile(rf"(\b(?:and|but)\s+(?:(?:{ADVERBS})\s+)?)([a-z]+(?:['’]t)?)\b")
_BREAKS_COORDINATION = re.compile(
    r"\b(?:to|will|can|could|should|must|would|may|might|who|that|which|how)\b"
)
_UPPER_AFTER = re.compile(r"^\W*\w")


@dataclass(frozen=True, slots=True)
class Person:
    """The name of a speaker: `The user`, `The team` or a personal name."""

    name: str

    @property
    def inner(self) -> str:
        """Return the name for use inside a sentence."""
        return self.name[0].lower() + self.name[1:] if self.name.startswith("The ") else self.name


USER = Person("The user")
TEAM = Person("The team")


def _pattern(pronoun: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{pronoun})(?:['’](m|re|ve|ll|d)\b"
        rf"|\s+((?:(?:{ADVERBS})\s+)*)([a-z]+(?:['’]t)?)\b(?!['’])|\b)"
    )


_I = _pattern("I|i")
_WE = _pattern("[Ww]e")
_OWN_TEAM = re.compile(r"\b[Oo]ur team\b")
_OWN = re.compile(r"\b([Mm]y|[Oo]ur)\b")
_MINE = re.compile(r"\b(mine|ours)\b")
_SELF = re.compile(r"\b(?:myself|ourselves)\b")
_OBJECT = re.compile(r"\b(me|us)\b")


def third_person(sentence: str, speaker: Person) -> str:
    told = _retell(sentence, _I, speaker)
    told = _retell(told, _WE, TEAM)
    told = _OWN_TEAM.sub(TEAM.inner, told)
    told = _OWN.sub(lambda m: _possessive(speaker if m[1].lower() == "my" else TEAM), told)
    told = _MINE.sub(lambda m: _possessive(speaker if m[1] == "mine" else TEAM), told)
    told = _SELF.sub("themselves", told)
    told = _OBJECT.sub(lambda m: (speaker if m[1] == "me" else TEAM).inner, told)
    return capitalised(told)


def conjugate(verb: str) -> str:
    """Return the third person singular of a verb; pasts and auxiliaries stay."""
    plain = verb.lower()
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    if plain in _UNCHANGED or plain in FUNCTION or (plain.endswith("ed") and plain not in _EED):
        return verb
    if re.search(r"[^su]s$", plain):
        return verb
    if re.search(r"(?:s|x|z|ch|sh|o)$", plain):
        return verb + "es"
    if re.search(r"[^aeiou]y$", plain):
        return verb[:-1] + "ies"
    return verb + "s"


def _retell(sentence: str, pattern: re.Pattern[str], person: Person) -> str:
    pieces: list[str] = []
    at = 0
    for match in pattern.finditer(sentence):
        between = sentence[at : match.start()]
        pieces += [_coordinated(between) if at else between, _subject(match, person)]
        at = match.end()
    if not pieces:
        return sentence
    rest = sentence[at:]
    return "".join([*pieces, _coordinated(rest)])


def _subject(match: re.Match[str], person: Person) -> str:
    contraction, adverbs, verb = match.groups()
    if contraction:
        return f"{person.inner} {_CONTRACTED[contraction]}"
    if not verb:
        return person.inner
    return f"{person.inner} {adverbs}{conjugate(verb)}"


def _coordinated(rest: str) -> str:
    """Conjugate a second verb of the same subject: `prefers tabs and use vim`."""
    match = _COORDINATION.search(rest)
    if (
        not match
        or match[2] not in _COORDINATED
        or _BREAKS_COORDINATION.search(rest[: match.start()])
    ):
        return rest
    return f"{rest[: match.start()]}{match[1]}{conjugate(match[2])}{rest[match.end() :]}"


def _possessive(person: Person) -> str:
    return f"{person.inner}'s"


def capitalised(sentence: str) -> str:
    """Return a sentence with a capital at its start, unless it starts with code or a name such as iOS."""
    first = _UPPER_AFTER.match(sentence)
    if not first or "`" in first.group() or sentence[first.end() :][:1].isupper():  # iOS
        return sentence
    at = first.end() - 1
    return sentence[:at] + sentence[at].upper() + sentence[at + 1 :]
