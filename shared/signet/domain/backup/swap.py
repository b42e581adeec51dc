"""Exchange the files of a workspace for unpacked ones, so that a kill at any instant leaves the old or the new.

The order: the new files are complete, checked and synced in a separate folder. Then the journal is written and synced;
from there on the only way is forward. Each old name is moved into a folder that keeps it, each new one into its place,
by renames alone. Names that were moved already are skipped, so any process that finds the journal can repeat the rest.
The journal is deleted last. Before it exists nothing has changed.

The exchanging process holds the lock of the daemon's supervisor; a starting daemon finishes first (daemon/migrate.py).
"""

import json
import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from signet.domain.backup import archive, create
from signet.domain.backup.archive import CACHES, DAEMON, SECRETS, STATE, VAULT
from signet.domain.backup.models import BadTarget
from signet.errors import StorageDamaged
from signet.files import read_file
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class FileExchange:
    """The names that are removed and added, and the folders of both, all below the workspace."""

    staged: str
    aside: str
    leaving: tuple[str, ...]
    coming: tuple[str, ...]


def plan(
    workspace: Workspace, staged: Path, aside: Path, *, only: Collection[str] | None = None
) -> FileExchange:
    """Return the exchange of all accepted names, or of those that are in `only`.

    Names that no restore writes (keys, git, hidden files) stay where they are. Raises BadTarget for a name on another
    disk, which cannot be renamed.
    """
    root = workspace.root
    coming = [name for name in _owned(staged) if only is None or name in only]
    present = [name for name in _owned(root) if only is None or name in only]
    leaving = [name for name in present if "/" not in name or name in coming]
    device = staged.stat().st_dev
    for name in leaving:
        place = root / name
        if place.is_mount() or place.lstat().st_dev != device:
            raise BadTarget(
                f"{place} is on a different disk and cannot be replaced. "
                "Restore into a workspace on one disk: signet restore FILE -p DIRECTORY"
            )
    return FileExchange(
        staged=str(staged.relative_to(root)),
        aside=str(aside.relative_to(root)),
        leaving=tuple(leaving),
        coming=tuple(coming),
    )


def begin(workspace: Workspace, exchange: FileExchange) -> None:
    """Write the journal: from now on any process that starts finishes the exchange."""
    (workspace.root / exchange.aside).mkdir(parents=True, exist_ok=True, mode=0o700)
    journal = workspace.restore_journal
    part = journal.with_name(f"{journal.name}.part")
    part.unlink(missing_ok=True)
    with create.create_file(part) as file:
        file.write(json.dumps(asdict(exchange)).encode())
        create.sync_file(file)
    part.replace(journal)
    create.sync_folder(journal.parent)


def finish(workspace: Workspace) -> FileExchange | None:
    """Complete the exchange that the journal describes and return it; None without a journal.

    Raises StorageDamaged for a journal that cannot be read.
    """
    try:
        found = json.loads(read_file(workspace.restore_journal))
        exchange = FileExchange(
            staged=found["staged"],
            aside=found["aside"],
            leaving=tuple(found["leaving"]),
            coming=tuple(found["coming"]),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise StorageDamaged(
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
    for folder in (root, root / DAEMON, root / SECRETS, aside, aside / DAEMON, aside / SECRETS):
        if folder.is_dir():
            create.sync_folder(folder)
    shutil.rmtree(staged, ignore_errors=True)
    workspace.restore_journal.unlink()
    create.sync_folder(workspace.daemon_dir)
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
    """Yield the names at the top of a workspace that a restore exchanges, then those inside of private folders."""
    names = (place.name for place in folder.iterdir())
    yield from sorted(
        name for name in names if name not in CACHES and archive.refusal(name) is None
    )
    inner = (*(f"{DAEMON}/{name}" for name in STATE), VAULT)
    yield from (name for name in inner if _there(folder / name))


def _there(path: Path) -> bool:
    return os.path.lexists(path)
