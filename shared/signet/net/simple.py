"""Reading the page of a package in the form that every index has: PEP 691 as JSON, PEP 503 as HTML. Pure."""

import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag, urljoin

#: JSON (PEP 691) before HTML (PEP 503).
ACCEPTED = (
    "application/vnd.pypi.simple.v1+json,"
    " application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
)
#: A link up to its end, with its attributes; their quoted values may hold anything: some indexes write a bare `>=3.9`.
_LINK = re.compile(r"""<a\b((?:[^>"']|"[^"]*"|'[^']*')*+)>([^<]*)""", re.IGNORECASE)
_BEGIN, _END = re.compile(r"<a\b", re.IGNORECASE), re.compile(r"</a\s*>", re.IGNORECASE)
_QUOTED = re.compile(r"""=\s*(?:"[^"]*"|'[^']*')""")
_YANKED = re.compile(r"\bdata-yanked\b", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE)
_BASE = re.compile(r"<base\b[^>]*>", re.IGNORECASE)


class NoPage(ValueError):
    """The index did not answer with a package page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file that an index offers; `sha256` and `published_at` where the index says so."""

    name: str
    url: str
    is_yanked: bool = False
    sha256: str | None = None
    published_at: str | None = None


def files(body: bytes, url: str) -> list[File]:
    """Return the files on the page at `url`; raises NoPage when it is something else."""
    text = body.decode("utf-8", "replace")
    return _of_json(text, url) if text.lstrip().startswith("{") else _of_html(text, url)


def _of_json(text: str, url: str) -> list[File]:
    try:
        found: Iterable[Mapping[str, Any]] = json.loads(text)["files"]
        return [
            File(
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


def _of_html(text: str, url: str) -> list[File]:
    links = [link for part in _END.split(text)[:-1] if (link := _last_link(part))]
    if not links:
        raise NoPage
    base = _BASE.search(text)
    at = urljoin(url, _href(base[0])) if base else url
    return [_of_link(link[1], html.unescape(link[2]).strip(), at) for link in links]


def _of_link(attributes: str, name: str, base: str) -> File:
    try:
        url, fragment = urldefrag(urljoin(base, _href(attributes)))
    except ValueError:  # an address that is none
        url, fragment = "", ""
    kind, _, digest = fragment.partition("=")
    return File(
        name=name,
        url=url,
        is_yanked=_YANKED.search(_QUOTED.sub("", attributes)) is not None,
        sha256=digest if kind == "sha256" else None,
    )


def _href(attributes: str) -> str:
    found = _HREF.search(attributes)
    return html.unescape(next(filter(None, found.groups()), "")) if found else ""


def _last_link(part: str) -> re.Match[str] | None:
    """Return the link that a part of a page ends with; looked for once, whatever the page holds."""
    begins = [found.start() for found in _BEGIN.finditer(part)]
    return _LINK.fullmatch(part, begins[-1]) if begins else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
