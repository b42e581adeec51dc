"""What a connector is, and what a sync has done."""

from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from signet.db import columns

#: Errors of single files that are kept for reading; the rest is only counted.
ERRORS_KEPT = 100


class Provider(StrEnum):
    """Where a connector reads from; so far only folders can be read."""

    FILESYSTEM = "filesystem"
    GITHUB_DOCS = "github-docs"
    GDRIVE = "gdrive"


class Status(StrEnum):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why one file was left out of a sync (CON-9)."""

    resource_id: str
    message: str
    retryable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What one sync job has done so far, over all its runs; files and errors are those of the last run."""

    job_id: str
    files_seen: int = 0
    documents_added: int = 0
    documents_updated: int = 0
    documents_removed: int = 0
    error_count: int = 0
    errors: tuple[Trouble, ...] = ()

    def with_errors(self, more: tuple[Trouble, ...]) -> "Progress":
        """Return the progress with these errors counted, and kept while there is room."""
        kept = (self.errors + more)[:ERRORS_KEPT]
        return replace(self, error_count=self.error_count + len(more), errors=kept)

    def as_dict(self) -> dict[str, object]:
        """Return the progress under the names that clients read."""
        return {
            "jobId": self.job_id,
            "filesSeen": self.files_seen,
            "documentsAdded": self.documents_added,
            "documentsUpdated": self.documents_updated,
            "documentsRemoved": self.documents_removed,
            "errorCount": self.error_count,
            "errors": [
                {
                    "resourceId": trouble.resource_id,
                    "message": trouble.message,
                    "retryable": trouble.retryable,
                }
                for trouble in self.errors
            ],
        }


def continued(text: str | None, job_id: str) -> Progress:
    """Return the counts of an earlier run of this job, else zeros."""
    earlier = columns.json_object(text)
    if earlier.get("jobId") != job_id:
        return Progress(job_id=job_id)
    return Progress(
        job_id=job_id,
        documents_added=earlier["documentsAdded"],
        documents_updated=earlier["documentsUpdated"],
        documents_removed=earlier["documentsRemoved"],
    )


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
