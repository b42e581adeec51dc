"""Exchange what a workspace holds for what was unpacked, so that a kill at any instant leaves the old or the new.

The order: the new files are complete, checked and synced in a folder of their own. Then the journal is written and
synced; from there on there is only one way, forward. Each old name is moved into a folder that keeps it, each new one
into its place, by renames alone; a name that has been moved already is passed over, so that whoever finds the journal
can do all of it again. The journal goes last. Before it exists nothing has been touched.

Whoever exchanges holds the lock of the daemon's supervisor; a daemon that starts finishes first (daemon/migrate.py).
"""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from signet.db.snapshot import Damaged
from signet.domain.backup import disk
from signet.domain.backup.files import CACHES, DAEMON, STATE
from signet.domain.backup.models import BadTarget
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Which names leave and which come, and the folders of both, all below the workspace."""

    staged: str
    aside: str
    leaving: tuple[str, ...]
    coming: tuple[str, ...]


def plan(workspace: Workspace, staged: Path, aside: Path) -> Exchange:
    """Return what is to be exchanged. Raises BadTarget where a name cannot be renamed: another disk begins there."""
    root = workspace.root
    # The key of tokens stays where there is one: that of the backup may have been given up because it leaked.
    kept = f"{DAEMON}/{workspace.auth_secret.name}" if workspace.auth_secret.exists() else None
    coming = [*_owned(staged), *(name for name in _state(staged) if name != kept)]
    leaving = [*_owned(root), *(name for name in _state(root) if name in coming)]
    device = staged.stat().st_dev
    for name in leaving:
        place = root / name
        if place.is_mount() or place.lstat().st_dev != device:
            raise BadTarget(
                f"{place} is on a different disk and cannot be replaced. "
                "Restore into a workspace on one disk: signet restore FILE -p DIRECTORY"
            )
    return Exchange(
        staged=str(staged.relative_to(root)),
        aside=str(aside.relative_to(root)),
        leaving=tuple(leaving),
        coming=tuple(coming),
    )


def begin(workspace: Workspace, exchange: Exchange) -> None:
    """Write the journal: from now on the exchange will be finished, by whoever comes."""
    (workspace.root / exchange.aside).mkdir(parents=True, exist_ok=True, mode=0o700)
    journal = workspace.restore_journal
    part = journal.with_name(f"{journal.name}.part")
    part.unlink(missing_ok=True)
    with disk.create(part) as file:
        file.write(json.dumps(asdict(exchange)).encode())
        disk.sync_file(file)
    part.replace(journal)
    disk.sync_folder(journal.parent)


def finish(workspace: Workspace) -> Exchange | None:
    """Complete the exchange that the journal describes and return it; None without a journal.

    Raises Damaged for a journal that cannot be read.
    """
    try:
        found = json.loads(workspace.restore_journal.read_text("utf-8"))
        exchange = Exchange(
            staged=found["staged"],
            aside=found["aside"],
            leaving=tuple(found["leaving"]),
            coming=tuple(found["coming"]),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise Damaged(
            f"A restore was interrupted, and its journal {workspace.restore_journal} cannot be read ({error}). "
            f"The previous files are in {workspace.replaced_dir}, the unpacked backup in {workspace.restore_dir}. "
            "To keep the workspace in its present state, remove the journal",
            path=str(workspace.restore_journal),
        ) from error
    root = workspace.root
    aside, staged = root / exchange.aside, root / exchange.staged
    for name in exchange.leaving:
        if not _there(aside / name) and _there(root / name):
            _move(root / name, aside / name)
    for name in exchange.coming:
        if _there(staged / name):
            _make_way(root / name, aside)
            _move(staged / name, root / name)
    for folder in (root, workspace.daemon_dir, aside, aside / DAEMON):
        if folder.is_dir():
            disk.sync_folder(folder)
    shutil.rmtree(staged, ignore_errors=True)
    workspace.restore_journal.unlink()
    disk.sync_folder(workspace.daemon_dir)
    return exchange


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, exist_ok=True)
    source.rename(target)


def _make_way(place: Path, aside: Path) -> None:
    """Put away what came to a place after it had been cleared; an empty folder (a start makes one) is replaced."""
    is_empty = place.is_dir() and not place.is_symlink() and next(place.iterdir(), None) is None
    if is_empty or not _there(place):
        return
    number = 1
    while _there(late := aside / f"{place.name}.late-{number}"):
        number += 1
    place.rename(late)


def _owned(folder: Path) -> Iterator[str]:
    yield from sorted(
        place.name for place in folder.iterdir() if place.name not in {DAEMON, *CACHES}
    )


def _state(folder: Path) -> Iterator[str]:
    yield from (f"{DAEMON}/{name}" for name in STATE if (folder / DAEMON / name).exists())


def _there(path: Path) -> bool:
    """Return whether there is something of this name, a link that leads nowhere included."""
    return os.path.lexists(path)
