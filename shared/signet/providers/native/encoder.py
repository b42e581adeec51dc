"""Turn texts into vectors with the installed all-MiniLM-L6-v2: onnxruntime, or NumPy where it has no wheel.

The default precision is INT8: recall with vectors alone is no worse than with FLOAT32 (LoCoMo recall@10, turns 43.8
against 43.4, facts 68.2 against 67.5), and it is three times faster. On one core of the build machine:

             load     8 tokens   35 tokens   256 tokens   memory
    INT8     0.07 s   0.5 ms     1.6 ms      13 ms        + 70 to 84 MB
    FLOAT32  0.09 s   2.6 ms     5.4 ms      34 ms        + 96 to 122 MB
    NumPy    0.05 s   6.2 ms     16 ms       125 ms       + 54 to 73 MB, most of it mapped

One thread, no spinning, no memory arena: the process serves other requests meanwhile. Texts go one at a time
(see graph.py), so a text has one vector however it is asked for.
"""

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signet.errors import ModelNotInstalled, ProviderDown
from signet.providers.native import added, session, weights, wordpiece
from signet.providers.native import folder as folders
from signet.providers.native.folder import Tokenizer
from signet.providers.native.graph import Precision
from signet.providers.native.session import Passes, Run, States, Unusable
from signet.providers.native.wordpiece import WordPiece
from signet.providers.ports import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Weight of unknown words and punctuation, relative to the mean of the others.
REST = 0.25


class Question:
    """A question's token states; markers count only in its mean."""

    def __init__(self, words: Sequence[tuple[str, int]], states: "NDArray[np.float32]") -> None:
        """Take the states of all tokens, including markers, and each word with its number of tokens."""
        import numpy as np

        self._mean = _unit(states.sum(axis=0))
        ends = np.cumsum([1, *(count for _, count in words)])
        starts = ends[:-1][ends[:-1] < len(states) - 1]
        self._words = [word for word, _ in words[: len(starts)]]
        # Half precision is enough, and many questions are cached.
        self._states = (
            np.add.reduceat(states[:-1], starts).astype(np.float16) if len(starts) else None
        )

    def vector(self, tells: Mapping[str, float]) -> bytes:
        """Return its vector, of length one; the mean of all tokens if no word's weight is known.

        `tells` has the weights of words in lower case and without accents.
        """
        import numpy as np

        known = [tells.get(word) for word in self._words]
        told = [one for one in known if one is not None]
        rest = REST * math.fsum(told) / max(1, len(told))
        if self._states is None or rest <= 0:
            return self._mean
        weights = np.array([rest if one is None else one for one in known], dtype=np.float32)
        return _unit(np.einsum("i,ij->j", weights, self._states.astype(np.float32)))


def _unit(vector: "NDArray[np.float32]") -> bytes:
    import numpy as np

    length = float(np.sqrt(np.einsum("i,i->", vector, vector))) or 1.0
    return (vector / length).astype("<f4").tobytes()


DEFAULT_PRECISION = Precision.INT8
ADDED = added.PREFIX
NOT_INSTALLED = "the embedding model is not installed; run `signet models install`"
NOT_ADDED = "{} is not installed; run `signet models install DIR` with its folder"
#: Cached vectors: under 1 MB, so a repeated question costs microseconds instead of milliseconds.
REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class Way:
    """The path from one kind of text to a vector: prefix, tokenizer, and model run."""

    prompt: str
    tokenizer: Tokenizer
    run: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """A model's paths for stored texts and for questions."""

    texts: Way
    questions: Way
    #: Reads questions with weighted words, if the model outputs token states.
    weighed: "Weighed | None" = None


@dataclass(frozen=True, slots=True)
class Weighed:
    """Reads questions whose words are weighted later."""

    tokenizer: WordPiece
    states: States

    def read(self, text: str) -> Question:
        """Return the token states of a question."""
        words = self.tokenizer.words(text)
        counts = [(word, len(pieces)) for word, pieces in words]
        return Question(counts, self.states(self.tokenizer.encode(text)))


class NativeEmbedder:
    """An Embedder without a server; loads on the first call of `load` or `embed`. See `AddedEmbedder`."""

    name = f"native:{weights.MODEL}"
    model = weights.MODEL
    dimensions = weights.DIMENSIONS

    def __init__(
        self, folder: Path | None = None, precision: Precision = DEFAULT_PRECISION
    ) -> None:
        self._folder = folder or weights.model_folder()
        self._precision = precision
        self._loading = threading.Lock()
        self._ready: Ways | None = None
        self._remembering = threading.Lock()
        self._remembered: OrderedDict[bytes, bytes] = OrderedDict()

    @property
    def loaded(self) -> bool:
        """Return whether `embed` answers without loading first."""
        return self._ready is not None

    def available(self) -> bool:
        return self.loaded or (self._folder / weights.WEIGHTS_FILE).is_file()

    def fault(self) -> str | None:
        return None if self.available() else NOT_INSTALLED

    def load(self) -> None:
        """Load the model into memory, once; raises ProviderDown if it is missing or damaged."""
        self._load()

    def rest(self) -> None:
        """Unload the model; the next call reloads it in a tenth of a second."""
        with self._loading:
            self._ready = None

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        way = self._load().texts
        return [self._vector(text, way) for text in texts]

    def question(self, text: str) -> Reading:
        ways = self._load()
        if ways.weighed is not None:
            return ways.weighed.read(text).vector
        vector = self._vector(text, ways.questions)
        return lambda _: vector

    def _load(self) -> "Ways":
        with self._loading:
            if self._ready is None:
                self._ready = self._opened()
            return self._ready

    def _opened(self) -> "Ways":
        try:
            tokenizer = wordpiece.read(self._folder / weights.VOCABULARY_FILE)
            passes = _runtime(self._folder, self._precision)
            way = Way("", tokenizer, passes.vector)
            weighed = Weighed(tokenizer, passes.states) if passes.states is not None else None
            return Ways(texts=way, questions=way, weighed=weighed)
        except FileNotFoundError as error:
            raise ModelNotInstalled(NOT_INSTALLED, provider=self.name) from error
        except (OSError, ValueError, KeyError, weights.BadWeights, Unusable) as error:
            raise ProviderDown(
                "the embedding model cannot be read; run `signet models install`",
                provider=self.name,
                reason=str(error),
            ) from error

    def _vector(self, text: str, way: "Way") -> bytes:
        text = way.prompt + text
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._remembering:
            known = self._remembered.get(key)
            if known is not None:
                self._remembered.move_to_end(key)
                return known
        vector = way.run(way.tokenizer.encode(text))
        with self._remembering:
            self._remembered[key] = vector
            if len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)
        return vector


class AddedEmbedder(NativeEmbedder):
    """An Embedder for a model that a user added from a folder."""

    def __init__(self, model: str, dimensions: int) -> None:
        super().__init__(added.folder_of(model))
        self.name = f"native:{model}"
        self.model = model
        self.dimensions = dimensions

    def available(self) -> bool:
        return self.loaded or added.find(self.model) is not None

    def fault(self) -> str | None:
        if self.available():
            return None
        return NOT_ADDED.format(self.model)

    def _opened(self) -> Ways:
        found = added.find(self.model)
        if found is None:
            raise ModelNotInstalled(NOT_ADDED.format(self.model), provider=self.name)
        try:
            opened = folders.open_(self._folder)
        except (OSError, Unusable) as error:
            raise ProviderDown(
                f"{self.model} cannot be read: {error}", provider=self.name
            ) from error
        return Ways(
            texts=_way(opened, opened.prompts.text, found.common),
            questions=_way(opened, opened.prompts.question, found.common_of_questions),
        )


def _way(opened: folders.Opened, prompt: str, common: Sequence[float]) -> Way:
    import numpy as np

    mean = np.array(common, dtype=np.float32)

    def run(ids: Sequence[int]) -> bytes:
        return added.apart(np.frombuffer(opened.run(ids), "<f4"), mean)

    return Way(prompt, opened.tokenizer, run)


def _runtime(folder: Path, precision: Precision) -> Passes:
    import numpy as np  # noqa: F401 - first and whole, see session.py

    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        return numpy_runtime(folder)
    return onnx_runtime(folder, precision)


def numpy_runtime(folder: Path) -> Passes:
    """Return NumPy runs of the installed weights."""
    from signet.providers.native import forward

    config = weights.read_config(folder / weights.CONFIG_FILE)
    opened = weights.open_installed(folder)
    return Passes(
        lambda ids: forward.encode(opened, config, ids).astype("<f4").tobytes(),
        lambda ids: forward.states(opened, config, ids),
    )


def onnx_runtime(folder: Path, precision: Precision) -> Passes:
    """Return the onnxruntime session of the installed graph, building the graph if it is missing."""
    from signet.providers.native import graph

    return session.open_(graph.ensure(folder, precision), provider=NativeEmbedder.name)
