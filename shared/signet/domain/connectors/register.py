"""Registering a connector."""

import json
from collections.abc import Mapping
from datetime import datetime

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.connectors import settings as folders
from signet.domain.connectors import sql
from signet.domain.connectors.models import Provider, Status, folder_json
from signet.domain.folders.private import find_places
from signet.errors import Invalid
from signet.paths import Workspace
from signet.wire.connectors import StoredConnector


def draft(
    provider: str | None,
    *,
    display_name: str | None,
    settings: Mapping[str, object],
    agent_id: str,
    workspace: Workspace,
    now: datetime,
) -> StoredConnector:
    """Return the connector that a client describes, with the settings that syncs will use.

    Raises Invalid for wrong settings and for a folder that is private or cannot be read (CON-1, CON-11).
    """
    if provider not in set(Provider):
        raise Invalid("provider must be filesystem, github-docs, or gdrive")
    if provider == Provider.FILESYSTEM:
        folder = folders.checked(folders.folder_of(settings), find_places(workspace))
        settings = folder_json(folder)
    at = clock.to_text(now)
    return {
        "id": ids.new_id(),
        "provider": provider,
        "display_name": (display_name or "").strip() or provider,
        "config_json": json.dumps(settings, ensure_ascii=False),
        "cursor_json": None,
        "status": Status.IDLE,
        "last_sync_at": None,
        "last_error": None,
        "created_at": at,
        "updated_at": at,
        "agent_id": agent_id,
        "progress_json": None,
    }


def register(tx: WriteTx, connector: StoredConnector) -> str:
    """Store a drafted connector and return its id."""
    tx.run(sql.INSERT, connector)
    return connector["id"]
