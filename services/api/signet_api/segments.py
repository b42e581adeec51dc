"""What stands for an id in an address may be any text: an encoded slash belongs to the id, and parts nothing.

Servers decode a path before routes are looked for, so that `a%2Fb` would be two segments. Here such a slash travels
through routing as a character that no text holds, and is a slash again where a route is given its parameters.
"""

import re
from urllib.parse import quote, unquote

from starlette.convertors import StringConvertor, register_url_convertor
from starlette.types import Scope

#: Unicode keeps it for use inside programs (§23.7), so that no key holds it.
_SLASH = "\ufdd0"
_ENCODED = quote(_SLASH).encode()
_KEPT = re.compile(rb"%2f", re.IGNORECASE)


class _Segment(StringConvertor):
    """One segment of a path as a parameter of a route."""

    def convert(self, value: str) -> str:
        return restored(value)


def install() -> None:
    """Give every route that is compiled from now on whole segments."""
    register_url_convertor("str", _Segment())


def keep(scope: Scope) -> None:
    """Keep the encoded slashes of a request's path out of routing."""
    raw: bytes = scope.get("raw_path") or b""
    if b"%" in raw and _KEPT.search(raw):
        scope["path"] = unquote(_KEPT.sub(_ENCODED, raw).decode("ascii", "replace"))


def restored(segment: str) -> str:
    """Return a segment as its sender means it."""
    return segment.replace(_SLASH, "/")
