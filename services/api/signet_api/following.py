"""Poll for one streaming client until the daemon stops or the client's token becomes invalid."""

import asyncio
from collections.abc import Awaitable, Callable

from signet import clock
from signet.domain.auth import caller, issued
from signet.domain.auth.tokens import Claims
from signet.errors import Unavailable
from signet_api.deps import State


def polled(
    state: State, look: Callable[[], Awaitable[bytes | None]], every_seconds: float
) -> Callable[[], Awaitable[bytes | None]]:
    """Return a function that waits until `look` returns events; it returns None at the end of the stream.

    `look` returns empty bytes if there is nothing new, and None at the end. The stream also ends when the daemon
    stops, or the caller's token expires or is revoked.
    """
    holds = _Key(state, caller.current().claims).holds

    async def more() -> bytes | None:
        while not state.is_stopping and await holds():
            found = await look()
            if found is None or found:
                return found
            await asyncio.sleep(every_seconds)
        return None

    return more


class _Key:
    """The token of one client."""

    def __init__(self, state: State, claims: Claims | None) -> None:
        self._state = state
        self._claims = claims
        self._seen: int | None = None

    async def holds(self) -> bool:
        """Return whether the token is valid; the database is read only after new commits."""
        claims = self._claims
        if claims is None:
            return True
        if claims.exp <= clock.now().timestamp():
            return False
        version = self._state.commits.version()
        if claims.jti is None or version == self._seen:
            return True
        try:
            is_revoked = await self._state.db.aread(issued.is_revoked, claims.jti)
        except Unavailable:  # busy: the next poll retries
            return True
        self._seen = version
        return not is_revoked
