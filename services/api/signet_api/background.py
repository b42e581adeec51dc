"""Background work: heartbeats to the supervisor and to telemetry, and spooled hook calls."""

import asyncio

from pydantic import ValidationError

from signet import clock
from signet.domain.activity import events
from signet.domain.extraction.models import mode_of
from signet.domain.memory.models import Actor
from signet.domain.sessions import spool
from signet.domain.sessions.spool import Entry
from signet.errors import Kind, SignetError
from signet.observe import logs, record
from signet.observe.record import TelemetryKind
from signet.wire.requests.hooks import CompactionBody, SessionEndBody
from signet_api.deps import State
from signet_api.hook import call_of
from signet_api.routes.hooks import end_session, keep_summary

EVERY_SECONDS = 300.0


class EachSecond:
    """What the event loop does once a second: a heartbeat to the supervisor, and a look for spooled calls."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._taking: asyncio.Task[None] | None = None

    def __call__(self) -> None:
        state = self._state
        state.pulse.beat(state.db.holding, needs_restart=state.health.needs_restart)
        is_free = self._taking is None or self._taking.done()
        if is_free and spool.is_waiting(state.workspace.spool_dir):
            self._taking = asyncio.create_task(take_all(state))


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
        TelemetryKind.DAEMON_HEARTBEAT,
        uptimeMs=clock.elapsed_ms() - state.started_ms,
        memoryCount=memories,
        connectorsActive=connectors,
        pipelineMode=mode_of(settings),
        extractionProvider=settings.pipeline.extraction.provider,
        embeddingProvider=settings.embedding.provider,
    )


log = logs.get("hooks")

#: Kinds of errors after which an entry is not retried.
_HOPELESS = frozenset({Kind.INVALID, Kind.CONFLICT, Kind.TOO_LARGE, Kind.FORBIDDEN})


async def take_all(state: State) -> None:
    """Process settled entries for this daemon, oldest first; failures are retried later."""
    for entry in await asyncio.to_thread(spool.entries, state.workspace.spool_dir):
        if not entry.daemon and not await _taken(state, entry):
            return


async def _taken(state: State, entry: Entry) -> bool:
    """Process one entry and return whether to continue with the next."""
    try:
        await _take(state, entry)
    except SignetError as error:
        if error.kind not in _HOPELESS:
            log.warning("spool.delayed", route=entry.route, code=error.code)
            return False
        log.warning("spool.refused", route=entry.route, detail=error.message)
    except ValidationError as error:
        log.warning("spool.refused", route=entry.route, detail=f"{error.error_count()} odd fields")
    else:
        log.info("spool.delivered", route=entry.route)
    await asyncio.to_thread(entry.remove)
    return True


async def _take(state: State, entry: Entry) -> None:
    body = await asyncio.to_thread(spool.body_to_deliver, entry)
    if entry.route == "/api/hooks/session-end":
        ended = SessionEndBody.model_validate(body)
        await end_session(ended, entry.headers, state)
    elif entry.route == "/api/hooks/compaction-complete":
        compacted = CompactionBody.model_validate(body)
        call = await call_of(compacted, entry.headers, state)
        await keep_summary(call, compacted, state, Actor(name=call.harness, type="harness"))
