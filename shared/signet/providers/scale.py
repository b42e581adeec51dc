"""Where a model's cosines lie, so that relevance means the same for every model.

MiniLM's cosines of unrelated sentences are near 0, those of other models between 0.7 and 0.9. Each model is measured
with the same pairs of sentences, and its cosines are mapped so that unrelated and related ones lie where MiniLM's do:
relevance is fitted for those.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from signet.errors import Invalid

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
        """Return how much wider the fitted scale is."""
        return (RELATED - UNRELATED) / (self.related - self.unrelated)

    @property
    def shift(self) -> float:
        """Return what is added to a cosine times `factor`."""
        return UNRELATED - self.factor * self.unrelated


FITTED = Scale()


@cache
def pairs() -> Sequence[tuple[str, str]]:
    """Return sentence pairs in seven languages; the two of a pair have nearly the same meaning, different pairs do
    not.
    """
    text = resources.files(__package__).joinpath("pairs.json").read_text("utf-8")
    return [(one, other) for one, other in json.loads(text)]


def measured(embed: Callable[[Sequence[str]], list[bytes]]) -> Scale:
    """Return the scale of a model, given what embeds texts: it is called once.

    Raises Invalid for vectors that do not separate the pairs, and what `embed` raises.
    """
    asked, told = zip(*pairs(), strict=True)
    vectors = embed([*asked, *told])
    return of(vectors[: len(asked)], vectors[len(asked) :])


def of(asked: Sequence[bytes], told: Sequence[bytes]) -> Scale:
    """Return the scale of vectors of both sides of `pairs`; raises Invalid if they do not separate them."""
    import numpy as np

    many = [np.stack([np.frombuffer(one, "<f4") for one in side]) for side in (asked, told)]
    one, other = (side / np.sqrt(np.einsum("id,id->i", side, side))[:, None] for side in many)
    near = np.einsum("id,jd->ij", one, other)
    related = float(np.diag(near).mean())
    unrelated = float((near.sum() - np.diag(near).sum()) / (near.size - len(near)))
    if not np.isfinite(near).all() or related - unrelated < LEAST_APART:
        raise Invalid("the embedding model does not separate different sentences")
    return Scale(round(unrelated, 4), round(related, 4))
