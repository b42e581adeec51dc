"""Servers that can be installed by name: a short list that ships with the product, in the form of any catalog. Pure.

The start commands are those that the servers' own documentation names; what a user must say first is an input, written
`{name}` where it belongs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from signet.domain.marketplace.models import Config, Program, Remote
from signet.errors import Kind, NotFound, SignetError

#: The name of the list that ships with the product.
SHIPPED = "signet"

_INPUT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}", re.ASCII)


class NotInstallable(SignetError):
    """The server cannot be installed this way."""

    kind = Kind.INCOMPLETE
    code = "tool_server_not_installable"


class NoSuchEntry(NotFound):
    """No catalog has a server of this name."""

    code = "catalog_entry_not_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Something that must be said before a server can be installed; a secret one belongs into the vault."""

    name: str
    description: str
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A server of a catalog; `config` is None for one that this machine cannot run as its catalog describes it."""

    id: str
    name: str
    description: str
    category: str
    homepage: str
    config: Config | None
    inputs: tuple[Input, ...] = ()
    source: str = SHIPPED


#: Where the servers are that the makers of the protocol keep themselves.
REFERENCE_SERVERS = "https://github.com/modelcontextprotocol/servers"
_FOLDER = Input(name="folder", description="Absolute path of the folder it may read and write")
_REPOSITORY = Input(name="repository", description="Absolute path of the git repository")
_TOKEN = Input(
    name="token",
    description="A personal access token of GitHub, such as $secret:GITHUB_TOKEN",
    is_secret=True,
)

#: What ships with the product, in alphabetical order.
ENTRIES: tuple[Entry, ...] = (
    Entry(
        id="chrome-devtools",
        name="Chrome DevTools",
        description="Drives and inspects a Chrome browser: pages, console, network, performance",
        category="web",
        homepage="https://github.com/ChromeDevTools/chrome-devtools-mcp",
        config=Program(command="npx", args=("-y", "chrome-devtools-mcp@latest")),
    ),
    Entry(
        id="context7",
        name="Context7",
        description="Looks up current documentation of libraries; asks a service on the internet",
        category="development",
        homepage="https://github.com/upstash/context7",
        config=Program(command="npx", args=("-y", "@upstash/context7-mcp")),
    ),
    Entry(
        id="fetch",
        name="Fetch",
        description="Reads web pages as Markdown",
        category="web",
        homepage=f"{REFERENCE_SERVERS}/tree/main/src/fetch",
        config=Program(command="uvx", args=("mcp-server-fetch",)),
    ),
    Entry(
        id="filesystem",
        name="Filesystem",
        description="Reads, writes and searches files below one folder",
        category="files",
        homepage=f"{REFERENCE_SERVERS}/tree/main/src/filesystem",
        config=Program(
            command="npx", args=("-y", "@modelcontextprotocol/server-filesystem", "{folder}")
        ),
        inputs=(_FOLDER,),
    ),
    Entry(
        id="git",
        name="Git",
        description="Reads and changes one git repository: status, differences, history, commits",
        category="development",
        homepage=f"{REFERENCE_SERVERS}/tree/main/src/git",
        config=Program(command="uvx", args=("mcp-server-git", "--repository", "{repository}")),
        inputs=(_REPOSITORY,),
    ),
    Entry(
        id="github",
        name="GitHub",
        description="Repositories, issues and pull requests of GitHub, through its own service",
        category="development",
        homepage="https://github.com/github/github-mcp-server",
        config=Remote(
            url="https://api.githubcopilot.com/mcp/", headers={"Authorization": "Bearer {token}"}
        ),
        inputs=(_TOKEN,),
    ),
    Entry(
        id="playwright",
        name="Playwright",
        description="Drives a browser through the structure of a page, without screenshots",
        category="web",
        homepage="https://github.com/microsoft/playwright-mcp",
        config=Program(command="npx", args=("-y", "@playwright/mcp@latest")),
    ),
    Entry(
        id="sequential-thinking",
        name="Sequential Thinking",
        description="Lets a model write down its reasoning step by step and revise it",
        category="reasoning",
        homepage=f"{REFERENCE_SERVERS}/tree/main/src/sequentialthinking",
        config=Program(
            command="npx", args=("-y", "@modelcontextprotocol/server-sequential-thinking")
        ),
    ),
    Entry(
        id="time",
        name="Time",
        description="Gives the time and converts it between time zones",
        category="utilities",
        homepage=f"{REFERENCE_SERVERS}/tree/main/src/time",
        config=Program(command="uvx", args=("mcp-server-time",)),
    ),
)


def shipped(query: str = "") -> list[Entry]:
    """Return the entries that ship with the product and hold every word of `query`."""
    words = query.lower().split()
    return [entry for entry in ENTRIES if all(word in _text(entry) for word in words)]


def find(entries: Sequence[Entry], id_: str) -> Entry:
    """Return the entry of an id; raises NoSuchEntry."""
    for entry in entries:
        if entry.id == id_:
            return entry
    raise NoSuchEntry(f"no catalog has a server '{id_}'")


def configured(entry: Entry, said: Mapping[str, str]) -> Config:
    """Return the config of an entry with what was said in its places; raises NotInstallable when some is missing."""
    if entry.config is None:
        raise NotInstallable(
            f"{entry.name} names no start command that this product knows; register it by hand"
        )
    missing = [one for one in entry.inputs if not said.get(one.name, "").strip()]
    if missing:
        told = "; ".join(f"{one.name}: {one.description}" for one in missing)
        raise NotInstallable(
            f"{entry.name} needs inputs ({told})", missing=[one.name for one in missing]
        )
    known = {one.name: said[one.name].strip() for one in entry.inputs}

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


def _text(entry: Entry) -> str:
    return f"{entry.id} {entry.name} {entry.description} {entry.category}".lower()
