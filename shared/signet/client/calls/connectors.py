"""Connectors: register folders whose files become documents, keep them in step, look at how they are."""

from collections.abc import Mapping
from typing import Any

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire import connectors as wire
from signet.wire.connectors import (
    AddedConnector,
    Connector,
    ConnectorHealth,
    RemovedConnector,
    Resynced,
    StartedSync,
)


class ConnectorCalls:
    """Connectors: register folders whose files become documents, keep them in step, look at how they are."""

    @method
    def connectors(self) -> Call[list[Connector]]:
        """Return all connectors, newest first."""
        return ask(wire.CONNECTORS).picking(lambda found: found["connectors"])

    @method
    def connector(self, connector_id: str) -> Call[Connector]:
        """Return one connector; raises NotFound."""
        return ask(wire.CONNECTOR, connector_id)

    @method
    def add_connector(
        self,
        provider: str = "filesystem",
        *,
        display_name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        agent_id: str | None = None,
    ) -> Call[AddedConnector]:
        """Register a connector; for a folder `settings` holds `rootPath`, an absolute path on the daemon's machine.

        Raises Invalid for a folder that cannot be read there.
        """
        body = {
            "provider": provider,
            "displayName": display_name,
            "settings": None if settings is None else dict(settings),
            "agentId": agent_id,
        }
        return ask(wire.ADD_CONNECTOR, body=body)

    @method
    def sync_connector(self, connector_id: str, *, full: bool = False) -> Call[StartedSync]:
        """Queue what is new or changed, with `full` every file; raises NotFound."""
        if full:
            return ask(wire.FULLY_SYNC_CONNECTOR, connector_id, confirm=True, body={})
        return ask(wire.SYNC_CONNECTOR, connector_id, body={})

    @method
    def sync_connectors(self) -> Call[Resynced]:
        """Start a sync of every connector."""
        return ask(wire.RESYNC_CONNECTORS, body={})

    @method
    def connector_health(self, connector_id: str) -> Call[ConnectorHealth]:
        """Return how a connector is, how far its sync is, and how many of its documents are read; raises NotFound."""
        return ask(wire.CONNECTOR_HEALTH, connector_id)

    @method
    def remove_connector(
        self, connector_id: str, *, cascade: bool = False
    ) -> Call[RemovedConnector]:
        """Remove a connector, with `cascade` its documents too; raises NotFound."""
        return ask(wire.REMOVE_CONNECTOR, connector_id, cascade=cascade)
