"""Turn texts into vectors in the process, with an installed model.

Texts go one at a time, on one thread without spinning: the process serves other requests meanwhile, and the vector of a
text does not depend on others.
"""

import math
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from signet.errors import ModelNotInstalled, ProviderDown
from signet.providers.native import added, minilm
from signet.providers.native import folder as folders
from signet.providers.native.folder import Opened
from signet.providers.native.session import Unusable, unit
from signet.providers.native.tokens import Tokenizer
from signet.providers.ports import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Weight of unknown words and punctuation, relative to the mean of the other words.
REST = 0.25
NOT_INSTALLED = "the embedding model is not installed; run `signet models install`"
NOT_ADDED = "{} is not installed; run `signet models install {}`"
#: Cached vectors and their texts, about 1 MB: a repeated question costs microseconds instead of milliseconds.
REMEMBERED = 512


class WeightedQuestion:
    """The token states of a question; those of markers enter only the mean."""

    def __init__(self, words: Sequence[tuple[str, int]], states: "NDArray[np.float32]") -> None:
        """Take each word with its number of tokens, and the states of all tokens, including markers."""
        import numpy as np

        self._mean = unit(states.sum(axis=0)).tobytes()
        self._words = [word for word, _ in words]
        starts = np.cumsum([1, *(count for _, count in words)])[:-1]
        # Half precision is enough, and many questions are cached.
        self._states = (
            np.add.reduceat(states[:-1], starts).astype(np.float16) if len(starts) else None
        )

    def vector(self, tells: Mapping[str, float]) -> bytes:
        """Return its vector, of length one; the mean of all tokens if no word's weight is known.

        `tells` maps words, in lower case and without accents, to weights.
        """
        import numpy as np

        known = [tells.get(word) for word in self._words]
        told = [one for one in known if one is not None]
        rest = REST * math.fsum(told) / max(1, len(told))
        if self._states is None or rest <= 0:
            return self._mean
        weights = np.array([rest if one is None else one for one in known], dtype=np.float32)
        return unit(np.einsum("i,ij->j", weights, self._states.astype(np.float32))).tobytes()


class NativeEmbedder:
    """An Embedder without a server; loads on the first call of `load` or `embed`. See `AddedEmbedder`."""

    name = f"native:{minilm.MODEL}"
    model = minilm.MODEL
    dimensions = minilm.DIMENSIONS

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or minilm.model_folder()
        self._loading = threading.Lock()
        self._ready: Opened | None = None
        self._vector = lru_cache(REMEMBERED)(self._run)

    @property
    def loaded(self) -> bool:
        """Return whether `embed` answers without loading first."""
        return self._ready is not None

    def available(self) -> bool:
        return self.loaded or (self._folder / minilm.WEIGHTS_FILE).is_file()

    def fault(self) -> str | None:
        return None if self.available() else NOT_INSTALLED

    def load(self) -> Opened:
        """Return the model, loading it once; raises ProviderDown if it is missing or damaged."""
        with self._loading:
            if self._ready is None:
                self._ready = self._opened()
            return self._ready

    def rest(self) -> None:
        """Unload the model; the next call reloads it in a tenth of a second."""
        with self._loading:
            self._ready = None

    def embed(self, texts: Sequence[str], *, are_queries: bool = False) -> list[bytes]:
        return [self._vector(text, is_query=are_queries) for text in texts]

    def question(self, text: str) -> Reading:
        model = self.load()
        if model.passes.states is not None and isinstance(model.tokenizer, Tokenizer):
            ids, words = model.tokenizer.words(text)
            return WeightedQuestion(words, model.passes.states(ids)).vector
        vector = self._vector(text, is_query=True)
        return lambda _: vector

    def _opened(self) -> Opened:
        try:
            return minilm.open_(self._folder)
        except FileNotFoundError as error:
            raise ModelNotInstalled(NOT_INSTALLED, provider=self.name) from error
        except (OSError, ValueError, KeyError, minilm.BadWeights, Unusable) as error:
            raise ProviderDown(
                "the embedding model cannot be read; run `signet models install`",
                provider=self.name,
                reason=str(error),
            ) from error

    def _run(self, text: str, *, is_query: bool) -> bytes:
        return self.load().vector(text, is_query=is_query).tobytes()


class AddedEmbedder(NativeEmbedder):
    """An Embedder for another model, published or added from a folder."""

    def __init__(self, model: str, dimensions: int) -> None:
        super().__init__(added.folder_of(model))
        self.name = f"native:{model}"
        self.model = model
        self.dimensions = dimensions

    def available(self) -> bool:
        return self.loaded or added.find(self.model) is not None

    def fault(self) -> str | None:
        return None if self.available() else self._missing

    @property
    def _missing(self) -> str:
        is_from_folder = self.model.startswith(added.PREFIX)
        return NOT_ADDED.format(self.model, "DIR" if is_from_folder else self.model)

    def _opened(self) -> Opened:
        found = added.find(self.model)
        if found is None:
            raise ModelNotInstalled(self._missing, provider=self.name)
        try:
            return found.centred(folders.open_(self._folder))
        except (OSError, Unusable) as error:
            raise ProviderDown(
                f"{self.model} cannot be read: {error}", provider=self.name
            ) from error
