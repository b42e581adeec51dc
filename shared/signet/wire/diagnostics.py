"""Health scores with reasons."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import get


class Advice(TypedDict):
    """A reason, its deduction, and the command that helps, if there is one.

    `passes`: it ends without anybody's help; the command then only shows it.
    """

    domain: str
    reason: str
    command: str | None
    points: float
    passes: bool


class Diagnosis(TypedDict):
    """The health of a domain, with reasons; further fields are the domain's figures."""

    score: float
    status: str
    reasons: list[str]
    help: NotRequired[list[Advice]]


class Diagnoses(TypedDict):
    """The health of all domains; `composite` is the total."""

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


class CheckResult(TypedDict):
    """One check: `status` is ok, warn or fail; `fix` is a command, `mend` what `signet doctor --fix` repairs."""

    check: str
    status: str
    detail: str
    fix: str | None
    mend: str | None


class CheckResults(TypedDict):
    checks: list[CheckResult]


CHECKS = get("/api/doctor", access.LOCAL, CheckResults)
DIAGNOSTICS = get("/api/diagnostics", access.DIAGNOSTICS, Diagnoses)
DIAGNOSIS = get("/api/diagnostics/{domain}", access.DIAGNOSTICS, Diagnosis)
