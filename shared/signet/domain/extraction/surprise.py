"""The write gate: whether a fact is new enough. Off unless `writeGate.enabled`.

Surprise is 1 minus the cosine to the nearest memory of the same type. Decisions, constraints and faults always pass,
because the difference may be one word.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.config.pipeline import WriteGateSettings
from signet.db import ReadTx
from signet.domain.extraction import escalate, sql
from signet.domain.extraction.models import ComparedMemory, Fact
from signet.domain.memory.models import Memory

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
    if escalate.is_constraint(fact) or _FAULT.search(fact.content):
        return False
    nearest = max((one.similarity for one in known if one.type == fact.type), default=0.0)
    continues = gate.is_continuing and nearest >= CONTINUING_SIMILARITY
    return 1 - nearest < (gate.least_continuing if continues else gate.least)
