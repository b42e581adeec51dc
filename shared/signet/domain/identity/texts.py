"""The product's own texts: what has changed, what is planned, what it is."""

from enum import StrEnum
from functools import cache
from importlib import metadata

from signet import resources

PACKAGE = "signetai"


class ProductText(StrEnum):
    """A text by the name of its file."""

    CHANGELOG = "CHANGELOG.md"
    ROADMAP = "ROADMAP.md"
    README = "README.md"


@cache
def content(name: ProductText) -> str:
    """Return a text of this version as Markdown, a sentence when it did not come with it."""
    return _content(name) or f"{name} did not come with this version of Signet.\n"


@cache
def html(name: ProductText) -> str:
    """Return a text of this version as HTML."""
    return html_of(content(name))


def html_of(markdown: str) -> str:
    """Return Markdown as HTML; tags in it are shown as they are written, so that nothing of it runs in a page."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))


def _content(name: ProductText) -> str | None:
    try:
        return resources.product_text(name).read_text("utf-8")
    except OSError:
        return _described() if name is ProductText.README else None


def _described() -> str | None:
    """Return the description of the installed package, which is its README."""
    try:
        described = metadata.metadata(PACKAGE).json.get("description")
    except metadata.PackageNotFoundError:
        return None
    return str(described) if described else None
