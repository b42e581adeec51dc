"""A model folder as an export has it, made by hand: a table of vectors that a graph looks up."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from signet.providers.native import added, wire

DIMENSIONS = 32
MARKERS = ("<s>", "<pad>", "</s>", "<unk>")


def unigram_folder(folder: Path, *, seed: int = 1, flat: bool = False) -> Path:
    """Write a model whose pieces are the words, characters and pairs of the sentences that it is measured on."""
    texts = [text for pair in added.pairs() for text in pair]
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
    write(folder, tokenizer, len(vocabulary), seed=seed, flat=flat)
    return folder


def write(
    folder: Path, tokenizer: object, pieces: int, *, seed: int = 1, flat: bool = False
) -> None:
    """Write a graph with a random vector for each piece, and a tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = random.Random(seed)
    table = np.array(
        [[1.0 if flat else numbers.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in range(pieces)],
        dtype=np.float32,
    )
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
