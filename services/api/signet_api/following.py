"""What goes on for one client: looked for again, until the daemon stops or the key of the client holds no more."""

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
    """Return a function that waits until `look` finds events and returns them; None when it is over.

    `look` returns nothing while there is nothing new, and None when no more will come. It is over, too, when the
    daemon stops, and when the key of the caller for whom this is made has expired or was revoked.
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
    """The key of one client."""

    def __init__(self, state: State, claims: Claims | None) -> None:
        self._state = state
        self._claims = claims
        self._seen: int | None = None

    async def holds(self) -> bool:
        """Return whether it would still be let in; without a commit since the last time none was revoked."""
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
        except Unavailable:  # busy: the next look asks
            return True
        self._seen = version
        return not is_revoked
