"""Published embedding models that `signet models install NAME` downloads from the model hub, and runs unchanged.

`published.json` lists them with revision and SHA-256 of each file. Those values are the ones that several public
projects pin for the same files (read on 29 November 2026); the hub was not reachable from the machine of development,
so no file was downloaded there. A file with another hash is refused.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from signet.net.wheels import RemoteWheel

#: The hub's address; HF_ENDPOINT names a mirror, as for the hub's own programs.
HUB = "https://huggingface.co"
#: Tokens per text: the limit of BERT and E5, and enough for every passage.
MAX_TOKENS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published model; `files` maps the path of each file to its size in bytes and its SHA-256."""

    name: str
    alias: str
    languages: str
    license: str
    repository: str
    revision: str
    dimensions: int
    pooling: str
    files: Mapping[str, tuple[int, str]]

    @property
    def size_bytes(self) -> int:
        return sum(size for size, _ in self.files.values())

    @property
    def facts(self) -> dict[str, object]:
        """Return the fields that a person needs to choose a model."""
        size = f"{self.size_bytes // 1_000_000} MB"
        return {
            "alias": self.alias,
            "bytes": self.size_bytes,
            "languages": self.languages,
            "license": self.license,
            "summary": f"{size}, {self.languages}, {self.license}; install: {self.alias}",
        }

    def remotes(self, environ: Mapping[str, str] = os.environ) -> Iterator[tuple[str, RemoteWheel]]:
        """Yield the path and the download of each file."""
        hub = (environ.get("HF_ENDPOINT") or HUB).rstrip("/")
        for path, (size, sha256) in self.files.items():
            url = f"{hub}/{self.repository}/resolve/{self.revision}/{path}"
            yield path, RemoteWheel(url=url, name=path, sha256=sha256, size=size)

    def write_settings(self, folder: Path) -> None:
        """Write what the model's folder has to state of it."""
        (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
        pooling = {f"pooling_mode_{self.pooling}": True}
        (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
        (folder / "config.json").write_text(json.dumps({"_name_or_path": self.name}))
        tokens = {"max_seq_length": MAX_TOKENS}
        (folder / "sentence_bert_config.json").write_text(json.dumps(tokens))


@cache
def models() -> tuple[Published, ...]:
    rows = json.loads(resources.files(__package__).joinpath("published.json").read_text("utf-8"))
    return tuple(Published(**row) for row in rows)


def find(name: str) -> Published | None:
    """Return the published model with this name or alias, or None."""
    return next((one for one in models() if name.lower() in (one.name, one.alias)), None)
