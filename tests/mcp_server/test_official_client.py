"""The official client of the protocol speaks with us over both wires.

Its library is loaded by what uses it, because each process of a run reads this file and one runs it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from support.http import Served
from support.processes import PYTHONPATH

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.types import CallToolResult


def answer(result: CallToolResult) -> Any:
    """Return what a tool says: one text of JSON."""
    from mcp.types import TextContent

    [item] = result.content
    assert isinstance(item, TextContent) and not result.is_error
    return json.loads(item.text)


async def converse(session: ClientSession, said: str) -> None:
    hello = await session.initialize()
    assert hello.server_info.name == "signet"
    tools = await session.list_tools()
    assert "memory_search" in [tool.name for tool in tools.tools]
    stored = await session.call_tool("memory_store", {"content": said})
    assert hello.instructions
    found = await session.call_tool("memory_get", {"id": answer(stored)["id"]})
    assert answer(found)["content"] == said
    assert answer(found)["who"] == "mcp"  # the name that the official client gives itself
    refused = await session.call_tool("memory_get", {"id": "nobody"})
    assert refused.is_error
    await session.send_ping()


@pytest.mark.parametrize("wire", ["http", "stdio"])
def test_a_whole_conversation(server: Served, wire: str) -> None:
    from mcp import ClientSession, StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    async def run() -> None:
        url = f"http://127.0.0.1:{server.port}"
        if wire == "http":
            async with (
                streamable_http_client(f"{url}/mcp") as (read, write),
                ClientSession(read, write) as session,
            ):
                await converse(session, "Said over HTTP.")
            return
        started = StdioServerParameters(
            command=sys.executable,
            args=["-m", "signet.cli.mcp"],
            env={**os.environ, "PYTHONPATH": PYTHONPATH, "SIGNET_DAEMON_URL": url},
        )
        async with stdio_client(started) as (read, write), ClientSession(read, write) as session:
            await converse(session, "Said over a pipe.")

    anyio.run(run)
