"""Installing, changing and removing servers: what is asked becomes what is installed. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from signet.domain.marketplace import config as configs
from signet.domain.marketplace import describe, naming
from signet.domain.marketplace.models import Config, Mode, Policy, Scope, Server
from signet.domain.marketplace.servers_file import Installed
from signet.errors import Invalid

MAX_NAME_CHARS = 80
MAX_DESCRIPTION_CHARS = 500
#: Servers of one workspace, and names in one list of a scope.
MAX_SERVERS = 100
MAX_NAMES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """A server that shall be installed."""

    name: str
    config: Config
    description: str = ""
    category: str = "other"
    homepage: str = ""
    source: str = "manual"
    catalog_id: str | None = None
    enabled: bool = False
    scope: Scope = field(default_factory=Scope)


def install(installed: Installed, new: New, *, now: str) -> tuple[Installed, Server]:
    """Add a server, switched off unless it was asked for otherwise; raises Invalid.

    What comes from a catalog takes the place of what came from there before, with the scope and switch it had.
    """
    known = installed.servers.values()
    for before in known if new.catalog_id else ():
        if (before.source, before.catalog_id) == (new.source, new.catalog_id):
            server = replace(before, config=new.config, updated_at=now)
            return installed.with_server(server), server
    if len(installed.servers) >= MAX_SERVERS:
        raise Invalid(f"there are {MAX_SERVERS} tool servers already")
    name = name_of(new.name)
    server = Server(
        id=naming.server_id(name, installed.servers),
        name=name,
        config=new.config,
        description=describe.text(new.description, MAX_DESCRIPTION_CHARS),
        category=describe.text(new.category, MAX_NAME_CHARS) or "other",
        homepage=new.homepage,
        source=new.source,
        catalog_id=new.catalog_id,
        enabled=new.enabled,
        scope=new.scope,
        installed_at=now,
        updated_at=now,
    )
    return installed.with_server(server), server


def change(server: Server, sent: Mapping[str, object], *, now: str) -> Server:
    """Return a server with what was sent in its place; raises Invalid, also when nothing is to be changed."""
    changes: dict[str, object] = {}
    if "enabled" in sent:
        if not isinstance(sent["enabled"], bool):
            raise Invalid("enabled must be true or false")
        changes["enabled"] = sent["enabled"]
    if "scope" in sent:
        changes["scope"] = scope_of(sent["scope"], server.scope)
    if "config" in sent:
        changes["config"] = configs.read(sent["config"], server.config)
    if "name" in sent:
        changes["name"] = name_of(sent["name"])
    if "description" in sent:
        changes["description"] = describe.text(sent["description"], MAX_DESCRIPTION_CHARS)
    if not changes:
        raise Invalid("nothing to change; send enabled, scope, config, name or description")
    return replace(server, updated_at=now, **changes)  # type: ignore[arg-type]


def name_of(sent: object) -> str:
    """Return the name of a server; raises Invalid."""
    name = describe.text(sent, MAX_NAME_CHARS)
    if not name:
        raise Invalid("name is required")
    return name


def scope_of(sent: object, before: Scope) -> Scope:
    """Return a scope; lists that were not sent stay as they were. Raises Invalid."""
    if sent is None:
        return before
    if not isinstance(sent, Mapping):
        raise Invalid("scope must be an object with harnesses, workspaces and channels")
    return Scope(
        harnesses=_names(sent, "harnesses", before.harnesses),
        workspaces=_names(sent, "workspaces", before.workspaces),
        channels=_names(sent, "channels", before.channels),
    )


def policy_of(sent: Mapping[str, object], before: Policy, *, now: str) -> Policy:
    """Return the policy after a change; numbers go to their nearest bound. Raises Invalid for anything else."""
    try:
        mode = Mode(str(sent.get("mode", before.mode)))
    except ValueError:
        raise Invalid("mode must be compact, hybrid or expanded") from None
    return Policy(
        mode=mode,
        max_expanded_tools=_bounded(sent, "maxExpandedTools", before.max_expanded_tools, 0, 100),
        max_search_results=_bounded(sent, "maxSearchResults", before.max_search_results, 1, 50),
        updated_at=now,
    )


def _names(sent: Mapping[str, object], key: str, before: Sequence[str]) -> tuple[str, ...]:
    names = sent.get(key)
    if names is None:
        return tuple(before)
    if not isinstance(names, list) or len(names) > MAX_NAMES:
        raise Invalid(f"scope.{key} must be a list of at most {MAX_NAMES} names")
    if not all(isinstance(name, str) and 0 < len(name.strip()) <= 500 for name in names):
        raise Invalid(f"scope.{key} must hold names")
    return tuple(dict.fromkeys(name.strip() for name in names))


def _bounded(sent: Mapping[str, object], name: str, before: int, low: int, high: int) -> int:
    value = sent.get(name, before)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Invalid(f"{name} must be a number")
    return int(min(high, max(low, value)))
