"""Move a workspace's memory between its file and a PostgreSQL server. The old copy stays until a person removes it.

The setting `storage.url` changes last: a move that was killed before has changed nothing that is in use, and can be
repeated. The old copy is marked then, so that a daemon that opens it reports where the memory is.
"""

import contextlib
import platform
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from signet import clock, config, engine
from signet.config import manifest
from signet.db import ReadTx, migrate
from signet.db import moved as notes
from signet.db.driver import connect
from signet.domain.backup import restore
from signet.domain.connectors import registry
from signet.errors import Conflict, Invalid
from signet.paths import Workspace

if TYPE_CHECKING:
    from signet.db.postgres.moving import Moved, Tell

#: The target of a move back.
FILE = "file"
KEY = restore.STORAGE_URL


class StorageMove(NamedTuple):
    """A completed move: what was copied, and where the copy that is no longer in use remains."""

    moved: "Moved"
    left: str
    file: Path | None = None
    #: Connected folders, which are only read while the memory is in a file.
    folders: tuple[str, ...] = ()


def check(workspace: Workspace, target: str) -> None:
    """Raise Invalid, Conflict or ServerUnfit if the memory cannot move there, while the daemon may run."""
    is_on_server = engine.url_of(workspace.database) is not None
    if target == FILE:
        if not is_on_server:
            raise Conflict("The memory is in the workspace's file already")
        return
    config.check({KEY: target})
    if is_on_server:
        raise Conflict(
            f"The memory is on a server already. Move it back first: signet storage move {FILE}"
        )
    if not workspace.database.exists():
        raise Invalid(
            f"No memory to move. Set the address instead: signet config set {KEY} {shlex.quote(target)}",
            "no_database",
        )
    if missing := engine.missing_packages():
        raise Invalid(missing, "no_packages")
    from signet.db.postgres import moving, schema

    with moving.opened(target) as server:
        is_free = moving.is_empty(server)
        # Or a move of this file was killed after its copy, and nothing was saved there since.
        if not (is_free or schema.note(server) == notes.copy_of(server, workspace.database)):
            raise Conflict(
                f"{target} contains tables. To use a memory that is there: signet config set {KEY} "
                f"{shlex.quote(target)}. To move this one, choose a new database: createdb NAME",
                "not_empty",
            )


def move(workspace: Workspace, target: str, *, tell: "Tell") -> StorageMove:
    """Move to the address of a PostgreSQL database, or to the workspace's file; call `check` first."""
    return (
        to_file(workspace, tell=tell) if target == FILE else to_server(workspace, target, tell=tell)
    )


def to_server(workspace: Workspace, url: str, *, tell: "Tell") -> StorageMove:
    """Copy the file to an empty database and use it from now on. The daemon must not run."""
    from signet.db.postgres import moving, schema
    from signet.db.postgres.address import shown

    with restore.idle(workspace), moving.alone(url) as server:
        migrate.upgrade(workspace.database, now=clock.now())
        folders = _folders(workspace.database)
        with server.transaction():
            moved = moving.load_file(workspace.database, server, tell=tell)
            schema.set_note(server, notes.copy_of(server, workspace.database))
        moving.look_over(server)
        manifest.set_values(workspace, {KEY: url})
        notes.note(workspace.database, shown(url), clock.now())
        engine.use(workspace.database, url)
        notes.clear(workspace.database)
    return StorageMove(moved, left=str(workspace.database), folders=folders)


def _folders(database: Path) -> tuple[str, ...]:
    with contextlib.closing(connect(database, read_only=True)) as connection:
        found = map(registry.root_of, registry.newest(ReadTx(connection)))
        return tuple(filter(None, found))


def to_file(workspace: Workspace, *, tell: "Tell") -> StorageMove:
    """Copy the server's database to the workspace's file and use it from now on; an older file is kept.

    No process may use the database. Raises Conflict if one does.
    """
    url = engine.url_of(workspace.database)
    assert url is not None
    from signet.db.postgres import moving

    part = workspace.database.with_name(f"{workspace.database.name}.moved")
    with restore.idle(workspace), moving.alone(url) as server:
        try:
            moved = moving.write_file(server, part, now=clock.now(), tell=tell)
            folders = _folders(part)
            engine.use(workspace.database, None)
            older = moving.set_aside(workspace.database)
            part.rename(workspace.database)
        finally:
            moving.remove(part)
        manifest.set_values(workspace, {KEY: None})
        engine.use(workspace.database, url)
        notes.note(workspace.database, f"a file of {platform.node()}", clock.now())
        engine.use(workspace.database, None)
    return StorageMove(moved, left=url, file=older, folders=folders)
