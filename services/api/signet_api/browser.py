"""Decide which web pages may call the daemon: one rule for all routes, methods and modes (AUTH-8).

Any page that the user opens can send requests to localhost. Browsers mark them with `Origin` or `Sec-Fetch-Site`,
which pages cannot remove or forge. A marked request is accepted only from this daemon's own pages or a trusted
origin (`auth.trustedOrigins`); pages on other local ports are foreign. Links from anywhere may open the daemon's
HTML pages, and nothing else.

The daemon's own pages use an IP address instead of "localhost", which browsers also resolve to ::1, where another
user may listen with the same origin.

Node's `fetch` sends only `Sec-Fetch-Mode` and is not a browser.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple

from signet.wire import operations

#: ASGI scope key of the page.
KEY = "signet.page"
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_JSON = b"application/json"
#: Paths that links may open.
_HTML = frozenset(
    one.path
    for one in operations.BY_ID.values()
    if one.media_type == "text/html" and "{" not in one.path
)


class Page(StrEnum):
    """The page that sent a request: the daemon's own, or one of a trusted origin."""

    OWN = "own"
    TRUSTED = "trusted"


class Refusal(NamedTuple):
    message: str
    status: int = 403
    code: str = "forbidden_origin"


FOREIGN = Refusal(
    "This page may not call Signet. If you trust it, run: signet trust origin add ORIGIN"
)
LINK = Refusal("A link from another page may open Signet's own pages only")
MOVED = Refusal("Signet's pages are at 127.0.0.1", 307, "moved")
NOT_JSON = Refusal("A page must send application/json", 415, "json_required")


def page_of(
    method: str,
    path: str,
    headers: Mapping[bytes, bytes],
    *,
    schemes: Collection[str] = ("http",),
    trusted: Collection[str] = (),
) -> Page | Refusal | None:
    """Return the page that sent a request, None for a program, or a refusal. Pure.

    `schemes` are those of the daemon's own pages; `https` too, behind a proxy.
    """
    origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site")
    if origin is None and site is None:
        return None
    host = headers.get(b"host", b"")
    is_opened = (
        method in ("GET", "HEAD")
        and origin is None
        and headers.get(b"sec-fetch-mode") == b"navigate"
        and headers.get(b"sec-fetch-dest") == b"document"
    )
    page = _page(origin, site, host, schemes, trusted)
    if host.partition(b":")[0].lower() == b"localhost" and page is not Page.TRUSTED:
        if is_opened and path in _HTML:
            return MOVED
        page = page if origin is None and site == b"none" else None
    if page is None:
        if not is_opened:
            return FOREIGN
        return None if path in _HTML else LINK
    has_body = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if method not in _READS and kind != _JSON and (has_body or kind):
        return NOT_JSON
    return page


def _page(
    origin: bytes | None,
    site: bytes | None,
    host: bytes,
    schemes: Collection[str],
    trusted: Collection[str],
) -> Page | None:
    if origin is not None:
        named = origin.decode("latin-1")
        if named in trusted:
            return Page.TRUSTED
        if named not in {f"{scheme}://{host.decode('latin-1').lower()}" for scheme in schemes}:
            return None
    return Page.OWN if site in (None, b"same-origin", b"none") else None
