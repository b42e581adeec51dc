"""Tools for the tool servers of others, and the tools of those servers under names of ours."""

import json
from collections.abc import Mapping, Sequence

from signet.mcp import answers
from signet.mcp.arguments import flag, mapping, number, text, texts
from signet.mcp.tool import Operation, Tool

#: What every name of a routed tool begins with; none of ours does.
PREFIX = "signet_"
#: A call may start a server first (MC-13).
CALL_SECONDS = 60.0

_ROOT = "/api/marketplace/mcp"
CALL_PATH = f"{_ROOT}/call"
_ID = text("server_id", "serverId from mcp_server_list", required=True)
_REFRESH = flag("refresh", "Ask the servers again instead of using the cached list", default=False)


def _switch(verb: str, text: str, *, enabled: bool) -> Tool:
    return Tool(
        name=f"mcp_server_{verb}",
        text=text,
        arguments=(_ID,),
        method="PATCH",
        path=f"{_ROOT}/{{server_id}}",
        failed=f"{verb.capitalize()} failed",
        reads_only=False,
        fixed={"enabled": enabled},
    )


_CALL = Tool(
    name="mcp_server_call",
    text="Call a tool of another tool server that the user installed. Find server, tool and "
    "arguments with mcp_server_search first.",
    arguments=(
        text("server_id", _ID.text, to="serverId", required=True),
        text("tool", "Name of the tool on that server", required=True),
        mapping("args", "Arguments, following the tool's schema", values=None),
    ),
    method="POST",
    path=CALL_PATH,
    failed="Tool server call failed",
    reads_only=False,
    seconds=CALL_SECONDS,
)

SERVERS = (
    Tool(
        name="mcp_server_list",
        text="List the tools of other tool servers that the user installed and enabled. With many "
        "of them, mcp_server_search gives a shorter answer.",
        arguments=(_REFRESH,),
        method="GET",
        path=f"{_ROOT}/tools",
        failed="Tool server list failed",
        shape=answers.routed,
    ),
    Tool(
        name="mcp_server_search",
        text="Find a tool of another tool server by what it does, when none of your own tools fits. "
        "Found tools can be called by name.",
        arguments=(
            text("query", "What the tool should do", required=True),
            number("limit", "Up to 50", least=1, most=50),
            _REFRESH,
            flag("promote", "List the results as tools of their own", default=True),
        ),
        method="GET",
        path=f"{_ROOT}/search",
        failed="Tool server search failed",
        shape=answers.routed,
    ),
    _switch(
        "enable",
        "Enable an installed tool server: it is started and its tools are listed. Only when the "
        "user asks.",
        enabled=True,
    ),
    _switch(
        "disable",
        "Disable a tool server: it is stopped and its tools are no longer listed. Only when the "
        "user asks.",
        enabled=False,
    ),
    Tool(
        name="mcp_server_scope_get",
        text="Show which harnesses, workspaces and channels a tool server is limited to; without "
        "server_id, all installed servers.",
        arguments=(text("server_id", _ID.text),),
        method="GET",
        path=f"{_ROOT}/{{server_id}}",
        failed="Scope get failed",
        all_path=_ROOT,
        all_failed="Scope list failed",
    ),
    Tool(
        name="mcp_server_scope_set",
        text="Limit a tool server to some harnesses, workspaces or channels. An empty list means "
        "all; an omitted one is unchanged. Only when the user asks.",
        arguments=(
            _ID,
            texts("harnesses", "Names of harnesses, such as codex"),
            texts("workspaces", "Workspaces, or folders including everything below them"),
            texts("channels", "Names of channels"),
        ),
        method="PATCH",
        path=f"{_ROOT}/{{server_id}}",
        failed="Scope set failed",
        reads_only=False,
        within="scope",
    ),
    Tool(
        name="mcp_server_policy_get",
        text="Show how many tools of other servers are listed as tools of their own.",
        arguments=(),
        method="GET",
        path=f"{_ROOT}/policy",
        failed="Policy get failed",
    ),
    Tool(
        name="mcp_server_policy_set",
        text="Choose which tools of other servers are listed as tools of their own: recent search "
        "results (compact), those and some others (hybrid), all (expanded).",
        arguments=(
            text("mode", "Which tools are listed", among=("compact", "hybrid", "expanded")),
            number(
                "max_expanded_tools",
                "Maximum tools listed in mode hybrid, up to 100 (default 12)",
                to="maxExpandedTools",
                least=0,
                most=100,
            ),
            number(
                "max_search_results",
                "Maximum search results, and tools listed in mode compact, up to 50 (default 8)",
                to="maxSearchResults",
                least=1,
                most=50,
            ),
        ),
        method="PATCH",
        path=f"{_ROOT}/policy",
        failed="Policy set failed",
        reads_only=False,
    ),
    _CALL,
)

#: What tells the context of a caller its tools of their own.
EXPOSED = Operation(method="GET", path=f"{_ROOT}/tools?exposed=1", body=b"", failed=_CALL.failed)


def is_routed(name: str) -> bool:
    """Return whether a tool of this name is one of another server."""
    return name.startswith(PREFIX)


def is_about_servers(operation: Operation) -> bool:
    """Return whether a request searches tool servers or changes something about them."""
    is_change = operation.method == "PATCH" and operation.path.startswith(_ROOT)
    return is_change or operation.path.startswith(f"{_ROOT}/search")


def call_of(name: str, arguments: object) -> Operation:
    """Return the request that a call of a routed tool means; its server knows what arguments it takes."""
    args = arguments if isinstance(arguments, dict) else {}
    return Operation(
        method=_CALL.method,
        path=_CALL.path,
        body=json.dumps({"name": name, "args": args}).encode(),
        failed=_CALL.failed,
    )


def described(body: object) -> list[dict[str, object]]:
    """Return what an answer to EXPOSED adds to `tools/list`: nothing while no server is on for the caller.

    Else it is our tools about servers and the tools of the servers themselves.

    What a server says of its tool is a stranger's text: it stands behind a word on where it comes from.
    """
    if not isinstance(body, Mapping) or not body.get("servers"):
        return []
    listed = body.get("tools")
    found: Sequence[Mapping[str, object]] = listed if isinstance(listed, list) else ()
    theirs = [
        {
            "name": one["name"],
            "description": f"[Tool of the server {one['serverName']!r}] {one['description']}",
            "inputSchema": one["inputSchema"],
            "annotations": {"readOnlyHint": False, **_map(one.get("annotations"))},
        }
        for one in found
    ]
    return [*(tool.described for tool in SERVERS), *theirs]


def _map(found: object) -> Mapping[str, object]:
    return found if isinstance(found, Mapping) else {}
