"""Values of the report: a domain is its numbers and deductions. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import cast

from signet import clock
from signet.config import Settings
from signet.config.sections import EmbeddingProvider
from signet.wire.diagnostics import Advice, Diagnoses, Diagnosis

#: Minimum scores of healthy and degraded, inclusive (DG-1).
HEALTHY, DEGRADED = 0.8, 0.5
#: Weights of the domains; others are reported without weight (DG-3, DG-4).
WEIGHTS: Mapping[str, float] = {
    "queue": 0.28,
    "storage": 0.14,
    "index": 0.19,
    "provider": 0.24,
    "mutation": 0.10,
    "connector": 0.05,
}


class HealthStatus(StrEnum):
    """The meaning of a score."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNHEALTHY = "unhealthy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduction:
    """A domain's loss, its reason, and the command that helps (None: none, or it recovers automatically)."""

    points: float
    reason: str
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A domain: its numbers under the clients' names, and its problems.

    `base` and `word` are for domains whose score and status do not follow from deductions alone.
    """

    name: str
    fields: Mapping[str, object]
    deductions: tuple[Deduction, ...] = ()
    base: float = 1.0
    word: str | None = None

    @property
    def score(self) -> float:
        """Return 0..1: the base minus the deductions (DG-2)."""
        return _clamped(self.base - sum(one.points for one in self.deductions))

    @property
    def status(self) -> str:
        """Return the meaning of the score."""
        return self.word or status_of(self.score)

    def as_dict(self) -> Diagnosis:
        """Return the domain's JSON."""
        reasons = [one.reason for one in self.deductions]
        found = {"score": self.score, "status": self.status, **self.fields, "reasons": reasons}
        return cast("Diagnosis", found)


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    """All domains at one instant."""

    at: datetime
    domains: Mapping[str, Domain]

    @property
    def score(self) -> float:
        """Return the weighted score 0..1 (DG-3)."""
        return _clamped(sum(self.domains[name].score * weight for name, weight in WEIGHTS.items()))

    @property
    def status(self) -> HealthStatus:
        """Return the meaning of the score, at most degraded while a weighted domain is unhealthy."""
        is_broken = any(self.domains[name].status == HealthStatus.UNHEALTHY for name in WEIGHTS)
        by_score = status_of(self.score)
        return HealthStatus.DEGRADED if is_broken and by_score is HealthStatus.HEALTHY else by_score

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return the problems, one line each, domain first."""
        return tuple(f"{name}: {one.reason}" for name, one in self._weighted())

    def composite(self) -> Diagnosis:
        """Return the total: score, status, reasons, and the command for each reason."""
        advice: list[Advice] = [
            {"domain": name, "reason": one.reason, "command": one.command, "points": one.points}
            for name, one in self._weighted()
        ]
        return {
            "score": self.score,
            "status": self.status,
            "reasons": list(self.reasons),
            "help": advice,
        }

    def as_dict(self) -> Diagnoses:
        """Return the report's JSON."""
        domains = {name: domain.as_dict() for name, domain in self.domains.items()}
        found = {"timestamp": clock.to_text(self.at), "composite": self.composite(), **domains}
        return cast("Diagnoses", found)

    def _weighted(self) -> list[tuple[str, Deduction]]:
        return [(name, one) for name in WEIGHTS for one in self.domains[name].deductions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts of the report that are not in rows."""

    embeds: bool = True
    predicts: bool = False
    installs_updates: bool = False
    #: How long forgotten memories can be recovered before they are purged.
    tombstones_kept: timedelta = timedelta(days=30)

    @classmethod
    def of(cls, settings: Settings) -> "Facts":
        """Return the facts from the settings."""
        return cls(
            embeds=settings.embedding.provider is not EmbeddingProvider.NONE,
            predicts=settings.pipeline.predictor.enabled,
            installs_updates=settings.updates.auto_install,
            tombstones_kept=timedelta(milliseconds=settings.retention.tombstone_retention_ms),
        )


def status_of(score: float) -> HealthStatus:
    """Return the meaning of a score; a rounding error below a threshold counts as reached."""
    rounded = round(score, 9)
    if rounded >= HEALTHY:
        return HealthStatus.HEALTHY
    return HealthStatus.DEGRADED if rounded >= DEGRADED else HealthStatus.UNHEALTHY


def _clamped(score: float) -> float:
    return round(min(max(score, 0.0), 1.0), 6)
