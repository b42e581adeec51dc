"""Installing, changing and removing servers: what is asked becomes what is installed. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from signet.domain.marketplace import config as configs
from signet.domain.marketplace import describe, naming
from signet.domain.marketplace.models import Mode, Policy, Scope, Server
from signet.domain.marketplace.servers_file import Installed
from signet.errors import Invalid

MAX_NAME_CHARS = 80
MAX_DESCRIPTION_CHARS = 500
#: Servers of one workspace.
MAX_SERVERS = 100


def install(installed: Installed, new: Server, *, now: str) -> tuple[Installed, Server]:
    """Add a server under an id of its own, switched off unless it was asked for otherwise; raises Invalid.

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
    server = replace(
        new,
        id=naming.server_id(name, installed.servers),
        name=name,
        description=describe.text(new.description, MAX_DESCRIPTION_CHARS),
        category=describe.text(new.category, MAX_NAME_CHARS) or "other",
        installed_at=now,
        updated_at=now,
    )
    return installed.with_server(server), server


def change(server: Server, sent: Mapping[str, Any], *, now: str) -> Server:
    """Return a server with what was sent in its place; raises Invalid, also when nothing is to be changed."""
    if not sent:
        raise Invalid("nothing to change; send enabled, scope, config, name or description")
    changes = dict(sent)
    if "scope" in sent:
        changes["scope"] = scope_of(sent["scope"], server.scope)
    if "config" in sent:
        changes["config"] = configs.read(sent["config"], server.config)
    if "name" in sent:
        changes["name"] = name_of(sent["name"])
    if "description" in sent:
        changes["description"] = describe.text(sent["description"], MAX_DESCRIPTION_CHARS)
    return replace(server, updated_at=now, **changes)


def name_of(sent: object) -> str:
    """Return the name of a server; raises Invalid."""
    name = describe.text(sent, MAX_NAME_CHARS)
    if not name:
        raise Invalid("name is required")
    return name


def scope_of(sent: Mapping[str, Sequence[str]], before: Scope) -> Scope:
    """Return a scope; lists that were not sent stay as they were."""
    return replace(before, **{key: tuple(dict.fromkeys(names)) for key, names in sent.items()})


def policy_of(sent: Mapping[str, Any], before: Policy, *, now: str) -> Policy:
    """Return the policy after a change; numbers go to their nearest bound."""
    found = replace(before, updated_at=now, **sent)
    return replace(
        found,
        mode=Mode(found.mode),
        max_expanded_tools=int(min(100, max(0, found.max_expanded_tools))),
        max_search_results=int(min(50, max(1, found.max_search_results))),
    )
