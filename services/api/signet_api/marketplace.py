"""What the routes of the marketplace share: how they are guarded, who asks, and how a server is shown."""

from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from signet.domain.auth import caller
from signet.domain.marketplace import config as configs
from signet.domain.marketplace.catalog import NotInstallable
from signet.domain.marketplace.models import Config, Context, Policy, Server, ServerFailed
from signet.domain.marketplace.registry import RegistryFailed
from signet.domain.marketplace.reviews import SyncFailed
from signet.errors import Forbidden, Kind
from signet.wire.access import Permission
from signet_api.bodies import JsonRoute
from signet_api.deps import State, said
from signet_api.errors import answer
from signet_api.near import only_from_here


class MarketplaceRoute(JsonRoute):
    """A route behind which another program may fail (502), or may have to be told more first (422)."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of the route."""
        handle = super().get_route_handler()

        async def handle_others(request: Request) -> Response:
            try:
                return await handle(request)
            except NotInstallable as error:
                return answer(422, error.message, error.code, facts=error.facts)
            except (ServerFailed, RegistryFailed, SyncFailed) as error:
                if error.kind is not Kind.UNAVAILABLE:
                    raise
                return answer(502, error.message, error.code)

        return handle_others


def marketplace_router() -> APIRouter:
    """Return a router for routes that run programs of others."""
    return APIRouter(
        prefix="/api/marketplace",
        tags=["marketplace"],
        route_class=MarketplaceRoute,
        dependencies=[Depends(only_from_here("Tool servers"))],
    )


def context_of(request: Request) -> Context:
    """Return where a request comes from: its address says it, else its headers (MC-6)."""
    named = {
        name: request.query_params.get(name) or said(request.headers, f"x-signet-{name}") or ""
        for name in ("harness", "workspace", "channel")
    }
    is_agent = request.headers.get("x-signet-actor-type") in ("agent", "harness")
    return Context(**named, is_person=not is_agent and not any(named.values()))


def check_scope(server: Server, request: Request) -> None:
    """Raise Forbidden for a server that is not for where the request comes from."""
    if not server.scope.admits(context_of(request)):
        raise Forbidden(f"Tool server '{server.id}' is not for this harness, workspace or channel")


def check_secrets(config: Config) -> None:
    """Raise MissingPermission for a caller who could not give secrets to a command either."""
    if configs.references(config):
        caller.current().check(Permission.ADMIN)


def server_body(state: State, server: Server) -> dict[str, object]:
    """Return a server as clients see it: how it stands, and nothing secret."""
    look = state.routed.pool.look(server)
    return {
        "id": server.id,
        "name": server.name,
        "description": server.description,
        "category": server.category,
        "homepage": server.homepage,
        "source": server.source,
        "catalogId": server.catalog_id,
        "enabled": server.enabled,
        "scope": {name: list(names) for name, names in asdict(server.scope).items()},
        "config": configs.shown(server.config),
        "installedAt": server.installed_at,
        "updatedAt": server.updated_at,
        "state": look.state,
        "toolCount": len(look.tools),
        "error": look.error,
    }


def policy_body(policy: Policy) -> dict[str, object]:
    """Return the policy as clients see it."""
    return {
        "mode": policy.mode,
        "maxExpandedTools": policy.max_expanded_tools,
        "maxSearchResults": policy.max_search_results,
        "updatedAt": policy.updated_at,
    }


async def standing(state: State, server: Server) -> dict[str, object]:
    """Return a server after it was given a little time to start, if it is on."""
    if server.enabled:
        await state.routed.discover(server)
    return server_body(state, server)
