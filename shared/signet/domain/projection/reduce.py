"""From vectors of any width to at most 64 dimensions, with the least loss (EM-18).

The upstream implementation keeps the first 64 numbers of each vector; for models that were not trained for that they
say little. Here it is the 64 directions in which the vectors differ most (principal components), found exactly;
vectors wider than 1,024 go through a seeded random projection first, because the exact way grows with the third power.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

KEPT = 64
#: Beyond this width vectors are projected at random first, to this many dimensions; distances stay within a few
#: hundredths (Johnson and Lindenstrauss, 1984).
WIDEST = 1_024
#: Rows that are held at their full width at once.
BATCH = 512


def reduced(vectors: Sequence[bytes], *, seed: int) -> NDArray[float32]:
    """Return one row of at most `KEPT` numbers for each little-endian float32 vector, all of one width.

    Vectors count by their direction alone; a zero vector stays at the centre.
    """
    import numpy as np

    points = _units(vectors, seed)
    points -= points.mean(axis=0)
    if points.shape[1] <= KEPT:
        return points
    _, axes = np.linalg.eigh((points.T @ points).astype(np.float64))
    kept = axes[:, ::-1][:, :KEPT]
    # An axis may point either way; the largest part decides, so that a map is not mirrored from build to build.
    signs = np.sign(kept[np.abs(kept).argmax(axis=0), np.arange(kept.shape[1])])
    found: NDArray[float32] = points @ (kept * signs).astype(np.float32)
    return found


def _units(vectors: Sequence[bytes], seed: int) -> NDArray[float32]:
    import numpy as np

    width = len(vectors[0]) // 4
    wide = width > WIDEST
    directions = (
        np.random.default_rng(seed).standard_normal((width, WIDEST), dtype=np.float32)
        if wide
        else None
    )
    found = np.empty((len(vectors), min(width, WIDEST)), dtype=np.float32)
    for start in range(0, len(vectors), BATCH):
        part = np.frombuffer(b"".join(vectors[start : start + BATCH]), dtype="<f4")
        # Wide enough that the square of any stored number is finite.
        rows = np.nan_to_num(part.reshape(-1, width).astype(np.float64), posinf=0.0, neginf=0.0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        found[start : start + len(units)] = units if directions is None else units @ directions
    return found
