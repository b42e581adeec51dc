"""Read an embedding model from a sentence-transformers folder: an ONNX graph and its tokenizer.

Supported are graphs that output token states or a sentence embedding. The vector is the mean of the token states, or
the first one if `1_Pooling/config.json` requires it.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signet import paths
from signet.providers import vectors
from signet.providers.native import session, tokens, unigram
from signet.providers.native.session import Passes, Unusable
from signet.providers.native.tokens import Tokenizer
from signet.providers.native.unigram import Unigram
from signet.providers.vectors import NO_PROMPTS, Prompts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Graph files of an export, the smallest in memory first.
GRAPHS = tuple(
    "onnx/model_quantized.onnx model_quantized.onnx onnx/model_int8.onnx model.onnx onnx/model.onnx".split()
)
#: Other files.
FILES = tuple(
    "tokenizer.json vocab.txt config.json sentence_bert_config.json tokenizer_config.json "
    "1_Pooling/config.json modules.json config_sentence_transformers.json LICENSE README.md".split()
)
#: Supported modules (`modules.json`); a Dense layer, for example, is not.
MODULES = frozenset({"Transformer", "Pooling", "Normalize"})
#: Default and maximum number of tokens per text.
USUAL_TOKENS, MOST_TOKENS = 256, 512


@dataclass(frozen=True, slots=True)
class Opened:
    """A loaded model. `means` are subtracted from the vectors of queries and of passages."""

    tokenizer: Tokenizer | Unigram
    passes: Passes
    prompts: Prompts = NO_PROMPTS
    means: "tuple[NDArray[np.float32], NDArray[np.float32]] | None" = None

    def vector(self, text: str, *, is_query: bool = False) -> "NDArray[np.float32]":
        """Return the vector of a text, of length one; raises ProviderFailed."""
        prompt = self.prompts.query if is_query else self.prompts.passage
        found = self.passes.vector(self.tokenizer.encode(prompt + text))
        if self.means is None:
            return found
        return session.unit(found - self.means[0 if is_query else 1])


def copy(source: Path, target: Path) -> None:
    """Copy a model's used files; raises Unusable with the reason, OSError."""
    graph = _graph(source)
    if graph is None:
        raise Unusable(
            f"{source} contains no ONNX graph ({', '.join(GRAPHS)}); to export one:"
            f" optimum-cli export onnx --model {source} DIR"
        )
    (target / "1_Pooling").mkdir(parents=True)
    for name in FILES:
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
    session.store(graph, target / "model.onnx")
    _map_vocabulary(target)


def _map_vocabulary(folder: Path) -> None:
    """Replace a `tokenizer.json` like E5's by a file that is mapped into memory (`unigram.py`)."""
    whole = _json(folder / "tokenizer.json")
    try:
        model = whole["model"]
        if model["type"] != "Unigram" or model.get("byte_fallback"):
            return
        vocabulary = [(str(piece), float(score)) for piece, score in model["vocab"]]
        known = {piece: number for number, (piece, _) in enumerate(vocabulary)}
        known |= {one["content"]: int(one["id"]) for one in whole.get("added_tokens") or ()}
        start, end, unknown = known["<s>"], known["</s>"], int(model["unk_id"])
    except (KeyError, TypeError, ValueError):
        return  # the library reads it, or states what is wrong
    unigram.write(folder / unigram.FILE, vocabulary, unknown=unknown, start=start, end=end)
    (folder / "tokenizer.json").unlink()


def open_(folder: Path) -> Opened:
    """Load a copied model; raises Unusable with the reason, and OSError for unreadable files."""
    graph = _graph(folder)
    if graph is None:
        raise Unusable(f"{folder} contains no graph")
    passes = session.open_(graph, provider=f"native:{folder.name}", is_first=_is_first(folder))
    return Opened(_tokenizer(folder), passes, _prompts(folder))


def _tokenizer(folder: Path) -> Tokenizer | Unigram:
    if (folder / unigram.FILE).is_file():
        try:
            return Unigram(folder / unigram.FILE, max_tokens=_tokens(folder))
        except ValueError as error:
            raise Unusable(str(error)) from error
    is_cased = _json(folder / "tokenizer_config.json").get("do_lower_case") is False
    return tokens.read(folder, max_tokens=_tokens(folder), is_cased=is_cased)


def _graph(folder: Path) -> Path | None:
    return next((folder / one for one in GRAPHS if (folder / one).is_file()), None)


def _prompts(folder: Path) -> Prompts:
    """Return the prompts named `query`, and `document` or `passage`, of `config_sentence_transformers.json`."""
    told = _json(folder / "config_sentence_transformers.json").get("prompts")
    if isinstance(told, dict) and any(told.values()):
        text = told.get("document") or told.get("passage") or ""
        return Prompts(str(told.get("query") or ""), str(text))
    name = str(_json(folder / "config.json").get("_name_or_path", ""))
    found = vectors.prompts_of(name)
    return found if any(found) else vectors.prompts_of(folder.name)


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


def models_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the models' folder, `$SIGNET_MODEL_DIR` or in the user's cache; it need not exist."""
    home = environ.get("SIGNET_MODEL_DIR")
    return Path(home).expanduser().absolute() if home else paths.cache_home(environ) / "models"


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
