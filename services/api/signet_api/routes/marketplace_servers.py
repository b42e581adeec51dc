"""The installed tool servers: how they stand, who may use them, and how many of their tools appear."""

from dataclasses import replace

from signet import clock
from signet.domain.marketplace import edit
from signet.domain.marketplace.servers_file import Installed
from signet.observe import logs
from signet.wire import marketplace as wire
from signet.wire.requests.marketplace import ChangeBody, PolicyBody
from signet_api.marketplace import (
    Asking,
    Near,
    check_scope,
    check_secrets,
    policy_body,
    server_body,
    standing,
)
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
