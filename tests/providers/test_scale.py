"""Cosines of every model are mapped to the scale that relevance is fitted for."""

from collections.abc import Sequence

import numpy as np
import pytest

from signet.db import vectors
from signet.errors import Invalid
from signet.providers import scale
from signet.providers.ollama import OllamaEmbedder
from signet.providers.scale import FITTED, RELATED, UNRELATED, Scale


def _model(common: float) -> list[bytes]:
    """Return vectors of both sides of the pairs; `common` is the part that all of them share."""
    count = len(scale.pairs())
    own = np.eye(count, dtype="<f4")
    near = own + 0.5 * np.roll(own, 1, axis=1)
    sides = np.concatenate([own, near])
    shared = np.full((2 * count, 1), common, dtype="<f4")
    return [vectors.pack(row) for row in np.concatenate([sides, shared], axis=1).tolist()]


class Model(OllamaEmbedder):
    """A model that is asked for both sides of the pairs."""

    def __init__(self, common: float, vectors: Sequence[bytes] = ()) -> None:
        super().__init__("http://127.0.0.1:9", "some-model", dimensions=1)
        self._vectors = vectors or _model(common)
        self.calls: list[bool] = []

    def embed(self, texts: Sequence[str], *, are_queries: bool = False) -> list[bytes]:
        self.calls.append(are_queries)
        side = list(scale.pairs()[0]).index(texts[0]) * len(texts)
        return list(self._vectors[side : side + len(texts)])


@pytest.mark.parametrize("common", [0.0, 1.0, 3.0])
def test_unrelated_and_related_sentences_get_the_same_cosines_for_every_model(
    common: float,
) -> None:
    model = Model(common)
    found = scale.measured(model)
    assert model.calls == [True, False]
    assert found.factor * found.unrelated + found.shift == pytest.approx(UNRELATED)
    assert found.factor * found.related + found.shift == pytest.approx(RELATED)


def test_the_fitted_model_keeps_its_cosines() -> None:
    assert (FITTED.factor, FITTED.shift) == (1.0, 0.0)
    assert Scale(0.75, 0.95).factor == pytest.approx(3.55)


def test_vectors_that_do_not_separate_sentences_are_refused() -> None:
    same = vectors.pack([1.0, 0.0])
    with pytest.raises(Invalid, match="does not separate different sentences"):
        scale.measured(Model(0.0, [same] * 2 * len(scale.pairs())))
