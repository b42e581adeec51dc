"""Tools for the tool servers of others, and the tools of those servers under names of ours (spec/mcp.md §4)."""

import json
from collections.abc import Mapping, Sequence

from signet.mcp.arguments import Argument, Kind
from signet.mcp.tool import Operation, Tool, flag, number, text

#: What every name of a routed tool begins with; none of ours does.
PREFIX = "signet_"
#: A call may start a server first (MC-13).
CALL_SECONDS = 60.0

_ROOT = "/api/marketplace/mcp"
_ID = text("server_id", "Id of the tool server, as mcp_server_list shows it", required=True)
_REFRESH = flag("refresh", "Ask the servers again instead of telling what is known", default=False)


def _names(name: str, text: str) -> Argument:
    return Argument(name=name, kind=Kind.TEXTS, text=text)


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
    text="Call a tool of another tool server that the user has installed. Find server, tool and "
    "arguments with mcp_server_search first.",
    arguments=(
        Argument(name="server_id", kind=Kind.TEXT, text=_ID.text, to="serverId", required=True),
        text("tool", "Name of the tool on that server", required=True),
        Argument(
            name="args", kind=Kind.MAP, text="Arguments as the tool's schema says", values=None
        ),
    ),
    method="POST",
    path=f"{_ROOT}/call",
    failed="Tool server call failed",
    reads_only=False,
    seconds=CALL_SECONDS,
)

SERVERS = (
    Tool(
        name="mcp_server_list",
        text="List the tools of other tool servers that the user has installed and switched on. "
        "With many of them, mcp_server_search is shorter.",
        arguments=(_REFRESH,),
        method="GET",
        path=f"{_ROOT}/tools",
        failed="Tool server list failed",
    ),
    Tool(
        name="mcp_server_search",
        text="Find a tool of another tool server by words of what it does. Use it when none of "
        "your own tools can do what is wanted. What is found becomes callable by its name.",
        arguments=(
            text("query", "What the tool should do, at least two characters", required=True),
            number("limit", "At most so many results", least=1, most=50),
            _REFRESH,
            flag("promote", "Offer what is found as tools of their own", default=True),
        ),
        method="GET",
        path=f"{_ROOT}/search",
        failed="Tool server search failed",
    ),
    _switch(
        "enable",
        "Switch an installed tool server on, so that it is started and its tools are offered. Use "
        "it only when the user asks for it.",
        enabled=True,
    ),
    _switch(
        "disable",
        "Switch an installed tool server off: it is stopped and its tools are gone. Use it only "
        "when the user asks for it.",
        enabled=False,
    ),
    Tool(
        name="mcp_server_scope_get",
        text="Tell which harnesses, workspaces and channels a tool server is for; without a "
        "server_id, of all that are installed.",
        arguments=(text("server_id", _ID.text),),
        method="GET",
        path=f"{_ROOT}/{{server_id}}",
        failed="Scope get failed",
        all_path=_ROOT,
        all_failed="Scope list failed",
    ),
    Tool(
        name="mcp_server_scope_set",
        text="Limit a tool server to some harnesses, workspaces or channels. An empty list is for "
        "all; one that is left out stays. Use it only when the user asks for it.",
        arguments=(
            _ID,
            _names("harnesses", "Names of harnesses, such as codex"),
            _names("workspaces", "Workspaces, or folders with all that is below them"),
            _names("channels", "Names of channels"),
        ),
        method="PATCH",
        path=f"{_ROOT}/{{server_id}}",
        failed="Scope set failed",
        reads_only=False,
        within="scope",
    ),
    Tool(
        name="mcp_server_policy_get",
        text="Tell how many tools of other tool servers appear as tools of their own.",
        arguments=(),
        method="GET",
        path=f"{_ROOT}/policy",
        failed="Policy get failed",
    ),
    Tool(
        name="mcp_server_policy_set",
        text="Choose how many tools of other tool servers appear as tools of their own: what was "
        "searched (compact), that and some others (hybrid), all (expanded).",
        arguments=(
            Argument(
                name="mode",
                kind=Kind.TEXT,
                text="Which of them appear",
                among=("compact", "hybrid", "expanded"),
            ),
            number(
                "max_expanded_tools",
                "Most tools that appear in mode hybrid (12 at first)",
                to="maxExpandedTools",
                least=0,
                most=100,
            ),
            number(
                "max_search_results",
                "Most results of a search, and most tools in mode compact (8 at first)",
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
    """Return the tools of an answer to EXPOSED as `tools/list` shows them.

    What a server says of its tool is a stranger's text: it stands behind a word on where it comes from.
    """
    listed = body.get("tools") if isinstance(body, Mapping) else None
    found: Sequence[Mapping[str, object]] = listed if isinstance(listed, list) else ()
    return [
        {
            "name": one["name"],
            "description": f"[Tool of the server {one['serverName']!r}] {one['description']}",
            "inputSchema": one["inputSchema"],
            "annotations": {"readOnlyHint": False, **_map(one.get("annotations"))},
        }
        for one in found
    ]


def _map(found: object) -> Mapping[str, object]:
    return found if isinstance(found, Mapping) else {}
