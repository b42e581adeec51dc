"""Connectors, and the documents that are theirs."""

from signet.db import ReadTx, WriteTx, columns
from signet.domain.connectors import settings, sql
from signet.domain.connectors.models import Provider
from signet.domain.documents import create
from signet.errors import Invalid, NotFound
from signet.wire.connectors import ConnectorHealth, StoredConnector


def newest(tx: ReadTx) -> list[StoredConnector]:
    """Return all connectors, newest first."""
    return tx.records(StoredConnector, sql.NEWEST)


def get(tx: ReadTx, connector_id: str) -> StoredConnector:
    """Return one connector; raises NotFound."""
    connector = tx.record(StoredConnector, sql.BY_ID, (connector_id,))
    if connector is None:
        raise NotFound("Connector not found")
    return connector


def health(tx: ReadTx, connector_id: str) -> ConnectorHealth:
    """Return how a connector is, and how many of its documents are in which status; raises NotFound."""
    connector = get(tx, connector_id)
    root = root_of(connector)
    below = sql.below(root) if root else {"low": "", "high": ""}
    values = {"id": connector["id"], "agent_id": connector["agent_id"], **below}
    documents = dict(tx.tuples(sql.COUNTS, values))
    return {
        "id": connector["id"],
        "status": connector["status"],
        "lastSyncAt": connector["last_sync_at"],
        "lastError": connector["last_error"],
        "documentCount": sum(documents.values()),
        "documents": documents,
        "progress": columns.json_value(connector["progress_json"]),
    }


def adopt(tx: WriteTx, connector: StoredConnector, root: str) -> None:
    """Give the connector its agent's documents below its folder that belong to no connector any more."""
    values = {"id": connector["id"], "agent_id": connector["agent_id"], **sql.below(root)}
    create.adopt(tx, connector["id"], tx.column(sql.ADOPTABLE, values))


def root_of(connector: StoredConnector) -> str | None:
    """Return the folder of a connector, None when it has none."""
    if connector["provider"] != Provider.FILESYSTEM:
        return None
    try:
        return settings.stored(connector).root_path
    except Invalid:
        return None
