"""Tool servers of others: what can be installed, tried, installed."""

from functools import partial

from signet import clock
from signet.domain.marketplace import catalog, edit
from signet.domain.marketplace import config as configs
from signet.domain.marketplace.catalog import SHIPPED, Entry
from signet.domain.marketplace.models import Config, Scope, Server, ServerFailed
from signet.domain.marketplace.registry import Registry, RegistryFailed
from signet.domain.marketplace.servers_file import Installed
from signet.errors import Invalid
from signet.net.http import host_of
from signet.observe import logs
from signet.wire import marketplace as wire
from signet.wire.requests.marketplace import InstallBody, ProbeBody, RegisterBody, ServerScopeBody
from signet_api.deps import State
from signet_api.marketplace import Near, check_secrets, standing
from signet_api.routed import apart
from signet_api.serving import serves
from signet_api.shapes import as_wire

log = logs.get("system")

#: Tools that a probe names.
PROBED_TOOLS = 200


@serves(wire.BROWSE_TOOL_SERVERS)
async def get_browse(state: Near, q: str = "") -> wire.OfferedServers:
    """Return what can be installed: the list of the product, and what a registry that the user has named offers."""
    query = q.strip()
    entries, problem = catalog.shipped(query), None
    if (registry := _registry(state)) is not None:
        try:
            entries = entries + await apart(partial(registry.search, query))
        except RegistryFailed as error:
            problem = error.message
    known = _installed_from(state.routed.file.read())
    listed: list[wire.RankedServer] = [
        {**_entry(entry, known), "popularityRank": place} for place, entry in enumerate(entries, 1)
    ]
    return {
        "results": listed,
        "total": len(listed),
        "shown": len(listed),
        "pageSize": len(listed),
        "pages": 1,
        "registryError": problem,
    }


@serves(wire.CATALOG_SERVER)
async def get_detail(state: Near, id: str = "", source: str = SHIPPED) -> wire.CatalogDetail:
    """Return one entry of a catalog with all that is known of it."""
    entry = await _found(state, id, source)
    shown = _entry(entry, _installed_from(state.routed.file.read()))
    is_on_github = host_of(entry.homepage) == "github.com"
    return as_wire(
        wire.CatalogDetail,
        entry,
        githubUrl=entry.homepage if is_on_github else None,
        defaultConfig=shown["config"],
        entry=shown,
    )


@serves(wire.TEST_TOOL_SERVER)
async def post_test(body: ProbeBody, state: Near) -> wire.TestedServer:
    """Start a server only to see its tools; one that does not answer is no error, but `success: false`."""
    server = Server(id="test", name="The server", config=_config(body.config))
    try:
        tools = await apart(partial(state.routed.pool.probe, server))
    except ServerFailed as error:
        return {"success": False, "error": error.message, "tools": [], "toolCount": 0}
    named: list[wire.NamedTool] = [
        {"name": one.name, "description": one.description} for one in tools[:PROBED_TOOLS]
    ]
    return {"success": True, "tools": named, "toolCount": len(tools)}


@serves(wire.INSTALL_TOOL_SERVER)
async def post_install(body: InstallBody, state: Near) -> wire.InstalledToolServer:
    """Install a server of a catalog, with the inputs that it needs."""
    entry = await _found(state, body.id, body.source)
    if body.config is not None:
        config = _config(body.config)
    else:
        config = _config(configs.written(catalog.configured(entry, body.inputs)))
    new = Server(
        id="",
        name=body.name or entry.name,
        config=config,
        description=entry.description,
        category=entry.category,
        homepage=entry.homepage,
        source=entry.source,
        catalog_id=entry.id,
        enabled=body.enabled,
        scope=_scope(body.scope),
    )
    return await _install(state, new)


@serves(wire.REGISTER_TOOL_SERVER)
async def post_register(body: RegisterBody, state: Near) -> wire.InstalledToolServer:
    """Install a server that the user describes: a command, or an address."""
    new = Server(
        id="",
        name=edit.name_of(body.name),
        config=_config(body.config),
        description=body.description,
        category=body.category,
        enabled=body.enabled,
        scope=_scope(body.scope),
    )
    return await _install(state, new)


async def _install(state: State, new: Server) -> wire.InstalledToolServer:
    made: list[Server] = []

    def add(installed: Installed) -> Installed:
        changed, server = edit.install(installed, new, now=clock.to_text(clock.now()))
        made.append(server)
        return changed

    await state.routed.change(add)
    log.info("tool_server.installed", server=made[0].id, source=new.source)
    return {
        "success": True,
        "server": await standing(state, made[0]),
        "updated": made[0].installed_at != made[0].updated_at,
    }


async def _found(state: State, id_: str, source: str) -> Entry:
    """Return an entry of a catalog; raises Invalid, NotFound, RegistryFailed."""
    if not id_.strip():
        raise Invalid("id is required")
    if source == SHIPPED:
        return catalog.find(catalog.entries(), id_.strip())
    registry = _registry(state)
    if source != "registry" or registry is None:
        raise Invalid("source must be signet, or registry once marketplace.registryUrl is set")
    return catalog.find(await apart(partial(registry.search, id_.strip())), id_.strip())


def _registry(state: State) -> Registry | None:
    found = state.settings.marketplace
    if found.registry_url is None:
        return None
    return Registry(url=found.registry_url, may_be_private=found.allow_private_networks)


def _scope(sent: ServerScopeBody | None) -> Scope:
    return edit.scope_of(sent.model_dump(exclude_unset=True) if sent else {}, Scope())


def _config(sent: object) -> Config:
    """Return a config that the caller may have; raises Invalid, Forbidden."""
    config = configs.read(sent)
    check_secrets(config)
    return config


def _installed_from(installed: Installed) -> frozenset[tuple[str, str | None]]:
    return frozenset((one.source, one.catalog_id) for one in installed.servers.values())


def _entry(entry: Entry, known: frozenset[tuple[str, str | None]]) -> wire.CatalogServer:
    return as_wire(
        wire.CatalogServer,
        entry,
        sourceUrl=entry.homepage,
        catalogId=entry.id,
        official=entry.source == SHIPPED
        and entry.homepage.startswith(f"{catalog.REFERENCE_SERVERS}/"),
        sponsor=False,
        # What stands in the places of inputs is no secret.
        config=configs.written(entry.config) if entry.config else None,
        inputs=list(entry.inputs),
        installed=(entry.source, entry.id) in known,
    )
