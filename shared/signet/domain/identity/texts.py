"""The product's own texts: what has changed, what is planned, what it is."""

from enum import StrEnum
from importlib import metadata

from signet import resources
from signet.errors import NotFound

PACKAGE = "signetai"


class ProductText(StrEnum):
    """A text by the name of its file."""

    CHANGELOG = "CHANGELOG.md"
    ROADMAP = "ROADMAP.md"
    README = "README.md"


def content(name: ProductText) -> str:
    """Return a text of this version; raises NotFound when it did not come with it."""
    path = resources.product_text(name)
    try:
        return path.read_text("utf-8")
    except OSError:
        pass
    text = _described() if name is ProductText.README else None
    if text is None:
        raise NotFound(f"{name} did not come with this version")
    return text


def _described() -> str | None:
    """Return the description of the installed package, which is its README."""
    try:
        described = metadata.metadata(PACKAGE).json.get("description")
    except metadata.PackageNotFoundError:
        return None
    return str(described) if described else None
