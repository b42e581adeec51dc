"""Who may call what: one row for each route, read by the guards and by the tests.

A route without a row stops the start, so that nothing is ever served unguarded.
"""

from collections.abc import Iterable, Mapping

from starlette.routing import BaseRoute, compile_path

from signet.wire import access, operations
from signet_api import serving

_DECLARED: dict[tuple[str, str], access.Rule] = {
    (one.method, one.path): one.rule for one in operations.BY_ID.values()
}
#: Method and path template of every route.
TABLE: Mapping[tuple[str, str], access.Rule] = _DECLARED | {
    ("GET", "/openapi.json"): access.KNOWN,
}

_PATTERNS = tuple(
    (method, compile_path(path)[0], rule)
    for (method, path), rule in sorted(TABLE.items(), key=lambda row: -serving.literal(row[0][1]))
    if "{" in path
)


def check(routes: Iterable[BaseRoute]) -> None:
    """Raise LookupError for a route that has no row, so that nothing is served unguarded."""
    for route in routes:
        for method in getattr(route, "methods", None) or ("any method",):
            asked = (method, getattr(route, "path", ""))
            if asked not in TABLE:
                raise LookupError(f"{' '.join(asked)} has no row in permissions.TABLE")


def match(method: str, path: str) -> access.Rule | None:
    """Return the rule of the route that a request means; None when there is no such route.

    Paths without parameters are asked first, as the routers do.
    """
    method = "GET" if method == "HEAD" else method
    if (rule := TABLE.get((method, path))) is not None:
        return rule
    for known, pattern, rule in _PATTERNS:
        if known == method and pattern.match(path) is not None:
            return rule
    return None
