"""The entities of one memory and its statements about them, found from its words alone when it is saved.

Runs inside the write transaction of every save, with plain string work of some ten microseconds, and asks the
store one question: which of these names are known already? Writing the rows is left to the store.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from signet import resources
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

_SEGMENT = re.compile(
    r"[^\n](?:[^\s.!?]+|[^\n])*?(?:(?<![.!?])[.!?]++(?=\s|$)|(?=\s[-–—*•]\s)|(?=\n)|$)"
)
_LINKING_WORD = re.compile(
    r"(?:['’]s\b)?[\s\W]*(?:(?:and|or|but|who|that|which)\b[\s\W]*)?", re.IGNORECASE
)

_TABLE = resources.table(__file__)
#: The aspect that forms of verbs speak of; the first family found in the clause wins. (A pattern that found them took
#: longer than all else that is read in a text.)
_FAMILIES = [(one["aspect"], one["forms"]) for one in _TABLE["families"]]
GENERAL = "general"
_RANKS = {form: rank for rank, (_, forms) in enumerate(_FAMILIES) for form in forms.split()}
#: The first words of the forms of two.
_OPENING = frozenset(form.partition("_")[0] for form in _RANKS if "_" in form)
_WORD = re.compile(r"\w+")

#: Words that announce a decision anywhere in a text, in small letters.
_DECISION = re.compile("".join(_TABLE["decision"].splitlines()))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntity:
    """A name as first written."""

    name: str
    canonical: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAttribute:
    entity: str
    aspect: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The entities, statements and pairs in a text; `entity` and `pairs` are canonical names."""

    entities: tuple[FoundEntity, ...]
    attributes: tuple[FoundAttribute, ...]
    pairs: tuple[tuple[str, str], ...]
    is_decision: bool

    @property
    def kind(self) -> str:
        return "constraint" if self.is_decision else "attribute"

    @property
    def importance(self) -> float:
        return 0.85 if self.is_decision else 0.5


def analyse(text: str, known: Callable[[Collection[str]], Collection[str]]) -> Analysis:
    """Return the entities, attributes and pairs of a text.

    `known` returns those of the text's canonical names that the store has; it is called once if there are any.
    """
    found = names.find(text)
    accepted = _accepted(found, known) if found else {}
    spans = [name for name in found if name.canonical in accepted]
    return Analysis(
        entities=tuple(
            FoundEntity(name=name, canonical=canonical) for canonical, name in accepted.items()
        ),
        attributes=tuple(_attributes(text, spans)),
        pairs=tuple(combinations(list(accepted)[:MAX_PAIRED], 2)),
        is_decision=is_decision(text),
    )


def is_decision(text: str) -> bool:
    return _DECISION.search(text.lower()) is not None


def aspect(clause: str) -> str:
    words = _WORD.findall(clause.lower())
    ranks = [_RANKS[word] for word in words if word in _RANKS]
    if not _OPENING.isdisjoint(words):
        pairs = map("_".join, pairwise(words))
        ranks += [_RANKS[pair] for pair in pairs if pair in _RANKS]
    return _FAMILIES[min(ranks)][0] if ranks else GENERAL


def _accepted(
    found: list[names.Name], known: Callable[[Collection[str]], Collection[str]]
) -> dict[str, str]:
    """Map canonical names to names as first written, in the order of the text."""
    proved = {name.canonical for name in found if name.is_certain}
    proved.update(known(dict.fromkeys(name.canonical for name in found)))
    accepted: dict[str, str] = {}
    for name in found:
        if name.canonical in proved and len(accepted) < MAX_ENTITIES:
            accepted.setdefault(name.canonical, name.text)
    return accepted


def _attributes(text: str, spans: list[names.Name]) -> Iterator[FoundAttribute]:
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
            yield FoundAttribute(entity=name.canonical, aspect=aspect(clause), content=clause)


def _clause(after: str) -> str:
    """Return the text after a name, without a linking word."""
    connected = _LINKING_WORD.match(after)
    clause = after[connected.end() :] if connected else after
    return clause.strip().rstrip(".!?")[:MAX_CLAUSE_CHARS].rstrip()
