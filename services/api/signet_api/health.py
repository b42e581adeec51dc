"""The state behind `/health`, updated in the background so that requests do not wait."""

import asyncio
import itertools
import shutil
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from signet import clock
from signet.config import Settings
from signet.db import Database, ReadTx, damage, migrate
from signet.db.driver import sqlite
from signet.domain.auth.caller import BACKGROUND, acting_for
from signet.domain.diagnostics import report
from signet.domain.diagnostics.counts import Facts, HealthReport
from signet.domain.updates import check
from signet.domain.updates.check import KnownRelease
from signet.errors import SignetError, StorageDamaged, StorageFull
from signet.observe import logs
from signet.paths import Workspace
from signet.queue import stats
from signet_api import connections, processes

log = logs.get("api")

LOOK_SECONDS = 1.0
#: With less free space a save may fail although a small write succeeds.
ROOM_BYTES = 4_000_000
#: Version checks happen once per this many polls.
UPDATE_LOOKS = 60
#: A job due for longer than this while workers run means that processing is stuck (JOB-23).
OLDEST_DUE_SECONDS = 300.0
CROWDED = "too many connections were open, so the ones that waited longest were closed; raise the limit: ulimit -n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Results of the checks, with reasons of failures; `code` if nothing can be stored or the database is damaged."""

    database: bool = True
    code: str | None = None
    checks: tuple[tuple[str, bool], ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return not self.reasons

    @property
    def is_ready(self) -> bool:
        """Return whether the daemon can work; a backlog does not matter."""
        is_stored = self.database and self.code is None
        return is_stored and all(holds for name, holds in self.checks if name != "queue")


def read_health(tx: ReadTx, workspace: Workspace, *, schema_head: str, now: datetime) -> Seen:
    """Check schema, processes and queue in one snapshot."""
    others = processes.states(tx, workspace)[1:]
    missing = processes.missing(tx, workspace, others)
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
    """Checks once a second and stores the result."""

    db: Database
    workspace: Workspace
    schema_head: str = field(default_factory=migrate.head)
    last: Seen = field(default_factory=Seen)
    #: Known versions, and the one that a restart would start.
    update: KnownRelease = field(default_factory=KnownRelease)
    pending: str | None = None
    #: Whether processes must reopen the database files (`Database.needs_restart`).
    needs_restart: bool = False
    #: Message about the database for people; empty if healthy.
    notice: str = ""

    async def check(self) -> Seen:
        """Check now; never raises, because an unreadable database is a result."""
        try:
            seen = await self.db.aread(
                read_health, self.workspace, schema_head=self.schema_head, now=clock.now()
            )
        except SignetError as error:
            seen = Seen(database=False, code=error.code, reasons=(error.message,))
        except Exception:
            log.exception("health.check_failed")
            seen = Seen(database=False, reasons=("the database cannot be read",))
        self.last = self._with_storage(seen)
        return self.last

    def _with_storage(self, seen: Seen) -> Seen:
        """Add known damage of the file, and why nothing can be stored."""
        noted, fault = damage.read(self.db.path), self.db.writer.fault
        self.notice = noted.message if noted else ""
        code, reasons = seen.code, [self.notice] if noted else []
        if noted and noted.kind is damage.DamageKind.DAMAGED:
            code = StorageDamaged.code
        elif fault is not None:
            code, reasons = fault.code, [*reasons, fault.message]
        if connections.is_crowded():
            reasons.append(CROWDED)
        known = [reason for reason in seen.reasons if reason not in reasons]
        return replace(seen, code=code, reasons=(*reasons, *known))

    async def _try_to_store(self) -> None:
        """Retry storing after a failed write; a full disk must have some free space first."""
        fault = self.db.writer.fault
        if (
            isinstance(fault, StorageFull)
            and shutil.disk_usage(self.db.path.parent).free < ROOM_BYTES
        ):
            return
        if fault is not None:
            with suppress(SignetError, sqlite.Error):
                await self.db.aprobe()

    async def look_at_updates(self) -> None:
        """Read the known versions on this machine, without network access."""
        self.update = await asyncio.to_thread(check.read_known, self.workspace)
        self.pending = await asyncio.to_thread(check.pending_version)

    async def watch(self) -> None:
        """Check repeatedly until cancelled."""
        for looks in itertools.count():
            await self.check()
            await self._try_to_store()
            self.needs_restart = await asyncio.to_thread(self.db.needs_restart)
            if looks % UPDATE_LOOKS == 0:
                await self.look_at_updates()
            await asyncio.sleep(LOOK_SECONDS)


KEPT_MS = 2_000


@dataclass(slots=True)
class Reports:
    """The cached report; concurrent requests share one computation."""

    db: Database
    _kept: tuple[int, Facts, HealthReport] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def get(self, settings: Settings, *, kept_ms: int = KEPT_MS) -> HealthReport:
        """Return a report of at most this age, computed after the last repair."""
        facts = Facts.from_settings(settings)
        async with self._lock:
            kept = self._kept
            if kept is None or kept[1] != facts or clock.monotonic_ms() - kept[0] >= kept_ms:
                looked_at = clock.monotonic_ms()
                with acting_for(BACKGROUND):  # it is every caller's
                    found = await self.db.aread(report.report, facts, now=clock.now())
                kept = self._kept = (looked_at, facts, found)
            return kept[2]

    def drop(self) -> None:
        self._kept = None
