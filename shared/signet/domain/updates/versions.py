"""Compare versions by PEP 440, which reads `0.2.0-rc.1` as `0.2.0rc1`, and model index releases."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from signet.errors import Invalid
from signet.net.http import HttpError

#: Versions that may be passed to an installer.
_EXACT = re.compile(r"\d+\.\d+\.\d+([-+][0-9A-Za-z.-]+)?", re.ASCII)


def newer(candidate: str | None, current: str) -> bool:
    """Return whether a version is newer than another, ignoring builds; invalid versions are not."""
    try:
        return candidate is not None and Version(Version(candidate).public) > Version(current)
    except InvalidVersion:
        return False


def is_major(candidate: str, current: str) -> bool:
    """Return whether the first numbers differ; both are valid versions."""
    return Version(candidate).major != Version(current).major


def newest(texts: Iterable[str], *, prereleases: bool) -> str | None:
    """Return the newest valid version, without prereleases unless requested."""
    found = {}
    for text in texts:
        with suppress(InvalidVersion):
            version = Version(text)
            if prereleases or not version.is_prerelease:
                found[version] = text
    return found[max(found)] if found else None


def exact(text: str) -> str:
    """Return a requested version; raises Invalid for an invalid one (TK-35)."""
    if not _EXACT.fullmatch(text):
        raise Invalid("targetVersion must be a version such as 1.2.3")
    return text


class IndexFailed(HttpError):
    """The package index did not list the available versions."""

    code = "index_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The newest version; None if the index has no suitable one."""

    version: str | None
    url: str | None = None
    published_at: str | None = None
