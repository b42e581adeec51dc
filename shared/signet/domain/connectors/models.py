"""What a connector is, and what a sync has done."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from signet.db import columns
from signet.wire.connectors import SyncError, SyncProgress

#: Errors of single files that are kept for reading; the rest is only counted.
ERRORS_KEPT = 100


class Provider(StrEnum):
    """The source of a connector; only folders are supported."""

    FILESYSTEM = "filesystem"
    GITHUB_DOCS = "github-docs"
    GDRIVE = "gdrive"


class ConnectorStatus(StrEnum):
    """What a connector is doing."""

    IDLE = "idle"
    SYNCING = "syncing"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """Which files of a folder become documents; `max_file_size` in bytes."""

    root_path: str
    patterns: tuple[str, ...] = ("**/*.md", "**/*.txt")
    ignore_patterns: tuple[str, ...] = (".git", "node_modules", ".DS_Store")
    max_file_size: int = 1_048_576


def with_errors(progress: SyncProgress, more: Sequence[SyncError]) -> SyncProgress:
    """Return the progress with these errors counted, and kept while there is room."""
    kept = [*progress["errors"], *more][:ERRORS_KEPT]
    return {**progress, "errorCount": progress["errorCount"] + len(more), "errors": kept}


def continued(text: str | None, job_id: str) -> SyncProgress:
    """Return what a sync has done over all its runs; files and errors are those of the last run, so none yet."""
    earlier = columns.json_object(text)
    is_same = earlier.get("jobId") == job_id
    return {
        "jobId": job_id,
        "filesSeen": 0,
        "documentsAdded": earlier["documentsAdded"] if is_same else 0,
        "documentsUpdated": earlier["documentsUpdated"] if is_same else 0,
        "documentsRemoved": earlier["documentsRemoved"] if is_same else 0,
        "errorCount": 0,
        "errors": [],
    }


def folder_json(folder: Folder) -> dict[str, object]:
    """Return the settings of a folder under the names that clients send."""
    values = asdict(folder)
    return {_NAMES[name]: value for name, value in values.items()}


_NAMES = {
    "root_path": "rootPath",
    "patterns": "patterns",
    "ignore_patterns": "ignorePatterns",
    "max_file_size": "maxFileSize",
}
