"""Connectors, and the documents that are theirs."""

from signet.db import ReadTx, WriteTx
from signet.domain.connectors import settings, sql
from signet.domain.connectors.models import Connector, Health, Provider
from signet.domain.documents import create
from signet.errors import Invalid, NotFound


def newest(tx: ReadTx) -> list[Connector]:
    """Return all connectors, newest first."""
    return tx.rows(Connector, sql.NEWEST)


def get(tx: ReadTx, connector_id: str) -> Connector:
    """Return one connector; raises NotFound."""
    connector = tx.row(Connector, sql.BY_ID, (connector_id,))
    if connector is None:
        raise NotFound("Connector not found")
    return connector


def health(tx: ReadTx, connector_id: str) -> Health:
    """Return how a connector is; raises NotFound."""
    connector = get(tx, connector_id)
    documents = sql.counts(tx, connector, root_of(connector))
    return Health(connector=connector, documents=documents)


def adopt(tx: WriteTx, connector: Connector, root: str) -> None:
    """Give the connector its agent's documents below its folder that belong to no connector any more."""
    create.adopt(tx, connector.id, sql.adoptable(tx, connector, root))


def root_of(connector: Connector) -> str | None:
    """Return the folder of a connector, None when it has none."""
    if connector.provider != Provider.FILESYSTEM:
        return None
    try:
        return settings.stored(connector).root_path
    except Invalid:
        return None
