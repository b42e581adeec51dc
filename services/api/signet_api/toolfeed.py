"""Tells a client of the Model Context Protocol over HTTP that its list of tools has changed."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from signet import clock
from signet.mcp import protocol
from signet_api.deps import State

#: How often is looked whether the daemon stops or a person has changed something about a tool server.
LOOK_SECONDS = 0.5
#: How often the list is read anyway, because a server may have other tools (MC-32).
REFRESH_SECONDS = 15.0

_CHANGED = f"event: message\ndata: {json.dumps(protocol.CHANGED)}\n\n".encode()


@dataclass(slots=True)
class ToolFollower:
    """One client of the stream; `read` returns its list of tools."""

    state: State
    read: Callable[[], Awaitable[object]]
    _known: object = None

    async def more(self) -> bytes | None:
        """Return the notice of the next change, None when the daemon stops."""
        if self._known is None:
            self._known = await self.read()
        while True:
            changes, until = self.state.routed.changes, clock.monotonic_ms() + REFRESH_SECONDS * 1e3
            while changes == self.state.routed.changes and clock.monotonic_ms() < until:
                if self.state.feed.is_closed:
                    return None
                await asyncio.sleep(LOOK_SECONDS)
            before, self._known = self._known, await self.read()
            if before != self._known:
                return _CHANGED

    def leave(self) -> None:
        """Make room for another listener."""
        self.state.tool_listeners -= 1
