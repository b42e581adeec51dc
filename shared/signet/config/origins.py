"""Web page origins, as browsers write them: `scheme://host[:port]`, compared byte for byte."""

import re
from urllib.parse import urlsplit

from signet.config.env import is_loopback
from signet.config.values import texts
from signet.errors import Invalid

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
#: Their pages have the origin `null`, like every sandboxed page.
_WITHOUT_ORIGIN = frozenset({"about", "blob", "data", "file", "javascript"})
_USUAL_PORTS = {"http": 80, "https": 443}


class NotAnOrigin(Invalid, code="not_an_origin"):
    """Expected an origin as browsers send it, such as chrome-extension://ID or http://localhost:5173."""


def checked(text: str) -> str:
    """Return the text if it is exactly one origin that may be trusted; raises NotAnOrigin with the reason."""
    if text == "null":
        raise NotAnOrigin(
            "null is the origin of every sandboxed page and local file; it cannot be trusted"
        )
    if "*" in text:
        raise NotAnOrigin("Patterns are not supported; list each origin")
    scheme, divider, place = text.partition("://")
    if not divider or scheme.lower() in _WITHOUT_ORIGIN:
        raise NotAnOrigin
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise NotAnOrigin from None
    name = f"[{host}]" if ":" in host else host
    exact = name if port in (None, _USUAL_PORTS.get(scheme)) else f"{name}:{port}"
    if not _SCHEME.fullmatch(scheme.lower()) or not _HOST.fullmatch(name) or "@" in place:
        raise NotAnOrigin
    if text != (meant := f"{scheme.lower()}://{exact}"):
        raise NotAnOrigin(f"Browsers send this origin as {meant}")
    if scheme == "http" and not (is_loopback(host) or host.endswith(".localhost")):
        raise NotAnOrigin("https is required: a page sent over http can be changed in transit")
    return text


def read(value: object, where: str, warnings: list[str]) -> object:
    """Read a list of origins; invalid ones are omitted with a warning."""
    found: dict[str, None] = {}
    for number, text in enumerate(texts(value, where, warnings), 1):
        try:
            found[checked(text)] = None
        except NotAnOrigin:
            warnings.append(f"{where}: entry {number} is not an origin, ignored")
    return tuple(found)
