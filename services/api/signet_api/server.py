"""The web server, which ends what would go on for ever before it waits for open requests."""

import socket
from collections.abc import Callable

import uvicorn

from signet_api.connections import close_late

#: Ticks of a tenth of a second between two looks for late clients.
LOOK_TICKS = 10
#: Connections that the kernel keeps for us, and that the event loop accepts before it looks at those it has: with more
#: it would run out of file descriptors before any could be closed.
BACKLOG, ACCEPTED_AT_ONCE = 2_048, 16


class Server(uvicorn.Server):
    """Serves until told to exit; then `ending` is called, and requests have their time to end."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve; asyncio uses one number as the kernel's backlog and for what it accepts at once."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Close connections whose client is late, once a second."""
        if counter % LOOK_TICKS == 0:
            close_late(self.server_state.connections)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop taking connections and end those that are open."""
        self._ending()
        await super().shutdown(sockets)
