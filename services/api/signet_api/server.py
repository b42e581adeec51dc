"""The web server, which ends what would go on for ever before it waits for open requests."""

import socket
from collections.abc import Callable

import uvicorn


class Server(uvicorn.Server):
    """Serves until told to exit; then `ending` is called, and requests have their time to end."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop taking connections and end those that are open."""
        self._ending()
        await super().shutdown(sockets)
