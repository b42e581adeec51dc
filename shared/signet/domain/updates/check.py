"""Check for a newer release in the package index, and remember the answer."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timedelta
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from packaging.utils import parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from signet import __version__, clock, config
from signet.config import manifest
from signet.config.manifest import Value
from signet.config.sections import UpdateChannel, Updates
from signet.errors import Invalid
from signet.files import locked, read_file, replace_file
from signet.net import indexes, simple
from signet.net.http import Client, HttpError, shown
from signet.paths import Workspace

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


def newest_of(texts: Iterable[str], *, prereleases: bool) -> str | None:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The newest version; None if the index has no suitable one."""

    version: str | None
    url: str | None = None
    published_at: str | None = None


PACKAGE = "signetai"
SECONDS = 10.0
MAX_BYTES = 8 * 1024 * 1024
_PYPI_PROJECT = f"https://pypi.org/project/{PACKAGE}"


def latest(index_url: str, *, prereleases: bool) -> Release:
    """Return the newest version in an index that is not yanked; raises HttpError if there is no list of versions."""
    if not index_url:
        raise HttpError(
            "pip or uv is configured to use no package index (no-index)", "index_failed"
        )
    parts = urlsplit(index_url)
    if parts.scheme not in ("http", "https"):
        raise HttpError(
            f"the package index {shown(index_url)} cannot list versions", "index_failed"
        )
    origin = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    headers = {"Accept": simple.ACCEPTED}
    with closing(Client(origin, max_body_bytes=MAX_BYTES, headers=headers)) as client:
        path = f"{parts.path.rstrip('/')}/{PACKAGE}/"
        reply = client.send("GET", path, timeout_seconds=SECONDS)
    if reply.status == 404:
        raise HttpError(
            f"the package index {shown(index_url)} does not know {PACKAGE}", "index_failed"
        )
    if reply.status != 200:
        raise HttpError(f"the package index answered with status {reply.status}", "index_failed")
    try:
        files = simple.files(reply.body, index_url)
    except simple.NoPage as error:
        raise HttpError(
            "the package index did not answer with a list of versions", "index_failed"
        ) from error
    times = {
        version: file.published_at
        for file in files
        if not file.is_yanked and (version := version_of(file.name)) is not None
    }
    version = newest_of(times, prereleases=prereleases)
    is_pypi = version is not None and index_url.rstrip("/") == indexes.PYPI
    return Release(
        version=version,
        url=f"{_PYPI_PROJECT}/{version}/" if is_pypi else None,
        published_at=times[version] if version else None,
    )


def index_url(environ: Mapping[str, str] = os.environ) -> str:
    """Return the first package index in the configuration of pip or uv; "" if they may use none."""
    return next(iter(indexes.configured(environ).indexes), "")


def version_of(file: str) -> str | None:
    """Return the version in the name of a file of ours; None for other packages and invalid names."""
    read = parse_wheel_filename if file.endswith(".whl") else parse_sdist_filename
    try:
        name, version, *_ = read(file)
    except ValueError:
        return None
    return str(version) if name == PACKAGE else None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRelease:
    """The last check's result, and that of the last automatic installation; instants are text."""

    latest_version: str | None = None
    release_url: str | None = None
    published_at: str | None = None
    checked_at: str | None = None
    check_error: str | None = None
    last_auto_update_at: str | None = None
    last_auto_update_error: str | None = None

    @property
    def is_update(self) -> bool:
        return newer(self.latest_version, __version__)


def notice(known: KnownRelease, pending: str | None) -> str:
    """Return the update notice for people, and its command; empty without an update. Pure."""
    if pending is not None:
        return f"Signet {pending} is installed and starts with: signet daemon restart"
    if known.is_update:
        return f"Signet {known.latest_version} is available (this is {__version__}): signet update install"
    return ""


def read_known(workspace: Workspace) -> KnownRelease:
    """Return the state; empty before the first check and for an unreadable file."""
    try:
        found = json.loads(read_file(_file(workspace)))
        names = {one.name for one in fields(KnownRelease)}
        return KnownRelease(
            **{
                key: value
                for key, value in found.items()
                if key in names and isinstance(value, str)
            }
        )
    except (OSError, ValueError, AttributeError):
        return KnownRelease()


def write_known(workspace: Workspace, known: KnownRelease) -> None:
    """Store the state; raises OSError."""
    workspace.daemon_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(_file(workspace), json.dumps(asdict(known), indent=2).encode())


def pending_version() -> str | None:
    """Return the version that a restart would start; None if it is this one."""
    try:
        installed = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return None
    return None if installed == __version__ else installed


def alone(workspace: Workspace) -> AbstractContextManager[None]:
    """Hold the installation lock; raises BlockingIOError if another process has it."""
    return locked(workspace.daemon_dir / "update.lock", wait=False)


def is_installing(workspace: Workspace) -> bool:
    try:
        with alone(workspace):
            return False
    except BlockingIOError:
        return True


def _file(workspace: Workspace) -> Path:
    return workspace.daemon_dir / "update.json"


KEPT = timedelta(hours=1)
NOT_ALLOWED = (
    "Not checked yet. To check: signet update check. To check automatically: signet update enable"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The known versions, and whether they come from an earlier check."""

    known: KnownRelease
    is_cached: bool


def is_allowed(settings: Updates) -> bool:
    return settings.auto_check or settings.auto_install


def check(workspace: Workspace, settings: Updates, *, force: bool, now: datetime) -> Checked:
    """Return the known versions; queries the index with `force`, or if allowed and an hour has passed.

    An unreachable index leaves the previous result, with `check_error`.
    """
    known = read_known(workspace)
    checked_at = clock.parsed(known.checked_at)
    is_fresh = checked_at is not None and timedelta(0) <= now - checked_at < KEPT
    if not force and (is_fresh or not is_allowed(settings)):
        if checked_at is None:
            known = replace(known, check_error=NOT_ALLOWED)
        return Checked(known=known, is_cached=checked_at is not None)
    known = replace(known, checked_at=clock.to_text(now), check_error=None)
    try:
        found = latest(index_url(), prereleases=settings.channel is UpdateChannel.NEXT)
    except HttpError as error:
        known = replace(known, check_error=error.message)
    else:
        known = replace(
            known,
            latest_version=found.version or __version__,
            release_url=found.url,
            published_at=found.published_at,
        )
    write_known(workspace, known)
    return Checked(known=known, is_cached=False)


LEAST_SECONDS, MOST_SECONDS = 300, 604_800
_TRUTH = {"true": True, "false": False}


def change(workspace: Workspace, wished: Mapping[str, object]) -> Updates:
    """Write the requested settings and return the result; raises Invalid, with nothing written."""
    checked = {key: _checked(key, value) for key, value in wished.items()}
    manifest.set_values(workspace, {f"updates.{key}": value for key, value in checked.items()})
    return config.load(workspace).settings.updates


def _checked(key: str, value: object) -> Value:
    if key == "check_interval":
        return _seconds(value)
    said = _TRUTH.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(said, bool):
        name = {"auto_install": "autoInstall", "auto_check": "autoCheck"}[key]
        raise Invalid(f"{name} must be true or false", success=False)
    return said


def _seconds(value: object) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:12])
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not LEAST_SECONDS <= int(str(value)) <= MOST_SECONDS:
        raise Invalid(
            f"checkInterval must be between {LEAST_SECONDS} and {MOST_SECONDS} seconds",
            success=False,
        )
    return int(str(value))
