"""The encoder in NumPy, with the float32 graph's results, for machines without onnxruntime.

Several times slower; needs only the installed weights. The steps are those of graph.py.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from signet.providers.native.weights import Config, Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]

#: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: erf to 1.5e-7.
ERF_P = 0.3275911
ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


def encode(weights: Weights, config: Config, ids: Sequence[int]) -> "Floats":
    """Return the vector, of length one, of one text's token IDs."""
    import numpy as np

    total = states(weights, config, ids).sum(axis=0)
    vector: Floats = total / np.linalg.norm(total)
    return vector


def states(weights: Weights, config: Config, ids: Sequence[int]) -> "Floats":
    """Return the state of each token after the last block."""
    state = weights["embeddings.word_embeddings.weight"][list(ids)]
    state += weights["embeddings.position_embeddings.weight"][: len(ids)]
    state += weights["embeddings.token_type_embeddings.weight"][0]
    state = _normed(weights, config, "embeddings.LayerNorm", state)
    for number in range(config.layers):
        state = _block(weights, config, f"encoder.layer.{number}", state)
    return state


def _block(weights: Weights, config: Config, name: str, state: "Floats") -> "Floats":
    seen = _attention(weights, config, f"{name}.attention.self", state)
    seen = _dense(weights, f"{name}.attention.output.dense", seen)
    state = _normed(weights, config, f"{name}.attention.output.LayerNorm", seen + state)
    wide = _gelu(_dense(weights, f"{name}.intermediate.dense", state))
    narrow = _dense(weights, f"{name}.output.dense", wide)
    return _normed(weights, config, f"{name}.output.LayerNorm", narrow + state)


def _attention(weights: Weights, config: Config, name: str, state: "Floats") -> "Floats":
    import numpy as np

    tokens, hidden = state.shape
    width = hidden // config.heads

    def heads(part: str) -> "Floats":
        split = _dense(weights, f"{name}.{part}", state).reshape(tokens, config.heads, width)
        return split.transpose(1, 0, 2)

    scores = heads("query") @ heads("key").transpose(0, 2, 1)
    scores *= np.float32(width**-0.5)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    seen: Floats = (shares @ heads("value")).transpose(1, 0, 2).reshape(tokens, hidden)
    return seen


def _dense(weights: Weights, name: str, value: "Floats") -> "Floats":
    product: Floats = value @ weights[f"{name}.weight"].T
    product += weights[f"{name}.bias"]
    return product


def _normed(weights: Weights, config: Config, name: str, value: "Floats") -> "Floats":
    import numpy as np

    centred: Floats = value - value.mean(axis=-1, keepdims=True)
    spread = np.square(centred).mean(axis=-1, keepdims=True) + np.float32(config.epsilon)
    centred /= np.sqrt(spread)
    centred *= weights[f"{name}.weight"]
    centred += weights[f"{name}.bias"]
    return centred


def _gelu(value: "Floats") -> "Floats":
    import numpy as np

    size = np.abs(value) * np.float32(2**-0.5)
    step = 1 / (1 + np.float32(ERF_P) * size)
    series = np.zeros_like(value)
    for factor in ERF:
        series += np.float32(factor)
        series *= step
    erf = np.copysign(1 - series * np.exp(-size * size), value)
    half: Floats = value * np.float32(0.5) * (1 + erf)
    return half
