"""Compare two texts by words: whether they may contradict each other or differ in meaning (PIP-20)."""

import re
from collections import Counter
from collections.abc import Sequence

from signet.db import script
from signet.domain.graph.lexicon import PLAIN, words

NEGATIONS = words(
    "not no never cannot cant doesnt dont isnt wasnt wont without didnt arent shouldnt neither none"
    " nicht kein keine keinen keinem keiner nie niemals ohne pas jamais aucun aucune sans nunca jamás tampoco sin"
    " не нет никогда нельзя без"
)

ANTONYMS = (
    ("enabled", "disabled"),
    ("allow", "deny"),
    ("accept", "reject"),
    ("always", "never"),
    ("on", "off"),
    ("true", "false"),
)

#: Words that two texts may share without sharing a subject.
STOP_WORDS = words(
    "the an and or but if of to in on at by for from with as is are was were be been being am it "
    "its this that these those he she they them his her their we our us you your my me do does "
    "did has have had will would can could should shall may might must there here then than so "
    "too very just also"
)

#: Share of words above which two statements count as the same (without a model; measured on quickstart material:
#: rewordings of one statement score higher, different statements about one subject lower).
SAME_SHARE = 0.8

#: Words that give the next word its role: who acts, or on whom.
_ROLES = words("to from by for than over before after against under until since into onto")
#: Role words that cannot be left out; others can: "emailed (to) Bob".
_NEEDED_ROLES = words("by from than over against")
_COUNTS = words(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty"
    " hundred thousand million half double once twice first second third"
)
#: The shortest common beginning of two forms of one word.
_SAME_BEGINNING = 4

#: With fewer shared words two texts are unrelated.
MIN_OVERLAP = 2
#: Share of a statement's words that a fuller version of it repeats.
FULLER_SHARE = 0.6
#: Words for the end of something.
_ENDS = words(
    "closed removed gone cancelled canceled ended deleted shut retired sold died dead discontinued decommissioned"
    " obsolete finished stopped dropped abandoned replaced dissolved expired longer former geschlossen entfernt"
    " beendet gelöscht abgeschafft verkauft eingestellt"
)

_APOSTROPHE = re.compile(r"['’]")
_WORD = re.compile(r"[^\W_]{2,}")
_SPOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W_]+")
_BEGINS = re.compile(r"(?:^|[.!?:]\s*)[\"'“(]*$")


def risk(new: str, old: str) -> bool:
    """Return whether the texts share a subject and exactly one of them denies it."""
    ours, theirs = tokens(new), tokens(old)
    if len(overlap(ours, theirs)) < MIN_OVERLAP:
        return False
    if bool(ours & NEGATIONS) != bool(theirs & NEGATIONS):
        return True
    return any(_opposed(ours, theirs, pair) for pair in ANTONYMS)


def is_fuller(new: str, old: str) -> bool:
    """Return whether a text repeats most words of another, and may be its newer or fuller version."""
    theirs = tokens(old) - STOP_WORDS
    return len(tokens(new) & theirs) >= FULLER_SHARE * len(theirs)


def is_end(new: str, old: str) -> bool:
    """Return whether a text says that the other no longer holds."""
    is_same_subject = len(overlap(tokens(new), tokens(old))) >= MIN_OVERLAP
    return is_same_subject and (risk(new, old) or not tokens(new).isdisjoint(_ENDS))


def says_the_same(one: str, other: str) -> bool:
    """Return whether two statements share nearly all words and have the same meaning."""
    share = _share(one, other)
    return share is not None and share >= SAME_SHARE and not differ(one, other)


def differ(one: str, other: str) -> bool:
    """Return whether two similar texts differ in numbers, names, a denial, or who does what to whom.

    Word order counts if the words are nearly the same: "tea over coffee" is not "coffee over tea".
    """
    ours, theirs = _spoken(one), _spoken(other)
    if _numbers(ours) != _numbers(theirs) or risk(one, other) or _is_turned(one, other):
        return True
    known = {word.lower() for word, _, _ in ours} & {word.lower() for word, _, _ in theirs}
    if all(
        any(is_name and word.lower() not in known for word, _, is_name in s) for s in (ours, theirs)
    ):
        return True
    share = _share(one, other)
    return share is not None and share >= SAME_SHARE and not _in_same_parts(ours, theirs, known)


def _is_turned(one: str, other: str) -> bool:
    """Return whether two texts without spaces are the same characters in another order."""
    return script.has_runs(one) and one != other and sorted(one) == sorted(other)


def _share(one: str, other: str) -> float | None:
    ours, theirs = tokens(one) - STOP_WORDS, tokens(other) - STOP_WORDS
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else None


#: A word, the role that the previous word gives it, and whether it is a name.
_Spoken = tuple[str, str, bool]


def _spoken(text: str) -> list[_Spoken]:
    """Return the content words of a text, in order."""
    found: list[_Spoken] = []
    role = ""
    for match in _SPOKEN.finditer(_APOSTROPHE.sub("", text)):
        for word in script.cut(match[0]):
            low = word.lower()
            if low in _ROLES:
                role = low
            elif low not in STOP_WORDS and word not in ("a", "I"):
                begins = bool(_BEGINS.search(text[: match.start()]))
                is_name = word[0].isupper() and not (begins and low in PLAIN)
                found.append((word, role, is_name))
                role = ""
    return found


def _numbers(spoken: Sequence[_Spoken]) -> Counter[str]:
    low = (word.lower() for word, _, _ in spoken)
    return Counter(word for word in low if word in _COUNTS or any(map(str.isdigit, word)))


def _in_same_parts(ours: Sequence[_Spoken], theirs: Sequence[_Spoken], known: set[str]) -> bool:
    """Return whether the shared words have the same order and roles, and none was replaced.

    The beginning may move to the end: "Since May Ada works there", "Ada works there since May".
    """
    one, other = (
        [(w.lower(), role) for w, role, _ in s if w.lower() in known] for s in (ours, theirs)
    )
    left, right = ([w.lower() for w, _, _ in s if w.lower() not in known] for s in (ours, theirs))
    if left and right and not any(_is_form(a, b) for a in left for b in right):
        return False
    turns = [other] if len(one) < 3 else [other[at:] + other[:at] for at in range(len(other))]
    return any(len(one) == len(turn) and all(map(_is_same_part, one, turn)) for turn in turns)


def _is_same_part(one: tuple[str, str], other: tuple[str, str]) -> bool:
    if one[0] != other[0]:
        return False
    return one[1] == other[1] or (
        not (one[1] and other[1]) and _NEEDED_ROLES.isdisjoint((one[1], other[1]))
    )


def _is_form(one: str, other: str) -> bool:
    return len(one) >= _SAME_BEGINNING and one[:_SAME_BEGINNING] == other[:_SAME_BEGINNING]


def tokens(text: str) -> frozenset[str]:
    """Return the distinct words of two or more letters or digits, lower-case, without apostrophes."""
    return frozenset(_WORD.findall(_APOSTROPHE.sub("", text.lower())))


def overlap(ours: frozenset[str], theirs: frozenset[str]) -> frozenset[str]:
    """Return the shared words, except common ones."""
    return (ours & theirs) - STOP_WORDS


def _opposed(ours: frozenset[str], theirs: frozenset[str], pair: tuple[str, str]) -> bool:
    here, there = ours.intersection(pair), theirs.intersection(pair)
    return len(here) == len(there) == 1 and here != there
