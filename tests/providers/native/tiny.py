"""A model folder as an export has it, made by hand: a table of vectors that a graph looks up."""

import json
import random
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from signet.providers import scale
from signet.providers.native import wire

DIMENSIONS = 32
MARKERS = ("<s>", "<pad>", "</s>", "<unk>")


def unigram_folder(folder: Path, *, seed: int = 1, flat: bool = False, shift: float = 0.0) -> Path:
    """Write a model whose pieces are the words, characters and pairs of the sentences that it is measured on.

    `shift` is added to the first number of each vector.
    """
    texts = [text for pair in scale.pairs() for text in pair]
    pieces = {f"▁{word}" for text in texts for word in text.split()}
    pieces |= {sign for text in texts for sign in text} | {"▁"}
    vocabulary = [[one, 0.0] for one in MARKERS] + [
        [one, -float(len(one) < 3) - 3.0] for one in sorted(pieces)
    ]
    tokenizer = {
        "normalizer": {"type": "Precompiled"},
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocabulary},
        "added_tokens": [{"id": number, "content": one} for number, one in enumerate(MARKERS)],
    }
    write(folder, tokenizer, len(vocabulary), seed=seed, flat=flat, shift=shift)
    return folder


def write(
    folder: Path,
    tokenizer: object,
    pieces: int,
    *,
    seed: int = 1,
    flat: bool = False,
    shift: float = 0.0,
) -> None:
    """Write a graph with a random vector for each piece, and a tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = random.Random(seed)
    table = np.array(
        [[1.0 if flat else numbers.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in range(pieces)],
        dtype=np.float32,
    )
    table[:, 0] += shift
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    (folder / "model.onnx").write_bytes(graph(table, ("input_ids", "attention_mask")))


def graph(
    table: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]", inputs: Sequence[str]
) -> bytes:
    """Return a graph that gives the row of each token as its state."""
    state = wire.node("Gather", ["table", "input_ids"], ["last_hidden_state"], {})
    return wire.model(
        nodes=[state],
        constants=[wire.tensor("table", wire.Type.FLOAT, table.shape, table.tobytes())],
        inputs=[wire.port(name, wire.Type.INT64, ["batch", "tokens"]) for name in inputs],
        outputs=[wire.port("last_hidden_state", wire.Type.FLOAT, ["batch", "tokens", DIMENSIONS])],
    )


def bert_folder(folder: Path, *, settings: Mapping[str, object] = {}) -> Path:
    """Write a BERT encoder of one layer with random weights as sentence-transformers keeps one, without a graph."""
    unigram_folder(folder)
    (folder / "model.onnx").unlink()
    pieces = len(json.loads((folder / "tokenizer.json").read_bytes())["model"]["vocab"])
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
        "hidden_size": DIMENSIONS,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(config))
    for name, content in settings.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    layer, wide = "encoder.layer.0", 2 * DIMENSIONS
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (pieces, DIMENSIONS),
        "embeddings.position_embeddings.weight": (64, DIMENSIONS),
        "embeddings.token_type_embeddings.weight": (2, DIMENSIONS),
        f"{layer}.intermediate.dense.weight": (wide, DIMENSIONS),
        f"{layer}.intermediate.dense.bias": (wide,),
        f"{layer}.output.dense.weight": (DIMENSIONS, wide),
        f"{layer}.output.dense.bias": (DIMENSIONS,),
    }
    for part in ("self.query", "self.key", "self.value", "output.dense"):
        shapes[f"{layer}.attention.{part}.weight"] = (DIMENSIONS, DIMENSIONS)
        shapes[f"{layer}.attention.{part}.bias"] = (DIMENSIONS,)
    for part in ("embeddings", f"{layer}.attention.output", f"{layer}.output"):
        shapes[f"{part}.LayerNorm.weight"] = shapes[f"{part}.LayerNorm.bias"] = (DIMENSIONS,)
    chance, header, whole = np.random.default_rng(7), {}, b""
    for name, shape in shapes.items():
        raw = chance.normal(0, 1, shape).astype("<f4").tobytes()
        place = [len(whole), len(whole) + len(raw)]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": place}
        whole += raw
    head = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + whole)
    return folder
