"""An embedding model from a folder as sentence-transformers exports it: an ONNX graph and its tokenizer.

Read are the tokenizers WordPiece (`tokenizer.json` or `vocab.txt`) and Unigram (`tokenizer.json`), graphs that give
token states (the mean of them, or the first one where `1_Pooling/config.json` says so) or a sentence embedding.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from signet.errors import ProviderFailed, SignetError
from signet.providers.native import wordpiece
from signet.providers.native.unigram import Unigram
from signet.providers.native.wordpiece import WordPiece

#: Where an export has its graph, the one that needs least memory first.
GRAPHS = (
    "onnx/model_quantized.onnx",
    "model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model.onnx",
    "onnx/model.onnx",
)
TOKENIZERS = ("tokenizer.json", "vocab.txt")
#: What else is read, where it is there.
SETTINGS = (
    "config.json",
    "sentence_bert_config.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
)
#: Tokens that are read of a text where nothing says how many, and at most.
USUAL_TOKENS, MOST_TOKENS = 256, 512
#: E5 models were trained on texts with a word in front; between texts of one kind it is this one (their model cards).
E5_PREFIX = "query: "
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class Unusable(SignetError):
    """The folder contains no usable model."""

    code = "model_unusable"


class Tokenizer(Protocol):
    """From a text to the ids of its pieces."""

    def encode(self, text: str) -> list[int]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A model that is loaded: its tokenizer, and the run from ids to a vector of length one."""

    tokenizer: Tokenizer
    run: Callable[[Sequence[int]], bytes]


def graph_of(folder: Path) -> Path:
    """Return the graph of a model's folder; Unusable without one."""
    found = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
    if found is None:
        raise Unusable(f"{folder} contains no ONNX graph (looked for {', '.join(GRAPHS)})")
    return found


def open_(folder: Path) -> Opened:
    """Load a model; Unusable with the reason when it cannot be used, OSError when it cannot be read."""
    name = str(_json(folder / "config.json").get("_name_or_path", "")) + folder.name
    prefix = E5_PREFIX if "e5" in name.lower().replace("_", "-").split("/")[-1].split("-") else ""
    tokenizer = _tokenizer(folder)
    return Opened(tokenizer=_Prefixed(tokenizer, prefix), run=_run(folder))


@dataclass(frozen=True, slots=True)
class _Prefixed:
    tokenizer: Tokenizer
    prefix: str

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(self.prefix + text)


def _json(path: Path) -> Mapping[str, Any]:
    """Return a JSON object, an empty one when the file is not there; Unusable when it is none."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise Unusable(f"{path.name} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise Unusable(f"{path.name} is not a JSON object")
    return found


def _tokens(folder: Path) -> int:
    for name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
    ):
        found = _json(folder / name).get(key)
        if isinstance(found, int) and found > 2:
            return min(found, MOST_TOKENS)
    return USUAL_TOKENS


def _tokenizer(folder: Path) -> Tokenizer:
    path = folder / "tokenizer.json"
    if not path.is_file():
        return _from_vocabulary(folder)
    whole = _json(path)
    try:
        model = whole["model"]
        kind = model.get("type")
        if kind == "Unigram":
            return _unigram(whole, _tokens(folder))
        if kind == "WordPiece":
            cased = not (whole.get("normalizer") or {}).get("lowercase", True)
            return WordPiece(model["vocab"], is_cased=cased, max_tokens=_tokens(folder))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unusable(f"tokenizer.json cannot be read: {error!r}") from error
    raise Unusable(f"its tokenizer is {kind}; supported are WordPiece and Unigram")


def _from_vocabulary(folder: Path) -> WordPiece:
    try:
        vocabulary = wordpiece.vocabulary(folder / "vocab.txt")
    except FileNotFoundError as error:
        raise Unusable(f"{folder} contains no tokenizer ({' or '.join(TOKENIZERS)})") from error
    cased = _json(folder / "tokenizer_config.json").get("do_lower_case") is False
    try:
        return WordPiece(vocabulary, is_cased=cased, max_tokens=_tokens(folder))
    except KeyError as error:
        raise Unusable(f"vocab.txt lacks the token {error}") from error


def _unigram(whole: Mapping[str, Any], max_tokens: int) -> Unigram:
    model = whole["model"]
    vocabulary = [(str(piece), float(score)) for piece, score in model["vocab"]]
    known = {piece: number for number, (piece, _) in enumerate(vocabulary)}
    known |= {one["content"]: int(one["id"]) for one in whole.get("added_tokens") or ()}
    if model.get("byte_fallback"):
        raise ValueError("byte fallback is not supported")
    return Unigram(
        vocabulary,
        unknown=int(model["unk_id"]),
        start=known["<s>"],
        end=known["</s>"],
        max_tokens=max_tokens,
    )


def _run(folder: Path) -> Callable[[Sequence[int]], bytes]:
    import numpy as np

    try:
        import onnxruntime
    except ImportError as error:
        raise Unusable(
            "onnxruntime is not installed, and it is required to run this model"
        ) from error
    from signet.providers.native.encoder import NativeEmbedder, session_options

    try:
        session = onnxruntime.InferenceSession(
            str(graph_of(folder)), session_options(), providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # its failures have no common class but this one
        raise Unusable(f"onnxruntime cannot load its graph: {error}") from error
    wanted = [one.name for one in session.get_inputs()]
    if "input_ids" not in wanted or not _INPUTS.issuperset(wanted):
        raise Unusable(
            f"its graph requires {', '.join(wanted)}; supported are {', '.join(sorted(_INPUTS))}"
        )
    outputs = [one.name for one in session.get_outputs()]
    output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
    is_first = bool(_json(folder / "1_Pooling/config.json").get("pooling_mode_cls_token"))

    def run(ids: Sequence[int]) -> bytes:
        tokens = np.array([ids], dtype=np.int64)
        fed = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        try:
            found = session.run([output], {name: fed[name] for name in wanted})[0]
        except Exception as error:
            raise ProviderFailed(provider=NativeEmbedder.name, reason=str(error)) from error
        states = np.asarray(found, dtype=np.float32)
        if states.ndim == 3:
            states = states[:, 0] if is_first else states.mean(axis=1)
        if states.ndim != 2 or states.shape[0] != 1:
            raise ProviderFailed(
                provider=NativeEmbedder.name, reason=f"its output is {states.shape}"
            )
        length = float(np.sqrt((states * states).sum())) or 1.0
        return bytes((states[0] / length).astype("<f4").tobytes())

    return run
