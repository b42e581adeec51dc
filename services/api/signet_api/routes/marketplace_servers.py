"""The installed tool servers and their tools: how they stand, who may use them; listed, searched and called."""

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi import Query, Response

from signet import clock
from signet.domain.marketplace import edit, expose
from signet.domain.marketplace.models import Context, NoSuchTool, Routed
from signet.domain.marketplace.servers_file import Installed
from signet.errors import Invalid
from signet.observe import logs
from signet.wire import marketplace as wire
from signet.wire.requests.marketplace import CallBody, ChangeBody, PolicyBody, SearchParams, Switch
from signet_api import rows
from signet_api.deps import State
from signet_api.marketplace import (
    Asking,
    Near,
    check_scope,
    check_secrets,
    policy_body,
    server_body,
    standing,
)
from signet_api.routed import Offer
from signet_api.serving import serves

log = logs.get("system")


@serves(wire.TOOL_SERVERS)
async def get_servers(state: Near, context: Asking) -> wire.ToolServers:
    """Return the installed servers that the caller may see, in the order of their installation."""
    known = state.routed.file.read().servers.values()
    listed = [server_body(state, server) for server in known if server.scope.admits(context)]
    return {"servers": listed, "count": len(listed)}


@serves(wire.TOOL_POLICY)
async def get_policy(state: Near) -> wire.CurrentToolPolicy:
    """Return how many routed tools appear as tools of their own."""
    return {"policy": policy_body(state.routed.file.read().policy)}


@serves(wire.CHANGE_TOOL_POLICY)
async def patch_policy(body: PolicyBody, state: Near) -> wire.ChangedToolPolicy:
    """Change the policy; what is not named stays."""
    sent = body.model_dump(exclude_unset=True)

    def change(installed: Installed) -> Installed:
        policy = edit.policy_of(sent, installed.policy, now=clock.to_text(clock.now()))
        return replace(installed, policy=policy)

    changed = await state.routed.change(change)
    return {"success": True, "policy": policy_body(changed.policy)}


@serves(wire.TOOL_SERVER)
async def get_server(server_id: str, state: Near, context: Asking) -> wire.OneToolServer:
    """Return one server."""
    server = state.routed.file.read().server(server_id)
    check_scope(server, context)
    return {"server": server_body(state, server)}


@serves(wire.CHANGE_TOOL_SERVER)
async def patch_server(
    server_id: str, body: ChangeBody, state: Near, context: Asking
) -> wire.ChangedToolServer:
    """Switch a server on or off, or change its scope, config, name or description."""
    sent = body.model_dump(exclude_unset=True)

    def change(installed: Installed) -> Installed:
        server = installed.server(server_id)
        check_scope(server, context)
        changed = edit.change(server, sent, now=clock.to_text(clock.now()))
        if "config" in sent:
            check_secrets(changed.config)
        return installed.with_server(changed)

    changed = (await state.routed.change(change)).server(server_id)
    log.info("tool_server.changed", server=server_id, fields=sorted(sent))
    return {"success": True, "server": await standing(state, changed)}


@serves(wire.REMOVE_TOOL_SERVER)
async def delete_server(server_id: str, state: Near, context: Asking) -> wire.RemovedToolServer:
    """Stop and forget a server."""

    def remove(installed: Installed) -> Installed:
        check_scope(installed.server(server_id), context)
        return installed.without(server_id)

    await state.routed.change(remove)
    log.info("tool_server.removed", server=server_id)
    return {"success": True, "id": server_id}


MIN_QUERY_CHARS = 2


@serves(wire.ROUTED_TOOLS)
async def get_tools(
    state: Near, context: Asking, refresh: Switch = False, exposed: Switch = False
) -> Response:
    """Return the tools of all servers that are on; with `exposed`, only those that appear as tools of their own."""
    offer = await state.routed.offer(context, fresh=refresh)
    appearing = state.routed.exposed(offer, context)
    tools = appearing if exposed else offer.tools
    shown = {one.id for one in appearing}
    fields = {
        "count": len(tools),
        "servers": _servers(offer),
        "policy": policy_body(offer.policy),
        "context": {
            "harness": context.harness,
            "workspace": context.workspace,
            "channel": context.channel,
        },
    }
    listed = ({**_tool(one), "exposed": one.id in shown} for one in tools)
    return await asyncio.to_thread(rows.answer, fields, "tools", listed)


@serves(wire.SEARCH_TOOLS)
async def get_search(
    state: Near,
    context: Asking,
    named: Annotated[SearchParams, Query()],
) -> wire.FoundTools:
    """Return the tools that fit a question; with `promote` they appear as tools of their own for half an hour."""
    query = (named.q or named.query).strip()
    if len(query) < MIN_QUERY_CHARS:
        raise Invalid(f"query must have at least {MIN_QUERY_CHARS} characters")
    offer = await state.routed.offer(context, fresh=named.refresh)
    limit = named.limit or offer.policy.max_search_results
    found = await asyncio.to_thread(expose.search, offer.tools, query, limit)
    if named.promote:
        state.routed.recent.note(context, [one.id for one, _ in found], now=clock.now())
        state.routed.changes += 1
    results: list[wire.FoundTool] = [
        {**_tool(one), "score": round(score, 3)} for one, score in found
    ]
    return {
        "query": query,
        "count": len(results),
        "results": results,
        "promoted": named.promote,
        "servers": _servers(offer),
    }


@serves(wire.CALL_TOOL)
async def post_call(body: CallBody, state: Near, context: Asking) -> wire.ToolResult:
    """Call a tool; one that fails is a result with `isError`, as its server sent it."""
    server_id, tool = await _named(body, context, state)
    server = state.routed.server_for(server_id, context)
    result = await state.routed.call(server, tool, body.args)
    return {"success": "isError" not in result, "result": result}


async def _named(body: CallBody, context: Context, state: State) -> tuple[str, str]:
    """Return server and tool of a call; raises Invalid, NoSuchTool."""
    if body.server_id and body.tool:
        return body.server_id, body.tool
    if not body.name:
        raise Invalid("serverId and tool are required")
    offer = await state.routed.offer(context)
    for one in offer.tools:
        if one.own_name == body.name:
            return one.server.id, one.tool.name
    raise NoSuchTool(f"Unknown tool: {body.name}")


def _tool(one: Routed) -> wire.RoutedTool:
    return {
        "id": one.id,
        "name": one.own_name,
        "serverId": one.server.id,
        "serverName": one.server.name,
        "toolName": one.tool.name,
        "description": one.tool.description,
        "inputSchema": dict(one.tool.input_schema),
        "annotations": dict(one.tool.hints),
        "readOnly": one.tool.hints.get("readOnlyHint", False),
    }


def _servers(offer: Offer) -> list[wire.ServerState]:
    listed: list[wire.ServerState] = []
    for server in offer.servers:
        look = offer.looks[server.id]
        listed.append(
            {
                "id": server.id,
                "name": server.name,
                "state": look.state,
                "toolCount": len(look.tools),
                "error": look.error,
            }
        )
    return listed
