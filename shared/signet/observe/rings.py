"""The last thousand times that each operation took, of all processes, without a lock between them.

Like the counters of metrics.py they are files mapped into memory, in the folder that a daemon empties when it starts:
noting a time is a write to memory, a killed process loses none, and nobody's restart takes away the times of others.
Outside the daemon they are memory of this process alone.
"""

import math
import mmap
import os
import struct
import threading
import time
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from signet.observe import mapped
from signet.observe.metrics import SHARED_FOLDER

#: How many times are kept of each operation (AN-9).
KEPT = 1_000
_HEAD = struct.Struct("<Q")
#: When (seconds since 1970) and how long (ms).
_SAMPLE = struct.Struct("<dd")
_BYTES = _HEAD.size + KEPT * _SAMPLE.size


class Operation(StrEnum):
    """What is timed."""

    REMEMBER = "remember"
    RECALL = "recall"
    MUTATE = "mutate"
    JOBS = "jobs"
    PREDICTOR_SCORE = "predictor_score"
    PREDICTOR_TRAIN = "predictor_train"


class Rings:
    """The times that this process has noted; for any thread."""

    def __init__(self) -> None:
        self._maps: dict[Operation, mmap.mmap] = {}
        self._lock = threading.Lock()

    def note(self, operation: Operation, milliseconds: float) -> None:
        """Keep a time in the place of the oldest one."""
        with self._lock:
            ring = self._maps.get(operation)
            if ring is None:
                ring = self._maps[operation] = _opened(operation)
            (count,) = _HEAD.unpack_from(ring)
            place = _HEAD.size + count % KEPT * _SAMPLE.size
            _SAMPLE.pack_into(ring, place, time.time(), milliseconds)
            _HEAD.pack_into(ring, 0, count + 1)

    def forget(self) -> None:
        """Begin anew with nothing noted."""
        with self._lock:
            self._maps.clear()

    def own(self, operation: Operation) -> bytes:
        """Return the ring of this process as it is in memory."""
        with self._lock:
            ring = self._maps.get(operation)
            return bytes(ring) if ring is not None else b""


#: The one of this process, as the metrics are.
TIMES = Rings()


def summaries() -> dict[str, dict[str, float]]:
    """Return for each operation the percentiles of the last times of all processes; reads files."""
    return {operation: summary(_newest(operation)) for operation in Operation}


def summary(times: Sequence[float]) -> dict[str, float]:
    """Return p50, p95 and p99 (nearest rank, ms), their count, and the mean rounded half up; pure."""
    if not times:
        return {"p50": 0, "p95": 0, "p99": 0, "count": 0, "mean": 0}
    ordered = sorted(times)
    ranks = {f"p{p}": ordered[math.ceil(p / 100 * len(ordered)) - 1] for p in (50, 95, 99)}
    mean = math.floor(math.fsum(ordered) / len(ordered) + 0.5)
    return {**ranks, "count": len(ordered), "mean": mean}


def _newest(operation: Operation) -> list[float]:
    """Return the last times of an operation, whoever noted them."""
    folder = os.environ.get(SHARED_FOLDER)
    rings = (
        [path.read_bytes() for path in Path(folder).glob(f"{operation}_*.ring")]
        if folder
        else [TIMES.own(operation)]
    )
    samples = sorted(sample for ring in rings for sample in _samples(ring))
    return [round(milliseconds, 3) for _, milliseconds in samples[-KEPT:]]


def _samples(ring: bytes) -> list[tuple[float, float]]:
    if len(ring) < _BYTES:
        return []
    (count,) = _HEAD.unpack_from(ring)
    end = _HEAD.size + min(count, KEPT) * _SAMPLE.size
    return [(at, took) for at, took in _SAMPLE.iter_unpack(ring[_HEAD.size : end])]


def _opened(operation: Operation) -> mmap.mmap:
    folder = os.environ.get(SHARED_FOLDER)
    if not folder:
        return mmap.mmap(-1, _BYTES)
    return mapped.reserved(Path(folder) / f"{operation}_{os.getpid()}.ring", _BYTES)
