"""What a document is, and how far its reading is."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from signet.config import Settings
from signet.config.sections import EmbeddingProvider
from signet.ids import DEFAULT_AGENT
from signet.queue.enqueue import NORMAL


class DocumentSource(StrEnum):
    """Where a document comes from."""

    TEXT = "text"
    URL = "url"
    FILE = "file"


class DocumentStatus(StrEnum):
    """How far a document is. `done`, `failed` and `deleted` are ends."""

    QUEUED = "queued"
    EXTRACTING = "extracting"
    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    INDEXING = "indexing"
    DONE = "done"
    FAILED = "failed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRules:
    """The settings that documents depend on; sizes in characters, the limit in bytes of UTF-8."""

    frozen: bool = False
    embed: bool = True
    chunk_chars: int = 2_000
    overlap_chars: int = 200
    max_bytes: int = 10_485_760
    #: Whether pages may come from this machine and its network.
    may_be_private: bool = False
    #: Whether secrets in texts are masked.
    masks: bool = True
    #: How often reading a document is tried.
    attempts: int = 3

    @classmethod
    def of(cls, settings: Settings) -> "DocumentRules":
        """Return what the settings say about documents."""
        documents = settings.pipeline.documents
        return cls(
            frozen=settings.pipeline.mutations_frozen,
            embed=settings.embedding.provider is not EmbeddingProvider.NONE,
            chunk_chars=documents.chunk_size,
            overlap_chars=documents.chunk_overlap,
            max_bytes=documents.max_content_bytes,
            may_be_private=documents.allow_private_networks,
            masks=settings.memory.mask_secrets,
            attempts=settings.pipeline.worker.max_retries,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document to take in."""

    source_type: str
    content: str | None = None
    url: str | None = None
    title: str | None = None
    content_type: str | None = None
    connector_id: str | None = None
    metadata: Mapping[str, object] | None = None
    agent_id: str = DEFAULT_AGENT
    #: What tells one state of a file from another (see connectors/filesystem.py).
    source_stamp: str | None = None
    priority: int = NORMAL
    #: The kinds of secrets that were replaced in the content.
    masked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The answer to a new document; a known one has no `job_id`."""

    id: str
    status: DocumentStatus
    job_id: str | None

    @property
    def deduplicated(self) -> bool:
        """Return whether the document was known."""
        return self.job_id is None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedDocument:
    """What went with a document."""

    memories_removed: int
