"""Starting a sync: the row shows it, a job does it, in one commit."""

from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.connectors import lookup, sql
from signet.domain.connectors.models import Provider
from signet.domain.documents.models import Rules
from signet.errors import Frozen, Kind, SignetError
from signet.queue import Job, enqueue
from signet.wire.connectors import StoredConnector


class Unsupported(SignetError):
    """This provider cannot be synced yet."""

    kind = Kind.UNSUPPORTED
    code = "unsupported_provider"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The job of a sync; None when one was under way already."""

    job_id: str | None


def start(tx: WriteTx, connector_id: str, *, is_full: bool, rules: Rules, now: datetime) -> Started:
    """Queue a sync unless one is under way.

    Raises NotFound, Unsupported, and Frozen.
    """
    connector = lookup.get(tx, connector_id)
    if connector["provider"] != Provider.FILESYSTEM:
        raise Unsupported(f"Provider {connector['provider']} not yet supported")
    if rules.frozen:
        raise Frozen
    job_id = enqueue(tx, job_of(connector, is_full=is_full), now=now, max_attempts=rules.attempts)
    if job_id is not None:
        tx.run(sql.BEGIN, (clock.to_text(now), connector_id))
    return Started(job_id=job_id)


def job_of(connector: StoredConnector, *, is_full: bool = False) -> Job:
    """Return the job that syncs a connector; two of one connector are never open at once."""
    return Job(
        kind="connector_sync",
        dedupe_key=connector["id"],
        payload={"connectorId": connector["id"], "full": is_full},
        agent_id=connector["agent_id"],
    )
