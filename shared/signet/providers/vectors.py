"""Batch texts for requests, and pack a provider's numbers as stored bytes. Pure."""

import math
import struct
from collections.abc import Iterator, Sequence

#: Texts per request: few enough for a slow local server to finish in EMBED_SECONDS.
BATCH = 32
EMBED_SECONDS = 30.0


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in batches of at most BATCH, in order."""
    for start in range(0, len(texts), BATCH):
        yield list(texts[start : start + BATCH])


def pack(numbers: object, *, dimensions: int) -> bytes:
    """Return a vector of length one as little-endian float32.

    Not all providers scale their vectors, so all are scaled here. Raises ValueError, with the reason, unless there
    are `dimensions` finite numbers that are not all zero.
    """
    if not isinstance(numbers, list) or not all(type(n) in (int, float) for n in numbers):
        raise ValueError("a vector is not a list of numbers")
    if len(numbers) != dimensions:
        raise ValueError(f"a vector has {len(numbers)} dimensions instead of {dimensions}")
    try:
        length = math.hypot(*numbers)
    except OverflowError:
        length = math.inf
    if not math.isfinite(length) or length == 0.0:
        raise ValueError("a vector is zero or not finite")
    return struct.pack(f"<{dimensions}f", *(n / length for n in numbers))


def pack_all(rows: object, *, count: int, dimensions: int) -> list[bytes]:
    """Return `count` packed vectors; raises ValueError for another number or length."""
    if not isinstance(rows, list) or len(rows) != count:
        raise ValueError(f"not the {count} vectors that were asked for")
    return [pack(row, dimensions=dimensions) for row in rows]
