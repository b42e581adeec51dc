"""One asynchronous exchange with the daemon, by the rules of `transport.py`.

Imported at the first call, because importing asyncio takes longer than the rest of the client.
"""

import asyncio
import contextlib
from typing import Any

from signet.client import http1, local
from signet.client.call import Call, Reply
from signet.client.errors import ConnectionBroken, absent, silent
from signet.client.target import Target
from signet.paths import Workspace

_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_CHUNK = 65_536


async def send(target: Target, call: Call[Any]) -> Reply:
    """Return the reply to a call; raises what `transport.send` raises."""
    try:
        async with asyncio.timeout(target.seconds):
            reader, writer, target = await connected(target)
            try:
                received = await _exchange(reader, writer, http1.request(target, call))
            finally:
                writer.close()
        return http1.reply(target, call, received)
    except TimeoutError as error:
        raise silent(target) from error
    except OSError as error:
        raise ConnectionBroken(f"The connection to {target.url} broke: {error!r}") from error


async def connected(target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Target]:
    """Return a connection to the daemon, and the target with the headers for it.

    Raises what `transport.connected` raises.
    """
    if target.own is None:
        return *await _tcp(target), target
    if (streams := await _local(target, target.own)) is not None:
        return *streams, target
    return await _proven(target, target.own)


async def _local(target: Target, workspace: Workspace) -> _Streams | None:
    path = local.socket_path(workspace)
    if path is None:
        return None
    try:
        async with asyncio.timeout(target.connect_seconds):
            reader, writer = await asyncio.open_unix_connection(path)
    except OSError:  # no listener, or the path is too long
        return None
    if local.is_ours(writer.get_extra_info("socket")):
        return reader, writer
    writer.close()
    return None


async def _proven(
    target: Target, workspace: Workspace
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Target]:
    question = local.question(target, workspace)
    reader, writer = await _tcp(target)
    try:
        async with asyncio.timeout(target.seconds):
            writer.write(question.request)
            received = b""
            while not question.is_answered(workspace, received):
                some = await reader.read(_CHUNK)
                if not some:
                    raise ConnectionBroken(
                        f"The connection to {target.url} broke: no proof was sent"
                    )
                received += some
    except BaseException:
        writer.close()
        raise
    return reader, writer, question.proven


async def _tcp(target: Target) -> _Streams:
    host, port = target.address
    try:
        async with asyncio.timeout(target.connect_seconds):
            return await asyncio.open_connection(host, port, ssl=True if target.is_tls else None)
    except OSError as error:
        if isinstance(error, TimeoutError) and not target.is_elsewhere:
            raise
        raise absent(target) from error


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> bytes:
    received = bytearray()
    # Send and read concurrently: a server may reject a body before reading all of it, and close.
    async with asyncio.TaskGroup() as group:
        group.create_task(_write(writer, request))
        group.create_task(_read(reader, received))
    return bytes(received)


async def _write(writer: asyncio.StreamWriter, request: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for start in range(0, len(request), _CHUNK):
            writer.write(request[start : start + _CHUNK])
            await writer.drain()


async def _read(reader: asyncio.StreamReader, received: bytearray) -> None:
    # Data before a reset counts; the parser distinguishes it from no data.
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while len(received) < http1.MAX_BYTES and (some := await reader.read(_CHUNK)):
            received += some
