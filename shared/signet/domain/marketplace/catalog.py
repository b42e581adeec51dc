"""Servers that can be installed by name: a short list that ships with the product, in the form of any catalog. Pure.

The start commands are those that the servers' own documentation names; what a user must say first is an input, written
`{name}` where it belongs.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from signet.domain.marketplace import config
from signet.domain.marketplace.models import Config, Remote
from signet.errors import Kind, NotFound, SignetError
from signet.wire.marketplace import CatalogInput

#: The name of the list that ships with the product.
SHIPPED = "signet"

_INPUT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}", re.ASCII)


class NotInstallable(SignetError):
    """The server cannot be installed this way."""

    kind = Kind.INCOMPLETE
    code = "tool_server_not_installable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A server of a catalog; `config` is None for one that this machine cannot run as its catalog describes it."""

    id: str
    name: str
    description: str
    category: str
    homepage: str
    config: Config | None
    inputs: tuple[CatalogInput, ...] = ()
    source: str = SHIPPED


#: Where the servers are that the makers of the protocol keep themselves.
REFERENCE_SERVERS = "https://github.com/modelcontextprotocol/servers"


@cache
def entries() -> tuple[Entry, ...]:
    """Return what ships with the product (`catalog.json` beside this file), in alphabetical order."""
    text = resources.files(__package__).joinpath("catalog.json").read_text("utf-8")
    return tuple(map(_entry, json.loads(text)))


def shipped(query: str = "") -> list[Entry]:
    """Return the entries that ship with the product and hold every word of `query`."""
    words = query.lower().split()
    return [entry for entry in entries() if all(word in _text(entry) for word in words)]


def find(entries: Sequence[Entry], id_: str) -> Entry:
    """Return the entry of an id; raises NotFound."""
    for entry in entries:
        if entry.id == id_:
            return entry
    raise NotFound(f"no catalog has a server '{id_}'", "catalog_entry_not_found")


def configured(entry: Entry, said: Mapping[str, str]) -> Config:
    """Return the config of an entry with what was said in its places; raises NotInstallable when some is missing."""
    if entry.config is None:
        raise NotInstallable(
            f"{entry.name} names no start command that this product knows; register it by hand"
        )
    missing = [one for one in entry.inputs if not said.get(one["name"], "").strip()]
    if missing:
        told = "; ".join(f"{one['name']}: {one['description']}" for one in missing)
        raise NotInstallable(
            f"{entry.name} needs inputs ({told})", missing=[one["name"] for one in missing]
        )
    known = {one["name"]: said[one["name"]].strip() for one in entry.inputs}

    def put(text: str) -> str:
        return _INPUT.sub(lambda match: known.get(match[1], match[0]), text)

    if isinstance(entry.config, Remote):
        headers = {name: put(value) for name, value in entry.config.headers.items()}
        return replace(entry.config, headers=headers)
    return replace(
        entry.config,
        args=tuple(map(put, entry.config.args)),
        env={name: put(value) for name, value in entry.config.env.items()},
    )


def _entry(row: Mapping[str, Any]) -> Entry:
    inputs = tuple(
        CatalogInput(
            name=one["name"],
            description=one["description"],
            isSecret=one.get("isSecret", False),
        )
        for one in row.get("inputs", ())
    )
    return Entry(**{**row, "config": config.read(row["config"]), "inputs": inputs})


def _text(entry: Entry) -> str:
    return f"{entry.id} {entry.name} {entry.description} {entry.category}".lower()
