"""Pages for people: the first page with its texts, and the description of the interface."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.analytics import Series
from signet.wire.memory import MemoryPage, WaitingMemories
from signet.wire.operation import get
from signet.wire.sessions import RunningSessions


class Greeting(TypedDict):
    greeting: str
    cachedAt: str


class Work(TypedDict):
    """Background jobs, and questions answered since the start; `p95` is in ms."""

    waiting: int
    running: int
    paused: bool
    questions: int
    p95: float


class Home(TypedDict):
    """The first page besides new memories: one answer instead of seven.

    `agent` is its name. `year_ago` has memories of this day a year ago that are still current: their `total`, and the
    three most important. `kept` counts stored sessions, unless the caller is limited to a project. `forgotten`
    counts, without texts, for callers who may recover; `work` is for those who may see jobs of every agent. `days`
    counts new memories, prompts and injected tokens for each day of the last five weeks, for those who may see
    analytics.
    """

    agent: str
    sessions: RunningSessions
    reviews: WaitingMemories
    year_ago: MemoryPage
    kept: NotRequired[int]
    forgotten: NotRequired[MemoryPage]
    work: NotRequired[Work]
    days: NotRequired[Series]


class ProductPage(TypedDict):
    """A text of this version, as Markdown and optionally as HTML; `cachedAt` is in ms."""

    content: str
    html: NotRequired[str]
    source: str
    cachedAt: int


PAGE = get("/", access.OPEN, str, media_type="text/html")
CAPTURE = get("/capture", access.OPEN, str, media_type="text/html")
ASSET = get("/assets/{name}", access.OPEN, str, media_type="text/html")
DOCS = get("/docs", access.KNOWN, str, media_type="text/html")
HOME = get("/api/home", access.RECALL, Home)
GREETING = get("/api/home/greeting", access.KNOWN, Greeting)
CHANGELOG = get("/api/changelog", access.KNOWN, ProductPage)
ROADMAP = get("/api/roadmap", access.KNOWN, ProductPage)
README = get("/api/readme", access.KNOWN, ProductPage)
