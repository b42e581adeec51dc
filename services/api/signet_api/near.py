"""Routes that run programs or know secrets: for callers on this machine, and for no other page than our own (SE-23)."""

from collections.abc import Awaitable, Callable

from fastapi import Request

from signet.config.sections import AuthMode
from signet.errors import Forbidden
from signet_api.access import is_here
from signet_api.deps import State


def only_from_here(what: str) -> Callable[[Request], Awaitable[None]]:
    """Return a dependency that lets nobody ask who is not on this machine or has no token, and no page but our own."""

    async def check(request: Request) -> None:
        state: State = request.app.state.signet
        headers = dict(request.scope["headers"])
        is_near = is_here(headers, request.scope.get("client"))
        if state.authority.mode is AuthMode.LOCAL and not is_near:
            raise Forbidden(f"{what} are for callers on this machine")
        origin = headers.get(b"origin")
        if origin is not None and origin.partition(b"://")[2] != headers.get(b"host"):
            raise Forbidden(f"{what} are for no other page than our own")

    return check
