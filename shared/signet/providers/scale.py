"""The range of a model's cosines, so that relevance means the same for every model.

MiniLM's cosines of unrelated sentences are near 0, those of other models between 0.7 and 0.9. Each model is measured
with the same pairs of sentences, and its cosines are mapped so that unrelated and related ones match MiniLM's, for
which relevance is fitted.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from signet.errors import Invalid
from signet.providers.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Mean cosines of unrelated and of related English sentences of `pairs` for all-MiniLM-L6-v2.
UNRELATED, RELATED = 0.05, 0.76
#: Minimum distance of the two means.
LEAST_APART = 0.02


class Scale(NamedTuple):
    """A model's mean cosines of unrelated and of related sentences."""

    unrelated: float = UNRELATED
    related: float = RELATED

    @property
    def factor(self) -> float:
        """Return the width of the fitted scale relative to this one."""
        return (RELATED - UNRELATED) / (self.related - self.unrelated)

    @property
    def shift(self) -> float:
        """Return the constant to add to a cosine times `factor`."""
        return UNRELATED - self.factor * self.unrelated


FITTED = Scale()


@cache
def pairs() -> Sequence[tuple[str, str]]:
    """Return sentence pairs in seven languages; only the two of a pair have nearly the same meaning."""
    text = resources.files(__package__).joinpath("pairs.json").read_text("utf-8")
    return [(one, other) for one, other in json.loads(text)]


def measured(embedder: Embedder) -> Scale:
    """Return the scale of a model for cosines between a query and a passage.

    Raises Invalid for vectors that do not separate the pairs, and the errors of `embed`.
    """
    import numpy as np

    one, other = (
        np.stack([np.frombuffer(vector, "<f4") for vector in vectors])
        for vectors in (
            embedder.embed([query for query, _ in pairs()], are_queries=True),
            embedder.embed([passage for _, passage in pairs()]),
        )
    )
    return scale_of(cosines(one, other))


def cosines(one: "NDArray[np.float32]", other: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the cosine of each vector of one side of `pairs` (rows) with each of the other side."""
    import numpy as np

    one, other = (
        side / np.maximum(np.sqrt(np.einsum("id,id->i", side, side)), 1e-12)[:, None]
        for side in (one, other)
    )
    return np.asarray(np.einsum("id,jd->ij", one, other))


def scale_of(near: "NDArray[np.float32]") -> Scale:
    """Return the scale of the `cosines` of both sides; raises Invalid if they do not separate the pairs."""
    import numpy as np

    related = float(np.diag(near).mean())
    unrelated = float((near.sum() - np.diag(near).sum()) / (near.size - len(near)))
    if not np.isfinite(near).all() or related - unrelated < LEAST_APART:
        raise Invalid("the embedding model does not separate different sentences")
    return Scale(round(unrelated, 4), round(related, 4))
