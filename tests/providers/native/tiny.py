"""A model folder as an export has it, made by hand: a table of vectors that a graph looks up."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from signet.providers import scale

DIMENSIONS = 32
MARKERS = ("<s>", "<pad>", "</s>", "<unk>")


def unigram_folder(folder: Path, *, seed: int = 1, flat: bool = False, shift: float = 0.0) -> Path:
    """Write a model whose pieces are the words, characters and pairs of the sentences that it is measured on.

    `shift` is added to the first number of each vector.
    """
    texts = [text for pair in scale.pairs() for text in pair]
    pieces = {f"▁{word}" for text in texts for word in text.split()}
    pieces |= {sign for text in texts for sign in text} | {"▁"}
    vocabulary = [(one, 0.0) for one in MARKERS] + [
        (one, -float(len(one) < 3) - 3.0) for one in sorted(pieces)
    ]
    tokenizer = Tokenizer(models.Unigram(vocabulary, 3, False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.add_special_tokens(list(MARKERS))
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    numbers = random.Random(seed)
    rows = [[1.0 if flat else numbers.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in vocabulary]
    table = np.array(rows, dtype=np.float32)
    table[:, 0] += shift
    (folder / "model.onnx").write_bytes(graph(table, ("input_ids", "attention_mask")))
    return folder


def settings(folder: Path, **files: object) -> Path:
    """Write JSON files, named by their path with `__` for a slash and without suffix."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))
    return folder


def graph(
    table: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]", inputs: Sequence[str]
) -> bytes:
    """Return a graph that gives the row of each token as its state."""
    from onnx import (
        TensorProto,
        helper,
        numpy_helper,
    )  # takes long to load, for each process that collects tests

    size, kinds = ["batch", "tokens"], (TensorProto.INT64, TensorProto.FLOAT)
    state = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    whole = helper.make_graph(
        [state],
        "tiny",
        [helper.make_tensor_value_info(name, kinds[0], size) for name in inputs],
        [helper.make_tensor_value_info("last_hidden_state", kinds[1], [*size, DIMENSIONS])],
        [numpy_helper.from_array(table, "table")],
    )
    opset = [helper.make_opsetid("", 20)]
    return bytes(helper.make_model(whole, ir_version=9, opset_imports=opset).SerializeToString())
