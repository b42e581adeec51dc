"""What one memory says about whom, told at write time from its words alone (spec/pipeline.md §8).

Runs inside the write transaction of every save, so it is plain string work of some ten microseconds and asks the
store one question: is this doubtful name known already? Writing the rows is left to the store.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

from signet.domain.graph import names

MENTION_CONFIDENCE = 0.8
ATTRIBUTE_CONFIDENCE = 0.7
EDGE_STRENGTH = 0.3
EDGE_CONFIDENCE = 0.5

#: One text names no more things than one model answer may.
MAX_ENTITIES = 50
#: Every pair of names becomes an edge, so edges grow with the square of the names.
MAX_PAIRED = 8

MIN_SEGMENT_CHARS = 11
MIN_CLAUSE_CHARS = 5
MAX_CLAUSE_CHARS = 200

_SEGMENT = re.compile(r"[^\n]+?(?:[.!?]+(?=\s|$)|(?=\s[-–—*•]\s)|(?=\n)|$)")
_LINKING_WORD = re.compile(
    r"(?:['’]s\b)?[\s\W]*(?:(?:and|or|but|who|that|which)\b[\s\W]*)?", re.IGNORECASE
)

#: Families of verbs and the aspect they speak of; the first family found anywhere in the clause wins.
_FAMILIES = (
    (
        "preferences",
        r"like[sd]?|enjoy(?:s|ed|ing)?|love[sd]?|loving|prefer(?:s|red)?|favou?rites?|hate[sd]?|dislike[sd]?"
        r"|avoid(?:s|ed)?|fear(?:s|ed)?",
    ),
    ("properties", r"is|are|was|were|be|been|being|am|become[s]?|became"),
    (
        "events",
        r"go|goes|went|gone|going|attend(?:s|ed|ing)?|visit(?:s|ed|ing)?|mov(?:e|es|ed|ing)"
        r"|travel(?:s|l?ed|l?ing)?|arriv(?:e|es|ed|ing)",
    ),
    (
        "activities",
        r"work(?:s|ed|ing)?|stud(?:y|ies|ied|ying)|research(?:es|ed|ing)?|teach(?:es|ing)?|taught",
    ),
    ("properties", r"has|have|had|having|own(?:s|ed)?|keep(?:s|ing)?|kept"),
    ("perspectives", r"thinks?|thought|believe[sd]?|feels?|felt|consider(?:s|ed)?|reali[sz]e[sd]?"),
    ("relationships", r"married|dating|divorced|engaged|single"),
    ("background", r"born|raised|grew up|grows up|lives? in|lived in|living in"),
    (
        "decision patterns",
        r"plan(?:s|ned|ning)?|intend(?:s|ed)?|(?:want|hop)(?:e|s|es|ed)? to|decid(?:e|es|ed)|ch[o]+se[ns]?|chooses",
    ),
    (
        "activities",
        r"reads?|reading|play(?:s|ed|ing)?|r[ua]ns?|running|cook(?:s|ed|ing)?|writ(?:e|es|ing)|wrote|paint(?:s|ed|ing)?"
        r"|swims?|swam|hik(?:e|es|ed|ing)|cycl(?:e|es|ed|ing)|danc(?:e|es|ed|ing)|s[ai]ngs?|draws?|drew",
    ),
)
GENERAL = "general"
_VERB = re.compile(
    r"\b(?:" + "|".join(f"({forms})" for _, forms in _FAMILIES) + r")\b", re.IGNORECASE
)

#: Words that announce a decision anywhere in a text.
_DECISION = re.compile(
    r"\b(?:ch(?:o|oo)se[ns]?\b[^.!?\n]{0,120}?\b(?:over|instead)"
    r"|decided\s+(?:to|on|against)"
    r"|switch(?:ed|ing)?\s+(?:from|to)"
    r"|migrat(?:ed?|ing)\s+(?:from|to|away)"
    r"|picked\b[^.!?\n]{0,120}?\bover"
    r"|went\s+with"
    r"|sticking\s+with"
    r"|committed\s+to"
    r"|settled\s+on"
    r"|will\s+(?:use|go\s+with|stick\s+with)"
    r"|prefer(?:s|red)?\b[^.!?\n]{0,120}?\b(?:over|instead|rather)"
    r"|adopted"
    r"|architecture\s+decision"
    r"|design\s+decision)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A name found in the text, as first written."""

    name: str
    canonical: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """What one clause says of one entity, and under which aspect it is filed."""

    entity: str
    aspect: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What a text names and says; `entity` and `pairs` hold canonical names."""

    entities: tuple[Entity, ...]
    attributes: tuple[Attribute, ...]
    pairs: tuple[tuple[str, str], ...]
    is_decision: bool

    @property
    def kind(self) -> str:
        """Return the kind of every attribute of this text."""
        return "constraint" if self.is_decision else "attribute"

    @property
    def importance(self) -> float:
        """Return the importance of every attribute of this text."""
        return 0.85 if self.is_decision else 0.5


def link(text: str, is_known: Callable[[str], bool]) -> Linked:
    """Return the entities, attributes and pairs of a text.

    `is_known` is asked with a canonical name, once for each name whose form alone does not prove it.
    """
    found = names.find(text)
    accepted = _accepted(found, is_known)
    spans = [name for name in found if name.canonical in accepted]
    return Linked(
        entities=tuple(
            Entity(name=name, canonical=canonical) for canonical, name in accepted.items()
        ),
        attributes=tuple(_attributes(text, spans)),
        pairs=tuple(combinations(list(accepted)[:MAX_PAIRED], 2)),
        is_decision=is_decision(text),
    )


def is_decision(text: str) -> bool:
    """Say whether the text speaks of a choice that was made."""
    return _DECISION.search(text) is not None


def aspect(clause: str) -> str:
    """Return the aspect that the verbs of a clause speak of."""
    families = [match.lastindex for match in _VERB.finditer(clause)]
    ranks = [family for family in families if family]
    return _FAMILIES[min(ranks) - 1][0] if ranks else GENERAL


def _accepted(found: list[names.Name], is_known: Callable[[str], bool]) -> dict[str, str]:
    """Return canonical name to name as first written, in the order of the text."""
    certain = {name.canonical for name in found if name.is_certain}
    answers: dict[str, bool] = {}
    accepted: dict[str, str] = {}
    for name in found:
        key = name.canonical
        if key not in certain and key not in answers:
            answers[key] = is_known(key)
        if (key in certain or answers[key]) and len(accepted) < MAX_ENTITIES:
            accepted.setdefault(key, name.text)
    return accepted


def _attributes(text: str, spans: list[names.Name]) -> Iterator[Attribute]:
    seen: set[tuple[str, str]] = set()
    waiting = iter(spans)
    name = next(waiting, None)
    for segment in _SEGMENT.finditer(text):
        while name and name.start < segment.start():
            name = next(waiting, None)
        if name is None:
            return
        if name.end > segment.end() or len(segment.group().strip()) < MIN_SEGMENT_CHARS:
            continue
        clause = _clause(text[name.end : segment.end()])
        if len(clause) >= MIN_CLAUSE_CHARS and (name.canonical, clause.lower()) not in seen:
            seen.add((name.canonical, clause.lower()))
            yield Attribute(entity=name.canonical, aspect=aspect(clause), content=clause)


def _clause(after: str) -> str:
    """Return what is said after the name, without what merely connects the two."""
    connected = _LINKING_WORD.match(after)
    clause = after[connected.end() :] if connected else after
    return clause.strip().rstrip(".!?")[:MAX_CLAUSE_CHARS].rstrip()
