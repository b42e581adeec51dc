"""From a report to the repairs that would help, and what triggered each (MW-2, MW-3). Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from signet.domain.diagnostics import rules
from signet.domain.diagnostics.models import Report
from signet.domain.repair.models import Value

#: Vectors that maintenance makes itself in one cycle; the rest is queued as jobs by the tracker.
EMBEDDED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A repair that the report asks for: the domain that it should improve, and the number that says so."""

    domain: str
    action: str
    trigger: str
    options: Mapping[str, Value] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """Return it as it is answered."""
        return {"domain": self.domain, "action": self.action, "trigger": self.trigger}


def recommend(report: Report, *, gaps: int) -> list[Recommendation]:
    """Return the repairs that would help, in the order in which they are done.

    `gaps` are the memories without a vector that no job looks after; those with an open job only wait.
    """
    return [*_queue(report), *_index(report, gaps), *_storage(report), *_duplicates(report)]


def may_lack_vectors(report: Report) -> bool:
    """Return whether it is worth counting the gaps."""
    return any("no vector" in one.reason for one in report.domains["index"].deductions)


def _queue(report: Report) -> Iterator[Recommendation]:
    rate, stale = _number(report, "queue", "deadRate"), _number(report, "queue", "leaseAnomalies")
    if rate > rules.DEAD_RATE:
        trigger = f"dead rate {rate:.1%} > 1%"
        yield Recommendation(domain="queue", action="requeueDeadJobs", trigger=trigger)
    if stale:
        trigger = f"{stale:.0f} stale lease(s)"
        yield Recommendation(domain="queue", action="releaseStaleLeases", trigger=trigger)


def _index(report: Report, gaps: int) -> Iterator[Recommendation]:
    index = report.domains["index"]
    if index.fields["ftsMismatch"]:
        rows, expected = index.fields["ftsRowCount"], index.fields["expectedRowCount"]
        yield Recommendation(
            domain="index",
            action="checkFtsConsistency",
            trigger=f"{rows} of {expected} rows in the full-text index",
            options={"repair": True},
        )
    total = _number(report, "index", "memoriesRowCount")
    covered = 1 - gaps / total if total else 1.0
    if covered < rules.COVERED and _number(report, "provider", "availabilityRate") > 0:
        yield Recommendation(
            domain="index",
            action="reembedMissingMemories",
            trigger=f"embedding coverage {covered:.0%} < 80%",
            options={"batchSize": EMBEDDED},
        )


def _storage(report: Report) -> Iterator[Recommendation]:
    total = _number(report, "storage", "totalMemories")
    share = _number(report, "storage", "overdueTombstones") / total if total else 0.0
    if share > rules.TOMBSTONES:
        trigger = f"tombstone ratio {share:.0%} > 30%"
        yield Recommendation(domain="storage", action="triggerRetentionSweep", trigger=trigger)


def _duplicates(report: Report) -> Iterator[Recommendation]:
    ratio = _number(report, "duplicate", "duplicateRatio")
    if ratio > rules.DUPLICATES:
        trigger = f"duplicate ratio {ratio:.1%} > 5%"
        yield Recommendation(domain="duplicate", action="deduplicateMemories", trigger=trigger)


def _number(report: Report, domain: str, name: str) -> float:
    return cast("float", report.domains[domain].fields[name])
