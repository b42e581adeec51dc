"""How long saves, recalls, changes and jobs took since the daemon started, in all processes."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from signet.observe import metrics

_NAME = "signet_operation_seconds"


class Operation(StrEnum):
    """What is timed."""

    REMEMBER = "remember"
    RECALL = "recall"
    MUTATE = "mutate"
    JOBS = "jobs"
    PREDICTOR_SCORE = "predictor_score"
    PREDICTOR_TRAIN = "predictor_train"


def observe(operation: Operation, seconds: float) -> None:
    """Count one time of an operation."""
    metrics.labelled(metrics.OPERATION_SECONDS, operation).observe(seconds)


def summaries() -> dict[str, dict[str, float]]:
    """Return for each operation what `summary` returns; reads files."""
    sums = {labels["operation"]: value for labels, value in metrics.values(f"{_NAME}_sum")}
    buckets: dict[str, list[tuple[float, float]]] = {}
    for labels, value in metrics.values(f"{_NAME}_bucket"):
        buckets.setdefault(labels["operation"], []).append((float(labels["le"]), value))
    return {one: summary(sorted(buckets.get(one, ())), sums.get(one, 0.0)) for one in Operation}


def summary(buckets: Sequence[tuple[float, float]], seconds: float) -> dict[str, float]:
    """Return p50, p95 and p99, the count and the mean rounded half up, in ms, of a histogram; pure.

    `buckets` are upper bounds in seconds, ascending up to infinity, with how many times were at most that long. A
    percentile is interpolated within its bucket, as `histogram_quantile` of Prometheus does, and is at most the
    largest finite bound; count and mean are exact.
    """
    count = buckets[-1][1] if buckets else 0
    if not count:
        return {"p50": 0, "p95": 0, "p99": 0, "count": 0, "mean": 0}
    ranks: Mapping[str, float] = {f"p{p}": _percentile(buckets, p / 100) for p in (50, 95, 99)}
    return {
        **ranks,
        "count": int(count),
        "mean": math.floor(round(seconds / count * 1000, 6) + 0.5),
    }


def _percentile(buckets: Sequence[tuple[float, float]], share: float) -> float:
    rank = share * buckets[-1][1]
    lower, below = 0.0, 0.0
    for upper, up_to in buckets:
        if up_to >= rank:
            width = 0.0 if math.isinf(upper) else upper - lower
            return round((lower + width * (rank - below) / (up_to - below)) * 1000, 3)
        lower, below = upper, up_to
    raise AssertionError("the last bucket holds all")
