"""Asking the package index which versions there are; of us it learns nothing but that somebody asks.

It is the index that pip is told to use on this machine, PyPI without one: a company's machine must not call elsewhere.
"""

import configparser
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from json import loads
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from signet.domain.updates import versions
from signet.net.http import Client, HttpError, shown

PACKAGE = "signetai"
PYPI = "https://pypi.org/simple"
SECONDS = 10.0
MAX_BYTES = 8 * 1024 * 1024


class IndexFailed(HttpError):
    """The package index did not say which versions there are."""

    code = "index_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The newest version; None when the index has none that fits."""

    version: str | None
    url: str | None = None
    published_at: str | None = None


def latest(index_url: str, *, prereleases: bool) -> Release:
    """Return the newest release of an index; raises HttpError when it cannot be asked."""
    parts = urlsplit(index_url)
    if parts.scheme not in ("http", "https"):
        raise IndexFailed(f"the package index {shown(index_url)} cannot be asked for versions")
    origin = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    path = parts.path.rstrip("/")
    client = Client(origin, max_body_bytes=MAX_BYTES)
    try:
        reply = client.send(
            "GET", f"{path.removesuffix('/simple')}/pypi/{PACKAGE}/json", timeout_seconds=SECONDS
        )
        if reply.status == 404:
            raise IndexFailed(f"the package index {shown(index_url)} tells nothing of {PACKAGE}")
        if reply.status != 200:
            raise IndexFailed(f"the package index answered with status {reply.status}")
        return _read(reply.body, prereleases=prereleases)
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


def _read(body: bytes, *, prereleases: bool) -> Release:
    try:
        found: dict[str, Any] = loads(body)
        releases = {
            version: [file for file in files if not file.get("yanked")]
            for version, files in found["releases"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
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
