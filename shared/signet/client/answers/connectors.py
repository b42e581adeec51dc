"""Answers about connectors."""

from typing import Any, Literal, NotRequired, TypedDict


class SyncError(TypedDict):
    """Why one file was left out of a sync."""

    resourceId: str
    message: str
    retryable: bool


class SyncProgress(TypedDict):
    """What a sync has done so far; `errors` holds the first of them."""

    jobId: str
    filesSeen: int
    documentsAdded: int
    documentsUpdated: int
    documentsRemoved: int
    errorCount: int
    errors: list[SyncError]


class Connector(TypedDict):
    """A folder or service whose texts become documents. Times are ISO 8601."""

    id: str
    provider: str
    display_name: str | None
    settings: dict[str, Any]
    cursor: dict[str, Any] | None
    status: Literal["idle", "syncing", "error"]
    last_sync_at: str | None
    last_error: str | None
    progress: SyncProgress | None
    agent_id: str
    created_at: str
    updated_at: str


class AddedConnector(TypedDict):
    """A registered connector."""

    id: str


class StartedSync(TypedDict):
    """A sync that was queued, as `jobId`; with a `message` in its place when one was under way."""

    status: str
    jobId: NotRequired[str]
    message: NotRequired[str]


class Resynced(TypedDict):
    """How many connectors there are, and what became of their syncs."""

    status: str
    total: int
    started: int
    alreadySyncing: int
    unsupported: int
    failed: int


class ConnectorHealth(TypedDict):
    """How a connector is; `documents` counts its documents by status."""

    id: str
    status: Literal["idle", "syncing", "error"]
    lastSyncAt: str | None
    lastError: str | None
    documentCount: int
    documents: dict[str, int]
    progress: SyncProgress | None


class RemovedConnector(TypedDict):
    """A connector that is gone."""

    success: bool
    deleted: bool
