"""Which versions of a package the page of an index offers. Pure."""

import re

from signet.domain.updates import versions
from signet.domain.updates.models import IndexFailed, Release
from signet.net import simple

#: The end of the name of a file that can be installed.
_BUILT = r"\.(?:whl|tar\.gz|tar\.bz2|zip)"
_SEPARATORS = re.compile(r"[-_.]+")


def newest(package: str, body: bytes, *, prereleases: bool) -> Release:
    """Return the newest version of which a file is offered and not yanked; raises IndexFailed for no such page."""
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
    """Return the version that a file name holds; None for files of another package and what is no release."""
    name = "[-_.]+".join(map(re.escape, _SEPARATORS.split(package)))
    found = re.fullmatch(rf"{name}-([^-]+)(?:-.+)?{_BUILT}", file, re.IGNORECASE)
    return found[1] if found else None
