"""Assemble the application."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from functools import partial

import uvicorn
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.types import ASGIApp

from signet import __version__, clock
from signet.config.sections import AuthMode
from signet.domain import memory_followers
from signet.domain.agents import registry
from signet.observe.tracing import TRACES
from signet_api import background, errors
from signet_api.access import Access, check_routes
from signet_api.connections import close_late
from signet_api.deps import State
from signet_api.guard import Guard
from signet_api.measure import Traced
from signet_api.openapi import Described
from signet_api.routes import ROUTER
from signet_api.serving import Direct

#: Size of a request's other fields in addition to the longest content.
ENVELOPE_BYTES = 1_048_576

#: The framework would record paths, questions and error messages; measure.py records only permitted attributes.
UNTOLD: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def create_app(state: State) -> ASGIApp:
    memory_followers.register()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        running = [
            asyncio.create_task(state.health.watch()),
            asyncio.create_task(background.beat(state)),
        ]
        if state.authority.mode is not AuthMode.LOCAL:
            state.oidc.start()
        yield
        for task in running:
            task.cancel()

    most_bytes = state.settings.pipeline.documents.max_content_bytes + ENVELOPE_BYTES
    app = Described(
        title="Signet",
        version=__version__,
        summary="Persistent memory for AI agents, on your own machine",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        telemetry=UNTOLD,
        max_body_size=most_bytes,
    )
    app.state.signet = state
    _register(state)
    state.live.then(partial(_register, state))
    errors.install(app)
    check_routes(ROUTER.routes)
    # Not `include_router`, which builds every route again at the first request (0.3 s of processor time).
    app.router.routes.extend([Direct(ROUTER.routes), *ROUTER.routes])
    guard = Guard(Access(app, state), state, most_bytes=most_bytes)
    entry: ASGIApp = Traced(guard) if TRACES.is_on else guard
    app.state.entry = entry
    return entry


def _register(state: State) -> None:
    """Synchronize the agent rows with the roster in agent.yaml."""
    state.db.write_quick(registry.follow, state.settings.agents.roster, now=clock.now())


#: Seconds between ticks, and the count of uvicorn's own ticks (0.1 s) in that time.
TICK_SECONDS, TICKS = 1.0, 10
#: Connections queued by the kernel, and accepted per turn of the event loop; accepting more could exhaust file
#: descriptors before any is closed.
BACKLOG, ACCEPTED_AT_ONCE = 2_048, 16


class Server(uvicorn.Server):
    """Serves until told to exit; then calls `ending` and waits for open requests. Calls `each` once a second."""

    def __init__(
        self, config: uvicorn.Config, each: Callable[[], None], ending: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._each = each
        self._ending = ending
        self._exits = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def end(self) -> None:
        """Tell the server to exit, from any thread."""
        self.should_exit = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._exits.set)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to serve; asyncio uses one number as backlog and as connections per turn."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)

    async def main_loop(self) -> None:
        """Tick once a second: uvicorn's own loop wakes an idle process ten times, and each timer once more."""
        self._loop = asyncio.get_running_loop()
        count = 0
        while not await self.on_tick(count):
            close_late(self.server_state.connections)
            self._each()
            count += TICKS
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_SECONDS):
                    await self._exits.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ending()
        await super().shutdown(sockets)
