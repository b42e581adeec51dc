"""Parse a package page in the forms of all indexes: PEP 691 as JSON, PEP 503 as HTML. Pure."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

#: JSON (PEP 691) before HTML (PEP 503).
ACCEPTED = (
    "application/vnd.pypi.simple.v1+json,"
    " application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
)


class NoPage(ValueError):
    """The index did not answer with a package page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFile:
    """A file in an index, with `sha256` and `published_at` if listed."""

    name: str
    url: str
    is_yanked: bool = False
    sha256: str | None = None
    published_at: str | None = None


def files(body: bytes, url: str) -> list[IndexFile]:
    """Return the files on the page at `url`; raises NoPage for other content."""
    text = body.decode("utf-8", "replace")
    return _of_json(text, url) if text.lstrip().startswith("{") else _of_html(text, url)


def _of_json(text: str, url: str) -> list[IndexFile]:
    try:
        found: Iterable[Mapping[str, Any]] = json.loads(text)["files"]
        return [
            IndexFile(
                name=str(file["filename"]),
                url=urljoin(url, str(file.get("url", ""))),
                is_yanked=file.get("yanked", False) is not False,
                sha256=_text((file.get("hashes") or {}).get("sha256")),
                published_at=_text(file.get("upload-time")),
            )
            for file in found
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoPage from error


def _of_html(text: str, url: str) -> list[IndexFile]:
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(text)
    links = page.css("a")
    if not links:
        raise NoPage
    base = page.css_first("base")
    at = urljoin(url, _href(base)) if base else url
    return [_of_link(link, at) for link in links]


def _of_link(link: "LexborNode", base: str) -> IndexFile:
    try:
        url, fragment = urldefrag(urljoin(base, _href(link)))
    except ValueError:  # an invalid URL
        url, fragment = "", ""
    kind, _, digest = fragment.partition("=")
    return IndexFile(
        name=link.text().strip(),
        url=url,
        is_yanked="data-yanked" in link.attributes,
        sha256=digest if kind == "sha256" else None,
    )


def _href(link: "LexborNode") -> str:
    return link.attributes.get("href") or ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
