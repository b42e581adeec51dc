"""The state behind `/health`, updated in the background so that requests do not wait."""

import asyncio
import math
import shutil
import time
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
#: Seconds between checks while no one asks.
UNASKED_SECONDS = 5.0
#: With less free space a save may fail although a small write succeeds.
ROOM_BYTES = 4_000_000
#: Seconds between checks of versions.
UPDATE_SECONDS = 60.0
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
    """Checks once a second and stores the result; less often while no one reads it and all can be stored."""

    db: Database
    workspace: Workspace
    schema_head: str = field(default_factory=migrate.head)
    _last: Seen = field(default_factory=Seen)
    _asked: asyncio.Event = field(default_factory=asyncio.Event)
    #: Known versions, and the one that a restart would start.
    update: KnownRelease = field(default_factory=KnownRelease)
    pending: str | None = None
    #: Whether processes must reopen the database files (`Database.needs_restart`).
    needs_restart: bool = False
    #: Message about the database for people; empty if healthy.
    notice: str = ""

    @property
    def last(self) -> Seen:
        """Return the newest result, and have it renewed; for the event loop's thread."""
        self._asked.set()
        return self._last

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
        self._last = self._with_storage(seen)
        return self._last

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
        versions_at = -math.inf
        while True:
            self._asked.clear()
            await self.check()
            await self._try_to_store()
            self.needs_restart = await asyncio.to_thread(self.db.needs_restart)
            if time.monotonic() - versions_at >= UPDATE_SECONDS:
                versions_at = time.monotonic()
                await self.look_at_updates()
            await asyncio.sleep(LOOK_SECONDS)
            if self.db.writer.fault is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(UNASKED_SECONDS - LOOK_SECONDS):
                        await self._asked.wait()


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
