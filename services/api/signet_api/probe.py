"""Check in the background whether the embedding provider answers.

At most every 30 s, only on request, and again after a change of settings. A request waits briefly, then returns the
last result.
"""

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.providers import registry
from signet.providers.registry import VectorSettings

#: Maximum wait of a request for a running probe.
PATIENCE_SECONDS = 0.5
OFF = "Vector search is off (embedding.provider is none)"
UNKNOWN = "The provider is being asked; look again in a few seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """Result of a probe; a working provider has no `fault`."""

    fault: str | None
    at: datetime


class Probe:
    """Probes the configured provider; for the event loop only."""

    def __init__(self) -> None:
        self._about: VectorSettings | None = None
        self._last: Probed | None = None
        self._asked_at = 0.0
        self._asking: asyncio.Task[None] | None = None

    async def look(self, wanted: VectorSettings) -> Probed:
        """Return the current result, starting a probe if it is outdated."""
        if wanted != self._about:
            self._about, self._last, self._asking = wanted, None, None
        is_old = time.monotonic() - self._asked_at >= registry.PROBE_KEPT_SECONDS
        if (self._asking is None or self._asking.done()) and (self._last is None or is_old):
            self._asked_at = time.monotonic()
            self._asking = asyncio.create_task(self._ask(wanted))
        if self._asking is not None:
            await asyncio.wait([self._asking], timeout=PATIENCE_SECONDS)
        return self._last or Probed(fault=UNKNOWN, at=clock.now())

    async def _ask(self, wanted: VectorSettings) -> None:
        fault = await asyncio.to_thread(_fault, wanted)
        if wanted == self._about:  # otherwise another probe has started meanwhile
            self._last = Probed(fault=fault, at=clock.now())


def _fault(wanted: VectorSettings) -> str | None:
    embedder = registry.embedder(wanted)
    return OFF if embedder is None else embedder.fault()
