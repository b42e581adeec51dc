"""One conversation with a tool server: introduce ourselves, list its tools, call them.

Our own client and not the official SDK's, which would cost the API 33 MB and over a second of its start (decision 27),
for three of its requests. It is held against servers made with that SDK in the tests.
"""

import time
from collections.abc import Mapping

from signet import __version__
from signet.domain.marketplace import describe
from signet.domain.marketplace.models import START_SECONDS, ServerFailed, Tool
from signet.domain.marketplace.rpc import Message, Refused, Wire

#: Versions of the protocol, newest first: one that a server prefers must be one of them.
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
#: Pages of a list of tools that are read.
MAX_PAGES = 200


class Session:
    """Speaks with a server that is there."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    @property
    def is_open(self) -> bool:
        """Return whether the server can still be asked."""
        return self._wire.is_open

    def begin(self, seconds: float = START_SECONDS) -> None:
        """Introduce ourselves; raises ServerFailed."""
        hello = self._wire.ask(
            "initialize",
            {
                "protocolVersion": VERSIONS[0],
                "capabilities": {},
                "clientInfo": {"name": "signet", "version": __version__},
            },
            seconds,
        )
        version = hello.get("protocolVersion")
        if version not in VERSIONS:
            said = describe.text(version, 20) or "none"
            raise ServerFailed(f"it uses an unsupported version of the protocol: {said}")
        self._wire.agree(str(version))
        self._wire.tell("notifications/initialized", {})

    def tools(self, seconds: float) -> tuple[Tool, ...]:
        """Return the tools of the server, each name once; raises ServerFailed."""
        until = time.monotonic() + seconds
        found: dict[str, Tool] = {}
        params: Message = {}
        for _ in range(MAX_PAGES):
            page = self._wire.ask("tools/list", params, max(until - time.monotonic(), 0.0))
            listed = page.get("tools")
            for one in map(describe.tool, listed if isinstance(listed, list) else ()):
                if one is not None and len(found) < describe.MAX_TOOLS:
                    found.setdefault(one.name, one)
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor or len(found) >= describe.MAX_TOOLS:
                break
            params = {"cursor": cursor}
        return tuple(found.values())

    def call(self, tool: str, arguments: Mapping[str, object], seconds: float) -> Message:
        """Return what a tool gave: `content`, and `isError` when it failed. Raises ServerFailed."""
        result = self._wire.ask("tools/call", {"name": tool, "arguments": arguments}, seconds)
        content = result.get("content")
        kept: Message = {"content": content if isinstance(content, list) else []}
        if isinstance(result.get("structuredContent"), dict):
            kept["structuredContent"] = result["structuredContent"]
        return kept | ({"isError": True} if result.get("isError") is True else {})

    def lives(self, seconds: float) -> bool:
        """Return whether the server answers at all."""
        try:
            self._wire.ask("ping", {}, seconds)
        except Refused:
            return True
        except ServerFailed:
            return False
        return True

    def close(self) -> None:
        """Let the server go."""
        self._wire.close()
