"""Bring the database to this version's schema, in a separate process: `python -m signet.daemon.migrate WORKSPACE`.

A restore that was killed while it exchanged files is finished before; the supervisor, which waits, holds the lock.

So that no process which stays carries the migration library. What only holds for one run of the daemon is forgotten
here too. Says on stdout what it changed, on stderr why it could not.
"""

import contextlib
import sys
from pathlib import Path

from signet import clock
from signet.db import Database, damage, fts_index, migrate
from signet.domain.activity import events
from signet.domain.backup import swap
from signet.errors import SignetError, StorageBusy, StorageFull
from signet.paths import Workspace
from signet.process import parent


def main() -> int:
    """Upgrade the database of the workspace that the first argument names."""
    parent.watch()
    workspace = Workspace(Path(sys.argv[1]))
    try:
        if (restored := swap.finish(workspace)) is not None:
            aside = workspace.root / restored.aside
            sys.stdout.write(
                f"An interrupted restore was finished; the previous state is in {aside}\n"
            )
        damage.recover(workspace.database)
        done = migrate.upgrade(workspace.database, now=clock.now())
    except SignetError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    _begin_a_life(workspace)
    if done.copy is not None:
        sys.stdout.write(f"Database upgraded; a copy of the previous one is in {done.copy}\n")
    return 0


def _begin_a_life(workspace: Workspace) -> None:
    """Empty what counts since the start of a daemon, and make full-text indexes that are missing.

    Those are filled by a repair in the background. A full disk is no reason not to start.
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
