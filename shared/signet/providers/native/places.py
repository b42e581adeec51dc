"""The models' folder, once for all workspaces, and the hashes of files in it."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from signet import paths


def models_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the models' folder, `$SIGNET_MODEL_DIR` or in the user's cache; it need not exist."""
    home = environ.get("SIGNET_MODEL_DIR")
    return Path(home).expanduser().absolute() if home else paths.cache_home(environ) / "models"


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
