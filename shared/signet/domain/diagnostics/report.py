"""Score each part of the system from its counts, and build the health report."""

from datetime import datetime
from typing import TYPE_CHECKING

from signet import clock
from signet.db import ReadTx, fts_index
from signet.domain.diagnostics import counts
from signet.domain.diagnostics.counts import (
    Deduction,
    Domain,
    Duplicates,
    Facts,
    HealthReport,
    ModelCalls,
    Queue,
)
from signet.domain.embeddings.models import VectorCoverage
from signet.errors import Invalid
from signet.providers import track
from signet.text.plural import count
from signet.wire.diagnostics import Diagnosis

if TYPE_CHECKING:
    from signet.db import Row

DEEP = 50
OLD_SECONDS = 300
DEAD_RATE = 0.01
#: Number of dead jobs that alone is unhealthy, however old they are.
PILE = 100
TOMBSTONES = 0.30
FTS_OFF = 0.10
COVERED = 0.80
RECOVERS = 5
#: Deduction for a model that is too weak or too slow.
WEAK = 0.3
DAY_MS = 86_400_000
DUPLICATES, MANY_DUPLICATES = 0.05, 0.10

#: Free disk space, in bytes, at which saves fail or soon will.
FULL_DISK_BYTES, LOW_DISK_BYTES = 4_000_000, 100_000_000

DEAD_HELP = "signet repair requeue-dead --apply"
WORK_HELP = "signet jobs watch"
STUCK_HELP = "signet doctor"
DISK_HELP = "df -h"
CLOCK_HELP = "timedatectl status"
RESUME_HELP = "signet jobs resume"
LEASES_HELP = "signet repair release-leases --apply"
SWEEP_HELP = "signet repair retention-sweep --apply"
FTS_HELP = "signet repair check-fts --apply"
REEMBED_HELP = "signet repair re-embed --apply"
PROVIDER_HELP = "signet daemon logs -l warn"
DEDUP_HELP = "signet repair deduplicate --apply"
CONNECTOR_HELP = "signet connector list"


def queue(seen: Queue) -> Domain:
    """Score the queue (DG-7 to DG-10)."""
    found = [
        Deduction(points=0.2, reason=one.described, command=RESUME_HELP) for one in seen.pauses[:1]
    ]
    if seen.jump is not None:
        reason = f"{seen.jump.described}; due times were corrected"
        if seen.jump.ahead > 0:
            reason = f"{seen.jump.described}; nothing old is deleted until it is confirmed"
        found.append(Deduction(points=0.1, reason=reason, command=CLOCK_HELP))
    if seen.depth > DEEP and not seen.pauses:
        found.append(_waiting(seen, 0.3, f"{seen.depth} jobs wait"))
    if seen.dead_rate > DEAD_RATE:
        reason = f"{seen.died} of {seen.completed + seen.died} jobs of the last hour died"
        found.append(Deduction(points=0.3, reason=reason, command=DEAD_HELP))
    if seen.dead > PILE:
        reason = f"{seen.dead} dead jobs have piled up"
        found.append(Deduction(points=0.6, reason=reason, command=DEAD_HELP))
    elif seen.dead > seen.died:
        reason = f"earlier dead jobs: {seen.dead - seen.died}"
        found.append(Deduction(points=0.1, reason=reason, command=DEAD_HELP))
    if seen.oldest_seconds > OLD_SECONDS and not seen.pauses:
        reason = f"the oldest job has been waiting for {int(seen.oldest_seconds // 60)} minutes"
        found.append(_waiting(seen, 0.2, reason))
    if seen.anomalies:
        reason = count(seen.anomalies, "stale lease")
        found.append(Deduction(points=0.2, reason=reason, command=LEASES_HELP))
    fields = {
        "depth": seen.depth,
        "oldestAgeSec": round(seen.oldest_seconds, 1),
        "deadRate": seen.dead_rate,
        "leaseAnomalies": seen.anomalies,
        "dead": seen.dead,
        "byType": seen.by_kind,
        "lastError": seen.last_error,
        "pauses": [one._asdict() for one in seen.pauses],
    }
    return Domain(name="queue", fields=fields, deductions=tuple(found))


def _waiting(seen: Queue, points: float, reason: str) -> Deduction:
    """Return the deduction for waiting jobs; while others complete, they only need time."""
    command = WORK_HELP if seen.moves else STUCK_HELP
    return Deduction(points=points, reason=reason, command=command, passes=seen.moves)


def storage(total: int, deleted: int, overdue: int, size: int, free: int | None) -> Domain:
    """Score storage and disk: many overdue forgotten memories mean that retention is not running."""
    found: tuple[Deduction, ...] = ()
    if total and overdue / total > TOMBSTONES:
        reason = f"{overdue} of {total} memories were forgotten long ago and are not yet purged"
        found = (Deduction(points=0.3, reason=reason, command=SWEEP_HELP),)
    if free is None:
        pass
    elif free < FULL_DISK_BYTES:
        reason = f"the disk is full: {free / 1e6:.1f} MB free, so saves fail"
        found += (Deduction(points=0.7, reason=reason, command=DISK_HELP),)
    elif free < LOW_DISK_BYTES:
        reason = f"the disk is nearly full: {free / 1e6:.0f} MB free"
        found += (Deduction(points=0.3, reason=reason, command=DISK_HELP),)
    fields = {
        "totalMemories": total,
        "deletedTombstones": deleted,
        "overdueTombstones": overdue,
        "dbSizeBytes": size,
        "diskFreeBytes": free,
    }
    return Domain(name="storage", fields=fields, deductions=found)


def is_off(indexed: int | None, expected: int) -> bool:
    """Return whether a full-text index is missing or differs by more than a tenth (DG-12)."""
    if indexed is None:
        return True
    return indexed > 0 if expected == 0 else abs(indexed - expected) > FTS_OFF * expected


def index(
    active: int,
    expected: int,
    indexed: int | None,
    coverage: VectorCoverage,
    *,
    embeds: bool,
    is_queued: bool,
) -> Domain:
    """Score full text and vectors; `expected` rows belong in the index, including forgotten ones until purged.

    Without an embedding provider no vectors are missing. `is_queued`: vectors are being created.
    """
    found = []
    is_mismatch = is_off(indexed, expected)
    if is_mismatch:
        has = "is missing" if indexed is None else f"holds {indexed} of {expected} rows"
        found.append(Deduction(points=0.5, reason=f"the full-text index {has}", command=FTS_HELP))
    if embeds and coverage.share < COVERED:
        reason = f"{coverage.total - coverage.embedded} of {coverage.total} memories have no vector"
        command = WORK_HELP if is_queued else REEMBED_HELP
        found.append(Deduction(points=0.3, reason=reason, command=command, passes=is_queued))
    fields = {
        "memoriesRowCount": active,
        "expectedRowCount": expected,
        "ftsRowCount": indexed or 0,
        "ftsMismatch": is_mismatch,
        "embeddingCoverage": coverage.share,
    }
    return Domain(name="index", fields=fields, deductions=tuple(found))


def provider(calls: ModelCalls, weak: str | None) -> Domain:
    """Score the model providers by the share of successful last calls; `weak` names a weak or slow model."""
    lost = 1.0 - calls.availability
    found: tuple[Deduction, ...] = ()
    if lost:
        bad = calls.failures + calls.timeouts
        reason = f"{bad} of the last {calls.total} calls of models failed"
        if calls.last_error:
            reason += f", the last: {' '.join(calls.last_error.split())[:160]}"
        found = (Deduction(points=lost, reason=reason, command=PROVIDER_HELP),)
    if weak:
        found = (*found, Deduction(points=WEAK, reason=weak, command=track.RULES_COMMAND))
    fields = {
        "recentTotal": calls.total,
        "recentSuccesses": calls.successes,
        "recentFailures": calls.failures,
        "recentTimeouts": calls.timeouts,
        "availabilityRate": calls.availability,
        "lastSuccessAt": calls.last_success_at,
        "lastError": calls.last_error,
    }
    return Domain(name="provider", fields=fields, deductions=found)


def mutation(recovers: int, deletes: int) -> Domain:
    """Score changes: many recoveries suggest wrong deletions."""
    found: tuple[Deduction, ...] = ()
    if recovers > RECOVERS:
        reason = f"{recovers} memories were recovered in 7 days"
        found = (Deduction(points=0.3, reason=reason, passes=True),)
    fields = {"recentRecovers": recovers, "recentDeletes": deletes}
    return Domain(name="mutation", fields=fields, deductions=found)


def connector(row: "Row | None", *, now: datetime) -> Domain:
    """Score connectors; without their table there are no problems."""
    found = []
    age: int | None = None
    if row is not None and row["errors"]:
        reason = f"{count(row['errors'], 'connector')} failed"
        found.append(Deduction(points=0.3, reason=reason, command=CONNECTOR_HELP))
        since = clock.parsed(row["oldest"])
        age = None if since is None else int((now - since).total_seconds() * 1000)
        if age is not None and age > DAY_MS:
            reason = "one has been failing for more than a day"
            found.append(Deduction(points=0.2, reason=reason, command=CONNECTOR_HELP))
    fields = {
        "connectorCount": row["connectors"] if row else 0,
        "syncingCount": row["syncing"] if row else 0,
        "errorCount": row["errors"] if row else 0,
        "oldestErrorAge": age,
    }
    return Domain(name="connector", fields=fields, deductions=tuple(found))


def duplicate(seen: Duplicates, active: int) -> Domain:
    ratio = seen.excess / active if active else 0.0
    found: tuple[Deduction, ...] = ()
    if ratio > DUPLICATES:
        points = 0.5 if ratio > MANY_DUPLICATES else 0.3
        reason = f"{seen.excess} of {active} memories are there twice"
        found = (Deduction(points=points, reason=reason, command=DEDUP_HELP),)
    fields = {
        "exactDuplicates": seen.excess,
        "exactClusters": seen.clusters,
        "totalActive": active,
        "duplicateRatio": ratio,
    }
    return Domain(name="duplicate", fields=fields, deductions=found)


def update(facts: Facts) -> Domain:
    """Describe updates. This version never looks for any, so nothing is deducted."""
    fields: dict[str, object] = {
        "autoInstallEnabled": facts.installs_updates,
        "lastCheckSucceeded": None,
        "lastCheckAgeHours": None,
        "pendingRestart": False,
        "lastError": None,
    }
    return Domain(name="update", fields=fields)


def predictor(row: "Row | None", facts: Facts) -> Domain:
    """Score the predictor, which no separate process can bring down."""
    has_exited = bool(row and row["cold_start_exited"])
    rate = row["success_rate"] if row else None
    version = None
    if has_exited:
        from signet.domain.learning import worth  # with all that it reads, a second for doctor

        version = worth.VERSION
    fields = {
        "sidecarAlive": facts.predicts,
        "modelVersion": version,
        "trainingSessions": row["sessions"] if row else 0,
        "successRate": rate,
        "alpha": row["alpha"] if row else None,
        "coldStartExited": has_exited,
        "lastTrainedAt": row["last_comparison_at"] if row else None,
        "crashCount": 0,
        "crashDisabled": False,
    }
    if not facts.predicts:
        return Domain(name="predictor", fields=fields, base=0.0, word="disabled")
    if not has_exited:
        return Domain(name="predictor", fields=fields, base=0.6, word="cold_start")
    share = float(rate or 0.0)
    base = 0.8 + min(0.2, 0.2 * share) if share > 0.4 else 0.5 + 0.5 * share
    return Domain(name="predictor", fields=fields, base=base)


#: Domains that can be requested alone; no other caller-given name is used.
DOMAINS = tuple(
    "queue storage index provider mutation connector composite duplicate update predictor".split()
)


def report(tx: ReadTx, facts: Facts, *, now: datetime) -> HealthReport:
    """Check everything once, including each memory's vector."""
    total, deleted = counts.memories(tx)
    overdue = counts.overdue(tx, now - facts.tombstones_kept)
    active = total - deleted
    seen = counts.queue(tx, now=now, monotonic_ms=clock.monotonic_ms())
    coverage = VectorCoverage(total=active, embedded=counts.embedded(tx) if active else 0)
    is_queued = "pending" in seen.by_kind.get("embed", {})
    found = (
        queue(seen),
        storage(total, deleted, overdue, counts.database_bytes(tx), counts.disk_free_bytes(tx)),
        index(
            active,
            total,
            fts_index.indexed_rows(tx, "memories_fts"),
            coverage,
            embeds=facts.embeds,
            is_queued=is_queued,
        ),
        provider(counts.calls(tx), counts.weak_model(tx)),
        mutation(*counts.mutations(tx, now=now)),
        connector(counts.connectors(tx), now=now),
        duplicate(counts.duplicates(tx), active),
        update(facts),
        predictor(counts.predictor(tx), facts),
    )
    return HealthReport(at=now, domains={domain.name: domain for domain in found})


def part(whole: HealthReport, name: str) -> Diagnosis:
    """Return one domain's JSON; raises Invalid for an unknown name."""
    if name not in DOMAINS:
        raise Invalid(f"Unknown domain: {name}; there are {', '.join(DOMAINS)}")
    return whole.composite() if name == "composite" else whole.domains[name].as_dict()
