"""What the routes of the marketplace share: how they are guarded, who asks, and how a server is shown."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Depends, Request

from signet.domain.auth import caller
from signet.domain.marketplace import config as configs
from signet.domain.marketplace.models import Config, Context, Policy, Server
from signet.errors import Forbidden
from signet.wire import marketplace as wire
from signet.wire.access import Permission
from signet_api.access import only_from_here
from signet_api.deps import Shared, State, said
from signet_api.shapes import as_wire


async def _near(
    state: Shared, _: Annotated[None, Depends(only_from_here("Tool servers"))]
) -> State:
    return state


async def _context(
    request: Request, harness: str = "", workspace: str = "", channel: str = ""
) -> Context:
    """Return where a request comes from: its address says it, else its headers (MC-6)."""
    named = {
        name: value or said(request.headers, f"x-signet-{name}") or ""
        for name, value in (("harness", harness), ("workspace", workspace), ("channel", channel))
    }
    is_agent = request.headers.get("x-signet-actor-type") in ("agent", "harness")
    return Context(**named, is_person=not is_agent and not any(named.values()))


#: The state, for callers on this machine: these operations run programs of others. Raises Forbidden.
Near = Annotated[State, Depends(_near)]
#: Where a request comes from.
Asking = Annotated[Context, Depends(_context)]


def check_scope(server: Server, context: Context) -> None:
    """Raise Forbidden for a server that is not for where the request comes from."""
    if not server.scope.admits(context):
        raise Forbidden(f"Tool server '{server.id}' is not for this harness, workspace or channel")


def check_secrets(config: Config) -> None:
    """Raise Forbidden for a caller who could not give secrets to a command either."""
    if configs.references(config):
        caller.current().check(Permission.ADMIN)


def server_body(state: State, server: Server) -> wire.ToolServer:
    """Return a server as clients see it: how it stands, and nothing secret."""
    look = state.routed.pool.look(server)
    return as_wire(
        wire.ToolServer,
        server,
        scope={name: list(names) for name, names in asdict(server.scope).items()},
        config=configs.shown(server.config),
        state=look.state,
        toolCount=len(look.tools),
        error=look.error,
    )


def policy_body(policy: Policy) -> wire.ToolPolicy:
    """Return the policy as clients see it."""
    return as_wire(wire.ToolPolicy, policy)


async def standing(state: State, server: Server) -> wire.ToolServer:
    """Return a server after it was given a little time to start, if it is on."""
    if server.enabled:
        await state.routed.discover(server)
    return server_body(state, server)
