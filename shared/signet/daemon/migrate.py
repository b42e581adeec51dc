"""Bring the database to this version's schema, in a process of its own: `python -m signet.daemon.migrate WORKSPACE`.

So that no process which stays carries the migration library. Says on stdout what it changed, on stderr why it
could not.
"""

import sys
from pathlib import Path

from signet import clock
from signet.db import migrate
from signet.errors import SignetError
from signet.paths import Workspace
from signet.process import parent


def main() -> int:
    """Upgrade the database of the workspace that the first argument names."""
    parent.watch()
    workspace = Workspace(Path(sys.argv[1]))
    try:
        done = migrate.upgrade(workspace.database, now=clock.now())
    except SignetError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    if done.copy is not None:
        sys.stdout.write(f"Database upgraded; its earlier state is kept in {done.copy}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
