"""The stream that tells a client of the Model Context Protocol over HTTP that its list of tools has changed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from signet import clock
from signet.mcp import protocol
from signet_api.deps import State
from signet_api.stream import message

#: How often the list is read anyway, because a server may have other tools (MC-32).
REFRESH_SECONDS = 15.0

_CHANGED = message(protocol.CHANGED, event="message")


@dataclass(slots=True)
class ToolFollower:
    """One client of the stream; `read` returns its list of tools."""

    state: State
    read: Callable[[], Awaitable[object]]
    _known: object = None
    _changes: int = -1
    _read_again_ms: float = 0.0

    async def look(self) -> bytes:
        """Return the notice of a change when there was one since the last look."""
        changes = self.state.routed.changes
        if changes == self._changes and clock.monotonic_ms() < self._read_again_ms:
            return b""
        before, self._known = self._known, await self.read()
        self._changes = changes
        self._read_again_ms = clock.monotonic_ms() + REFRESH_SECONDS * 1e3
        return b"" if before in (None, self._known) else _CHANGED
