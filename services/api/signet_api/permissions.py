"""The rule of each route, for the guards and tests.

A route without a rule prevents the start.
"""

from collections.abc import Iterable, Mapping

from starlette.routing import BaseRoute, compile_path

from signet.wire import access, operations
from signet_api import serving

_DECLARED: dict[tuple[str, str], access.AccessRule] = {
    (one.method, one.path): one.rule for one in operations.BY_ID.values()
}
#: Method and path template of every route.
TABLE: Mapping[tuple[str, str], access.AccessRule] = _DECLARED | {
    ("GET", "/openapi.json"): access.KNOWN
}

_PATTERNS = tuple(
    (method, compile_path(path)[0], rule)
    for (method, path), rule in sorted(TABLE.items(), key=lambda row: -serving.literal(row[0][1]))
    if "{" in path
)


def check(routes: Iterable[BaseRoute]) -> None:
    """Raise LookupError for a route without a rule."""
    for route in routes:
        for method in getattr(route, "methods", None) or ("any method",):
            asked = (method, getattr(route, "path", ""))
            if asked not in TABLE:
                raise LookupError(f"{' '.join(asked)} has no row in permissions.TABLE")


def match(method: str, path: str) -> access.AccessRule | None:
    """Return the rule of a request's route, None if there is no route. Paths without parameters take precedence, as in
    the router.
    """
    method = "GET" if method == "HEAD" else method
    if (rule := TABLE.get((method, path))) is not None:
        return rule
    for known, pattern, rule in _PATTERNS:
        if known == method and pattern.match(path) is not None:
            return rule
    return None
