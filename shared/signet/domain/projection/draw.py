"""From vectors to a map: reduce them to 64 dimensions, place them by UMAP, fit the places into a frame (EM-15, EM-18).

Pure, and slow: about 3 s of one core and 50 MB for 5,000 vectors of 384 numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from signet.domain.projection import umap
from signet.domain.projection.models import Map

if TYPE_CHECKING:
    from numpy import float32, float64, int64
    from numpy.typing import NDArray

#: The same vectors give the same map.
SEED = 42


def draw(ids: Sequence[str], vectors: Sequence[bytes], *, dimensions: int, stamp: str) -> Map:
    """Return the map of these memories; a vector for each, all of one width."""
    places, edges = _placed(vectors, dimensions)
    return Map(stamp=stamp, ids=tuple(ids), places=places, edges=edges)


def _placed(
    vectors: Sequence[bytes], dimensions: int
) -> tuple[tuple[tuple[float, ...], ...], tuple[tuple[int, int], ...]]:
    """Return places and edges; one point stands in the middle, two stand side by side (EM-16)."""
    rest = (0.0,) * (dimensions - 1)
    if len(vectors) < 2:
        return tuple((0.0, *rest) for _ in vectors), ()
    if len(vectors) == 2:
        half = REACH / 2
        return ((-half, *rest), (half, *rest)), ((0, 1),)
    points = reduced(vectors, seed=SEED)
    places = framed(umap.layout(points, dimensions=dimensions, seed=SEED))
    return tuple(map(tuple, places.tolist())), tuple(lines(places))


#: Coordinates reach from minus this to plus this.
REACH = 210.0
#: Lines from each point.
LINES = 4
#: Up to here every pair of points is compared; above, the neighbours on each side in two orders.
EXACT_UP_TO = 450
SIDE = 24


def framed(places: NDArray[float64]) -> NDArray[float64]:
    """Return the places with each axis stretched to the frame; an axis on which nothing differs is 0."""
    import numpy as np

    low, high = places.min(axis=0), places.max(axis=0)
    span = high - low
    shares = np.divide(places - low, span, out=np.full_like(places, 0.5), where=span > 0)
    frame: NDArray[float64] = np.round((shares - 0.5) * 2.0 * REACH, 3)
    return frame


def lines(places: NDArray[float64]) -> list[tuple[int, int]]:
    """Return pairs (i, j) with i < j, each once: every point and the `LINES` others nearest to it."""
    import numpy as np

    count = len(places)
    candidates = _all(count) if count <= EXACT_UP_TO else _beside(places)
    apart = ((places[candidates] - places[:, None, :]) ** 2).sum(axis=2)
    apart[candidates == np.arange(count)[:, None]] = np.inf
    # A candidate may stand on both sides and in both orders; it counts once.
    apart[_repeated(candidates)] = np.inf
    order = np.lexsort((candidates, apart), axis=1)[:, :LINES]
    rows = np.arange(count)[:, None]
    pairs = {
        (min(one, other), max(one, other))
        for one, others, how_far in zip(
            range(count), candidates[rows, order].tolist(), apart[rows, order].tolist(), strict=True
        )
        for other, far in zip(others, how_far, strict=True)
        if far != np.inf
    }
    return sorted(pairs)


def _all(count: int) -> NDArray[int64]:
    import numpy as np

    return np.tile(np.arange(count), (count, 1))


def _beside(places: NDArray[float64]) -> NDArray[int64]:
    """Return for each point the `SIDE` points before and after it in the order of X, and in that of Y."""
    import numpy as np

    count = len(places)
    steps = np.concatenate([np.arange(-SIDE, 0), np.arange(1, SIDE + 1)])
    found = np.empty((count, 4 * SIDE), dtype=np.int64)
    for axis in (0, 1):
        order = np.argsort(places[:, axis], kind="stable")
        # Beyond an end stands the point itself, which is never joined to itself.
        at = np.arange(count)[:, None] + steps
        around = np.where((at < 0) | (at >= count), np.arange(count)[:, None], at)
        found[order, axis * 2 * SIDE : (axis + 1) * 2 * SIDE] = order[around]
    return found


def _repeated(candidates: NDArray[int64]) -> NDArray[int64]:
    """Return where a row names a candidate that it has named before."""
    import numpy as np

    order = np.argsort(candidates, axis=1, kind="stable")
    ranked = np.take_along_axis(candidates, order, axis=1)
    again = np.zeros_like(ranked, dtype=bool)
    again[:, 1:] = ranked[:, 1:] == ranked[:, :-1]
    found = np.empty_like(again)
    np.put_along_axis(found, order, again, axis=1)
    return found


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
