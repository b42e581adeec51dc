"""Asking the package index which versions there are; of us it learns nothing but that somebody asks.

It is the index that pip is told to use on this machine, PyPI without one: a company's machine must not call elsewhere.
PyPI's own interface tells most; an index without it is asked as pip asks it (`simple.py`).
"""

import configparser
import os
import sys
from collections.abc import Mapping
from json import loads
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from signet.domain.updates import simple, versions
from signet.domain.updates.models import IndexFailed, Release
from signet.net.http import Client, shown

PACKAGE = "signetai"
PYPI = "https://pypi.org/simple"
SECONDS = 10.0
MAX_BYTES = 8 * 1024 * 1024
#: PyPI's own interface, then that of all indexes as JSON (PEP 691), then as HTML (PEP 503).
ACCEPTED = (
    "application/vnd.pypi.simple.v1+json, application/json;q=0.9,"
    " application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
)
#: What an index answers that has only the latter.
_NO_JSON = frozenset({400, 404, 405, 406, 410, 501})


def latest(index_url: str, *, prereleases: bool) -> Release:
    """Return the newest release of an index; raises HttpError when it cannot be asked."""
    parts = urlsplit(index_url)
    if parts.scheme not in ("http", "https"):
        raise IndexFailed(f"the package index {shown(index_url)} cannot be asked for versions")
    origin = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    path = parts.path.rstrip("/")
    client = Client(origin, max_body_bytes=MAX_BYTES, headers={"Accept": ACCEPTED})
    try:
        reply = client.send(
            "GET", f"{path.removesuffix('/simple')}/pypi/{PACKAGE}/json", timeout_seconds=SECONDS
        )
        if reply.status == 200 and (found := _object(reply.body)) is not None:
            return _read(found, prereleases=prereleases)
        if reply.status not in (200, *_NO_JSON):
            raise IndexFailed(f"the package index answered with status {reply.status}")
        reply = client.send("GET", f"{path}/{PACKAGE}/", timeout_seconds=SECONDS)
        if reply.status == 404:
            raise IndexFailed(f"the package index {shown(index_url)} tells nothing of {PACKAGE}")
        if reply.status != 200:
            raise IndexFailed(f"the package index answered with status {reply.status}")
        return simple.newest(PACKAGE, reply.body, prereleases=prereleases)
    finally:
        client.close()


def index_url(environ: Mapping[str, str] = os.environ) -> str:
    """Return the index that pip or uv would use: of the environment, of pip's files, else PyPI."""
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        if environ.get(name, "").strip():
            return environ[name].strip()
    # pip reads them in this order, and the last one wins.
    found = [url for path in _files(environ) if (url := _configured(path))]
    return found[-1] if found else PYPI


def _files(environ: Mapping[str, str]) -> list[Path]:
    home = Path(environ.get("HOME") or Path.home())
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    named = environ.get("PIP_CONFIG_FILE")
    files = [Path("/etc/pip.conf"), home / ".pip" / "pip.conf", config / "pip" / "pip.conf"]
    return [*files, Path(sys.prefix) / "pip.conf", *([Path(named)] if named else [])]


def _configured(path: Path) -> str | None:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text("utf-8"))
    except (OSError, ValueError, configparser.Error):
        return None
    values = (parser.get(part, "index-url", fallback="") for part in ("install", "global"))
    return next((value.strip() for value in values if value.strip()), None)


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found = loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _read(found: Mapping[str, Any], *, prereleases: bool) -> Release:
    try:
        releases = {
            version: [file for file in files if not file.get("yanked")]
            for version, files in found["releases"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise IndexFailed("the package index answered with something else than versions") from error
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
