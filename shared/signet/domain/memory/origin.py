"""The only module that decides a memory's origin, and whether a person must review it first.

The writer counts first (`Actor.origin`), then the writer's claim as far as allowed (`Actor.may_claim`), then the kind
of source: a web page stays one for any author. A memory derived from others has their lowest origin.
"""

import re

from signet.text import orders
from signet.wire.origin import STRANGERS, Origin, Review, lowest

_TOOL = re.compile(r"\b(?:tool|mcp)", re.IGNORECASE)
_WEB = re.compile(r"\b(?:url|web|browser|extension|page|feed|rss|e?mail|crawl)", re.IGNORECASE)


#: The type of a memory that is a piece of a document.
DOCUMENT_CHUNK = "document_chunk"


def of_kind(kind: str | None) -> Origin | None:
    """Return the origin implied by a kind of source (`url`, `browser-extension`, `tool`)."""
    if not kind:
        return None
    if _WEB.search(kind):
        return Origin.WEB
    return Origin.TOOL if _TOOL.search(kind) else None


def decided(claimed: Origin | None, kind: str | None, *, by: Origin, may_claim: Origin) -> Origin:
    """Return the origin of a text: the claimed one or `by`, limited by the writer's claim and the kind of source."""
    found = lowest(claimed or by, may_claim)
    stranger = of_kind(kind)
    return lowest(found, stranger) if stranger else found


def review(origin: Origin, text: str, type: str = "fact") -> Review | None:
    """Return WAITING for a text that needs a person's review before agents get it without a request.

    Texts not by the user wait if they look like an attack, texts of tools and the web if they contain an instruction.
    Pieces of a page do not: such sentences are removed when the page is quoted.
    """
    if origin is Origin.USER:
        return None
    is_piece = type == DOCUMENT_CHUNK
    waits = orders.steers(text) or (origin in STRANGERS and not is_piece and orders.orders(text))
    return Review.WAITING if waits else None
