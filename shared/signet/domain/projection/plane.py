"""From places to what a screen shows: coordinates in a frame, lines between what lies close (EM-15 to EM-17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

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
