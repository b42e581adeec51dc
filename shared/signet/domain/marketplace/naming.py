"""How servers and routed tools are called. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from signet.domain.marketplace.models import Routed, Server, Tool
from signet.mcp.servers import PREFIX

#: Models take no longer name of a tool.
MAX_TOOL_CHARS = 64
MAX_ID_CHARS = 48
#: Paths of the interface beside those of servers.
_TAKEN = frozenset("policy browse detail test install register tools search call".split())


def server_id(name: str, taken: Collection[str]) -> str:
    """Return the id of a new server: its name in letters that an address can hold, and a number when that is taken."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:MAX_ID_CHARS].strip("-")
    return _free(plain or "server", "-", {*taken, *_TAKEN}, MAX_ID_CHARS)


def routed(
    servers: Iterable[Server], tools: Mapping[str, Sequence[Tool]], base: Collection[str]
) -> list[Routed]:
    """Return every tool of these servers under its own name, which is none of `base`; always in the same order."""
    taken = set(base)
    found = []
    for server in sorted(servers, key=lambda one: one.id):
        for tool in tools.get(server.id, ()):
            name = f"{PREFIX}{_plain(server.id)}_{_plain(tool.name)}"[:MAX_TOOL_CHARS]
            own = _free(name, "_", taken, MAX_TOOL_CHARS)
            taken.add(own)
            found.append(Routed(own_name=own, server=server, tool=tool))
    return found


def _plain(part: str) -> str:
    return re.sub(r"[^a-z0-9_]", "_", part.lower())


def _free(name: str, joint: str, taken: Collection[str], most: int) -> str:
    found, number = name, 1
    while found in taken:
        number += 1
        ending = f"{joint}{number}"
        found = name[: most - len(ending)] + ending
    return found
