"""What a short statement claims, and when a newer claim takes the place of an older one. Pure; no model.

Used for memories and for attributes of entities, so it errs on the side of keeping both: only one plain
sentence is a claim, and it replaces another only if both are about the same thing in the same respect, of
which there can be one value (a home, an employer, a port), or if it says itself what it replaces ("not 3850",
"from Paris to Berlin", "no longer"). Ten things that somebody uses are ten claims that all hold.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from signet import resources
from signet.domain.graph.lexicon import PLAIN, words

#: A longer text says more than one thing.
MAX_CHARS = 200


class Respect(StrEnum):
    """What is claimed of a subject."""

    IS = "is"
    PLACE = "place"
    WORK = "work"
    RUNS_ON = "runs on"
    USES = "uses"
    LIKES = "likes"
    PREFERS = "prefers"
    RULE = "rule"
    #: Says only that one value took the place of another.
    CHANGED = "changed"


class Signal(StrEnum):
    """Why a claim replaces another."""

    NEGATION = "negation"
    ANTONYM = "antonym"
    VALUE = "value_conflict"
    NAMED = "named"

    @property
    def confidence(self) -> float:
        return {"negation": 0.85, "antonym": 0.8, "value_conflict": 0.75, "named": 0.9}[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement about a subject; `context` is a place or time that it is limited to."""

    subjects: tuple[frozenset[str], ...]
    relation: Respect
    value: frozenset[str]
    context: frozenset[str] = field(default=frozenset())
    #: The claim says that its old value no longer holds.
    instead_of: frozenset[str] = field(default=frozenset())
    is_denied: bool = False
    is_change: bool = False
    is_name: bool = False


_TABLE = resources.expressions(__file__)
_WORDS = {name: words(listed) for name, listed in _TABLE["words"].items()}
_ARTICLES, _PRONOUNS = _WORDS["articles"], _WORDS["pronouns"]
#: Respects in which a thing has one value at a time, and those of which any word is a value.
SLOTS, _ENUM_SLOTS = _WORDS["slots"], _WORDS["enum_slots"]
_COUNTS, _IDS = _WORDS["counts"], _WORDS["ids"]
_ANTONYMS = tuple(frozenset(pair.split("/")) for pair in _WORDS["antonyms"])
_NO_PLACES, _COUNTRIES = _WORDS["no_places"], _WORDS["countries"]


_UNSURE = re.compile(_TABLE["unsure"])
_OPENER = re.compile(_TABLE["opener"], re.IGNORECASE)
_ADVERB = re.compile(_TABLE["adverb"], re.IGNORECASE)
_MORE_SENTENCES = re.compile(r"[.!?;]\s+\S|\n")
_TAIL = re.compile(
    r"\s*,?\s+(?:since|as of|because|so that|due to|anymore|any more|from now on|these days)\b.*$",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\s*[,(]?\s*(?:\band\s+)?\b(?:not|instead of|rather than|no longer|and no longer)\s+(?P<old>[^,()]+?)\)?$",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"\s+(?=(?:in|on|for|at|when|while|during|with|by|from|via|within|behind|under|after|before|to|as)\s)",
    re.IGNORECASE,
)
_LIST = re.compile(r",|\s(?:and|or|but|&)\s|/\s", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][\w.:/@+#%$€-]*|[$€#][\w.]+")
_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?=\s)")
_FANCY = re.compile(r"(?<=.)[A-Z]|\d|[@/:.]\w")

_FORMS = tuple(
    (Respect[one["respect"].upper()], re.compile(one["form"], re.IGNORECASE), "denies" in one)
    for one in _TABLE["forms"]
)


def parse(text: str, subject: str = "") -> Claim | None:
    """Return the claim of one plain sentence in the third person; None for any other text.

    `subject` is put in front of a text without one, such as an attribute of an entity.
    """
    if len(text) > MAX_CHARS:
        return None
    bare = " ".join(text.split())
    while opener := _OPENER.match(bare):
        bare = bare[opener.end() :]
    bare = bare.rstrip(" .!")
    if not bare or _MORE_SENTENCES.search(bare) or _UNSURE.search(bare):
        return None
    said = _ADVERB.sub("", f"{subject} {bare}".strip())
    is_new = any(found["new"] for found in _ADVERB.finditer(f"x {bare}"))
    for relation, pattern, denies in _FORMS:
        match = pattern.fullmatch(said)
        if match:
            return _claim(match, relation, denies=denies, is_new=is_new)
    return None


def is_unsure(sentence: str) -> bool:
    """Return whether a sentence is a question, plan, doubt, quote or about the past."""
    return _UNSURE.search(sentence) is not None


def replaces(new: Claim, old: Claim) -> Signal | None:
    """Return why the newer claim replaces the older one; None if both may hold."""
    is_same_subject = any(subject in old.subjects for subject in new.subjects)
    if not is_same_subject or (old.is_denied and new.is_denied):
        return None
    is_same_respect = new.relation is old.relation
    if new.instead_of and new.instead_of == old.value and not old.is_denied:
        if new.relation is Respect.PREFERS:
            return Signal.NAMED if is_same_respect and old.instead_of == new.value else None
        if new.context and old.context and new.context != old.context:
            return None
        return (
            Signal.NAMED
            if is_same_respect or Respect.CHANGED in (new.relation, old.relation)
            else None
        )
    if not is_same_respect or new.context != old.context or not new.value or not old.value:
        return None
    if new.is_denied != old.is_denied:
        return Signal.NEGATION if new.value == old.value else None
    if new.relation is Respect.IS and new.value ^ old.value in _ANTONYMS:
        return Signal.ANTONYM
    return Signal.VALUE if _conflict(new, old) else None


def _conflict(new: Claim, old: Claim) -> bool:
    """Return whether two values exclude each other."""
    if new.relation is Respect.IS and new.subjects[0] & _COUNTS and not new.subjects[0] & _IDS:
        return False
    ours, theirs = _numbers(new.value), _numbers(old.value)
    if ours or theirs:
        return _differ(new, old) and new.relation in (Respect.IS, Respect.RUNS_ON)
    if new.value & old.value:
        return False
    if new.relation is Respect.IS:
        slots = new.subjects[0]
        if slots & _ENUM_SLOTS:
            return len(new.value) <= 2 and len(old.value) <= 2
        return bool(slots & SLOTS) and new.is_name and old.is_name
    if not (new.is_name and old.is_name):
        return False
    if new.relation is Respect.PLACE:
        is_country = [bool(claim.value & _COUNTRIES) for claim in (new, old)]
        return is_country[0] == is_country[1] and not (new.value | old.value) & _NO_PLACES
    if new.relation is Respect.WORK:
        return True
    return new.relation is Respect.RUNS_ON and new.is_change


def _differ(new: Claim, old: Claim) -> bool:
    """Return whether two values are different numbers of one kind."""
    ours, theirs = _numbers(new.value), _numbers(old.value)
    return (
        bool(ours and theirs)
        and not (ours <= theirs or theirs <= ours)
        and (new.value - ours == old.value - theirs)
    )


def _numbers(value: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in value if any(sign.isdigit() for sign in word))


def _claim(match: re.Match[str], relation: Respect, *, denies: bool, is_new: bool) -> Claim | None:
    found = match.groupdict()
    subject = _tokens(found["subject"])
    if relation is not Respect.RULE and (
        not subject or found["subject"].split()[0].lower() in _PRONOUNS
    ):
        return None
    old = next((found[name] for name in ("old", "old2", "old3", "old4") if found.get(name)), "")
    value = _TAIL.sub("", found["value"])
    if found.get("first"):
        value, old = found["first"], value
    named = _NOT.search(value)
    if named:
        value, old = value[: named.start()], named["old"]
    core, _, context = _split(value)
    if not core or _LIST.search(core):
        return None
    things = _tokens(found.get("object") or "")
    return Claim(
        subjects=(subject, things) if things else (subject,),
        relation=relation,
        value=_tokens(core),
        context=_tokens(context),
        instead_of=_tokens(_split(_TAIL.sub("", old))[0]),
        is_denied=denies or bool(found.get("denied") or found.get("denied2")),
        is_change=is_new or bool(found.get("move")),
        is_name=_is_name(core, relation),
    )


def _split(value: str) -> tuple[str, str, str]:
    parts = _CONTEXT.split(value.strip(), maxsplit=1)
    return parts[0].strip(), " ", parts[1] if len(parts) > 1 else ""


def _is_name(core: str, relation: Respect) -> bool:
    """Return whether a value is a name; places and employers have a capital."""
    first = core.split()[0]
    if relation in (Respect.PLACE, Respect.WORK):
        return first[0].isupper() and first.lower() not in PLAIN
    return _FANCY.search(core) is not None or first[0].isupper() or not _tokens(core) <= PLAIN


def _tokens(text: str) -> frozenset[str]:
    found = _WORD.findall(_POSSESSIVE.sub("", text.lower()))
    bare = (word.strip(".:-/") for word in found)
    return frozenset(
        word for word in bare if word and word not in _ARTICLES and word not in ("of", "for")
    )
