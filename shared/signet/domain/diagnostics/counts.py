"""Values of a health report, and the counts that it is made from."""

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import cast

from signet import clock
from signet.config import Settings
from signet.config.sections import EmbeddingProvider
from signet.db import ReadTx, Row, clock_jumps
from signet.db.clock_jumps import Jump
from signet.db.dialect import HAS, PAGE_BYTES, PAGES
from signet.domain.diagnostics import sql
from signet.providers import registry, resolved, track
from signet.providers.resolved import PipelinePart
from signet.queue import pauses, stats
from signet.queue.kinds import queues_behind
from signet.queue.pauses import Pause
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
    """A domain's loss, its reason, and the command that helps.

    `passes`: it ends without anybody's help; the command then only shows it.
    """

    points: float
    reason: str
    command: str | None = None
    passes: bool = False


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
        return _clamped(self.base - sum(one.points for one in self.deductions))

    @property
    def status(self) -> str:
        return self.word or status_of(self.score)

    def as_dict(self) -> Diagnosis:
        reasons = [one.reason for one in self.deductions]
        found = {"score": self.score, "status": self.status, **self.fields, "reasons": reasons}
        return cast("Diagnosis", found)


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    at: datetime
    domains: Mapping[str, Domain]

    @property
    def score(self) -> float:
        return _clamped(sum(self.domains[name].score * weight for name, weight in WEIGHTS.items()))

    @property
    def status(self) -> HealthStatus:
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
            {
                "domain": name,
                "reason": one.reason,
                "command": one.command,
                "points": one.points,
                "passes": one.passes,
            }
            for name, one in self._weighted()
        ]
        return {
            "score": self.score,
            "status": self.status,
            "reasons": list(self.reasons),
            "help": advice,
        }

    def as_dict(self) -> Diagnoses:
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
    def from_settings(cls, settings: Settings) -> "Facts":
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


#: Hours for the share of dead jobs (DG-7).
RATE_HOURS = 1
#: Age from which an unextended lease is an anomaly (DG-8).
LEASE_MINUTES = 10
#: Days for counting changes of memories.
MUTATION_DAYS = 7

KEPT_CALLS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Waiting, ended (last hour), dead and stuck jobs of both queues."""

    depth: int = 0
    oldest_seconds: float = 0.0
    completed: int = 0
    died: int = 0
    dead: int = 0
    anomalies: int = 0
    by_kind: Mapping[str, Mapping[str, int]]
    pauses: Sequence[Pause] = ()
    jump: Jump | None = None
    last_error: Mapping[str, object] | None = None

    @property
    def dead_rate(self) -> float:
        """Return the share of the last hour's ended jobs that died, 0 if none ended."""
        ended = self.completed + self.died
        return self.died / ended if ended else 0.0

    @property
    def moves(self) -> bool:
        """Return whether jobs were completed within the last hour."""
        return self.completed > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCalls:
    """The last model calls: outcomes, the last success, and the last failure's reason."""

    total: int = 0
    successes: int = 0
    failures: int = 0
    timeouts: int = 0
    last_success_at: str | None = None
    last_error: str | None = None
    last_at: str | None = None

    @property
    def availability(self) -> float:
        """Return the share of successes, 1 without calls."""
        return self.successes / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """The number of duplicate rows, and of their groups."""

    clusters: int = 0
    excess: int = 0


def queue(tx: ReadTx, *, now: datetime, monotonic_ms: int) -> Queue:
    wall = {"wall": int(now.timestamp() * 1000)}
    since = {"since": clock.to_text(now - timedelta(hours=RATE_HOURS))}
    waiting = [_one(tx, sql, wall) for sql in (sql.PENDING, sql.PENDING_SUMMARIES)]
    ended = [_one(tx, sql, since) for sql in (sql.ENDED, sql.ENDED_SUMMARIES)]
    oldest = [clock.parsed(row[1]) for row in waiting]
    ages = [(now - at).total_seconds() for at in oldest if at is not None]
    by_kind: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in tx.all(sql.BY_KIND):
        by_kind[row["job_type"]][row["status"]] = row["jobs"]
    before = clock.to_text(now - timedelta(minutes=LEASE_MINUTES))
    return Queue(
        depth=sum(row[0] for row in waiting),
        oldest_seconds=max(ages, default=0.0),
        completed=sum(row["completed"] for row in ended),
        died=sum(row["dead"] for row in ended),
        pauses=pauses.pauses(tx),
        jump=clock_jumps.latest(tx, now=now),
        dead=int(tx.value(sql.DEAD)) + int(tx.value(sql.DEAD_SUMMARIES)),
        anomalies=int(tx.value(sql.COUNT_STALE, {"before": before, "monotonic": monotonic_ms})),
        by_kind=dict(by_kind),
        last_error=stats.last_error(tx),
    )


def memories(tx: ReadTx) -> tuple[int, int]:
    """Return the number of memories, and of forgotten ones."""
    row = _one(tx, sql.MEMORIES)
    return row["total"], row["deleted"]


def overdue(tx: ReadTx, before: datetime) -> int:
    """Return the number of memories forgotten before this instant and not purged."""
    return int(tx.value(sql.OVERDUE, (clock.to_text(before),)))


def disk_free_bytes(tx: ReadTx) -> int | None:
    """Return the free bytes on the disk of the database's file, None with a server."""
    file = tx.value(sql.FILE)
    return shutil.disk_usage(Path(file).parent).free if file else None


def database_bytes(tx: ReadTx) -> int:
    """Return the size of the database (DG-11)."""
    return int(tx.value(PAGES)) * int(tx.value(PAGE_BYTES))


def embedded(tx: ReadTx) -> int:
    """Return the number of active memories with a vector; takes about a second for a million."""
    return int(tx.value(sql.EMBEDDED))


def calls(tx: ReadTx) -> ModelCalls:
    """Return the outcomes of the last hundred model calls (DG-14 to DG-16)."""
    rows = tx.all(sql.CALLS, (KEPT_CALLS,))
    found = [row["outcome"] for row in rows]
    good = (row["at"] for row in rows if row["outcome"] == "success")
    bad = (row["error"] for row in rows if row["outcome"] != "success")
    return ModelCalls(
        total=len(rows),
        successes=found.count("success"),
        failures=found.count("failure"),
        timeouts=found.count("timeout"),
        last_success_at=next(good, None),
        last_error=next(bad, None),
        last_at=rows[0]["at"] if rows else None,
    )


def weak_model(tx: ReadTx) -> str | None:
    """Return why the text model in use is too weak or too slow, and what to do; None for a good or unknown one."""
    used = resolved.read(tx, PipelinePart.EXTRACTION)
    if used is None or used.effective in (registry.RULES, registry.NONE):
        return None
    name = f"{used.effective}:{used.model}"
    waiting: int = tx.value(sql.WAITING_FOR_TEXTS, (json.dumps(queues_behind("llm")),))
    found = list(track.stored(tx, name).faults(waiting))
    return f"{name}: {'; '.join(found)}; {track.ADVICE}" if found else None


def mutations(tx: ReadTx, *, now: datetime) -> tuple[int, int]:
    """Return the memories recovered and deleted in the last seven days."""
    row = _one(tx, sql.MUTATIONS, (clock.to_text(now - timedelta(days=MUTATION_DAYS)),))
    return row["recovers"], row["deletes"]


def connectors(tx: ReadTx) -> Row | None:
    """Return counts of connectors and the time of the oldest error; None without the table."""
    return _one(tx, sql.CONNECTORS) if tx.value(HAS, ("connectors",)) else None


def duplicates(tx: ReadTx) -> Duplicates:
    """Count equal memories that could be merged."""
    if tx.value(HAS, (sql.NO_DUPLICATES,)):
        return Duplicates()
    row = _one(tx, sql.DUPLICATES)
    return Duplicates(clusters=row["clusters"], excess=row["excess"])


def predictor(tx: ReadTx) -> Row | None:
    """Return the predictor's data, None if it never ran."""
    return tx.one(sql.PREDICTOR) if tx.value(HAS, ("predictor_state",)) else None


def _one(tx: ReadTx, sql: str, params: object = ()) -> Row:
    row = tx.one(sql, params)  # type: ignore[arg-type]  # handed through
    assert row is not None  # an aggregate
    return row
