"""Versions and their order: semantic versioning, and what Python's index makes of it (`0.2.0rc1` is `0.2.0-rc.1`)."""

import re
from functools import total_ordering

from signet.errors import Invalid

#: What may reach a package installer.
_EXACT = re.compile(r"\d+\.\d+\.\d+([-+][0-9A-Za-z.-]+)?", re.ASCII)
_VERSION = re.compile(
    r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-.]?(?P<pre>(?:a|b|rc|dev|alpha|beta|next)[-.0-9A-Za-z]*|(?<=-)[0-9A-Za-z.-]+))?"
    r"(?:\.post\d+)?(?:\+[0-9A-Za-z.-]+)?",
    re.ASCII,
)


@total_ordering
class Version:
    """One version; a prerelease comes before its release."""

    def __init__(self, text: str) -> None:
        """Read a version; raises ValueError."""
        found = _VERSION.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is not a version")
        self.text = text.strip()
        self.numbers = tuple(int(part or 0) for part in found.groups()[:3])
        self.pre = tuple(re.findall(r"\d+|[A-Za-z]+", found["pre"] or ""))

    @property
    def is_prerelease(self) -> bool:
        return bool(self.pre)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key == other._key

    def __lt__(self, other: "Version") -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        # Numbers come before words; without a part of its own a release comes last (semver §11).
        parts = tuple((0, int(one), "") if one.isdigit() else (1, 0, one) for one in self.pre)
        return (self.numbers, not self.pre, parts)


def newer(candidate: str | None, current: str) -> bool:
    """Return whether a version comes after another; what is not a version does not."""
    try:
        return candidate is not None and Version(candidate) > Version(current)
    except ValueError:
        return False


def is_major(candidate: str, current: str) -> bool:
    """Return whether the first number differs; both are versions."""
    return Version(candidate).numbers[0] != Version(current).numbers[0]


def newest(texts: list[str], *, prereleases: bool) -> str | None:
    """Return the newest of these versions, leaving out what is none, and prereleases unless they are wanted."""
    found = []
    for text in texts:
        try:
            version = Version(text)
        except ValueError:
            continue
        if prereleases or not version.is_prerelease:
            found.append(version)
    return max(found).text if found else None


def exact(text: str) -> str:
    """Return a version that somebody asks for; raises Invalid for what is none (TK-35)."""
    if not _EXACT.fullmatch(text):
        raise Invalid("targetVersion must be a version such as 1.2.3")
    return text
