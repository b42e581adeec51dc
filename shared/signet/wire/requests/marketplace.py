"""Tool servers of others, and what the user thinks of them."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict, StringConstraints

from signet.wire.requests.model import Body, Whole, spelled

#: Yes or no in an address, where `yes` is yes, too.
Switch = Annotated[bool, BeforeValidator(lambda sent: str(sent).lower() in ("1", "true", "yes"))]


#: A text of the user, which is refused rather than cut.
Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Named = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Names = Annotated[list[Named], Field(max_length=50)]


class ServerScopeBody(Body):
    """Whom a server is for; a list that is left out stays as it was."""

    harnesses: Names | None = None
    workspaces: Names | None = None
    channels: Names | None = None


class RegisterBody(Body):
    """A server that the user describes."""

    name: str = ""
    description: str = ""
    category: str = ""
    homepage: str = ""
    config: dict[str, Any] | None = None
    scope: ServerScopeBody | None = None
    enabled: bool = False


class InstallBody(Body):
    """A server of a catalog; `inputs` is what it needs to be told, `config` replaces its own."""

    id: str = spelled("id", "catalogId", "catalog_id", default="")
    source: str = "signet"
    name: str = ""
    inputs: dict[str, str] = Field(default_factory=dict)
    config: dict[str, Any] | None = None
    scope: ServerScopeBody | None = None
    enabled: bool = False


class ProbeBody(Body):
    """A config that is to be tried."""

    config: dict[str, Any] | None = None


class ChangeBody(Body):
    """What is to be different about a server."""

    name: str | None = None
    description: str | None = None
    enabled: bool | None = None
    scope: ServerScopeBody | None = None
    config: dict[str, Any] | None = None


class PolicyBody(Body):
    """How many routed tools appear as tools of their own."""

    mode: Literal["compact", "hybrid", "expanded"] | None = None
    max_expanded_tools: float | None = spelled("maxExpandedTools", "max_expanded_tools")
    max_search_results: float | None = spelled("maxSearchResults", "max_search_results")


class CallBody(Body):
    """A call of a tool: named by server and tool, or by its own name."""

    server_id: str = spelled("serverId", "server_id", default="")
    tool: str = spelled("tool", "toolName", "tool_name", default="")
    name: str = ""
    args: dict[str, Any] = spelled("args", "arguments", default={})


class SearchParams(Body):
    """What a tool should do, under two names; without a limit, that of the policy holds."""

    q: str = ""
    query: str = ""
    limit: Annotated[int | None, Whole(1, 50)] = None
    refresh: Switch = False
    promote: Switch = True


class ReviewBody(Body):
    """A review, or what is to be different about it."""

    target_type: Literal["skill", "mcp"] | None = spelled("targetType", "target_type")
    target_id: str | None = spelled("targetId", "target_id")
    display_name: str | None = spelled("displayName", "display_name")
    rating: Annotated[int, Strict(), Field(ge=1, le=5)] | None = None
    title: Annotated[Said, Field(max_length=120)] | None = None
    body: Annotated[Said, Field(max_length=4_000)] | None = None


class SyncBody(Body):
    """Where reviews are sent to."""

    enabled: bool | None = None
    endpoint_url: str | None = spelled("endpointUrl", "endpoint_url")
