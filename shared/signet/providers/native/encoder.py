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
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from signet.errors import ModelNotInstalled, ProviderDown, ProviderFailed
from signet.providers.native import added, weights, wordpiece
from signet.providers.native import folder as folders
from signet.providers.native.folder import Tokenizer, Unusable
from signet.providers.native.graph import Precision

if TYPE_CHECKING:
    import onnxruntime

DEFAULT_PRECISION = Precision.INT8
ADDED = added.PREFIX
NOT_INSTALLED = "the embedding model is not installed; run `signet models install`"
#: Vectors remembered: under 1 MB, and a question asked twice costs microseconds instead of milliseconds.
REMEMBERED = 512

#: From the ids of one text to its vector.
Run = Callable[[Sequence[int]], bytes]


class NativeEmbedder:
    """An Embedder that needs no server; loads on the first call of `load` or `embed`. See `AddedEmbedder`."""

    name = f"native:{weights.MODEL}"
    model = weights.MODEL
    dimensions = weights.DIMENSIONS

    def __init__(
        self, folder: Path | None = None, precision: Precision = DEFAULT_PRECISION
    ) -> None:
        self._folder = folder or weights.model_folder()
        self._precision = precision
        self._loading = threading.Lock()
        self._ready: tuple[Tokenizer, Run] | None = None
        self._remembering = threading.Lock()
        self._remembered: OrderedDict[bytes, bytes] = OrderedDict()

    @property
    def loaded(self) -> bool:
        """Whether `embed` answers without loading first."""
        return self._ready is not None

    def available(self) -> bool:
        """Return whether the model is loaded or its files are there; never raises."""
        return self.loaded or (self._folder / weights.WEIGHTS_FILE).is_file()

    def fault(self) -> str | None:
        """Return why the model cannot be used, None when it can; never raises."""
        return None if self.available() else NOT_INSTALLED

    def load(self) -> None:
        """Read the model into memory, once; ProviderDown when it is missing or damaged."""
        self._load()

    def rest(self) -> None:
        """Let the model go; the next call loads it again, in a tenth of a second."""
        with self._loading:
            self._ready = None

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector of length one for each text, in the same order."""
        tokenizer, run = self._load()
        return [self._vector(text, tokenizer, run) for text in texts]

    def _load(self) -> tuple[Tokenizer, Run]:
        with self._loading:
            if self._ready is None:
                self._ready = self._opened()
            return self._ready

    def _opened(self) -> tuple[Tokenizer, Run]:
        try:
            tokenizer = wordpiece.read(self._folder / weights.VOCABULARY_FILE)
            return tokenizer, _runtime(self._folder, self._precision)
        except FileNotFoundError as error:
            raise ModelNotInstalled(NOT_INSTALLED, provider=self.name) from error
        except (OSError, ValueError, KeyError, weights.BadWeights) as error:
            raise ProviderDown(
                "the embedding model cannot be read; run `signet models install`",
                provider=self.name,
                reason=str(error),
            ) from error

    def _vector(self, text: str, tokenizer: Tokenizer, run: Run) -> bytes:
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._remembering:
            known = self._remembered.get(key)
            if known is not None:
                self._remembered.move_to_end(key)
                return known
        vector = run(tokenizer.encode(text))
        with self._remembering:
            self._remembered[key] = vector
            if len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)
        return vector


class AddedEmbedder(NativeEmbedder):
    """The same for a model that a person added from a folder."""

    def __init__(self, model: str, dimensions: int) -> None:
        super().__init__(added.folder_of(model))
        self.name = f"native:{model}"
        self.model = model
        self.dimensions = dimensions

    def available(self) -> bool:
        """Return whether the model is loaded or its files are there; never raises."""
        return self.loaded or added.find(self.model) is not None

    def fault(self) -> str | None:
        """Return why the model cannot be used, None when it can; never raises."""
        if self.available():
            return None
        return f"{self.model} is not installed; run `signet models install DIR` with its folder"

    def _opened(self) -> tuple[Tokenizer, Run]:
        if (why := self.fault()) is not None:
            raise ModelNotInstalled(why, provider=self.name)
        try:
            opened = folders.open_(self._folder)
        except (OSError, Unusable) as error:
            raise ProviderDown(
                f"{self.model} cannot be read: {error}", provider=self.name
            ) from error
        return opened.tokenizer, opened.run


def _runtime(folder: Path, precision: Precision) -> Run:
    # First and whole: onnxruntime asks for a part of NumPy, and when another thread imports NumPy meanwhile each waits
    # for the other. Python then hands out a half-made NumPy, and no later import in this process works.
    import numpy as np  # noqa: F401

    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        return numpy_runtime(folder)
    return onnx_runtime(folder, precision)


def numpy_runtime(folder: Path) -> Run:
    """Return the NumPy pass over the installed weights."""
    from signet.providers.native import forward

    config = weights.read_config(folder / weights.CONFIG_FILE)
    opened = weights.open_installed(folder)
    return lambda ids: forward.encode(opened, config, ids).astype("<f4").tobytes()


def session_options() -> "onnxruntime.SessionOptions":
    """Return how a graph is run: one thread, no spinning, no memory arena."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def onnx_runtime(folder: Path, precision: Precision) -> Run:
    """Return the onnxruntime session of the installed graph, built first when it is missing."""
    import numpy as np
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as failures

    from signet.providers.native import graph

    path = graph.ensure(folder, precision)
    try:
        session = onnxruntime.InferenceSession(
            str(path), session_options(), providers=["CPUExecutionProvider"]
        )
    except (
        failures.Fail,
        failures.InvalidArgument,  # an empty file
        failures.InvalidProtobuf,
        failures.InvalidGraph,
    ) as error:
        raise weights.BadWeights(path=str(path)) from error

    def run(ids: Sequence[int]) -> bytes:
        try:
            vector = session.run(["vector"], {"ids": np.array(ids, dtype=np.int64)})[0]
        except (failures.Fail, failures.RuntimeException) as error:
            raise ProviderFailed(provider=NativeEmbedder.name, reason=str(error)) from error
        return bytes(vector.astype("<f4").tobytes())

    return run
