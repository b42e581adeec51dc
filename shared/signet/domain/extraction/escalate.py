"""Limit the noise of an extraction: detect too many facts, and choose which to keep.

The pipeline runs level 2, a second request to the model (`prompt.condensed`). Level 3 needs no model and is the
fallback if level 2 fails.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from signet.domain.extraction.models import Extraction, Fact
from signet.domain.graph.models import Triple
from signet.domain.memory import wording

_CONSTRAINT = re.compile(r"\b(?:constraints?|must|never|always)\b", re.IGNORECASE)


def is_needed(extraction: Extraction, *, max_entities: int, max_facts_per_entity: int) -> bool:
    """Return whether a text yielded too many relations, or too many facts about one entity."""
    if len(extraction.triples) > max_entities:
        return True
    texts = [fact.content for fact in extraction.facts]
    return any(
        sum(_occurs(name, text) for text in texts) > max_facts_per_entity
        for name in {name.lower() for triple in extraction.triples for name in _ends(triple)}
    )


def reduce(extraction: Extraction, is_known: Callable[[str], bool]) -> Extraction:
    """Return the facts that are new or constraints, their triples, and one warning with counts.

    `is_known` returns whether a content hash is stored.
    """
    facts = _kept(extraction.facts, is_known)
    texts = [fact.content for fact in facts]
    triples = tuple(
        triple
        for triple in extraction.triples
        if any(_occurs(name, text) for name in _ends(triple) for text in texts)
    )
    warning = (
        f"too much for one text: kept {len(facts)} of {len(extraction.facts)} facts and "
        f"{len(triples)} of {len(extraction.triples)} entities"
    )
    return replace(
        extraction, facts=facts, triples=triples, warnings=(*extraction.warnings, warning)
    )


def is_constraint(fact: Fact) -> bool:
    """Return whether a fact is binding: a decision, or a text with a binding word."""
    return fact.type == "decision" or _CONSTRAINT.search(fact.content) is not None


def _kept(facts: tuple[Fact, ...], is_known: Callable[[str], bool]) -> tuple[Fact, ...]:
    kept: list[Fact] = []
    seen: set[str] = set()
    for fact in facts:
        digest = wording.content_hash(fact.content)
        if is_constraint(fact) or not (digest in seen or is_known(digest)):
            kept.append(fact)
        seen.add(digest)
    return tuple(kept)


def _ends(triple: Triple) -> tuple[str, str]:
    return triple.source, triple.target


def _occurs(name: str, text: str) -> bool:
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None
