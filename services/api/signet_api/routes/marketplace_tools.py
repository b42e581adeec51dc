"""The tools of tool servers: listed, searched and called."""

import asyncio
from collections.abc import Mapping

from fastapi import Request, Response

from signet import clock
from signet.domain.marketplace import expose
from signet.domain.marketplace.models import NoSuchTool, Routed
from signet.errors import Invalid
from signet.wire.requests.marketplace import CallBody
from signet_api import rows
from signet_api.deps import Shared, State
from signet_api.marketplace import context_of, marketplace_router, policy_body
from signet_api.params import whole
from signet_api.routed import Offer

router = marketplace_router()

MAX_RESULTS = 50
MIN_QUERY_CHARS = 2
_TRUE = frozenset({"1", "true", "yes"})


@router.get("/mcp/tools")
async def get_tools(request: Request, state: Shared) -> Response:
    """Return the tools of all servers that are on; with `exposed`, only those that appear as tools of their own."""
    context = context_of(request)
    offer = await state.routed.offer(context, fresh=_is_true(request, "refresh"))
    exposed = state.routed.exposed(offer, context)
    tools = exposed if _is_true(request, "exposed") else offer.tools
    shown = {one.id for one in exposed}
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
    listed = (_tool(one) | {"exposed": one.id in shown} for one in tools)
    return await asyncio.to_thread(rows.answer, fields, "tools", listed)


@router.get("/mcp/search")
async def get_search(request: Request, state: Shared) -> dict[str, object]:
    """Return the tools that fit a question; with `promote` they appear as tools of their own for half an hour."""
    query = (request.query_params.get("q") or request.query_params.get("query") or "").strip()
    if len(query) < MIN_QUERY_CHARS:
        raise Invalid(f"query must have at least {MIN_QUERY_CHARS} characters")
    context = context_of(request)
    offer = await state.routed.offer(context, fresh=_is_true(request, "refresh"))
    limit = whole(
        request.query_params.get("limit"),
        offer.policy.max_search_results,
        low=1,
        high=MAX_RESULTS,
    )
    found = await asyncio.to_thread(expose.search, offer.tools, query, limit)
    is_promoted = _is_true(request, "promote", default=True)
    if is_promoted:
        state.routed.recent.note(context, [one.id for one, _ in found], now=clock.now())
        state.routed.changes += 1
    results = [_tool(one) | {"score": round(score, 3)} for one, score in found]
    return {
        "query": query,
        "count": len(results),
        "results": results,
        "promoted": is_promoted,
        "servers": _servers(offer),
    }


@router.post("/mcp/call")
async def post_call(body: CallBody, request: Request, state: Shared) -> dict[str, object]:
    """Call a tool; one that fails is a result with `isError`, as its server told it."""
    server_id, tool = await _named(body, request, state)
    server = state.routed.server_for(server_id, context_of(request))
    result = await state.routed.call(server, tool, body.args)
    return {"success": "isError" not in result, "result": result}


async def _named(body: CallBody, request: Request, state: State) -> tuple[str, str]:
    """Return server and tool of a call; raises Invalid, NoSuchTool."""
    if body.server_id and body.tool:
        return body.server_id, body.tool
    if not body.name:
        raise Invalid("serverId and tool are required")
    offer = await state.routed.offer(context_of(request))
    for one in offer.tools:
        if one.own_name == body.name:
            return one.server.id, one.tool.name
    raise NoSuchTool(f"Unknown tool: {body.name}")


def _tool(one: Routed) -> dict[str, object]:
    return {
        "id": one.id,
        "name": one.own_name,
        "serverId": one.server.id,
        "serverName": one.server.name,
        "toolName": one.tool.name,
        "description": one.tool.description,
        "inputSchema": one.tool.input_schema,
        "annotations": one.tool.hints,
        "readOnly": one.tool.hints.get("readOnlyHint", False),
    }


def _servers(offer: Offer) -> list[Mapping[str, object]]:
    listed: list[Mapping[str, object]] = []
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


def _is_true(request: Request, name: str, *, default: bool = False) -> bool:
    said = request.query_params.get(name)
    return default if said is None else said.lower() in _TRUE
