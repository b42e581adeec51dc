"""Write `providers/native/minilm.onnx`, the graph of all-MiniLM-L6-v2 without its weights: `minilm_graph.py FILE`.

The weights are in the file that `minilm.pack` writes; their places in it come from the installed model. Requires
`onnx` (the extra `dev`).

Input `input_ids` (int64, one text by its tokens). Outputs: `sentence_embedding` (float32, 1 by 384, of length one),
the direction of the mean of the token states, and `token_states` (float32, tokens by 384).
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from signet.providers.native import minilm
from signet.providers.native.minilm import PackedTensor
from signet.providers.native.session import TOKEN_STATES

LAYERS, HEADS, WIDTH, EPSILON = 6, 12, 32, 1e-12
HIDDEN = HEADS * WIDTH
#: The first operator set with Gelu.
OPSET, IR_VERSION = 20, 9


class Builder:
    """Collect nodes and constants; each method returns the name of its result."""

    def __init__(self, parts: Iterable[PackedTensor]) -> None:
        self.parts = {part.name: part for part in parts}
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def many(self, operator: str, inputs: list[str], count: int, **attributes: Any) -> list[str]:
        names = [f"{len(self.nodes)}.{number}" for number in range(count)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names

    def one(self, operator: str, *inputs: str, **attributes: Any) -> str:
        return self.many(operator, list(inputs), 1, **attributes)[0]

    def constant(self, *values: int) -> str:
        name = f"integers {values}"
        self.constants[name] = numpy_helper.from_array(np.array(values, np.int64), name)
        return name

    def number(self, value: float) -> str:
        name = f"number {value}"
        self.constants[name] = numpy_helper.from_array(np.array(value, np.float32), name)
        return name

    def weight(self, name: str) -> str:
        """Return a tensor in the file of weights."""
        part = self.parts[name]
        kind = helper.np_dtype_to_tensor_dtype(part.values.dtype)
        tensor = TensorProto(name=name, data_type=kind, dims=part.values.shape)
        tensor.data_location = TensorProto.EXTERNAL
        length = part.values.nbytes
        facts = {"location": minilm.PACKED_FILE, "offset": part.offset, "length": length}
        for key, value in facts.items():
            tensor.external_data.add(key=key, value=str(value))
        self.constants[name] = tensor
        return name

    def dense(self, name: str, value: str, scale: str, zero: str) -> str:
        """Return a dense layer; its input is the result of DynamicQuantizeLinear."""
        product = self.one("MatMulInteger", value, self.weight(f"{name}.weight"), zero)
        both = self.one("Mul", scale, self.weight(f"{name}.weight.scale"))
        exact = self.one("Mul", self.one("Cast", product, to=TensorProto.FLOAT), both)
        return self.one("Add", exact, self.weight(f"{name}.bias"))

    def quantised(self, value: str) -> list[str]:
        return self.many("DynamicQuantizeLinear", [value], 3)

    def normed(self, name: str, value: str) -> str:
        sides = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.one("LayerNormalization", value, *sides, axis=-1, epsilon=EPSILON)


def embedded(graph: Builder) -> str:
    ids = graph.one("Reshape", "input_ids", graph.constant(-1))
    table = "embeddings.word_embeddings.weight"
    found = graph.one("Gather", graph.weight(table), ids)
    scale = graph.one("Gather", graph.weight(f"{table}.scale"), ids)
    words = graph.one("Mul", graph.one("Cast", found, to=TensorProto.FLOAT), scale)
    places = graph.one(
        "Slice",
        graph.weight("embeddings.position_embeddings.weight"),
        graph.constant(0),
        graph.one("Shape", ids),
    )
    kinds = graph.weight("embeddings.token_type_embeddings.weight")
    first = graph.one("Slice", kinds, graph.constant(0), graph.constant(1))
    summed = graph.one("Add", words, graph.one("Add", places, first))
    return graph.normed("embeddings.LayerNorm", summed)


def attention(graph: Builder, name: str, state: str) -> str:
    read = graph.quantised(state)

    def heads(part: str, order: list[int]) -> str:
        flat = graph.dense(f"{name}.{part}", *read)
        split = graph.one("Reshape", flat, graph.constant(-1, HEADS, WIDTH))
        return graph.one("Transpose", split, perm=order)

    scores = graph.one("MatMul", heads("query", [1, 0, 2]), heads("key", [1, 2, 0]))
    shares = graph.one("Softmax", graph.one("Mul", scores, graph.number(WIDTH**-0.5)), axis=-1)
    seen = graph.one("MatMul", shares, heads("value", [1, 0, 2]))
    joined = graph.one("Transpose", seen, perm=[1, 0, 2])
    return graph.one("Reshape", joined, graph.constant(-1, HIDDEN))


def block(graph: Builder, name: str, state: str) -> str:
    seen = attention(graph, f"{name}.attention.self", state)
    seen = graph.dense(f"{name}.attention.output.dense", *graph.quantised(seen))
    state = graph.normed(f"{name}.attention.output.LayerNorm", graph.one("Add", seen, state))
    wide = graph.dense(f"{name}.intermediate.dense", *graph.quantised(state))
    narrow = graph.dense(f"{name}.output.dense", *graph.quantised(graph.one("Gelu", wide)))
    return graph.normed(f"{name}.output.LayerNorm", graph.one("Add", narrow, state))


def build(weights: Path) -> bytes:
    """Return the graph for the publisher's weights."""
    graph = Builder(minilm.packed(weights))
    state = embedded(graph)
    for number in range(LAYERS):
        state = block(graph, f"encoder.layer.{number}", state)
    graph.nodes.append(helper.make_node("Identity", [state], [TOKEN_STATES]))
    # The sum has the direction of the mean.
    pooled = graph.one("ReduceSum", state, graph.constant(0), keepdims=1)
    graph.nodes.append(
        helper.make_node("LpNormalization", [pooled], ["sentence_embedding"], axis=-1, p=2)
    )
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    outputs = [
        helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, HIDDEN]),
        helper.make_tensor_value_info(TOKEN_STATES, TensorProto.FLOAT, ["tokens", HIDDEN]),
    ]
    whole = helper.make_graph(graph.nodes, "encoder", [ids], outputs, [*graph.constants.values()])
    model = helper.make_model(
        whole,
        producer_name="signet",
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    return bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    weights = minilm.model_folder() / minilm.WEIGHTS_FILE
    Path(sys.argv[1]).write_bytes(build(weights))
