"""Find routes without parameters by dictionary instead of trying each route.

Trying every route takes half of a save's processor time (0.7 of 1.4 ms).
"""

from collections.abc import Iterable

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send


class Direct(BaseRoute):
    """Routes requests to paths without parameters; must precede the other routes.

    Other methods of these paths are left to the other routes, which answer 405.
    """

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._routes: dict[tuple[str, str], APIRoute] = {}
        for route in routes:
            if isinstance(route, APIRoute) and "{" not in route.path:
                for method in route.methods or ():
                    self._routes.setdefault((method, route.path), route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return the match of a request's path and method."""
        route = self._routes.get((scope.get("method", ""), scope["path"]))
        if route is None:
            return Match.NONE, {}
        return Match.FULL, {"route": route, "endpoint": route.endpoint, "path_params": {}}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].handle(scope, receive, send)
