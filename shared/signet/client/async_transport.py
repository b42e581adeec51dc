"""One exchange with the daemon that other tasks do not wait for.

The only module of the client that knows httpx; it is imported at the first call. Keeps the rules of `transport.py`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from signet.client.call import Call, Reply
from signet.client.errors import ConnectionBroken, DaemonNotRunning, DaemonSilent
from signet.client.target import Target
from signet.client.transport import MAX_BODY_BYTES, checked, headers_of


def opened(target: Target) -> httpx.AsyncClient:
    """Return what sends calls; it keeps no connection, so that it need not be closed."""
    is_tls = target.url.startswith("https:")
    return httpx.AsyncClient(
        transport=httpx.AsyncHTTPTransport(verify=is_tls),
        timeout=httpx.Timeout(target.seconds, connect=target.connect_seconds),
    )


async def send(client: httpx.AsyncClient, target: Target, call: Call[Any]) -> Reply:
    """Return the reply to a call; raises what `transport.send` raises."""
    async with (
        _errors(target),
        asyncio.timeout(target.seconds),
        _stream(client, target, call) as reply,
    ):
        body = bytearray()
        async for chunk in reply.aiter_raw():
            body += chunk
            if len(body) >= MAX_BODY_BYTES:
                break
        whole = checked(bytes(body))
        return Reply(status=reply.status_code, headers=dict(reply.headers), body=whole)


@asynccontextmanager
async def _stream(
    client: httpx.AsyncClient, target: Target, call: Call[Any]
) -> AsyncIterator[httpx.Response]:
    address, headers = target.url + call.target, headers_of(target, call)
    async with client.stream(call.method, address, content=call.content, headers=headers) as reply:
        yield reply


@asynccontextmanager
async def _errors(target: Target) -> AsyncIterator[None]:
    try:
        yield
    except (TimeoutError, httpx.TimeoutException) as error:
        raise DaemonSilent() from error
    except httpx.ConnectError as error:
        raise DaemonNotRunning(url=target.url) from error
    except httpx.TransportError as error:
        raise ConnectionBroken(f"The connection to {target.url} broke: {error!r}") from error
