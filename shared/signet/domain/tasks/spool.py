"""What a run says, while it says it: a file for each stream, written by the worker and followed by the API.

Whatever happens to the worker, the output so far is there for the process that ends the run.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from signet.domain.tasks.models import STREAM_BYTES
from signet.paths import Workspace

STREAMS = ("stdout", "stderr")


@dataclass(frozen=True, slots=True)
class Spool:
    """The files of one run."""

    folder: Path
    run_id: str

    @classmethod
    def of(cls, workspace: Workspace, run_id: str) -> "Spool":
        """Return the files of a run; nothing is made yet."""
        return cls(workspace.daemon_dir / "tasks", run_id)

    def path(self, stream: str) -> Path:
        """Return the file of a stream."""
        return self.folder / f"{self.run_id}.{stream}"

    def create(self) -> dict[str, BinaryIO]:
        """Make empty files and return them, to be written without a buffer; raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return {stream: self.path(stream).open("wb", buffering=0) for stream in STREAMS}

    def text(self, stream: str) -> str:
        """Return the output on a stream; "" when there is no file of it."""
        try:
            with self.path(stream).open("rb") as file:
                return file.read(STREAM_BYTES).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def remove(self) -> None:
        """Remove the files."""
        for stream in STREAMS:
            self.path(stream).unlink(missing_ok=True)


class Capped:
    """Writes to a file until it holds `STREAM_BYTES`; the rest is dropped, so that no program waits for a reader."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._room = STREAM_BYTES

    def write(self, some: bytes) -> None:
        """Write as much as there is room for; raises OSError."""
        kept = some[: self._room]
        if kept:
            os.write(self._file.fileno(), kept)
            self._room -= len(kept)
