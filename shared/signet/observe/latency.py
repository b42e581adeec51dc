"""Latency of saves, recalls, changes and jobs since the daemon started, over all processes."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import chain

from signet.observe import metrics

_NAME = "signet_operation_seconds"
#: Recall times its stages itself; this stage applies learned ranking.
_STAGES, _SCORING = "signet_recall_stage_seconds", "learned"


class TimedOperation(StrEnum):
    REMEMBER = "remember"
    RECALL = "recall"
    MUTATE = "mutate"
    JOBS = "jobs"
    PREDICTOR_SCORE = "predictor_score"
    PREDICTOR_TRAIN = "predictor_train"


def observe(operation: TimedOperation, seconds: float) -> None:
    metrics.labelled(metrics.OPERATION_SECONDS, operation).observe(seconds)


def summaries() -> dict[str, dict[str, float]]:
    """Return the `summary` of each operation; reads files."""
    sums: dict[str, float] = {}
    buckets: dict[str, list[tuple[float, float]]] = {}
    names = [f"{name}_{part}" for name in (_NAME, _STAGES) for part in ("sum", "bucket")]
    for labels, value in chain(*metrics.values(*names).values()):
        if labels.get("stage", _SCORING) != _SCORING:
            continue
        operation = labels.get("operation", TimedOperation.PREDICTOR_SCORE)
        if "le" in labels:
            buckets.setdefault(operation, []).append((float(labels["le"]), value))
        else:
            sums[operation] = value
    return {
        one: summary(sorted(buckets.get(one, ())), sums.get(one, 0.0)) for one in TimedOperation
    }


def summary(buckets: Sequence[tuple[float, float]], seconds: float) -> dict[str, float]:
    """Return p50, p95 and p99, the count and the mean rounded half up, in ms, of a histogram; pure.

    `buckets` are ascending upper bounds in seconds up to infinity, with cumulative counts. A percentile is
    interpolated within its bucket, as Prometheus' `histogram_quantile` does, and is at most the largest finite bound;
    count and mean are exact.
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
