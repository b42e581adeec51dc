"""Removing a connector, with its documents when that is asked for (CON-10).

Documents go a few at a time, each group in its own transaction, because a folder may have thousands. Stopped in the
middle, the connector is still there and can be removed again.
"""

from collections.abc import Sequence
from datetime import datetime

from signet.db import ReadTx, WriteTx
from signet.domain.connectors import lookup, sql
from signet.domain.connectors.start import job_of
from signet.domain.documents import delete
from signet.domain.documents.models import Rules
from signet.domain.memory.models import Actor
from signet.errors import Frozen
from signet.queue import transitions
from signet.wire.connectors import StoredConnector

#: Documents that go in one transaction; each forgets its chunks.
DOCUMENTS_PER_WRITE = 10
#: Documents that are looked up at once.
DOCUMENTS_PER_READ = 500
REASON = "connector removed"


def prepare(tx: WriteTx, connector_id: str, *, rules: Rules, now: datetime) -> None:
    """Stop the sync before the documents go. Raises NotFound and Frozen."""
    if rules.frozen:
        raise Frozen
    connector = lookup.get(tx, connector_id)
    _stop(tx, connector, now)
    root = lookup.root_of(connector)
    if root is not None:
        lookup.adopt(tx, connector, root)


def documents(tx: ReadTx, connector_id: str) -> list[Sequence[str]]:
    """Return the next documents that are to go, in groups for one transaction each; none when all are gone."""
    found = tx.column(sql.SOME, (connector_id, DOCUMENTS_PER_READ))
    return [
        found[first : first + DOCUMENTS_PER_WRITE]
        for first in range(0, len(found), DOCUMENTS_PER_WRITE)
    ]


def delete_group(tx: WriteTx, ids: Sequence[str], *, actor: Actor, now: datetime) -> None:
    """Delete a group of documents."""
    for document_id in ids:
        delete.remove(tx, document_id, reason=REASON, actor=actor, now=now)


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
    if cascade:
        prepare(tx, connector_id, rules=rules, now=now)
        while groups := documents(tx, connector_id):  # what a sync has added since the last look
            for group in groups:
                delete_group(tx, group, actor=actor, now=now)
    _stop(tx, lookup.get(tx, connector_id), now)
    tx.run(sql.DELETE, (connector_id,))


def remove_all(tx: WriteTx) -> None:
    """Remove every connector and keep the documents; open syncs end without one."""
    tx.run(sql.DELETE_ALL)


def _stop(tx: WriteTx, connector: StoredConnector, now: datetime) -> None:
    job_id = tx.value(sql.OPEN_JOB, (job_of(connector).unique_key or "",))
    if job_id is not None:
        transitions.cancel(tx, job_id, now=now)
