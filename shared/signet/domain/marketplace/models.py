"""Values of this noun, and the rule of whom a server is for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath

from signet.errors import Kind, NotFound, SignetError

#: How long a server may take to start or to be reached, in seconds.
START_SECONDS = 45.0
#: How long one call may take with all that it needs: so much less than MC-13 allows that its reason still arrives.
CALL_SECONDS = 58.0


class ServerFailed(SignetError):
    """A tool server could not be started or reached, or its answer is not valid."""

    kind = Kind.UPSTREAM
    code = "tool_server_failed"


class NoSuchTool(NotFound):
    """The tool server has no such tool."""

    code = "tool_not_found"


class Busy(SignetError):
    """The tool server has reached its limit of parallel calls."""

    kind = Kind.LIMITED
    code = "tool_server_busy"


class Mode(StrEnum):
    """Which routed tools appear as tools of their own (MC-30)."""

    COMPACT = "compact"
    HYBRID = "hybrid"
    EXPANDED = "expanded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How many routed tools appear; `updated_at` is None until somebody has changed it."""

    mode: Mode = Mode.HYBRID
    max_expanded_tools: int = 12
    max_search_results: int = 8
    updated_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Where a request comes from, as far as it says; `is_person` when nobody asks on behalf of an agent."""

    harness: str = ""
    workspace: str = ""
    channel: str = ""
    is_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whom a server is for; an empty list is for everybody."""

    harnesses: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()

    def admits(self, context: Context) -> bool:
        """Return whether a request from there may use the server; a person at the machine always may."""
        if context.is_person:
            return True
        return (
            _within(self.harnesses, context.harness)
            and _within(self.channels, context.channel)
            and (
                _within(self.workspaces, context.workspace)
                or any(_is_below(context.workspace, folder) for folder in self.workspaces)
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A server that is a program of this machine and speaks over its standard streams.

    Values of `env` may name secrets as `$secret:NAME`. `seconds` is its time for a start and for a call; to
    change it is no reason to start the program anew.
    """

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    seconds: float = field(default=CALL_SECONDS, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server that is reached over HTTP; values of `headers` may name secrets as `$secret:NAME`."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = field(default=CALL_SECONDS, compare=False)


Config = Program | Remote


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One installed server; `catalog_id` is its name where it came from."""

    id: str
    name: str
    config: Config
    description: str = ""
    category: str = "other"
    homepage: str = ""
    source: str = "manual"
    catalog_id: str | None = None
    enabled: bool = False
    scope: Scope = Scope()
    installed_at: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool as its server describes it, made short and clean; `hints` are the annotations we know."""

    name: str
    description: str
    input_schema: Mapping[str, object]
    hints: Mapping[str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """One tool of one server under the name that agents know it by (MC-31)."""

    own_name: str
    server: Server
    tool: Tool

    @property
    def id(self) -> str:
        """Return what tells it from every other one."""
        return f"{self.server.id}:{self.tool.name}"


def _within(allowed: tuple[str, ...], named: str) -> bool:
    return not allowed or named in allowed


def _is_below(path: str, folder: str) -> bool:
    return folder.startswith("/") and PurePath(path).is_relative_to(folder)
