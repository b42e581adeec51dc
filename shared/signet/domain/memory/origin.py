"""The one place that decides where the words of a memory come from, and whether a person looks at them first.

Who writes counts (`Actor.origin`), then what the writer says itself, as far as it may (`Actor.may_claim`), then the
kind of source: a page is a page, whoever saved it. What is made from other memories has the lowest origin of them.
"""

import re

from signet.text import orders
from signet.wire.origin import STRANGERS, Origin, Review, lowest

_TOOL = re.compile(r"\b(?:tool|mcp)", re.IGNORECASE)
_WEB = re.compile(r"\b(?:url|web|browser|extension|page|feed|rss|e?mail|crawl)", re.IGNORECASE)


#: The type of a memory that is a piece of a document.
DOCUMENT_CHUNK = "document_chunk"


def of_kind(kind: str | None) -> Origin | None:
    """Return the origin that a kind of source (`url`, `browser-extension`, `tool`) has in its name, or None."""
    if not kind:
        return None
    if _WEB.search(kind):
        return Origin.WEB
    return Origin.TOOL if _TOOL.search(kind) else None


def decided(claimed: Origin | None, kind: str | None, *, by: Origin, may_claim: Origin) -> Origin:
    """Return the origin of a text: what is claimed, else `by`, no better than the writer may claim or its kind is."""
    found = lowest(claimed or by, may_claim)
    stranger = of_kind(kind)
    return lowest(found, stranger) if stranger else found


def review(origin: Origin, text: str, type: str = "fact") -> Review | None:
    """Return WAITING for a text that nobody reads out unasked before a person has seen it, None for any other.

    Whatever the user did not say waits when it has the marks of an attack; what a tool or the web says waits when it
    tells its reader to do anything. A piece of a page does not: such sentences are left out of it where it is told.
    """
    if origin is Origin.USER:
        return None
    is_piece = type == DOCUMENT_CHUNK
    waits = orders.steers(text) or (origin in STRANGERS and not is_piece and orders.orders(text))
    return Review.WAITING if waits else None
