"""The diagnostics report as this process last saw it: kept for two seconds, dropped by whatever repairs (DG-5)."""

import asyncio
from dataclasses import dataclass, field

from signet import clock
from signet.config import Settings
from signet.db import Database
from signet.domain.diagnostics import report
from signet.domain.diagnostics.models import Facts, Report

KEPT_MS = 2_000


@dataclass(slots=True)
class Reports:
    """Looks when somebody asks; those who ask at the same time share one look."""

    db: Database
    _kept: tuple[int, Facts, Report] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def get(self, settings: Settings, *, kept_ms: int = KEPT_MS) -> Report:
        """Return a report that is at most so old and newer than the last repair of this process."""
        facts = Facts.of(settings)
        async with self._lock:
            kept = self._kept
            if kept is None or kept[1] != facts or clock.monotonic_ms() - kept[0] >= kept_ms:
                looked_at = clock.monotonic_ms()
                found = await self.db.aread(report.report, facts, now=clock.now())
                kept = self._kept = (looked_at, facts, found)
            return kept[2]

    def drop(self) -> None:
        """Forget what was seen: something has been repaired."""
        self._kept = None
