"""Extract relations between named things from facts."""

import re
from collections.abc import Iterable, Iterator

from signet import resources
from signet.domain.extraction.models import MAX_TRIPLES, Fact
from signet.domain.graph import names
from signet.domain.graph.models import Triple

#: The verb after the first name, the relation, and the types of its ends.
_RELATIONS = tuple(
    (
        re.compile(
            rf"(?:(?:also|now|still|always|currently|mainly|only|has|have) ){{0,2}}(?:{verb})\s",
            re.IGNORECASE,
        ),
        *rest,
    )
    for verb, *rest in resources.table(__file__)["relations"]
)
_FROM_TO = re.compile(
    r"\b(?:switched|migrated|moved|moving|migrating|switching)\b.*?\bfrom\b", re.IGNORECASE
)
_TO = re.compile(r"\bto\s")
_OVER = re.compile(r"\b(?:prefer(?:s|red)?|chose|picked)\b", re.IGNORECASE)
_INSTEAD = re.compile(r"\s(?:over|instead of|rather than)\s")
_LISTED = re.compile(r"(?:, | and |, and | & |/)")


def read(facts: Iterable[Fact]) -> tuple[Triple, ...]:
    """Return the relations in the facts, each once, in their order."""
    found = {
        (triple.source.lower(), triple.relationship, triple.target.lower()): triple
        for fact in facts
        for triple in _triples(fact)
        if triple.source.lower() != triple.target.lower()
    }
    return tuple(found.values())[:MAX_TRIPLES]


def _triples(fact: Fact) -> Iterator[Triple]:
    text = fact.content
    found = names.find(text)
    if not found:
        return
    yield from _stated(text, found, fact.confidence)
    moved = _FROM_TO.search(text)
    if moved:
        yield from _between(text, found, moved.end(), _TO, "replaced", fact.confidence)
    preferred = _OVER.search(text)
    if preferred:
        yield from _between(
            text, found, preferred.end(), _INSTEAD, "preferred_over", fact.confidence
        )


def _stated(text: str, found: list[names.Name], confidence: float) -> Iterator[Triple]:
    """Yield the relations between a name and the names directly after its verb."""
    for subject in found:
        yield from _relations(text, found, subject, confidence)


def _relations(
    text: str, found: list[names.Name], subject: names.Name, confidence: float
) -> Iterator[Triple]:
    after = text[subject.end :]
    for verb, relation, source_type, target_type in _RELATIONS:
        match = verb.match(after.lstrip())
        if match:
            at = subject.end + len(after) - len(after.lstrip()) + match.end()
            for target in _listed(text, found, at):
                yield Triple(
                    source=subject.text,
                    source_type=source_type,
                    relationship=relation,
                    target=target.text,
                    target_type=target_type,
                    confidence=confidence,
                )
            return


def _listed(text: str, found: list[names.Name], at: int) -> Iterator[names.Name]:
    """Yield the name at a position, and those joined to it by commas and `and`."""
    for name in found:
        if name.start >= at:
            between = text[at : name.start]
            if between not in ("", "the ", "a ", "an ") and not _LISTED.fullmatch(between):
                return
            yield name
            at = name.end


def _between(
    text: str,
    found: list[names.Name],
    start: int,
    separator: re.Pattern[str],
    relation: str,
    confidence: float,
) -> Iterator[Triple]:
    parted = separator.search(text, start)
    if not parted:
        return
    before = [name for name in found if start <= name.start and name.end <= parted.start() + 1]
    after = [name for name in found if name.start == parted.end()]
    if len(before) == 1 and after:
        newer, older = (after[0], before[0]) if relation == "replaced" else (before[0], after[0])
        yield Triple(
            source=newer.text,
            source_type="unknown",
            relationship=relation,
            target=older.text,
            target_type="unknown",
            confidence=confidence,
        )
