"""Removing a connector, with its documents when that is asked for (CON-10).

Documents go a few at a time, each group in its own transaction, because a folder may have thousands. Stopped in the
middle, the connector is still there and can be removed again.
"""

from datetime import datetime

from signet.db import WriteTx
from signet.domain.connectors import lookup, store
from signet.domain.connectors.models import Connector
from signet.domain.connectors.start import job_of
from signet.domain.documents import delete
from signet.domain.documents.models import Rules
from signet.domain.memory.models import Actor
from signet.errors import Frozen
from signet.queue import console

#: Documents that go in one transaction; each forgets its chunks.
DOCUMENTS_PER_WRITE = 10
REASON = "connector removed"


def documents(tx: WriteTx, connector_id: str, *, actor: Actor, rules: Rules, now: datetime) -> int:
    """Stop the sync, delete some of the connector's documents and return how many; call until it returns 0.

    Raises NotFound and Frozen.
    """
    if rules.frozen:
        raise Frozen
    connector = lookup.get(tx, connector_id)
    _stop(tx, connector, now)
    root = lookup.root_of(connector)
    if root is not None:
        store.adopt(tx, connector_id, root)
    found = store.some(tx, connector_id, DOCUMENTS_PER_WRITE)
    for document_id in found:
        delete.remove(tx, document_id, reason=REASON, actor=actor, now=now)
    return len(found)


def remove(
    tx: WriteTx,
    connector_id: str,
    *,
    cascade: bool,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> None:
    """Remove the connector, and with `cascade` what is left of its documents. Raises NotFound and Frozen."""
    while cascade and documents(tx, connector_id, actor=actor, rules=rules, now=now):
        pass  # only what a sync has added since the last look
    _stop(tx, lookup.get(tx, connector_id), now)
    store.delete(tx, connector_id)


def _stop(tx: WriteTx, connector: Connector, now: datetime) -> None:
    job_id = store.open_job(tx, job_of(connector).dedupe_key or "")
    if job_id is not None:
        console.cancel(tx, job_id, now=now)
