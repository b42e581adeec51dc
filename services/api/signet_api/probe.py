"""Check in the background whether the embedding provider answers.

At most every 30 s, only on request, and again after a change of settings. A request waits briefly, then returns the
last result.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.errors import ProviderDown, ProviderFailed
from signet.providers import catalog, registry
from signet.providers.registry import OLLAMA, TextSettings, VectorSettings
from signet.wire.pipeline import OfferedModel

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

    async def current(self, wanted: VectorSettings) -> Probed:
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


#: Minimum seconds between two requested refreshes.
COOLDOWN_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """Time of the last refresh, and the server's fault if it failed."""

    at: datetime
    fault: str | None


class Models:
    """The model lists; for the event loop only."""

    def __init__(self) -> None:
        self._shipped: Mapping[str, tuple[OfferedModel, ...]] | None = None
        self._found: tuple[OfferedModel, ...] = ()
        self._asked_at: float | None = None
        self._wanted_at: float | None = None
        self._url: str | None = None
        #: The current or last query.
        self.asking: asyncio.Task[None] | None = None
        self.refreshed: Refreshed | None = None

    def by_provider(self, *, deprecated: bool = True) -> dict[str, list[OfferedModel]]:
        if self._shipped is None:
            self._shipped = catalog.shipped()
        every = {**self._shipped, OLLAMA: catalog.merged(self._shipped[OLLAMA], self._found)}
        return {
            provider: [one for one in models if deprecated or not one["deprecated"]]
            for provider, models in every.items()
        }

    def refresh_if_old(self, settings: TextSettings, *, interval_seconds: float) -> None:
        """Refresh the list in the background if it is outdated."""
        is_old = self._asked_at is None or time.monotonic() - self._asked_at >= interval_seconds
        if is_old or catalog.ollama_url(settings) != self._url:
            self._start(settings)

    async def refresh(self, settings: TextSettings) -> float | None:
        """Query the server now and return None, or the seconds until another query is allowed."""
        now = time.monotonic()
        if self._wanted_at is not None and (left := self._wanted_at + COOLDOWN_SECONDS - now) > 0:
            return left
        self._wanted_at = now
        await asyncio.wait([self._start(settings)])
        return None

    def _start(self, settings: TextSettings) -> asyncio.Task[None]:
        """Start a query unless one is running."""
        if self.asking is None or self.asking.done():
            self.asking = asyncio.create_task(self._ask(catalog.ollama_url(settings)))
        return self.asking

    async def _ask(self, url: str | None) -> None:
        self._asked_at, fault = time.monotonic(), None
        if url != self._url:
            self._url, self._found = url, ()
        if url is not None:
            try:
                self._found = await asyncio.to_thread(catalog.ask, url)
            except (ProviderDown, ProviderFailed) as error:
                fault = error.message
        self.refreshed = Refreshed(at=clock.now(), fault=fault)
