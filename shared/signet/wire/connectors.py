"""Connectors: folders and services whose texts become documents."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import delete, get, post


class SyncError(TypedDict):
    resourceId: str
    message: str
    retryable: bool


class SyncProgress(TypedDict):
    """Progress of a sync; `errors` has the first ones."""

    jobId: str
    filesSeen: int
    documentsAdded: int
    documentsUpdated: int
    documentsRemoved: int
    errorCount: int
    errors: list[SyncError]


class StoredConnector(TypedDict):
    """A stored connector. Times are ISO 8601."""

    id: str
    provider: str
    display_name: str | None
    config_json: str
    cursor_json: str | None
    #: idle, syncing or error
    status: str
    last_sync_at: str | None
    last_error: str | None
    created_at: str
    updated_at: str
    agent_id: str
    progress_json: str | None


class Connector(StoredConnector):
    """A folder or service whose texts become documents."""

    settings: dict[str, Any]
    cursor: dict[str, Any] | None
    progress: SyncProgress | None


class AddedConnector(TypedDict):
    id: str


class QueuedSync(TypedDict):
    """A queued sync, as `jobId`; with a `message` instead if one is already running."""

    status: str
    jobId: NotRequired[str]
    message: NotRequired[str]


class Resynced(TypedDict):
    status: str
    total: int
    started: int
    alreadySyncing: int
    unsupported: int
    failed: int


class ConnectorHealth(TypedDict):
    """A connector's state; `documents` counts its documents by status."""

    id: str
    status: str
    lastSyncAt: str | None
    lastError: str | None
    documentCount: int
    documents: Mapping[str, int]
    progress: SyncProgress | None


class RemovedConnector(TypedDict):
    success: bool
    deleted: bool


class Connectors(TypedDict):
    connectors: list[Connector]
    count: int


CONNECTORS = get("/api/connectors", access.CONNECTORS, Connectors)
ADD_CONNECTOR = post(
    "/api/connectors",
    access.programs("read the files of a folder into memory", "signet connector add"),
    AddedConnector,
    status=201,
)
_SYNC = access.programs("read the folder of a connector again", "signet connector sync")
RESYNC_CONNECTORS = post("/api/connectors/resync", _SYNC, Resynced)
CONNECTOR = get("/api/connectors/{connector_id}", access.CONNECTORS, Connector)
REMOVE_CONNECTOR = delete(
    "/api/connectors/{connector_id}",
    access.programs("remove a connector", "signet connector remove CONNECTOR"),
    RemovedConnector,
)
CONNECTOR_HEALTH = get("/api/connectors/{connector_id}/health", access.CONNECTORS, ConnectorHealth)
SYNC_CONNECTOR = post("/api/connectors/{connector_id}/sync", _SYNC, QueuedSync)
FULLY_SYNC_CONNECTOR = post("/api/connectors/{connector_id}/sync/full", _SYNC, QueuedSync)
