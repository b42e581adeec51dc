"""How well the vectors are: seven checks, one score, and for each fault what mends it (EM-7, EM-8). Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from signet.domain.embeddings.models import Survey


class Grade(StrEnum):
    """What a check found."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class EmbeddingStatus(StrEnum):
    """What the score means."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNHEALTHY = "unhealthy"


#: What each check counts for; the answer keeps this order.
WEIGHTS = {
    "provider-available": 0.30,
    "coverage": 0.25,
    "dimension-mismatch": 0.15,
    "model-drift": 0.10,
    "null-vectors": 0.08,
    "vec-table-sync": 0.07,
    "orphaned-embeddings": 0.05,
}
#: What a grade leaves of a weight.
WORTH = {Grade.OK: 1.0, Grade.WARN: 0.5, Grade.FAIL: 0.0}
#: Least share of embedded memories for ok and for warn.
COVERED, BARELY_COVERED = 0.95, 0.80
#: Least scores of healthy and degraded; both count as reached.
HEALTHY, DEGRADED = 0.8, 0.5

RE_EMBED = "POST /api/repair/re-embed"
RESYNC = "POST /api/repair/resync-vec"
CLEAN = "POST /api/repair/clean-orphans"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One check: what it found, in words for people, and what mends it."""

    name: str
    grade: Grade
    message: str
    detail: str | None = None
    fix: str | None = None


def checks(survey: Survey, *, fault: str | None, model: str, dimensions: int) -> list[HealthCheck]:
    """Return all checks in their order; `fault` is why the provider cannot be used, None when it can."""
    return [
        _provider(fault),
        _coverage(survey),
        _failing(
            "dimension-mismatch",
            survey.other_width,
            fine=f"All vectors have {dimensions} dimensions",
            what=f"vectors do not have {dimensions} dimensions",
            fix=RE_EMBED,
        ),
        _drift(survey, model),
        _failing(
            "null-vectors",
            survey.without_values + survey.unindexed,
            fine="Every vector has values and is in the index",
            what="vectors are empty or missing from the index",
            fix=RESYNC,
        ),
        _index(survey),
        _orphans(survey),
    ]


def health_score(found: Sequence[HealthCheck]) -> float:
    """Return the weighted worth of all checks, 0..1, three decimals."""
    return round(sum(WEIGHTS[check.name] * WORTH[check.grade] for check in found), 3)


def health_status(value: float) -> EmbeddingStatus:
    """Return what a score means."""
    if value >= HEALTHY:
        return EmbeddingStatus.HEALTHY
    return EmbeddingStatus.DEGRADED if value >= DEGRADED else EmbeddingStatus.UNHEALTHY


def _provider(fault: str | None) -> HealthCheck:
    name = "provider-available"
    if fault is None:
        return HealthCheck(name=name, grade=Grade.OK, message="The embedding provider answers")
    return HealthCheck(
        name=name, grade=Grade.FAIL, message="The embedding provider does not answer", detail=fault
    )


def _coverage(survey: Survey) -> HealthCheck:
    share, name = survey.coverage.share, "coverage"
    missing = survey.coverage.total - survey.coverage.embedded
    message = f"{share:.1%} of {survey.coverage.total} memories have an up-to-date vector"
    if share >= COVERED:
        return HealthCheck(name=name, grade=Grade.OK, message=message)
    grade = Grade.WARN if share >= BARELY_COVERED else Grade.FAIL
    return HealthCheck(
        name=name, grade=grade, message=message, detail=f"{missing} missing", fix=RE_EMBED
    )


def _drift(survey: Survey, model: str) -> HealthCheck:
    name = "model-drift"
    if len(survey.models) <= 1:
        return HealthCheck(name=name, grade=Grade.OK, message="All vectors are of one model")
    return HealthCheck(
        name=name,
        grade=Grade.WARN,
        message=f"Vectors of {len(survey.models)} models; configured is {model}",
        detail=_listed(survey.models),
        fix=RE_EMBED,
    )


def _index(survey: Survey) -> HealthCheck:
    name = "vec-table-sync"
    if survey.in_index is None:
        # Nothing to index is no fault: the table is made with the first vector.
        grade = Grade.WARN if survey.in_table else Grade.OK
        message = "There is no vector index; vectors are compared one by one"
        return HealthCheck(
            name=name, grade=grade, message=message, fix=RESYNC if survey.in_table else None
        )
    if survey.in_index == survey.in_table:
        message = f"The index holds all {survey.in_index} vectors"
        return HealthCheck(name=name, grade=Grade.OK, message=message)
    message = f"The index holds {survey.in_index} of {survey.in_table} vectors"
    return HealthCheck(name=name, grade=Grade.WARN, message=message, fix=RESYNC)


def _orphans(survey: Survey) -> HealthCheck:
    name = "orphaned-embeddings"
    if not survey.orphaned:
        return HealthCheck(name=name, grade=Grade.OK, message="Every vector belongs to a memory")
    message = f"{survey.orphaned} vectors belong to memories that are gone or forgotten"
    return HealthCheck(name=name, grade=Grade.WARN, message=message, fix=CLEAN)


def _failing(name: str, count: int, *, fine: str, what: str, fix: str) -> HealthCheck:
    if not count:
        return HealthCheck(name=name, grade=Grade.OK, message=fine)
    return HealthCheck(name=name, grade=Grade.FAIL, message=f"{count} {what}", fix=fix)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
