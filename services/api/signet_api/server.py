"""The web server; ends endless streams before it waits for open requests."""

import socket
from collections.abc import Callable

import uvicorn

from signet_api.connections import close_late

#: Ticks (0.1 s) between checks for slow clients.
LOOK_TICKS = 10
#: Connections queued by the kernel, and accepted per turn of the event loop; accepting more could exhaust file
#: descriptors before any is closed.
BACKLOG, ACCEPTED_AT_ONCE = 2_048, 16


class Server(uvicorn.Server):
    """Serves until told to exit; then calls `ending` and waits for open requests."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to serve; asyncio uses one number as backlog and as connections per turn."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Close connections of slow clients once a second."""
        if counter % LOOK_TICKS == 0:
            close_late(self.server_state.connections)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ending()
        await super().shutdown(sockets)
