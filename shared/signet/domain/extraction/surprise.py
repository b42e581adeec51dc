"""The write gate: whether a fact says enough that is new. Off unless `writeGate.enabled`.

Surprise is 1 minus the cosine to the nearest memory of the same type. Decisions, constraints and faults are kept
whatever they resemble, because the difference may be one word.
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

#: A project is being told of just now: so many memories in so long, and a neighbour as like as this.
CONTINUING_MEMORIES = 3
CONTINUING_WITHIN = timedelta(minutes=30)
CONTINUING_SIMILARITY = 0.65

_FAULT = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|bugs?|broken?|exceptions?|outages?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """How much surprise a fact needs; `continuing` is that of a project that is being told of just now."""

    least: float
    least_continuing: float
    is_continuing: bool


def gate(tx: ReadTx, settings: WriteGateSettings, source: Memory, *, now: datetime) -> Gate | None:
    """Return the gate for what is found in a source, None when it is switched off."""
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
    """Say whether a fact is too like a memory of its type to be worth keeping."""
    if escalate.is_constraint(fact) or _FAULT.search(fact.content):
        return False
    nearest = max((one.similarity for one in known if one.type == fact.type), default=0.0)
    continues = gate.is_continuing and nearest >= CONTINUING_SIMILARITY
    return 1 - nearest < (gate.least_continuing if continues else gate.least)
