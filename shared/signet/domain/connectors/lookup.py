"""Reading connectors."""

from signet.db import ReadTx
from signet.domain.connectors import settings, store
from signet.domain.connectors.models import Connector, Health, Provider
from signet.errors import Invalid, NotFound


def get(tx: ReadTx, connector_id: str) -> Connector:
    """Return one connector; raises NotFound."""
    connector = store.by_id(tx, connector_id)
    if connector is None:
        raise NotFound("Connector not found")
    return connector


def health(tx: ReadTx, connector_id: str) -> Health:
    """Return how a connector is; raises NotFound."""
    connector = get(tx, connector_id)
    documents = store.counts(tx, connector, root_of(connector))
    return Health(connector=connector, documents=documents)


def root_of(connector: Connector) -> str | None:
    """Return the folder of a connector, None when it has none."""
    if connector.provider != Provider.FILESYSTEM:
        return None
    try:
        return settings.stored(connector).root_path
    except Invalid:
        return None
