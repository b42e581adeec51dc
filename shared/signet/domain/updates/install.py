"""Install a version with the tool that installed this one, and with no other (TK-35)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import metadata
from pathlib import Path

from signet import __version__, clock
from signet.config.sections import Updates
from signet.domain.updates import check
from signet.domain.updates.check import PACKAGE
from signet.errors import Invalid
from signet.paths import Workspace
from signet.text import json_text

SECONDS = 900.0
#: Maximum length of the tool's output.
OUTPUT_CHARS = 8_000
#: The folder that the tool runs in. `python -m pip` loads `pip.py`, and uv reads `uv.toml`, from where it runs: for the
#: daemon that is the workspace, which restored files, synchronised files and agents can change.
_FOLDER = os.sep


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledUpdate:
    """The result in words."""

    success: bool
    message: str
    output: str | None = None
    installed_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallPlace:
    """The location of this program, and its installer."""

    prefix: Path
    #: The tool's own name, such as `pip`.
    installer: str | None
    is_editable: bool = False

    @classmethod
    def here(cls) -> "InstallPlace":
        """Return the location of this process's installation."""
        try:
            found = metadata.distribution(PACKAGE)
        except metadata.PackageNotFoundError:
            return cls(prefix=Path(sys.prefix), installer=None)
        installer = (found.read_text("INSTALLER") or "").strip() or None
        origin = json_text.an_object(found.read_text("direct_url.json") or "") or {}
        is_editable = bool(origin.get("dir_info", {}).get("editable"))
        return cls(prefix=Path(sys.prefix), installer=installer, is_editable=is_editable)


def command(place: InstallPlace, version: str) -> Sequence[str] | None:
    wanted = f"{PACKAGE}=={version}"
    if place.is_editable:
        return None
    if (place.prefix / "uv-receipt.toml").exists():
        return ("uv", "tool", "upgrade", wanted)
    if (place.prefix / "pipx_metadata.json").exists():
        return ("pipx", "runpip", PACKAGE, "install", "--upgrade", wanted)
    if place.installer == "uv":
        return ("uv", "pip", "install", "--python", sys.executable, wanted)
    if place.installer == "pip":
        return (sys.executable, "-m", "pip", "install", "--no-input", "--upgrade", wanted)
    return None


def install(
    workspace: Workspace,
    settings: Updates,
    target: str | None,
    *,
    now: datetime,
    place: InstallPlace | None = None,
) -> InstalledUpdate:
    """Install a version, by default the newest, and return the result; raises Invalid for an invalid version."""
    if target is not None:
        check.exact(target)
    try:
        with check.alone(workspace):
            return _install(workspace, settings, target, place or InstallPlace.here(), now)
    except BlockingIOError:
        return InstalledUpdate(success=False, message="Update already in progress")


def automatically(
    workspace: Workspace, settings: Updates, *, now: datetime
) -> InstalledUpdate | None:
    """Install the version of an automatic check, unless it is a major one; None if there is nothing to do."""
    known = check.check(workspace, settings, force=False, now=now).known
    target = known.latest_version
    is_wanted = settings.auto_install and known.is_update and check.pending_version() != target
    if target is None or not is_wanted or check.is_major(target, __version__):
        return None
    try:
        done = install(workspace, settings, target, now=now)
    except Invalid as error:  # a version in a form that is not passed to an installer
        done = InstalledUpdate(success=False, message=error.message)
    known = replace(
        known,
        last_auto_update_at=clock.to_text(now),
        last_auto_update_error=None if done.success else done.message,
    )
    check.write_known(workspace, known)
    return done


def _install(
    workspace: Workspace, settings: Updates, target: str | None, place: InstallPlace, now: datetime
) -> InstalledUpdate:
    if target is None:
        known = check.check(workspace, settings, force=True, now=now).known
        if known.check_error is not None:
            return InstalledUpdate(success=False, message=known.check_error)
        if not known.is_update or known.latest_version is None:
            return InstalledUpdate(success=True, message="Already running the latest version.")
        target = known.latest_version
    if target == __version__:
        return InstalledUpdate(success=True, message="Already running the latest version.")
    line = command(place, target)
    if line is None or shutil.which(line[0]) is None:
        why = (
            "Signet runs from a source checkout"
            if place.is_editable
            else "it is not known how Signet was installed"
        )
        by_hand = f"python -m pip install --upgrade {PACKAGE}=={target}"
        return InstalledUpdate(success=False, message=f"Not updated, because {why}. Run: {by_hand}")
    try:
        done = subprocess.run(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SECONDS,
            cwd=_FOLDER,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return InstalledUpdate(success=False, message=f"{line[0]} failed: {error}")
    output = done.stdout[-OUTPUT_CHARS:]
    if done.returncode != 0:
        words = f"{Path(line[0]).name} failed with status {done.returncode}"
        return InstalledUpdate(success=False, message=words, output=output)
    words = f"Update {target} installed. Restart daemon to apply."
    return InstalledUpdate(success=True, message=words, output=output, installed_version=target)
