"""The encoder as an ONNX graph, built from the installed weights.

Input `input_ids` (int64, one text by its tokens); outputs `sentence_embedding` (float32, one by hidden) and, of the
tokens, `token_states`: token, position and type embeddings, the encoder blocks, and for the first the mean over the
tokens or the first one, length one. One text at a time, on purpose: texts run together would share the quantisation
of their activations, and a text's INT8 vector would depend on its neighbours. On one thread it costs little: over
LoCoMo turns and questions 2.0 ms a text alone, 1.5 in eights, 1.8 to 2.0 in batches of 32 (FLOAT32: 5.9 alone, 7.1 in
batches of 32, which pay for padding).

Two precisions. FLOAT32 holds no weights: its constants point into `model.safetensors` beside it. INT8 carries
its own: dense layers per output channel, the word table per row in a file beside it, of which the system keeps what is
read (250,000 words of E5 are 96 MB); activations are quantised as they come.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from signet.files import replace_file
from signet.providers.native import wire
from signet.providers.native.weights import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    WEIGHTS_SHA256,
    Config,
    Weights,
    open_installed,
    read_config,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Increase when this module would write another file from the same weights.
GRAPH_VERSION = 3
#: Name of the token-state output.
TOKEN_STATES = "token_states"
#: Range of a quantised weight, not 127: processors without VNNI add two products of an unsigned and a signed byte in
#: 16 bits, and 2 * 255 * 64 = 32,640 is the largest pair that fits. Recall is no worse (LoCoMo recall@10 43.6 against
#: 43.0 with 127, in batches of 32).
LARGEST_WEIGHT = 64


class Precision(StrEnum):
    """Precision of the graph's weights."""

    FLOAT32 = "float32"
    INT8 = "int8"


@dataclass(frozen=True, slots=True)
class Built:
    """A graph and its separate word table; None if that is the weights' own."""

    graph: bytes
    table: bytes | None

    def write(self, target: Path) -> None:
        """Write the word table, then the graph; each under a temporary name and renamed, mode 0600."""
        if self.table is not None:
            replace_file(table_of(target), self.table)
        replace_file(target, self.graph)


def table_of(graph: Path) -> Path:
    """Return the path of a graph's word table."""
    return graph.with_name(f"{graph.name}.data")


class _Builder:
    """Collects steps and constants; every method returns the name of its result."""

    def __init__(self, weights: Weights, precision: Precision, file: Path) -> None:
        self.weights = weights
        self.precision = precision
        self.file = file
        self.table: bytes | None = None
        self.nodes: list[bytes] = []
        self.constants: dict[str, bytes] = {}

    def step(
        self,
        operator: str,
        inputs: Sequence[str],
        results: int,
        attributes: dict[str, wire.Attribute],
    ) -> list[str]:
        names = [f"{len(self.nodes)}.{number}" for number in range(results)]
        self.nodes.append(wire.node(operator, inputs, names, attributes))
        return names

    def one(self, operator: str, *inputs: str, **attributes: wire.Attribute) -> str:
        return self.step(operator, inputs, 1, attributes)[0]

    def constant(self, name: str, value: "NDArray[np.generic]") -> str:
        kind = wire.Type[value.dtype.name.upper().replace("FLOAT32", "FLOAT")]
        self.constants[name] = wire.tensor(name, kind, value.shape, value.tobytes())
        return name

    def integers(self, *values: int) -> str:
        import numpy as np

        return self.constant(f"integers {values}", np.array(values, dtype=np.int64))

    def number(self, value: float) -> str:
        import numpy as np

        return self.constant(f"number {value}", np.array(value, dtype=np.float32))

    def weight(self, name: str) -> str:
        """Return a float32 tensor of the model."""
        at = self.weights.place(name)
        if self.precision is Precision.INT8:
            return self.constant(name, self.weights[name])
        self.constants[name] = wire.outside_tensor(
            name, wire.Type.FLOAT, at.shape, file=WEIGHTS_FILE, offset=at.offset, length=at.length
        )
        return name

    def look_up(self, table: str, rows: str) -> str:
        """Return rows of the word table."""
        if self.precision is Precision.FLOAT32:
            return self.one("Gather", self.weight(table), rows)
        values, scales = _quantised(self.weights[table], largest=127)
        self.table = values.tobytes()
        self.constants[table] = wire.outside_tensor(
            table,
            wire.Type.INT8,
            values.shape,
            file=table_of(self.file).name,
            offset=0,
            length=len(self.table),
        )
        found = self.one("Gather", table, rows)
        scale = self.one("Gather", self.constant(f"{table}.scale", scales), rows)
        return self.one("Mul", self.one("Cast", found, to=wire.Type.FLOAT), scale)

    def dense(self, name: str, read: Sequence[str]) -> str:
        """Return a dense layer of a flat input; `read` comes from `prepared`."""
        weight, bias = f"{name}.weight", self.weight(f"{name}.bias")
        if self.precision is Precision.FLOAT32:
            return self.one("Gemm", *read, self.weight(weight), bias, transB=1)
        import numpy as np

        value, scale, zero = read
        values, scales = _quantised(self.weights[weight], largest=LARGEST_WEIGHT)
        sides = self.constant(weight, np.ascontiguousarray(values.T))
        product = self.one("MatMulInteger", value, sides, zero)
        both = self.one("Mul", scale, self.constant(f"{weight}.scale", scales.ravel()))
        exact = self.one("Mul", self.one("Cast", product, to=wire.Type.FLOAT), both)
        return self.one("Add", exact, bias)

    def prepared(self, value: str) -> list[str]:
        """Return the input of `dense`: the value, or with INT8 its bytes, scale and zero point."""
        if self.precision is Precision.FLOAT32:
            return [value]
        return self.step("DynamicQuantizeLinear", [value], 3, {})


def _quantised(
    table: "NDArray[np.float32]", *, largest: int
) -> tuple["NDArray[np.int8]", "NDArray[np.float32]"]:
    import numpy as np

    scales = np.abs(table).max(axis=1, keepdims=True) / np.float32(largest)
    scales[scales == 0] = 1
    return np.rint(table / scales).astype(np.int8), scales.astype(np.float32)


def build(
    weights: Weights, config: Config, precision: Precision, file: Path, *, is_first: bool = False
) -> Built:
    """Return the deterministic content of `file`; `is_first` selects the state of the first token.

    Raises BadWeights if a tensor is missing.
    """
    graph = _Builder(weights, precision, file)
    state = _embedded(graph, config)
    for number in range(config.layers):
        state = _block(graph, config, f"encoder.layer.{number}", state)
    graph.nodes.append(wire.node("Identity", [state], [TOKEN_STATES], {}))
    if is_first:
        pooled = graph.one("Slice", state, graph.integers(0), graph.integers(1))
    else:  # the sum has the mean's direction, and only the direction is used
        pooled = graph.one("ReduceSum", state, graph.integers(0), keepdims=1)
    graph.nodes.append(
        wire.node("LpNormalization", [pooled], ["sentence_embedding"], {"axis": -1, "p": 2})
    )
    whole = wire.model(
        nodes=graph.nodes,
        constants=list(graph.constants.values()),
        inputs=[wire.port("input_ids", wire.Type.INT64, [1, "tokens"])],
        outputs=[
            wire.port("sentence_embedding", wire.Type.FLOAT, [1, config.hidden]),
            wire.port(TOKEN_STATES, wire.Type.FLOAT, ["tokens", config.hidden]),
        ],
    )
    return Built(whole, graph.table)


def _embedded(graph: _Builder, config: Config) -> str:
    ids = graph.one("Reshape", "input_ids", graph.integers(-1))
    words = graph.look_up("embeddings.word_embeddings.weight", ids)
    places = graph.weight("embeddings.position_embeddings.weight")
    places = graph.one("Slice", places, graph.integers(0), graph.one("Shape", ids))
    kinds = graph.weight("embeddings.token_type_embeddings.weight")
    first = graph.one("Slice", kinds, graph.integers(0), graph.integers(1))
    summed = graph.one("Add", words, graph.one("Add", places, first))
    return _normed(graph, config, "embeddings.LayerNorm", summed)


def _block(graph: _Builder, config: Config, name: str, state: str) -> str:
    seen = _attention(graph, config, f"{name}.attention.self", state)
    seen = graph.dense(f"{name}.attention.output.dense", graph.prepared(seen))
    seen = graph.one("Add", seen, state)
    state = _normed(graph, config, f"{name}.attention.output.LayerNorm", seen)
    wide = graph.one("Gelu", graph.dense(f"{name}.intermediate.dense", graph.prepared(state)))
    narrow = graph.dense(f"{name}.output.dense", graph.prepared(wide))
    return _normed(graph, config, f"{name}.output.LayerNorm", graph.one("Add", narrow, state))


def _attention(graph: _Builder, config: Config, name: str, state: str) -> str:
    width = config.hidden // config.heads
    read = graph.prepared(state)

    def heads(part: str, order: list[int]) -> str:
        flat = graph.dense(f"{name}.{part}", read)
        split = graph.one("Reshape", flat, graph.integers(-1, config.heads, width))
        return graph.one("Transpose", split, perm=order)

    scores = graph.one("MatMul", heads("query", [1, 0, 2]), heads("key", [1, 2, 0]))
    shares = graph.one("Softmax", graph.one("Mul", scores, graph.number(width**-0.5)), axis=-1)
    seen = graph.one("MatMul", shares, heads("value", [1, 0, 2]))
    joined = graph.one("Transpose", seen, perm=[1, 0, 2])
    return graph.one("Reshape", joined, graph.integers(-1, config.hidden))


def _normed(graph: _Builder, config: Config, name: str, value: str) -> str:
    scale, shift = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
    return graph.one("LayerNormalization", value, scale, shift, axis=-1, epsilon=config.epsilon)


def file_name(precision: Precision) -> str:
    """Return the graph's file name, which changes with the weights and this module."""
    return f"encoder-{precision}-v{GRAPH_VERSION}-{WEIGHTS_SHA256[:8]}.onnx"


def ensure(folder: Path, precision: Precision) -> Path:
    """Return the graph's file in the model's folder, building it if it is missing.

    Concurrent builders are harmless. Raises OSError or BadWeights.
    """
    target = folder / file_name(precision)
    if not target.is_file():
        weights = open_installed(folder)
        build(weights, read_config(folder / CONFIG_FILE), precision, target).write(target)
    return target
