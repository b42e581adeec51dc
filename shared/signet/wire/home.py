"""Pages for people: the first page with its texts, and the description of the interface."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.memory import KeyCount, MemoryPage, WaitingMemories
from signet.wire.operation import get
from signet.wire.projects import ListedProject, ProjectDigest


class Greeting(TypedDict):
    greeting: str
    cachedAt: str


class Home(TypedDict):
    """The first page besides new memories, with `projects` as of `/api/projects`.

    `digest` has what was decided and changed since an instant, and `imported` the sources of what was imported since.
    `kept` counts stored sessions, unless the caller is limited to a project. `forgotten` counts, without texts, for
    callers who may recover.
    """

    reviews: WaitingMemories
    projects: list[ListedProject]
    digest: list[ProjectDigest]
    imported: list[KeyCount]
    kept: NotRequired[int]
    forgotten: NotRequired[MemoryPage]


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
