"""Every Prometheus metric of the product, by name.

In the daemon each process writes its values to files in `.daemon/metrics` (prometheus-client's multi-process mode,
enabled by the environment variable PROMETHEUS_MULTIPROC_DIR before this module is imported); the API sums them when
scraped. Gauges of rows (queue depth, ages) are read from the database at scrape time, see
`signet_api.routes.metrics`. Labels have a small fixed set of values, never an ID or a path.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar, cast

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from signet.observe import mapped

mapped.install()

#: The variable with the folder for the values of all processes; a starting daemon empties it.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"

_FAST = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_SLOW = (0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0)
#: Narrow enough for interpolated percentiles.
_NARROW = tuple(
    round(step * 10.0**power, 5) for power in range(-4, 3) for step in (1, 1.5, 2, 3, 5, 7)
)

HTTP_REQUESTS = Counter(
    "signet_http_requests_total", "Requests answered", ["method", "route", "status"]
)
HTTP_SECONDS = Histogram(
    "signet_http_request_seconds", "Time to answer a request", ["method", "route"], buckets=_FAST
)
OPERATION_SECONDS = Histogram(
    "signet_operation_seconds",
    "Time of saves, recalls, changes and jobs",
    ["operation"],
    buckets=_NARROW,
)
WRITE_WAIT = Histogram(
    "signet_writer_wait_seconds", "Longest wait of a write in one transaction", buckets=_FAST
)
GROUP_SIZE = Histogram(
    "signet_writer_batch_size",
    "Writes in one transaction",
    buckets=(0, 1, 2, 4, 8, 16, 32, 64, 128, 256),
)
GATE_HELD = Histogram(
    "signet_gate_hold_seconds", "Time the write lock was held, or waited for", buckets=_FAST
)
JOB_WAIT = Histogram(
    "signet_job_wait_seconds",
    "Time from due to start of a job",
    ["job_type"],
    buckets=_FAST + _SLOW[6:],
)
JOB_ATTEMPTS = Counter("signet_job_attempts_total", "Leases taken on jobs", ["job_type"])
JOB_SECONDS = Histogram("signet_job_seconds", "Time a job ran", ["job_type"], buckets=_SLOW)
JOB_OUTCOMES = Counter("signet_job_outcomes_total", "Ends of runs of jobs", ["job_type", "outcome"])
FENCED = Counter("signet_fenced_total", "Results refused because the lease was lost")
REAPED = Counter("signet_reaped_total", "Leases ended by another process than their owner", ["why"])
WAKE = Counter("signet_wake_total", "Wake-ups of the worker", ["by"])
PROVIDER_CALLS = Counter(
    "signet_provider_calls_total", "Calls of model providers", ["provider", "outcome"]
)
PROVIDER_SECONDS = Histogram(
    "signet_provider_call_seconds", "Time of a model provider call", ["provider"], buckets=_SLOW
)
PROVIDER_TOKENS = Counter(
    "signet_provider_tokens_total", "Tokens that providers counted", ["provider", "direction"]
)
UNREADABLE = Counter(
    "signet_provider_unreadable_answers_total",
    "Model answers that could not be parsed",
    ["provider", "why"],
)
RECALL_STAGE = Histogram(
    "signet_recall_stage_seconds", "Time of one stage of recall", ["stage"], buckets=_FAST
)
BEATS = Counter("signet_beats_total", "Periodic tasks started by the scheduler", ["beat"])
CHECKPOINT_SECONDS = Histogram(
    "signet_checkpoint_seconds", "Time of a WAL checkpoint", buckets=_FAST
)
ERRORS = Counter("signet_errors_total", "Errors by stage and code", ["stage", "code"])
PREDICTOR_CHANGES = Counter(
    "signet_predictor_changes_total",
    "Times that learned ranking was switched on and off",
    ["status"],
)
REPAIRS = Counter("signet_repairs_total", "Repairs asked for", ["action", "outcome"])


Metric = TypeVar("Metric", Counter, Histogram)


def labelled(metric: Metric, *labels: object) -> Metric:
    """Return a cached `metric.labels`: a lookup costs as much as counting."""
    return cast(Metric, _labelled(metric, labels))


@cache
def _labelled(metric: Counter | Histogram, labels: tuple[object, ...]) -> object:
    return metric.labels(*labels)


#: Gauges that are read at scrape time: their labels and their help.
GAUGES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "signet_jobs": (("queue", "job_type", "status"), "Jobs in the queue"),
    "signet_jobs_dead": (("code",), "Dead jobs by error code"),
    "signet_jobs_delayed": (("queue",), "Jobs that are due later"),
    "signet_oldest_due_seconds": ((), "Wait of the oldest due job"),
    "signet_queue_waits_for_provider": (("queue",), "Whether a queue's provider is down"),
    "signet_queue_paused": (("queue",), "Whether a person paused a queue"),
    "signet_unknown_records": (
        ("harness", "version", "type"),
        "Log records of unknown types in sessions of the last 30 days",
    ),
    "signet_captured_timestamp_seconds": (("harness",), "Time of the newest message"),
    "signet_process_up": (("process",), "Whether a process runs"),
    "signet_health_score": (("domain",), "Score from 0 to 1 of the diagnostics"),
    "signet_memories_without_vector": ((), "Memories that wait for a vector"),
    "signet_database_bytes": (("file",), "Size of the database files"),
    "signet_backup_timestamp_seconds": ((), "Time of the newest backup that still exists"),
    "signet_disk_free_bytes": ((), "Disk of the workspace"),
    "signet_disk_size_bytes": ((), "Disk of the workspace"),
    "signet_build_info": (("version", "engine"), "Version of the daemon, and its database engine"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of a gauge of GAUGES, with the values of its labels."""

    name: str
    labels: tuple[str, ...]
    value: float


def gauges(samples: Sequence[Sample]) -> bytes:
    """Return the Prometheus text of gauges."""
    families: dict[str, GaugeMetricFamily] = {}
    for sample in samples:
        family = families.get(sample.name)
        if family is None:
            labels, text = GAUGES[sample.name]
            family = GaugeMetricFamily(sample.name, text, labels=labels)
            families[sample.name] = family
        family.add_metric(sample.labels, sample.value)
    registry = CollectorRegistry()
    registry.register(_Collected(list(families.values())))
    return generate_latest(registry)


class _Collected(Collector):
    def __init__(self, families: Sequence[GaugeMetricFamily]) -> None:
        self._families = families

    def collect(self) -> Sequence[GaugeMetricFamily]:
        return self._families


def exposition() -> bytes:
    """Return the Prometheus text of all processes (only this one outside the daemon); reads files."""
    return generate_latest(_registry())


def values(*names: str) -> dict[str, list[tuple[Mapping[str, str], float]]]:
    """Return labels and value of each sample by name, such as `signet_http_requests_total`; reads files, once."""
    found: dict[str, list[tuple[Mapping[str, str], float]]] = {name: [] for name in names}
    for family in _registry().collect():
        if any(name.startswith(family.name) for name in names):
            for sample in family.samples:
                if sample.name in found:
                    found[sample.name].append((sample.labels, sample.value))
    return found


def _registry() -> CollectorRegistry:
    if SHARED_FOLDER not in os.environ:
        return REGISTRY
    from prometheus_client import multiprocess

    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # ships no types
    return registry
