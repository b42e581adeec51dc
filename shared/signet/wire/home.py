"""The pages for people: the first one with its texts, and the description of this interface."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class Greeting(TypedDict):
    """The greeting of this hour."""

    greeting: str
    cachedAt: str


class ProductPage(TypedDict):
    """A text that came with this version, as Markdown and as HTML; `cachedAt` is in ms."""

    content: str
    html: str
    source: str
    cachedAt: int


PAGE = Operation("GET", "/", access.OPEN, str, media_type="text/html")
CAPTURE = Operation("GET", "/capture", access.OPEN, str, media_type="text/html")
ASSET = Operation("GET", "/assets/{name}", access.OPEN, str, media_type="text/html")
DOCS = Operation("GET", "/docs", access.KNOWN, str, media_type="text/html")
GREETING = Operation("GET", "/api/home/greeting", access.KNOWN, Greeting)
CHANGELOG = Operation("GET", "/api/changelog", access.KNOWN, ProductPage)
ROADMAP = Operation("GET", "/api/roadmap", access.KNOWN, ProductPage)
README = Operation("GET", "/api/readme", access.KNOWN, ProductPage)
