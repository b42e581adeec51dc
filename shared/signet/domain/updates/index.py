"""Ask the package index for versions; the request reveals nothing about us.

Uses pip's index on this machine, PyPI by default: a company's machine must not call elsewhere. PyPI's own API has the
most information; other indexes are queried like pip does.
"""

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from signet.domain.updates import versions
from signet.domain.updates.versions import IndexFailed, Release
from signet.net import indexes, simple
from signet.net import simple as page
from signet.net.http import Client, shown
from signet.text import json_text

PACKAGE = "signetai"
SECONDS = 10.0
MAX_BYTES = 8 * 1024 * 1024
#: PyPI's own API, then that of all indexes.
ACCEPTED = f"application/json;q=0.9, {page.ACCEPTED}"
#: Statuses of an index that has only the latter.
_NO_JSON = frozenset({400, 404, 405, 406, 410, 501})


def latest(index_url: str, *, prereleases: bool) -> Release:
    """Return an index's newest release; raises HttpError if it is unreachable."""
    if not index_url:
        raise IndexFailed("pip or uv is configured to use no package index (no-index)")
    parts = urlsplit(index_url)
    if parts.scheme not in ("http", "https"):
        raise IndexFailed(f"the package index {shown(index_url)} cannot list versions")
    origin = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    path = parts.path.rstrip("/")
    client = Client(origin, max_body_bytes=MAX_BYTES, headers={"Accept": ACCEPTED})
    try:
        reply = client.send(
            "GET", f"{path.removesuffix('/simple')}/pypi/{PACKAGE}/json", timeout_seconds=SECONDS
        )
        if reply.status == 200 and (found := json_text.an_object(reply.body)) is not None:
            return _read(found, prereleases=prereleases)
        if reply.status not in (200, *_NO_JSON):
            raise IndexFailed(f"the package index answered with status {reply.status}")
        reply = client.send("GET", f"{path}/{PACKAGE}/", timeout_seconds=SECONDS)
        if reply.status == 404:
            raise IndexFailed(f"the package index {shown(index_url)} does not know {PACKAGE}")
        if reply.status != 200:
            raise IndexFailed(f"the package index answered with status {reply.status}")
        return newest(PACKAGE, reply.body, prereleases=prereleases)
    finally:
        client.close()


def index_url(environ: Mapping[str, str] = os.environ) -> str:
    """Return the first index of pip or uv, "" if they may query none."""
    return next(iter(indexes.configured(environ).indexes), "")


def _read(found: Mapping[str, Any], *, prereleases: bool) -> Release:
    try:
        releases = {
            version: [file for file in files if not file.get("yanked")]
            for version, files in found["releases"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise IndexFailed("the package index did not answer with a list of versions") from error
    there = [version for version, files in releases.items() if files]
    newest = versions.newest(there, prereleases=prereleases)
    if newest is None:
        return Release(version=None)
    published = releases[newest][0].get("upload_time_iso_8601")
    page = (found.get("info") or {}).get("package_url")
    url = f"{page.rstrip('/')}/{newest}/" if isinstance(page, str) and page else None
    return Release(
        version=newest, url=url, published_at=published if isinstance(published, str) else None
    )


#: File name endings of installable packages.
_BUILT = r"\.(?:whl|tar\.gz|tar\.bz2|zip)"
_SEPARATORS = re.compile(r"[-_.]+")


def newest(package: str, body: bytes, *, prereleases: bool) -> Release:
    """Return the newest version with a file that is not yanked; raises IndexFailed for another page."""
    try:
        files = [file for file in simple.files(body, "") if not file.is_yanked]
    except simple.NoPage as error:
        raise IndexFailed("the package index did not answer with a list of versions") from error
    times = {
        version: file.published_at
        for file in files
        if (version := version_of(package, file.name)) is not None
    }
    found = versions.newest(list(times), prereleases=prereleases)
    return Release(version=found, published_at=times[found] if found else None)


def version_of(package: str, file: str) -> str | None:
    """Return the version in a file name; None for other packages and invalid versions."""
    name = "[-_.]+".join(map(re.escape, _SEPARATORS.split(package)))
    found = re.fullmatch(rf"{name}-([^-]+)(?:-.+)?{_BUILT}", file, re.IGNORECASE)
    return found[1] if found else None
