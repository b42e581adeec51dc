"""State of updates, in one file for all processes; sends no request."""

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from pathlib import Path

from signet import __version__
from signet.domain.updates import versions
from signet.domain.updates.index import PACKAGE
from signet.files import locked, read_file, replace_file
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
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
        return versions.newer(self.latest_version, __version__)


def notice(known: Known, pending: str | None) -> str:
    """Return the update notice for people, and its command; empty if there is none. Pure."""
    if pending is not None:
        return f"Signet {pending} is installed and starts with: signet daemon restart"
    if known.is_update:
        return f"Signet {known.latest_version} is available (this is {__version__}): signet update install"
    return ""


def read(workspace: Workspace) -> Known:
    """Return the state; empty before the first check and for an unreadable file."""
    try:
        found = json.loads(read_file(_file(workspace)))
        names = {one.name for one in fields(Known)}
        return Known(
            **{
                key: value
                for key, value in found.items()
                if key in names and isinstance(value, str)
            }
        )
    except (OSError, ValueError, AttributeError):
        return Known()


def write(workspace: Workspace, known: Known) -> None:
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
    """Return whether an installation is running."""
    try:
        with alone(workspace):
            return False
    except BlockingIOError:
        return True


def _file(workspace: Workspace) -> Path:
    return workspace.daemon_dir / "update.json"
