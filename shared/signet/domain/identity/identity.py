"""Name and description of the agent from IDENTITY.md, the greeting, and the texts of the product."""

import re
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib import metadata

from signet import resources
from signet.wire.config import Identity

#: An optional bullet, a key that may be bold, a colon, the rest of the line.
_LINE = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?\**(name|creature|role|vibe)\**[ \t]*:\**[ \t]*(.*)$", re.M | re.I
)
UNKNOWN = "Unknown"


def parse(text: str) -> Identity:
    """Return the identity in a file; the first line of each key counts, and a role replaces a missing creature."""
    found: dict[str, str] = {}
    for key, value in _LINE.findall(text):
        found.setdefault(key.lower(), value.strip())
    return {
        "name": found.get("name") or UNKNOWN,
        "creature": found.get("creature") or found.get("role", ""),
        "vibe": found.get("vibe", ""),
    }


_NOON, _EVENING = 12, 17


def greeting(now: datetime) -> str:
    """Return the greeting for the hour of `now`, in the reader's time zone."""
    if now.hour < _NOON:
        return "good morning"
    return "good afternoon" if now.hour < _EVENING else "good evening"


PACKAGE = "signetai"


class ProductText(StrEnum):
    """A product text by its file name."""

    CHANGELOG = "CHANGELOG.md"
    ROADMAP = "ROADMAP.md"
    README = "README.md"


@cache
def content(name: ProductText) -> str:
    """Return a text of this version as Markdown, or a sentence if it is missing."""
    return _content(name) or f"{name} did not come with this version of Signet.\n"


@cache
def html(name: ProductText) -> str:
    """Return a text of this version as HTML."""
    return html_of(content(name))


def html_of(markdown: str) -> str:
    """Return Markdown as HTML; tags in it are escaped, so that nothing runs in a page."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))


def _content(name: ProductText) -> str | None:
    try:
        return resources.product_text(name).read_text("utf-8")
    except OSError:
        return _described() if name is ProductText.README else None


def _described() -> str | None:
    """Return the installed package's description, its README."""
    try:
        described = metadata.metadata(PACKAGE).json.get("description")
    except metadata.PackageNotFoundError:
        return None
    return str(described) if described else None
