"""Send heartbeats: every second to the supervisor, every five minutes to telemetry."""

import asyncio

from signet import clock
from signet.domain.activity import events
from signet.domain.extraction.models import mode_of
from signet.errors import SignetError
from signet.observe import record
from signet.observe.record import Event
from signet.process import pulse
from signet_api.deps import State

EVERY_SECONDS = 300.0


async def pulsate(state: State) -> None:
    """Send the supervisor a heartbeat each second until cancelled."""
    while True:
        state.pulse.beat(state.db.holding, needs_restart=state.health.needs_restart)
        await asyncio.sleep(pulse.EVERY_SECONDS)


async def beat(state: State) -> None:
    """Record heartbeats until cancelled."""
    while True:
        await asyncio.sleep(EVERY_SECONDS)
        try:
            memories, connectors = await state.db.aread(events.inventory)
        except SignetError:  # busy: skip this one
            continue
        tell(state, memories=memories, connectors=connectors)


def tell(state: State, *, memories: int, connectors: int) -> None:
    settings = state.settings
    record.event(
        Event.DAEMON_HEARTBEAT,
        uptimeMs=round((clock.now() - state.started_at).total_seconds() * 1000),
        memoryCount=memories,
        connectorsActive=connectors,
        pipelineMode=mode_of(settings),
        extractionProvider=settings.pipeline.extraction.provider,
        embeddingProvider=settings.embedding.provider,
    )
