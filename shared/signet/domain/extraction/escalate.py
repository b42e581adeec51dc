"""Limit the noise of an extraction: detect too many facts, choose which to keep, and skip those that are not new.

The pipeline runs level 2, a second request to the model (`prompt.condensed`). Level 3 needs no model and is the
fallback if level 2 fails. The write gate is off unless `writeGate.enabled`: surprise is 1 minus the cosine to the
nearest memory of the same type; decisions, constraints and faults always pass, because the difference may be one word.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from signet import clock
from signet.config.pipeline import WriteGateSettings
from signet.db import ReadTx
from signet.domain.extraction import sql
from signet.domain.extraction.models import ComparedMemory, Extraction, Fact
from signet.domain.graph.models import Triple
from signet.domain.memory import wording
from signet.domain.memory.models import Memory

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


LOW = "low_surprisal"

#: A project has ongoing news if it got this many memories in this time, with a neighbour of at least this cosine.
CONTINUING_MEMORIES = 3
CONTINUING_WITHIN = timedelta(minutes=30)
CONTINUING_SIMILARITY = 0.65

_FAULT = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|bugs?|broken?|exceptions?|outages?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The surprise that a fact needs; `continuing` applies to a project with ongoing news."""

    least: float
    least_continuing: float
    is_continuing: bool


def gate(tx: ReadTx, settings: WriteGateSettings, source: Memory, *, now: datetime) -> Gate | None:
    """Return the gate for facts of a source, None if it is switched off."""
    if not settings.enabled:
        return None
    since = clock.to_text(now - CONTINUING_WITHIN)
    stored = tx.value(sql.STORED, (source.agent_id, source.project, since)) if source.project else 0
    return Gate(
        least=settings.min_surprise,
        least_continuing=settings.min_surprise_continuing,
        is_continuing=int(stored) >= CONTINUING_MEMORIES,
    )


def is_low(fact: Fact, known: Sequence[ComparedMemory], gate: Gate) -> bool:
    """Return whether a fact is too similar to a memory of its type."""
    if is_constraint(fact) or _FAULT.search(fact.content):
        return False
    nearest = max((one.similarity for one in known if one.type == fact.type), default=0.0)
    continues = gate.is_continuing and nearest >= CONTINUING_SIMILARITY
    return 1 - nearest < (gate.least_continuing if continues else gate.least)
