"""Fetch one page from the internet, bounded in time, size and destination.

Every hop is checked: its scheme, the addresses of its host (see `addresses.py`), and the address of the peer once it is
connected. One deadline covers lookups, redirects and the body. No proxy is used, because a proxy would resolve the name
again; no cookie and no password is sent.
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from signet.errors import PermanentJobError
from signet.net import addresses
from signet.net.addresses import Resolve
from signet.net.http import CONNECT_SECONDS, Broken, HttpError, failures, shown

if TYPE_CHECKING:
    import httpx

    from signet.net.transport import Deadline

USER_AGENT = "Signet/1.0 (document-ingest)"
MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: Temporary errors: timeout, too early, too many requests.
_LATER = frozenset({408, 425, 429})


class Unfetchable(PermanentJobError, code="unfetchable"):
    """The content of this address cannot be used; trying again will not help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """Limits of a fetch: maximum bytes and seconds, and media types."""

    max_bytes: int
    seconds: float
    accepts: Callable[[str], bool]
    may_be_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A fetched page: its final address, the Content-Type header, and the body."""

    url: str
    content_type: str
    body: bytes


def fetch(
    url: str,
    wanted: FetchRequest,
    *,
    body: bytes | None = None,
    resolve: Resolve = addresses.resolve,
) -> FetchedPage:
    """Return the page at an address; a `body` is JSON, posted only to that address.

    Raises AddressNotAllowed and Unfetchable, which are permanent, and HttpError for temporary failures.
    """
    from signet.net.transport import Deadline

    deadline = Deadline()
    with failures(url, wanted.seconds), deadline.within(wanted.seconds):
        for _ in range(MAX_REDIRECTS + 1):
            found = _hop(url, wanted, deadline, resolve, body)
            if isinstance(found, FetchedPage):
                return found
            if body is not None:
                raise Unfetchable(f"{shown(url)} redirects a POST request")
            url = _joined(url, found)
    raise Unfetchable(f"more than {MAX_REDIRECTS} redirects")


def _hop(
    url: str, wanted: FetchRequest, deadline: "Deadline", resolve: Resolve, body: bytes | None
) -> FetchedPage | str:
    """Request one server; return the page or the redirect target."""
    import httpcore
    import httpx

    from signet.net.transport import Transport

    parts = _checked(url)

    def find(host: str) -> list[str]:
        try:
            return addresses.find(
                host,
                may_be_private=wanted.may_be_private,
                lookup=resolve,
                seconds=deadline.cut(None),
            )
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error

    headers = {"user-agent": USER_AGENT, "accept-encoding": "identity", "connection": "close"}
    if body is not None:
        headers["content-type"] = "application/json"
    timeout = httpx.Timeout(wanted.seconds, connect=CONNECT_SECONDS).as_dict()
    request = httpx.Request(
        "GET" if body is None else "POST",
        parts,
        headers=headers,
        content=body,
        extensions={"timeout": timeout},
    )
    transport = Transport(
        deadline,
        tls=parts.scheme == "https",
        proxy=None,
        find=find,
        allow=lambda peer: addresses.is_allowed(peer, may_be_private=wanted.may_be_private),
    )
    try:
        reply = transport.handle_request(request)
        try:
            return _read(url, reply, wanted)
        finally:
            reply.close()
    finally:
        transport.close()


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise Unfetchable(f"not an address: {error}") from error


def _checked(url: str) -> "httpx.URL":
    import httpx

    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise Unfetchable(f"not an address: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.host:
        raise Unfetchable("only http and https addresses can be fetched")
    if parts.userinfo:
        raise Unfetchable("an address must not contain a password")
    return parts


def _read(url: str, reply: "httpx.Response", wanted: FetchRequest) -> FetchedPage | str:
    status = reply.status_code
    if status in _REDIRECTS and "location" in reply.headers:
        return reply.headers["location"]
    if status in _LATER or status >= 500:
        raise HttpError(f"{shown(url)} answered {status}", "http_busy")
    if not reply.is_success:
        raise Unfetchable(f"{shown(url)} answered {status}")
    content_type = reply.headers.get("content-type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    if not wanted.accepts(media_type):
        raise Unfetchable(f"unsupported content type: {media_type or 'none'}")
    too_large = Unfetchable(f"the page is larger than {wanted.max_bytes} bytes")
    declared = reply.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > wanted.max_bytes:
        raise too_large
    body = bytearray()
    for part in _plain(reply, wanted.max_bytes):
        body += part
        if len(body) > wanted.max_bytes:
            raise too_large
    return FetchedPage(url=url, content_type=content_type, body=bytes(body))


def _plain(reply: "httpx.Response", max_bytes: int) -> Iterator[bytes]:
    """Yield the uncompressed body; a server may compress it unasked."""
    packing = reply.headers.get("content-encoding", "identity").lower()
    if packing == "identity":
        yield from reply.iter_raw()
        return
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise Unfetchable(f"unsupported content encoding: {packing}")
    unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    try:
        for part in reply.iter_raw():
            # One byte over the limit shows that it is too large, however far it would expand.
            yield unpack.decompress(part, max_bytes + 1)
    except zlib.error as error:
        raise Broken(f"the page is not {packing}: {error}") from error
    if not unpack.eof:
        raise Broken("the compressed page is incomplete")
