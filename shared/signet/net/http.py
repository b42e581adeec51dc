"""The only HTTP client for local services and providers, bounded in time, size and destination.

A client speaks to one server and keeps its connections between calls; threads may share it. The deadline covers the
whole exchange, bodies have a maximum size, redirects are not followed (they would carry a key elsewhere), and
loopback never uses a proxy.

`fetch.py` reads arbitrary pages. `providers/exchange.py` knows the content. httpx is imported at the first request.
"""

import socket
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from json import dumps
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from signet.config import env
from signet.errors import Kind, SignetError

if TYPE_CHECKING:
    import httpx

    from signet.net.transport import Deadline

#: Seconds to wait for a connection, however long the answers may take.
CONNECT_SECONDS = 5.0
#: Larger than any model answer or batch of vectors (32 texts of 4096 numbers are 3 MB of JSON).
MAX_BODY_BYTES = 16 * 1024 * 1024
#: Enough of an error page to contain a reason.
MAX_ERROR_BYTES = 4096


class HttpError(SignetError, kind=Kind.UNAVAILABLE, code="http"):
    """The HTTP request failed."""


class Unreachable(HttpError, code="http_unreachable"):
    """No connection could be made; nothing was sent."""


class TimedOut(HttpError, code="http_timeout"):
    """No complete answer came in time (timeout)."""


class Broken(HttpError, code="http_broken"):
    """The connection broke, or the answer is not valid HTTP or too large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Status, headers by lower-case name, and the body; an error's body is cut to MAX_ERROR_BYTES."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def host_of(url: str) -> str:
    """Return the host of a URL, "" if it is invalid."""
    return _parts(url).hostname or ""


def is_loopback(url: str) -> bool:
    """Return whether a URL names this machine over loopback."""
    return env.is_loopback(host_of(url))


def shown(url: str) -> str:
    """Return a URL for display: without user, password and query."""
    parts = _parts(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def proxy_for(url: str) -> str | None:
    """Return the environment's proxy for this URL, never one for this machine."""
    from urllib.request import getproxies, proxy_bypass

    if is_loopback(url) or proxy_bypass(host_of(url)):
        return None
    proxies = getproxies()
    found = proxies.get(_parts(url).scheme) or proxies.get("all")
    return f"http://{found}" if found and "://" not in found else found


@contextmanager
def failures(url: str, seconds: float, silence: float | None = None) -> Iterator[None]:
    """Convert httpx errors of a request to `url` into Unreachable, TimedOut or Broken."""
    import httpx

    try:
        yield
    except (
        httpx.ConnectError,
        httpx.ConnectTimeout,
        httpx.ProxyError,
        httpx.UnsupportedProtocol,
        httpx.InvalidURL,
    ) as error:
        raise Unreachable(f"cannot connect to {shown(url)}: {error}") from error
    except httpx.TimeoutException as error:
        is_silent = silence is not None and silence < seconds
        silent = f", or nothing of it for {silence:g} s" if is_silent else ""
        raise TimedOut(f"timeout: no complete answer within {seconds:g} s{silent}") from error
    except httpx.RequestError as error:
        raise Broken(f"the connection broke: {error}") from error


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _check_there(url: str) -> None:
    """Raise Unreachable if nothing listens at an address of this machine."""
    parts = _parts(url)
    if not parts.port or not is_loopback(url):
        return
    try:
        socket.create_connection((parts.hostname or "", parts.port), CONNECT_SECONDS).close()
    except OSError as error:
        raise Unreachable(f"cannot connect to {shown(url)}: {error}") from error


class Client:
    """Client of the server at `base_url`; creating it does no I/O."""

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._headers = {"accept-encoding": "identity", **(headers or {})}
        self._max_body_bytes = max_body_bytes
        self._opening = threading.Lock()
        self._opened: tuple[httpx.Client, Deadline] | None = None

    def send(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        timeout_seconds: float,
        silence_seconds: float | None = None,
        until: Callable[[bytes], bool] | None = None,
    ) -> Reply:
        """Return the reply to one request; raises Unreachable, TimedOut or Broken.

        `silence_seconds` is the longest time without a byte of the answer.
        `until` receives each chunk of the body, and returns true to stop reading.
        """
        silence = min(silence_seconds or timeout_seconds, timeout_seconds)
        if "httpx" not in sys.modules:  # it loads slowly: not for a server that does not run
            _check_there(self.base_url)
        with failures(self.base_url, timeout_seconds, silence):
            client, deadline = self._open()
            with deadline.within(timeout_seconds):
                return self._exchange(client, method, path, json, silence, until)

    def close(self) -> None:
        """Close the connections when no request is running; a later request opens new ones."""
        with self._opening:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened[0].close()

    def _open(self) -> "tuple[httpx.Client, Deadline]":
        import httpx

        from signet.net.transport import Deadline, Transport

        with self._opening:
            if self._opened is None:
                deadline = Deadline()
                transport = Transport(
                    deadline,
                    tls=self.base_url.startswith("https:"),
                    proxy=proxy_for(self.base_url),
                )
                client = httpx.Client(transport=transport, headers=self._headers)
                # New settings replace a provider while its last calls still run; close the connections when the last
                # caller is done.
                weakref.finalize(self, client.close).atexit = False
                self._opened = client, deadline
            return self._opened

    def _exchange(
        self,
        client: "httpx.Client",
        method: str,
        path: str,
        json: object,
        seconds: float,
        until: Callable[[bytes], bool] | None,
    ) -> Reply:
        import httpx

        timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        content = None if json is None else dumps(json)
        headers = {"content-type": "application/json"} if content else None
        with client.stream(
            method, self.base_url + path, content=content, headers=headers, timeout=timeout
        ) as reply:
            return Reply(
                status=reply.status_code,
                headers=dict(reply.headers),
                body=self._body(reply, until),
            )

    def _body(self, reply: "httpx.Response", until: Callable[[bytes], bool] | None) -> bytes:
        is_error = reply.status_code >= 400
        limit = MAX_ERROR_BYTES if is_error else self._max_body_bytes
        body = bytearray()
        for chunk in reply.iter_bytes():
            body += chunk
            if len(body) > limit and not is_error:
                raise Broken(f"the answer is larger than {limit} bytes")
            if (until is not None and until(chunk)) or (len(body) >= limit and is_error):
                break
        return bytes(body[:limit])
