"""Read an embedding model from a sentence-transformers folder: weights or an ONNX graph, and its tokenizer.

Supported: weights of BERT encoders (`model.safetensors` in float32), from which this package builds its graph, and
ONNX graphs that output token states or a sentence embedding; the tokenizers WordPiece (`tokenizer.json` or
`vocab.txt`) and Unigram (`tokenizer.json`). The vector is the mean of the token states, or the first one if
`1_Pooling/config.json` requires it.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from signet.providers.native import graph, session, unigram, weights, wordpiece
from signet.providers.native.session import Run, Unusable
from signet.providers.native.unigram import Unigram
from signet.providers.native.weights import BadWeights, Weights
from signet.providers.native.wordpiece import WordPiece

#: Graph files of an export, the smallest in memory first.
GRAPHS = (
    "onnx/model_quantized.onnx",
    "model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model.onnx",
    "onnx/model.onnx",
)
TOKENIZERS = ("tokenizer.json", "vocab.txt")
#: Optional files.
SETTINGS = (
    "config.json",
    "sentence_bert_config.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
    "modules.json",
    "config_sentence_transformers.json",
)
#: Supported modules (`modules.json`); a Dense layer, for example, is not.
MODULES = frozenset({"Transformer", "Pooling", "Normalize"})
#: Default and maximum number of tokens per text.
USUAL_TOKENS, MOST_TOKENS = 256, 512


@dataclass(frozen=True, slots=True)
class Prompts:
    """A model's prefixes for questions and for texts."""

    question: str = ""
    text: str = ""


#: Prefixes of E5 models, documented only in their model cards.
E5_PROMPTS = Prompts("query: ", "passage: ")


class Tokenizer(Protocol):
    """Converts a text to token IDs."""

    def encode(self, text: str) -> list[int]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A loaded model: its tokenizer, and the run from IDs to a vector of length one."""

    tokenizer: Tokenizer
    run: Run
    prompts: Prompts


def copy(source: Path, target: Path) -> None:
    """Copy a model's used files, its graph, and a Unigram vocabulary in mapped form.

    Raises Unusable with the reason, OSError.
    """
    (target / "1_Pooling").mkdir(parents=True)
    for name in (*TOKENIZERS, *SETTINGS, "LICENSE", "README.md"):
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
    _write_graph(source, target)
    whole = _json(target / "tokenizer.json")
    if (whole.get("model") or {}).get("type") == "Unigram":
        _write_unigram(whole, target / unigram.FILE)
        (target / "tokenizer.json").unlink()


def _write_graph(source: Path, target: Path) -> None:
    found = next((source / name for name in GRAPHS if (source / name).is_file()), None)
    try:
        config = weights.read_config(source / weights.CONFIG_FILE)
        opened = Weights.open(source / weights.WEIGHTS_FILE)
        file = target / GRAPHS[-2]
        built = graph.build(opened, config, graph.Precision.INT8, file, is_first=_is_first(source))
    except (BadWeights, FileNotFoundError) as error:
        if found is None:
            looked = ", ".join((*GRAPHS, weights.WEIGHTS_FILE))
            raise Unusable(
                f"{source} contains no ONNX graph and no float32 weights of a BERT encoder with a config.json"
                f" (looked for {looked})"
            ) from error
    else:
        built.write(file)
        return
    for path in found.parent.glob(f"{found.name}*"):
        (target / path.relative_to(source)).parent.mkdir(exist_ok=True)
        shutil.copyfile(path, target / path.relative_to(source))


def open_(folder: Path) -> Opened:
    """Load a copied model; raises Unusable with the reason, and OSError for unreadable files."""
    file = next((folder / one for one in GRAPHS if (folder / one).is_file()), None)
    if file is None:
        raise Unusable(f"{folder} contains no graph")
    return Opened(
        tokenizer=_tokenizer(folder),
        run=session.open_(
            file, provider=f"native:{folder.name}", is_first=_is_first(folder)
        ).vector,
        prompts=_prompts(folder),
    )


def _prompts(folder: Path) -> Prompts:
    """Return the prompts named `query`, and `document` or `passage`, of `config_sentence_transformers.json`."""
    told = _json(folder / "config_sentence_transformers.json").get("prompts")
    if isinstance(told, dict) and any(told.values()):
        text = told.get("document") or told.get("passage") or ""
        return Prompts(str(told.get("query") or ""), str(text))
    name = str(_json(folder / "config.json").get("_name_or_path", "")) + folder.name
    is_e5 = "e5" in name.lower().replace("_", "-").split("/")[-1].split("-")
    return E5_PROMPTS if is_e5 else Prompts()


def _is_first(folder: Path) -> bool:
    """Return whether the first token is a text's vector; raises Unusable for other methods."""
    others = set(_types(folder / "modules.json")) - MODULES
    modes = [
        name.removeprefix("pooling_mode_")
        for name, is_on in _json(folder / "1_Pooling/config.json").items()
        if name.startswith("pooling_mode_") and is_on is True
    ]
    if others or modes not in ([], ["mean_tokens"], ["cls_token"]):
        raise Unusable(
            f"it computes {', '.join(sorted(others) or modes)}; supported are Transformer, Pooling (mean or"
            " first token) and Normalize"
        )
    return modes == ["cls_token"]


def _types(path: Path) -> list[str]:
    try:
        return [str(one["type"]).rsplit(".", 1)[-1] for one in json.loads(path.read_bytes())]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError) as error:
        raise Unusable(f"{path.name} cannot be read: {error!r}") from error


def _json(path: Path) -> Mapping[str, Any]:
    """Return a JSON object, empty if the file is missing; raises Unusable for other content."""
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
    if (folder / unigram.FILE).is_file():
        try:
            return Unigram(folder / unigram.FILE, max_tokens=_tokens(folder))
        except ValueError as error:
            raise Unusable(str(error)) from error
    path = folder / "tokenizer.json"
    if not path.is_file():
        return _from_vocabulary(folder)
    whole = _json(path)
    try:
        model = whole["model"]
        kind = model.get("type")
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


def _write_unigram(whole: Mapping[str, Any], path: Path) -> None:
    try:
        model = whole["model"]
        vocabulary = [(str(piece), float(score)) for piece, score in model["vocab"]]
        known = {piece: number for number, (piece, _) in enumerate(vocabulary)}
        known |= {one["content"]: int(one["id"]) for one in whole.get("added_tokens") or ()}
        if model.get("byte_fallback"):
            raise ValueError("byte fallback is not supported")
        start, end, unknown = known["<s>"], known["</s>"], int(model["unk_id"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unusable(f"tokenizer.json cannot be read: {error!r}") from error
    unigram.write(path, vocabulary, unknown=unknown, start=start, end=end)
