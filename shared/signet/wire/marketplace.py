"""Tool servers of others, their tools, and reviews."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class ToolServer(TypedDict):
    """An installed tool server. `state` is off, waiting, starting, ready, sleeping or failed."""

    id: str
    name: str
    description: str
    category: str
    homepage: str
    source: str
    catalogId: str | None
    enabled: bool
    #: harnesses, workspaces and channels; an empty list means all
    scope: dict[str, list[str]]
    config: dict[str, Any]
    installedAt: str
    updatedAt: str
    state: str
    toolCount: int
    error: str | None


class ToolServers(TypedDict):
    """The installed servers that the caller may see, in the order of their installation."""

    servers: list[ToolServer]
    count: int


class OneToolServer(TypedDict):
    """One server."""

    server: ToolServer


class ChangedToolServer(TypedDict):
    """A server after a change."""

    success: bool
    server: ToolServer


class InstalledToolServer(TypedDict):
    """A server that is installed now; `updated` when it was before."""

    success: bool
    server: ToolServer
    updated: bool


class RemovedToolServer(TypedDict):
    """A server that was stopped and removed."""

    success: bool
    id: str


class ToolPolicy(TypedDict):
    """How many routed tools are listed as tools of their own; `mode` is compact, hybrid or expanded."""

    mode: str
    maxExpandedTools: int
    maxSearchResults: int
    updatedAt: str | None


class CurrentToolPolicy(TypedDict):
    """The policy."""

    policy: ToolPolicy


class ChangedToolPolicy(TypedDict):
    """The policy after a change."""

    success: bool
    policy: ToolPolicy


class CatalogInput(TypedDict):
    """Something that must be given before a server can be installed."""

    name: str
    description: str
    isSecret: bool


class CatalogServer(TypedDict):
    """A server of a catalog; `config` is null for one that this machine cannot run as the catalog describes it."""

    id: str
    name: str
    description: str
    category: str
    homepage: str
    sourceUrl: str
    source: str
    catalogId: str
    official: bool
    sponsor: bool
    config: dict[str, Any] | None
    inputs: list[CatalogInput]
    installed: bool


class RankedServer(CatalogServer):
    """A server of a catalog with its place in the list."""

    popularityRank: int


class OfferedServers(TypedDict):
    """What the catalogs offer; `registryError` says why the registry could not be read."""

    results: list[RankedServer]
    total: int
    shown: int
    pageSize: int
    pages: int
    registryError: str | None


class CatalogDetail(TypedDict):
    """One server of a catalog."""

    id: str
    source: str
    name: str
    description: str
    githubUrl: str | None
    defaultConfig: dict[str, Any] | None
    entry: CatalogServer


class NamedTool(TypedDict):
    """A tool by its name."""

    name: str
    description: str


class TestedServer(TypedDict):
    """The tools of a server that was started as a test, or the `error` for which it has none."""

    success: bool
    error: NotRequired[str]
    tools: list[NamedTool]
    toolCount: int


class RoutedTool(TypedDict):
    """A tool of an installed server; `name` is the one that agents call it by."""

    id: str
    name: str
    serverId: str
    serverName: str
    toolName: str
    description: str
    inputSchema: dict[str, Any]
    annotations: dict[str, bool]
    readOnly: bool


class ListedTool(RoutedTool):
    """A tool of an installed server; `exposed` when it is listed as a tool of its own."""

    exposed: bool


class FoundTool(RoutedTool):
    """A tool of an installed server that fits a search; `score` is from 0 to 1."""

    score: float


class ServerState(TypedDict):
    """How an enabled server is; `state` as in ToolServer."""

    id: str
    name: str
    state: str
    toolCount: int
    error: str | None


class ToolContext(TypedDict):
    """Where a request comes from; empty where it does not say."""

    harness: str
    workspace: str
    channel: str


class RoutedTools(TypedDict):
    """The tools of all enabled servers that are for the caller."""

    count: int
    servers: list[ServerState]
    policy: ToolPolicy
    context: ToolContext
    tools: list[ListedTool]


class FoundTools(TypedDict):
    """The tools that fit a search, the best first; `promoted` when they are now listed as tools of their own."""

    query: str
    count: int
    results: list[FoundTool]
    promoted: bool
    servers: list[ServerState]


class ToolResult(TypedDict):
    """What a tool returned, as its server sent it; `success` is false for a result with `isError`."""

    success: bool
    result: dict[str, Any]


class Review(TypedDict):
    """A review of a skill or a tool server. `source` is local or synced; times are ISO 8601."""

    id: str
    #: skill or mcp
    targetType: str
    targetId: str
    displayName: str
    rating: int
    title: str
    body: str
    source: str
    createdAt: str
    updatedAt: str
    syncedAt: str | None


class ReviewSummary(TypedDict):
    """How many reviews fit, on all pages, and their mean rating; 0 for none."""

    count: int
    avgRating: float


class Reviews(TypedDict):
    """A page of reviews, changed last first; `total` counts all pages."""

    reviews: list[Review]
    count: int
    total: int
    limit: int
    offset: int
    summary: ReviewSummary


class WrittenReview(TypedDict):
    """A review that was written or changed."""

    success: bool
    review: Review


class RemovedReview(TypedDict):
    """A review that was removed."""

    success: bool
    id: str


class ReviewSettings(TypedDict):
    """Where reviews are sent to, and how that went last."""

    enabled: bool
    endpointUrl: str
    lastSyncAt: str | None
    lastSyncError: str | None


class ReviewSync(ReviewSettings):
    """The same with the number of reviews that are to be sent."""

    pending: int


class ChangedReviewSettings(TypedDict):
    """Where reviews are sent to after a change."""

    success: bool
    config: ReviewSettings


class SentReviews(TypedDict):
    """How many reviews were sent, under two names, and when."""

    success: bool
    sent: int
    synced: int
    syncedAt: str


_SERVERS = "/api/marketplace/mcp"
_REVIEWS = "/api/marketplace/reviews"

# Who may register a server runs programs.
BROWSE_TOOL_SERVERS = Operation("GET", f"{_SERVERS}/browse", access.LOCAL, OfferedServers)
CATALOG_SERVER = Operation("GET", f"{_SERVERS}/detail", access.LOCAL, CatalogDetail)
TEST_TOOL_SERVER = Operation("POST", f"{_SERVERS}/test", access.LOCAL, TestedServer)
INSTALL_TOOL_SERVER = Operation("POST", f"{_SERVERS}/install", access.LOCAL, InstalledToolServer)
REGISTER_TOOL_SERVER = Operation("POST", f"{_SERVERS}/register", access.LOCAL, InstalledToolServer)
ROUTED_TOOLS = Operation("GET", f"{_SERVERS}/tools", access.LOCAL, RoutedTools)
SEARCH_TOOLS = Operation("GET", f"{_SERVERS}/search", access.LOCAL, FoundTools)
CALL_TOOL = Operation("POST", f"{_SERVERS}/call", access.LOCAL, ToolResult)
TOOL_SERVERS = Operation("GET", _SERVERS, access.LOCAL, ToolServers)
TOOL_POLICY = Operation("GET", f"{_SERVERS}/policy", access.LOCAL, CurrentToolPolicy)
CHANGE_TOOL_POLICY = Operation("PATCH", f"{_SERVERS}/policy", access.LOCAL, ChangedToolPolicy)
TOOL_SERVER = Operation("GET", f"{_SERVERS}/{{server_id}}", access.LOCAL, OneToolServer)
CHANGE_TOOL_SERVER = Operation(
    "PATCH", f"{_SERVERS}/{{server_id}}", access.LOCAL, ChangedToolServer
)
REMOVE_TOOL_SERVER = Operation(
    "DELETE", f"{_SERVERS}/{{server_id}}", access.LOCAL, RemovedToolServer
)
REVIEWS = Operation("GET", _REVIEWS, access.LOCAL, Reviews)
WRITE_REVIEW = Operation("POST", _REVIEWS, access.LOCAL, WrittenReview)
REVIEW_SETTINGS = Operation("GET", f"{_REVIEWS}/config", access.LOCAL, ReviewSync)
CHANGE_REVIEW_SETTINGS = Operation(
    "PATCH", f"{_REVIEWS}/config", access.LOCAL, ChangedReviewSettings
)
SEND_REVIEWS = Operation("POST", f"{_REVIEWS}/sync", access.LOCAL, SentReviews)
CHANGE_REVIEW = Operation("PATCH", f"{_REVIEWS}/{{review_id}}", access.LOCAL, WrittenReview)
REMOVE_REVIEW = Operation("DELETE", f"{_REVIEWS}/{{review_id}}", access.LOCAL, RemovedReview)
