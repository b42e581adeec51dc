"""From vectors to a map. Pure, and slow: about 3 s of one core and 50 MB for 5,000 vectors of 384 numbers."""

from collections.abc import Sequence

from signet.domain.projection import plane, reduce, umap
from signet.domain.projection.models import Map

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
        half = plane.REACH / 2
        return ((-half, *rest), (half, *rest)), ((0, 1),)
    points = reduce.reduced(vectors, seed=SEED)
    places = plane.framed(umap.layout(points, dimensions=dimensions, seed=SEED))
    return tuple(map(tuple, places.tolist())), tuple(plane.lines(places))
