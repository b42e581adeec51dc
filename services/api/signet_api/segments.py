"""Keep encoded slashes inside path parameters.

Servers decode a path before routing, so `a%2Fb` would be two segments. Here the slash is replaced during routing by
a character that no text contains, and restored in the route's parameters.
"""

import re
from urllib.parse import quote, unquote

from starlette.convertors import StringConvertor, register_url_convertor
from starlette.types import Scope

#: Unicode reserves it for internal use (§23.7), so no key contains it.
_SLASH = "\ufdd0"
_ENCODED = quote(_SLASH).encode()
_KEPT = re.compile(rb"%2f", re.IGNORECASE)


class _Segment(StringConvertor):
    """One path segment as a route parameter."""

    def convert(self, value: str) -> str:
        return restored(value)


def install() -> None:
    """Use this converter for all routes compiled from now on."""
    register_url_convertor("str", _Segment())


def keep(scope: Scope) -> None:
    """Replace encoded slashes in a request's path."""
    raw: bytes = scope.get("raw_path") or b""
    if b"%" in raw and _KEPT.search(raw):
        scope["path"] = unquote(_KEPT.sub(_ENCODED, raw).decode("ascii", "replace"))


def restored(segment: str) -> str:
    return segment.replace(_SLASH, "/")
