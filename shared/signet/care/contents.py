"""Count a workspace's content from its files, with or without a daemon."""

import shutil
from pathlib import Path

from signet.errors import StorageDamaged
from signet.paths import Workspace


def memories(database: Path) -> int | None:
    """Return the number of memories in a database of any version; None if unreadable."""
    from signet.db import inspection

    return inspection.memory_count(database)


def lost(database: Path) -> str | None:
    """Return why the daemon does not start with an empty database, and the way back; None where it would start."""
    from signet.db import damage

    try:
        damage.check_not_emptied(database)
    except StorageDamaged as error:
        return error.message
    return None


def disk(workspace: Workspace) -> dict[str, int]:
    """Return the bytes of the database with its log, and the free bytes on its disk; empty without a folder."""
    if not workspace.root.is_dir():
        return {}
    database = workspace.database
    files = [database.with_name(database.name + end) for end in ("", "-wal")]
    used = sum(one.stat().st_size for one in files if one.exists())
    return {"database": used, "free": shutil.disk_usage(workspace.root).free}
