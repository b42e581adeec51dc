"""Connectors: folders whose files become documents."""

from collections.abc import Mapping
from typing import Any

from signet.client.call import Call, ask
from signet.client.method import asks, method
from signet.wire import connectors as wire


class ConnectorCalls:
    """Connectors: folders whose files become documents."""

    @asks(wire.CONNECTORS, pick=lambda found: found["connectors"])
    def connectors(self) -> list[wire.Connector]:
        """Return all connectors, newest first."""

    @asks(wire.CONNECTOR)
    def connector(self, connector_id: str) -> wire.Connector:
        """Return one connector; raises NotFound."""

    @asks(wire.ADD_CONNECTOR)
    def add_connector(
        self,
        provider: str = "filesystem",
        *,
        display_name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        agent_id: str | None = None,
        sync: bool = False,
    ) -> wire.AddedConnector:
        """Add a connector; for a folder `settings` contains `rootPath`, an absolute path on the daemon's machine.

        With `sync` its first sync starts at once. Raises Invalid for an unreadable folder.
        """

    @method
    def sync_connector(self, connector_id: str, *, full: bool = False) -> Call[wire.StartedSync]:
        """Queue new and changed files, with `full` every file; raises NotFound."""
        if full:
            return ask(wire.FULLY_SYNC_CONNECTOR, connector_id, confirm=True, body={})
        return ask(wire.SYNC_CONNECTOR, connector_id, body={})

    @asks(wire.RESYNC_CONNECTORS)
    def sync_connectors(self) -> wire.Resynced:
        """Start a sync of every connector."""

    @asks(wire.CONNECTOR_HEALTH)
    def connector_health(self, connector_id: str) -> wire.ConnectorHealth:
        """Return a connector's state, sync progress and document counts; raises NotFound."""

    @asks(wire.REMOVE_CONNECTOR)
    def remove_connector(
        self, connector_id: str, *, cascade: bool = False
    ) -> wire.RemovedConnector:
        """Remove a connector, with `cascade` also its documents; raises NotFound."""
