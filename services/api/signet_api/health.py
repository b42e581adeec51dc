"""What `/health` knows: looked at in the background, so that no request waits for it."""

import asyncio
import itertools
from dataclasses import dataclass, field
from datetime import datetime

from signet import clock
from signet.db import Database, ReadTx, migrate
from signet.domain.updates import state as updates
from signet.domain.updates.state import Known
from signet.errors import SignetError
from signet.observe import logs
from signet.paths import Workspace
from signet.queue import stats
from signet_api import processes

log = logs.get("api")

LOOK_SECONDS = 1.0
#: After how many of these is looked for versions.
UPDATE_LOOKS = 60
#: A job that is due for longer than this while somebody could run it means that work stands still (JOB-23).
OLDEST_DUE_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One look: which checks hold, and in words what does not."""

    database: bool = True
    checks: tuple[tuple[str, bool], ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Return whether there is nothing to complain of."""
        return not self.reasons

    @property
    def is_ready(self) -> bool:
        """Return whether work can be done; a backlog, however old, does not change that."""
        return self.database and all(holds for name, holds in self.checks if name != "queue")


def look(tx: ReadTx, workspace: Workspace, *, schema_head: str, now: datetime) -> Seen:
    """Look at schema, processes and queue in one snapshot."""
    others = processes.states(tx, workspace, now=now)[1:]
    missing = [str(one["name"]) for one in others if one["state"] != "running"]
    schema = tx.value(migrate.READ_VERSION)
    stuck = stats.oldest_due_seconds(tx, now=now) > OLDEST_DUE_SECONDS
    reasons = [
        f"{one['name']} is {'not running' if one['state'] == 'stopped' else one['state']}"
        for one in others
        if one["name"] in missing
    ]
    if schema != schema_head:
        reasons.append(f"database schema is {schema}, this program needs {schema_head}")
    if stuck and not missing:
        reasons.append("jobs have been waiting for more than five minutes")
    return Seen(
        checks=(
            ("database", True),
            ("schema", schema == schema_head),
            ("worker", "worker" not in missing),
            ("scheduler", "scheduler" not in missing),
            ("queue", not stuck),
        ),
        reasons=tuple(reasons),
    )


@dataclass(slots=True)
class Health:
    """Looks once a second and keeps what it saw."""

    db: Database
    workspace: Workspace
    schema_head: str = field(default_factory=migrate.head)
    last: Seen = field(default_factory=Seen)
    #: What is known of new versions, and the one that a restart would start.
    update: Known = field(default_factory=Known)
    pending: str | None = None

    async def look(self) -> Seen:
        """Look now; never raises: a database that cannot be read is what it then saw."""
        try:
            self.last = await self.db.aread(
                look, self.workspace, schema_head=self.schema_head, now=clock.now()
            )
        except SignetError as error:
            self.last = Seen(database=False, reasons=(error.message,))
        except Exception:
            log.exception("health.look_failed")
            self.last = Seen(database=False, reasons=("the database cannot be read",))
        return self.last

    async def look_at_updates(self) -> None:
        """Look which versions there are on this machine; asks nobody else."""
        self.update = await asyncio.to_thread(updates.read, self.workspace)
        self.pending = await asyncio.to_thread(updates.pending_version)

    async def watch(self) -> None:
        """Look again and again until cancelled."""
        for looks in itertools.count():
            await self.look()
            if looks % UPDATE_LOOKS == 0:
                await self.look_at_updates()
            await asyncio.sleep(LOOK_SECONDS)
