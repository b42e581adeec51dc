"""Reading the page of a package in the form that every index has: PEP 691 as JSON, PEP 503 as HTML. Pure."""

import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from signet.domain.updates import versions
from signet.domain.updates.models import IndexFailed, Release

#: The end of the name of a file that can be installed.
_BUILT = r"\.(?:whl|tar\.gz|tar\.bz2|zip)"
#: A link up to its end, with its attributes; their quoted values may hold anything: some indexes write a bare `>=3.9`.
_LINK = re.compile(r"""<a\b((?:[^>"']|"[^"]*"|'[^']*')*+)>([^<]*)""", re.IGNORECASE)
_BEGIN, _END = re.compile(r"<a\b", re.IGNORECASE), re.compile(r"</a\s*>", re.IGNORECASE)
_QUOTED = re.compile(r"""=\s*(?:"[^"]*"|'[^']*')""")
_YANKED = re.compile(r"\bdata-yanked\b", re.IGNORECASE)
_SEPARATORS = re.compile(r"[-_.]+")


def newest(package: str, body: bytes, *, prereleases: bool) -> Release:
    """Return the newest version of which a file is offered and not yanked; raises IndexFailed for no such page."""
    text = body.decode("utf-8", "replace")
    files = _of_json(text) if text.lstrip().startswith("{") else _of_html(text)
    times = {
        version: at for name, at in files if (version := version_of(package, name)) is not None
    }
    found = versions.newest(list(times), prereleases=prereleases)
    return Release(version=found, published_at=times[found] if found else None)


def version_of(package: str, file: str) -> str | None:
    """Return the version that a file name holds; None for files of another package and what is no release."""
    name = "[-_.]+".join(map(re.escape, _SEPARATORS.split(package)))
    found = re.fullmatch(rf"{name}-([^-]+)(?:-.+)?{_BUILT}", file, re.IGNORECASE)
    return found[1] if found else None


def _of_json(text: str) -> list[tuple[str, str | None]]:
    """Return file names and when they were published."""
    try:
        files: Iterable[Mapping[str, Any]] = json.loads(text)["files"]
        return [
            (str(file["filename"]), _text(file.get("upload-time")))
            for file in files
            if file.get("yanked", False) is False
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexFailed("the package index answered with something else than versions") from error


def _of_html(text: str) -> list[tuple[str, str | None]]:
    links = [link for part in _END.split(text)[:-1] if (link := _last_link(part))]
    if not links:
        raise IndexFailed("the package index answered with something else than versions")
    return [
        (html.unescape(link[2]).strip(), None)
        for link in links
        if not _YANKED.search(_QUOTED.sub("", link[1]))
    ]


def _last_link(part: str) -> re.Match[str] | None:
    """Return the link that a part of a page ends with; looked for once, whatever the page holds."""
    begins = [found.start() for found in _BEGIN.finditer(part)]
    return _LINK.fullmatch(part, begins[-1]) if begins else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
