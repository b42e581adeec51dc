"""Cache the diagnostics report for two seconds, or until a repair (DG-5)."""

import asyncio
from dataclasses import dataclass, field

from signet import clock
from signet.config import Settings
from signet.db import Database
from signet.domain.diagnostics import report
from signet.domain.diagnostics.counts import Facts, HealthReport

KEPT_MS = 2_000


@dataclass(slots=True)
class Reports:
    """The cached report; concurrent requests share one computation."""

    db: Database
    _kept: tuple[int, Facts, HealthReport] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def get(self, settings: Settings, *, kept_ms: int = KEPT_MS) -> HealthReport:
        """Return a report of at most this age, computed after the last repair."""
        facts = Facts.of(settings)
        async with self._lock:
            kept = self._kept
            if kept is None or kept[1] != facts or clock.monotonic_ms() - kept[0] >= kept_ms:
                looked_at = clock.monotonic_ms()
                found = await self.db.aread(report.report, facts, now=clock.now())
                kept = self._kept = (looked_at, facts, found)
            return kept[2]

    def drop(self) -> None:
        """Discard the report after a repair."""
        self._kept = None
