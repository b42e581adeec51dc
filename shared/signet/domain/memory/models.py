"""A memory, the request to save one, and the answer."""

from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple, Self

from signet.config import Settings
from signet.config.extraction import TextProvider
from signet.config.sections import AuthMode, EmbeddingProvider
from signet.db import columns
from signet.domain.graph.link import StructuredInput
from signet.ids import is_of_user
from signet.queue import NORMAL
from signet.wire.origin import Origin, Review


class Visibility(StrEnum):
    """Who may read a memory besides its owner; no one may read an archived one.

    A memory of a space has the visibility `space:NAME` (`ids.of_space`), which only domain/spaces/ gives.
    """

    GLOBAL = "global"
    PRIVATE = "private"
    ARCHIVED = "archived"

    @classmethod
    def usual(cls, agent_id: str) -> "Visibility":
        """Return the default for an owner: a person's memories are private (AUTH-27)."""
        return cls.PRIVATE if is_of_user(agent_id) else cls.GLOBAL


class ExtractionStatus(StrEnum):
    """The progress of extraction from a memory."""

    NONE = "none"
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


class Event(StrEnum):
    """A change of a memory (MEM-23); `none` is a proposal that changed nothing."""

    CREATED = "created"
    UPDATED = "updated"
    DELETED = "deleted"
    #: Forgotten because a person called it wrong.
    REJECTED = "rejected"
    RECOVERED = "recovered"
    #: It entered a space, or left it.
    SHARED = "shared"
    WITHDRAWN = "withdrawn"
    MERGED = "merged"
    SPLIT = "split"
    #: A person has given a verdict on it.
    REVIEWED = "reviewed"
    #: A newer attribute of an entity superseded one from this memory (KG-12).
    ATTRIBUTE_SUPERSEDED = "attribute_superseded"
    NONE = "none"


#: The type of actor of background work.
PIPELINE = "pipeline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who requests a change (MEM-44).

    `origin` is the origin of its texts, `may_claim` the best origin that it may claim (MEM-62).
    """

    name: str = "daemon"
    type: str = "operator"
    session_id: str | None = None
    request_id: str | None = None
    origin: Origin = Origin.AGENT
    may_claim: Origin = Origin.AGENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The settings for saving a memory."""

    frozen: bool = False
    #: Whether a new memory gets an `extract` and an `embed` job.
    extract: bool = True
    embed: bool = True
    #: A longer text is saved in pieces of about `chunk_chars`.
    max_chars: int = 800
    chunk_chars: int = 600
    #: Attempts of a new memory's jobs, and their priority.
    attempts: int = 3
    priority: int = NORMAL
    #: Whether secrets in the text are replaced.
    masks: bool = True
    #: Whether others may read memories that a session leaves without a request.
    shares_sessions: bool = True
    #: How long the store keeps a forgotten memory, and a person can recover it.
    recover_within: timedelta = timedelta(days=30)

    @classmethod
    def from_settings(cls, settings: Settings) -> "Rules":
        pipeline, guardrails = settings.pipeline, settings.pipeline.guardrails
        return cls(
            frozen=pipeline.mutations_frozen,
            extract=pipeline.enabled and pipeline.extraction.provider is not TextProvider.NONE,
            embed=pipeline.enabled and settings.embedding.provider is not EmbeddingProvider.NONE,
            max_chars=guardrails.max_content_chars,
            chunk_chars=guardrails.chunk_target_chars,
            attempts=pipeline.worker.max_retries,
            masks=settings.memory.mask_secrets,
            shares_sessions=settings.auth.mode is AuthMode.LOCAL,
            recover_within=timedelta(milliseconds=settings.retention.tombstone_retention_ms),
        )

    def of_session(self, agent_id: str) -> Visibility:
        """Return who may read a memory that a session leaves: with keys, only the owner of the session (AUTH-27)."""
        return Visibility.usual(agent_id) if self.shares_sessions else Visibility.PRIVATE


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """A text to remember. None means "not stated": a prefix of the text or a default decides."""

    content: str
    agent_id: str = "default"
    type: str | None = None
    importance: float | None = None
    pinned: bool = False
    tags: tuple[str, ...] | None = None
    who: str = "daemon"
    #: The origin that the writer claims.
    origin: Origin | None = None
    project: str | None = None
    source_type: str = "manual"
    source_id: str | None = None
    #: Place in its source, for example the turn in a conversation; part of the source's key.
    ordinal: int | None = None
    session_id: str | None = None
    created_at: datetime | None = None
    event_at: datetime | None = None
    #: None: the default of its owner.
    visibility: Visibility | None = None
    scope: str | None = None
    hints: tuple[str, ...] = ()
    transcript: str | None = None
    #: Times of the transcript's first and last message, if known.
    spoken: tuple[datetime, datetime] | None = None
    harness: str | None = None
    idempotency_key: str | None = None
    runtime_path: str | None = None
    #: The client's own statements about the entities in the text.
    told: StructuredInput | None = None
    #: Memories that this one supersedes; they stay, ranked after it.
    supersedes: tuple[str, ...] = ()
    #: The kinds of masked secrets; None before the search for secrets.
    masked: tuple[str, ...] | None = None
    #: Save a new text of a known source too, instead of returning the existing one.
    keeps_versions: bool = False
    #: Whether a person says this now; a forgotten text from a file or program is not saved again.
    is_asked: bool = True

    @property
    def readers(self) -> Visibility:
        return self.visibility or Visibility.usual(self.agent_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A new row of `memories`, with its content not yet normalised."""

    content: str
    type: str
    importance: float
    agent_id: str
    visibility: str
    who: str
    why: str
    source_type: str
    source_id: str | None
    updated_by: str
    created_at: datetime
    origin: Origin
    scope: str | None = None
    project: str | None = None
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    pinned: bool = False
    confidence: float = 1.0
    extraction_status: str = ExtractionStatus.NONE
    extraction_model: str | None = None
    embedding_model: str | None = None
    ordinal: int | None = None
    event_at: str | None = None
    idempotency_key: str | None = None
    runtime_path: str | None = None
    #: See `NewMemory`.
    hints: tuple[str, ...] = ()
    told: StructuredInput | None = None
    is_asked: bool = False

    @classmethod
    def from_new(cls, new: NewMemory, **others: Any) -> Self:
        """Return the row of a text to remember, with these fields replaced."""
        given = {one.name: getattr(new, one.name) for one in fields(cls) if hasattr(new, one.name)}
        return cls(**{**given, **others})


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserted:
    id: str
    deduped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The answer to a save: the stored memory.

    For a text saved in pieces (`is_chunked`) `id` and `content` are those of the first piece, and `ids` are the new
    ones.
    """

    id: str
    type: str
    tags: tuple[str, ...]
    pinned: bool
    importance: float
    content: str
    deduped: bool
    embedded: bool = False
    #: Whether an existing memory was updated to this spelling, which differs only in case or blanks.
    is_rewritten: bool = False
    entities_linked: int = 0
    hints_written: int = 0
    is_chunked: bool = False
    ids: tuple[str, ...] = ()
    group_id: str | None = None
    #: The memories superseded by this save.
    superseded: tuple[str, ...] = ()
    #: Memories that it may not supersede, because they have a better origin.
    not_superseded: tuple[str, ...] = ()
    #: The kinds of secrets masked in the request.
    masked: tuple[str, ...] = ()
    #: The forgotten memories whose value this save states again, which lifts it.
    lifted: tuple[str, ...] = ()
    origin: Origin = Origin.AGENT
    #: A claimed origin without permission, None if the claim holds.
    claimed: Origin | None = None
    review: Review | None = None


class Outcome(StrEnum):
    """The outcome of an accepted change; the `status` that clients read."""

    UPDATED = "updated"
    NO_CHANGES = "no_changes"
    DELETED = "deleted"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """New values for one memory; None keeps a value, and empty tags clear them.

    `masked` are the kinds of masked secrets, None before masking.
    """

    memory_id: str
    reason: str
    agent_id: str = "default"
    if_version: int | None = None
    content: str | None = None
    type: str | None = None
    tags: tuple[str, ...] | None = None
    importance: float | None = None
    pinned: bool | None = None
    who: str | None = None
    #: Empty for every project.
    project: str | None = None
    masked: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """A memory to forget; `force` includes pinned ones, `for_good` erases it, `is_wrong` marks it as untrue."""

    memory_id: str
    reason: str
    agent_id: str = "default"
    if_version: int | None = None
    force: bool = False
    for_good: bool = False
    is_wrong: bool = False
    #: Takes back its saving; without an objection to its content.
    undo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover:
    memory_id: str
    reason: str
    agent_id: str = "default"
    if_version: int | None = None


class Keeper(StrEnum):
    """Why a derived memory stays without one of its sources."""

    PINNED = "pinned"
    PERSON = "person"
    OTHER_SOURCE = "other_source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Staying:
    """A derived memory that stays, and why."""

    id: str
    content: str
    why: Keeper


@dataclass(frozen=True, slots=True, kw_only=True)
class Along:
    """The ID and text of memories that are hidden along, those that stay, and documents that state the same."""

    goes: tuple[tuple[str, str], ...] = ()
    stays: tuple[Staying, ...] = ()
    #: Each as `document:ID`, with its title or address.
    held_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The result of a change, with the version before and the new one, None if it is unchanged."""

    id: str
    status: Outcome
    current_version: int
    new_version: int | None
    content_changed: bool = False
    #: The kinds of secrets masked in the new text.
    masked: tuple[str, ...] = ()
    #: The forgotten memories whose value the new text states, which lifts it.
    lifted: tuple[str, ...] = ()
    #: The memories hidden or restored with it, and those that stay without it.
    along: Along = field(default_factory=Along)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One stored memory. Instants are ISO-8601 text."""

    id: str
    content: str
    type: str
    importance: float
    tags: tuple[str, ...]
    pinned: bool
    who: str | None
    why: str | None
    source_id: str | None
    source_type: str | None
    project: str | None
    session_id: str | None
    confidence: float
    access_count: int
    last_accessed: str | None
    is_deleted: bool
    deleted_at: str | None
    extraction_status: str
    embedding_model: str | None
    content_hash: str | None
    version: int
    created_at: str
    updated_at: str
    updated_by: str
    agent_id: str
    visibility: str
    scope: str | None
    ordinal: int | None
    event_at: str | None
    manual_override: bool
    #: The period in which it is true, and the ID of its successor.
    valid_from: str | None
    valid_to: str | None
    superseded_by: str | None
    origin: Origin
    review: Review | None
    #: The file it was imported from.
    source_path: str | None = None


class Owner(NamedTuple):
    id: str
    project: str | None
    agent_id: str
    visibility: str | None


def tags_of(stored: str | None) -> tuple[str, ...]:
    """Return tags from their column: a JSON array, or the comma-separated list of older rows (MEM-21)."""
    if not stored:
        return ()
    found = columns.json_value(stored) if stored.startswith("[") else None
    # A comma-separated list of an older file may begin like an array.
    listed = found if isinstance(found, list) else stored.split(",")
    return tuple(tag for item in listed if (tag := str(item).strip()))
