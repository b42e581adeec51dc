"""Percentiles, and the kernel's figures about processes (Linux: /proc)."""

import os
import statistics
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the nearest-rank percentile; NaN without values."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)]


def median(values: Iterable[float]) -> float:
    """Return the median; NaN without values."""
    found = list(values)
    return statistics.median(found) if found else float("nan")


def ratio(ours: float, other: float) -> float:
    """Return ours ÷ other; NaN without a comparison."""
    return ours / other if other else float("nan")


def cpu_seconds(pid: int, *, with_ended: bool = False) -> float:
    """Return the processor time of a process and its threads since its start (resolution 10 ms).

    `with_ended` adds that of its children that have ended.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if with_ended else 13])) / _TICKS


def resident_mb(pids: Collection[int]) -> float:
    """Return the sum of processes' resident memory in MB; shared pages count once per process."""
    return sum(_status_kb(pid, "status", "VmRSS:") for pid in pids) / 1024


def proportional_mb(pids: Collection[int]) -> float:
    """Return the memory of processes in MB, with shared pages divided among them."""
    return sum(_status_kb(pid, "smaps_rollup", "Pss:") for pid in pids) / 1024


def _status_kb(pid: int, file: str, name: str) -> int:
    for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0
