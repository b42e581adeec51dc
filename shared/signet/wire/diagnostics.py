"""What is well and what is not, scored, with reasons."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class Advice(TypedDict):
    """A reason, what it costs the score, and the command that helps, if one does."""

    domain: str
    reason: str
    command: str | None
    points: float


class Diagnosis(TypedDict):
    """How well a part of the daemon is, and why; further fields, other for each part, say what was counted."""

    score: float
    status: str
    reasons: list[str]
    help: NotRequired[list[Advice]]


class Diagnoses(TypedDict):
    """How well all parts are: `composite` sums up the others."""

    timestamp: str
    composite: Diagnosis
    queue: Diagnosis
    storage: Diagnosis
    index: Diagnosis
    provider: Diagnosis
    mutation: Diagnosis
    connector: Diagnosis
    duplicate: Diagnosis
    update: Diagnosis
    predictor: Diagnosis


DIAGNOSTICS = Operation("GET", "/api/diagnostics", access.DIAGNOSTICS, Diagnoses)
DIAGNOSIS = Operation("GET", "/api/diagnostics/{domain}", access.DIAGNOSTICS, Diagnosis)
