"""An httpx transport whose deadline covers the whole exchange.

httpx bounds each read separately, so a server that sends one byte a second never times out. Here every socket wait
(connect, handshake, headers, body) is limited to the rest of the calling thread's deadline. Only the operating
system's name lookup is not covered.

Imports httpx: `http.py` imports this module at the first request.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from ssl import SSLContext
from time import monotonic
from typing import Any

import httpcore
import httpx

#: Keep idle connections for the usual gap between two jobs, but shorter than a local server's limit.
KEEPALIVE_SECONDS = 30.0
KEEPALIVE_CONNECTIONS = 8


class Deadline(threading.local):
    """The deadline of the calling thread's exchange."""

    at = float("inf")

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Bound every wait of this thread inside the block."""
        self.at = monotonic() + seconds
        try:
            yield
        finally:
            self.at = float("inf")

    def cut(self, timeout: float | None) -> float:
        """Return the seconds allowed for one wait; raises ReadTimeout when none are left."""
        left = self.at - monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("deadline passed")
        return left if timeout is None else min(timeout, left)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.cut(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.cut(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        cut = self._deadline.cut(timeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, cut), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


#: Resolve a host name to allowed addresses, in order; raises if it is refused.
Find = Callable[[str], Sequence[str]]
#: Return whether a peer at this numeric address may stay connected.
Allow = Callable[[str], bool]


class _Network(httpcore.SyncBackend):
    def __init__(self, deadline: Deadline, find: Find, allow: Allow) -> None:
        self._deadline = deadline
        self._find = find
        self._allow = allow

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        *others, last = self._find(host)
        for address in others:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return self._connected(address, port, timeout, local_address, socket_options)
        return self._connected(last, port, timeout, local_address, socket_options)

    def _connected(
        self,
        address: str,
        port: int,
        timeout: float | None,
        local_address: str | None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None,
    ) -> httpcore.NetworkStream:
        cut = self._deadline.cut(timeout)
        stream = super().connect_tcp(address, port, cut, local_address, socket_options)
        peer = stream.get_extra_info("server_addr")
        if not self._allow(str(peer[0]) if peer else ""):
            stream.close()
            raise httpcore.ConnectError(f"{address} leads to an address that is not allowed")
        return _Stream(stream, self._deadline)


@contextmanager
def _as_httpx() -> Iterator[None]:
    """Raise httpcore's errors as the httpx errors of the same name."""
    try:
        yield
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.ProxyError,
        httpcore.UnsupportedProtocol,
    ) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._stream

    def close(self) -> None:
        self._stream.close()


class Transport(httpx.BaseTransport):
    """Connections to one server, direct or through one HTTP proxy, under a deadline.

    `find` resolves a name to the addresses to connect to; there is no other lookup. `allow` checks the connected
    peer's address before a byte is sent.
    """

    def __init__(
        self,
        deadline: Deadline,
        *,
        tls: bool,
        proxy: str | None,
        find: Find = lambda host: (host,),
        allow: Allow = lambda peer: True,
    ) -> None:
        if proxy is not None and not proxy.startswith(("http://", "https://")):
            raise httpx.ProxyError("only http and https proxies can be used")
        via = httpx.Proxy(proxy) if proxy is not None else None
        self._pool = httpcore.ConnectionPool(
            httpx.create_ssl_context() if tls else None,
            proxy=httpcore.Proxy(str(via.url), auth=via.raw_auth) if via else None,
            max_connections=None,
            max_keepalive_connections=KEEPALIVE_CONNECTIONS,
            keepalive_expiry=KEEPALIVE_SECONDS,
            network_backend=_Network(deadline, find, allow),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request and return the reply with its body unread."""
        outgoing = httpcore.Request(
            request.method,
            httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _as_httpx():
            reply = self._pool.handle_request(outgoing)
        return httpx.Response(
            reply.status,
            headers=reply.headers,
            stream=_Body(reply.stream),
            extensions=reply.extensions,
        )

    def close(self) -> None:
        self._pool.close()
