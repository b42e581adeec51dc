"""Upgrade the database to this version's schema in a separate process: `python -m signet.daemon.migrate WORKSPACE`.

An interrupted restore is finished first; the waiting supervisor holds the lock. In a separate process, no daemon
program loads the migration library. State of the previous daemon run is reset here, too. Changes are reported on
stdout, errors on stderr.
"""

import contextlib
import sys
from pathlib import Path

from signet import clock, config, engine
from signet.db import Database, damage, fts_index, migrate, moved
from signet.domain.activity import events
from signet.domain.backup import restore, swap
from signet.errors import SignetError, StorageBusy, StorageFull
from signet.paths import Workspace
from signet.process import parent


def main() -> int:
    """Upgrade the database of the workspace in the first argument."""
    parent.watch()
    workspace = Workspace(Path(sys.argv[1]))
    try:
        if (restored := swap.finish(workspace)) is not None:
            aside = workspace.root / restored.aside
            sys.stdout.write(
                f"An interrupted restore was finished; the previous state is in {aside}\n"
            )
        config.load(workspace)  # where the database is
        if (left := restore.load_pending(workspace)) is not None:
            sys.stdout.write(
                "An interrupted restore was given up, because the memory on the server has changed since; "
                f"its file is {left}\n"
            )
        if engine.url_of(workspace.database) is None:
            damage.recover(workspace.database)
        done = migrate.upgrade(workspace.database, now=clock.now())
        if (elsewhere := moved.read(workspace.database)) is not None:
            sys.stdout.write(f"Warning: {elsewhere.message}\n")
    except SignetError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    _reset(workspace)
    if done.copy is not None:
        sys.stdout.write(f"Database upgraded; a copy of the previous one is in {done.copy}\n")
    return 0


def _reset(workspace: Workspace) -> None:
    """Reset counters of the previous run, and create missing full-text indexes, which a background repair fills.

    A full disk does not prevent the start.
    """
    with contextlib.suppress(StorageBusy, StorageFull):
        db = Database(workspace.database)
        try:
            db.write_quick(events.reset_counters)
            if db.write(fts_index.ensure):
                from signet.domain.maintenance import cycle

                db.write(cycle.fill, now=clock.now())
        finally:
            db.close()


if __name__ == "__main__":
    sys.exit(main())
