"""One maintenance cycle: report, recommend, and if the settings allow, repair and report again (MW-1 to MW-9).

A cycle is a job of the worker, so it survives a crash and never overlaps itself. Its repairs pass the usual gate.
Decay of the graph is another job of the same interval (`graph_upkeep`), whose counts are included.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import cast

from signet import clock
from signet.config import Settings
from signet.config.pipeline import MaintenanceMode
from signet.db import Database, ReadTx, WriteTx
from signet.domain.diagnostics import report as diagnostics
from signet.domain.diagnostics.counts import Facts, HealthReport
from signet.domain.embeddings import vectors
from signet.domain.memory.models import Actor
from signet.domain.repair import gate, models, run
from signet.domain.repair.catalog import BY_NAME
from signet.domain.repair.models import RefusalReason, RepairOrder, RepairResult, Value
from signet.domain.repair.steps import RepairModels
from signet.errors import Frozen
from signet.observe import logs
from signet.paths import Workspace
from signet.queue import BULK, NewJob, enqueue, stats
from signet.text.plural import count

#: Vectors that one cycle creates itself; the tracker queues jobs for the rest.
EMBEDDED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A recommended repair: the domain it should improve, and the triggering number."""

    domain: str
    action: str
    trigger: str
    options: Mapping[str, Value] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        return {"domain": self.domain, "action": self.action, "trigger": self.trigger}


def recommend(report: HealthReport, *, gaps: int) -> list[Recommendation]:
    """Return the helpful repairs in their order.

    `gaps` are memories without a vector or a job for it; those with an open job only wait.
    """
    return [*_queue(report), *_index(report, gaps), *_storage(report), *_duplicates(report)]


def may_lack_vectors(report: HealthReport) -> bool:
    return any("no vector" in one.reason for one in report.domains["index"].deductions)


def _queue(report: HealthReport) -> Iterator[Recommendation]:
    rate, stale = _number(report, "queue", "deadRate"), _number(report, "queue", "leaseAnomalies")
    if rate > diagnostics.DEAD_RATE:
        trigger = f"dead rate {rate:.1%} > 1%"
        yield Recommendation(domain="queue", action="requeueDeadJobs", trigger=trigger)
    if stale:
        trigger = count(int(stale), "stale lease")
        yield Recommendation(domain="queue", action="releaseStaleLeases", trigger=trigger)


def _index(report: HealthReport, gaps: int) -> Iterator[Recommendation]:
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
    if covered < diagnostics.COVERED and _number(report, "provider", "availabilityRate") > 0:
        yield Recommendation(
            domain="index",
            action="reembedMissingMemories",
            trigger=f"embedding coverage {covered:.0%} < 80%",
            options={"batchSize": EMBEDDED},
        )


def _storage(report: HealthReport) -> Iterator[Recommendation]:
    total = _number(report, "storage", "totalMemories")
    share = _number(report, "storage", "overdueTombstones") / total if total else 0.0
    if share > diagnostics.TOMBSTONES:
        trigger = f"tombstone ratio {share:.0%} > 30%"
        yield Recommendation(domain="storage", action="triggerRetentionSweep", trigger=trigger)


def _duplicates(report: HealthReport) -> Iterator[Recommendation]:
    ratio = _number(report, "duplicate", "duplicateRatio")
    if ratio > diagnostics.DUPLICATES:
        trigger = f"duplicate ratio {ratio:.1%} > 5%"
        yield Recommendation(domain="duplicate", action="deduplicateMemories", trigger=trigger)


def _number(report: HealthReport, domain: str, name: str) -> float:
    return cast("float", report.domains[domain].fields[name])


KIND = "maintenance"
#: The author of its repairs in the history (MW-4).
ACTOR = Actor(name="maintenance-worker", type="daemon")
REASON = "autonomous maintenance"
FILLING = "checkFtsConsistency"
#: Refusals of the gate, and unavailable models: they do not mean that the repair failed to help.
_REFUSALS = frozenset(RefusalReason) - {RefusalReason.ERROR}


log = logs.get("scheduler")


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """A repair that maintenance tried or skipped, and its result."""

    recommendation: Recommendation
    result: RepairResult | None
    error: str | None = None

    @property
    def was_run(self) -> bool:
        """Return whether it counts as tried: not when skipped, or refused by the gate."""
        refused = self.result is not None and self.result.reason in _REFUSALS
        return not refused and not (self.result is None and self.error is None)

    def as_dict(self) -> dict[str, object]:
        told = self.recommendation.as_dict()
        if self.result is None:
            return told | ({"skipped": "halted"} if self.error is None else {"error": self.error})
        found = self.result
        reason = {} if found.reason is None else {"reason": found.reason}
        return told | {
            "success": found.success,
            "affected": found.affected,
            "message": found.message,
            **reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """The observations and actions of one cycle; `report` is the one after its repairs."""

    report: HealthReport
    recommendations: tuple[Recommendation, ...] = ()
    executed: tuple[Executed, ...] = ()
    decayed: int = 0
    propagated: int = 0

    def as_dict(self) -> dict[str, object]:
        return {
            "report": self.report.as_dict(),
            "recommendations": [one.as_dict() for one in self.recommendations],
            "executed": [one.as_dict() for one in self.executed],
            "feedbackDecayedAspects": self.decayed,
            "feedbackPropagatedAttributes": self.propagated,
        }


def is_on(settings: Settings) -> bool:
    return settings.pipeline.autonomous.enabled and not settings.pipeline.autonomous.frozen


def ask(tx: WriteTx, slot: str, *, now: datetime) -> None:
    """Queue a cycle, unless one is open: cycles never overlap (MW-8)."""
    enqueue(
        tx, NewJob(kind=KIND, dedupe_key="cycle", payload={"slot": slot}, priority=BULK), now=now
    )


def fill(tx: WriteTx, *, now: datetime) -> None:
    """Queue filling the full-text indexes that a start created, whether maintenance is enabled or not.

    Without them no word search works, so the repair limits do not apply.
    """
    why = "an index was missing"
    found = Recommendation(domain="index", action=FILLING, trigger=why, options={"repair": True})
    run.queue(tx, replace(_order(found, Settings()), now=now, reason=why))


def tick(
    db: Database,
    settings: Settings,
    workspace: Workspace,
    models: RepairModels,
    *,
    check: Callable[[], None] = lambda: None,
) -> Tick:
    """Run one cycle; an error in one repair does not stop the others. Raises what `check` raises."""
    facts = Facts.from_settings(settings)
    before = db.read(diagnostics.report, facts, now=clock.now())
    found = db.read(recommended, settings, before)
    decayed, propagated = db.read(_upkeep)
    if not found:
        db.write_quick(gate.clear)
    if not found or settings.pipeline.autonomous.maintenance_mode is MaintenanceMode.OBSERVE:
        for one in found:
            log.info("maintenance.recommends", action=one.action, trigger=one.trigger)
        return Tick(report=before, recommendations=found, decayed=decayed, propagated=propagated)
    executed = []
    left_alone = db.read(gate.halted)
    for one in found:
        check()
        executed.append(_execute(db, settings, workspace, models, one, left_alone, check))
    check()
    after = db.read(diagnostics.report, facts, now=clock.now())
    for tried in executed:
        if tried.was_run:
            name = tried.recommendation.domain
            helped = after.domains[name].score > before.domains[name].score
            db.write_quick(gate.judge, tried.recommendation.action, helped=helped)
    return Tick(
        report=after,
        recommendations=found,
        executed=tuple(executed),
        decayed=decayed,
        propagated=propagated,
    )


def _execute(
    db: Database,
    settings: Settings,
    workspace: Workspace,
    models: RepairModels,
    wanted: Recommendation,
    left_alone: frozenset[str],
    check: Callable[[], None],
) -> Executed:
    if wanted.action in left_alone:
        log.warning("maintenance.halted", action=wanted.action, trigger=wanted.trigger)
        return Executed(recommendation=wanted, result=None)
    try:
        result = run.now(db, _order(wanted, settings), workspace, models, check=check)
    except Frozen as error:
        return Executed(recommendation=wanted, result=None, error=error.message)
    except Exception as error:
        # An error in one repair must not prevent the others (MW-8).
        log.exception("maintenance.failed", action=wanted.action)
        return Executed(recommendation=wanted, result=None, error=str(error))
    log.info(
        "maintenance.executed",
        action=wanted.action,
        trigger=wanted.trigger,
        success=result.success,
        affected=result.affected,
    )
    return Executed(recommendation=wanted, result=result)


def _order(wanted: Recommendation, settings: Settings) -> RepairOrder:
    action = BY_NAME[wanted.action]
    return RepairOrder(
        action=action,
        settings=settings,
        actor=ACTOR,
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        options=models.read_options(action, wanted.options, settings.pipeline.repair),
        reason=REASON,
    )


def recommended(tx: ReadTx, settings: Settings, report: HealthReport) -> tuple[Recommendation, ...]:
    # No vectors are created while the pipeline is off.
    counts = settings.pipeline.enabled and may_lack_vectors(report)
    return tuple(recommend(report, gaps=_gaps(tx, settings) if counts else 0))


def _gaps(tx: ReadTx, settings: Settings) -> int:
    return len(vectors.find_gaps(tx, model=settings.embedding.model, now=clock.now(), limit=-1))


def _upkeep(tx: ReadTx) -> tuple[int, int]:
    done = stats.last_result(tx, "graph_upkeep")
    return cast(int, done.get("faded", 0)), cast(int, done.get("retired", 0))
