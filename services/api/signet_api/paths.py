"""Finds the routes of a path without asking every router in turn.

The framework asks each route of each router before it comes to the one that is meant: 0.8 ms of a request that the
last of them answers. Most paths have no parameters, and their routers are known before anybody asks.
"""

from collections.abc import Iterable

from fastapi import APIRouter
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send


class Direct(BaseRoute):
    """Asks the router of a path without parameters; to be put before all others, which take what it leaves."""

    def __init__(self, included: Iterable[tuple[APIRouter, BaseRoute]]) -> None:
        """Keep for each path the first router that has it, as it was included."""
        self._by_path: dict[str, BaseRoute] = {}
        for router, route in included:
            for path in (getattr(one, "path", "{") for one in router.routes):
                if "{" not in path:
                    self._by_path.setdefault(path, route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return what the path's router says of a request."""
        known = self._by_path.get(scope.get("path", ""))
        return known.matches(scope) if known else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the path's router answer."""
        await self._by_path[scope["path"]].handle(scope, receive, send)
