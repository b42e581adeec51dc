"""A registry of tool servers that the user has named in `marketplace.registryUrl`.

It speaks the interface of the official MCP registry (`GET /v0/servers`, entries in the form of server.json); what it
says is a stranger's, so that only start commands of known forms are made from it, and none with an option in its name.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from signet.domain.marketplace import describe, rpc
from signet.domain.marketplace.catalog import Entry
from signet.domain.marketplace.models import Program, Remote
from signet.errors import Kind, PermanentJobError, SignetError
from signet.net.fetch import Wanted, fetch
from signet.net.http import HttpError
from signet.wire.marketplace import CatalogInput

SECONDS = 10.0
MAX_BYTES = 4 * 1024 * 1024
#: Entries of one answer.
PAGE = 100

#: What runs the packages of a kind, and how a version is written after a name.
_RUNNERS = {"npm": ("npx", "-y"), "pypi": ("uvx",)}
_PACKAGE = re.compile(r"(@[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*", re.ASCII)
_VERSION = re.compile(r"[0-9][\w.+-]*", re.ASCII)
_NAME = re.compile(r"[^A-Za-z0-9_]+", re.ASCII)

Json = Mapping[str, object]


class RegistryFailed(SignetError):
    """The registry of tool servers cannot be read."""

    kind = Kind.UPSTREAM
    code = "registry_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """A registry at an address; `may_be_private` when it may be on this machine or in its network."""

    url: str
    may_be_private: bool = False

    def search(self, query: str = "") -> list[Entry]:
        """Return the entries that the registry finds, in its order; raises RegistryFailed."""
        asked = {"limit": str(PAGE), "version": "latest", **({"search": query} if query else {})}
        wanted = Wanted(
            max_bytes=MAX_BYTES,
            seconds=SECONDS,
            accepts=lambda media_type: media_type.endswith("json"),
            may_be_private=self.may_be_private,
        )
        try:
            page = fetch(f"{self.url}/v0/servers?{urlencode(asked)}", wanted)
        except (HttpError, PermanentJobError) as error:
            raise RegistryFailed(f"the registry cannot be read: {error.message}") from error
        listed = (rpc.read(page.body) or {}).get("servers")
        if not isinstance(listed, list):
            raise RegistryFailed("the registry's answer has no list of servers")
        return [entry for one in listed if (entry := entry_of(one)) is not None]


def entry_of(found: object) -> Entry | None:
    """Return a server of a registry, None for what is none."""
    outer = _map(found)
    server = _map(outer.get("server")) or outer
    name = describe.text(server.get("name"), 200)
    if not name:
        return None
    config, inputs = _config(server)
    repository = _map(server.get("repository"))
    homepage = describe.text(server.get("websiteUrl") or repository.get("url"), 500)
    return Entry(
        id=name,
        name=describe.text(server.get("title"), 80) or name.rpartition("/")[2],
        description=describe.text(server.get("description"), 500),
        category="other",
        homepage=homepage if homepage.startswith(("https://", "http://")) else "",
        config=config,
        inputs=tuple(inputs.values()),
        source="registry",
    )


def _config(server: Json) -> tuple[Program | Remote | None, dict[str, CatalogInput]]:
    """Return how a server is reached or started, and what must be said for it: an address before a program."""
    inputs: dict[str, CatalogInput] = {}
    for remote in _maps(server.get("remotes")):
        url = remote.get("url")
        if remote.get("type") == "streamable-http" and isinstance(url, str) and "{" not in url:
            return Remote(url=url, headers=_values(remote.get("headers"), inputs)), inputs
    for package in _maps(server.get("packages")):
        runner = _RUNNERS.get(str(package.get("registryType")))
        name, version = str(package.get("identifier")), str(package.get("version", ""))
        transport = _map(package.get("transport")).get("type", "stdio")
        if runner is None or transport != "stdio" or not _PACKAGE.fullmatch(name):
            continue
        exact = f"{name}@{version}" if _VERSION.fullmatch(version) else name
        arguments = _arguments(_maps(package.get("packageArguments")), inputs)
        env = _values(package.get("environmentVariables"), inputs)
        return Program(command=runner[0], args=(*runner[1:], exact, *arguments), env=env), inputs
    return None, {}


def _arguments(described: Sequence[Json], inputs: dict[str, CatalogInput]) -> list[str]:
    found = []
    for one in described:
        value = _value(one, str(one.get("valueHint") or one.get("name") or "value"), inputs)
        is_named = one.get("type") == "named"
        if value is None and not (is_named and one.get("isRequired")):
            continue
        found += [str(one.get("name"))] if is_named else []
        found += [value] if value is not None else []
    return found


def _values(described: object, inputs: dict[str, CatalogInput]) -> dict[str, str]:
    found = {}
    for one in _maps(described):
        name = str(one.get("name", ""))
        value = _value(one, name, inputs)
        if name and value is not None:
            found[name] = value
    return found


def _value(one: Json, hint: str, inputs: dict[str, CatalogInput]) -> str | None:
    """Return a fixed value, or the place of an input that is needed; None for what may be left out."""
    for key in ("value", "default"):
        if isinstance(one.get(key), str) and "{" not in str(one[key]):
            return str(one[key])
    if not one.get("isRequired"):
        return None
    name = _NAME.sub("_", hint).strip("_") or "value"
    inputs[name] = CatalogInput(
        name=name,
        description=describe.text(one.get("description"), 300) or hint,
        isSecret=one.get("isSecret") is True,
    )
    return f"{{{name}}}"


def _map(found: object) -> Json:
    return found if isinstance(found, dict) else {}


def _maps(found: object) -> list[Json]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
