"""Starts a daemon from a process of its own: `python starter.py WORKSPACE PORT CONFIG start|foreground`."""

import sys
from pathlib import Path

from signet.daemon import control
from signet.errors import SignetError
from signet.paths import Workspace

if __name__ == "__main__":
    workspace, port = Workspace(Path(sys.argv[1])), int(sys.argv[2])
    plan = control.StartPlan(config=Path(sys.argv[3]), migrate="daemon.stand_in_migrate")
    if sys.argv[4] == "foreground":
        control.foreground(workspace, port, tell=lambda _: None, plan=plan)
        sys.exit(0)
    try:
        done = control.start(workspace, port, tell=lambda _: None, plan=plan)
    except SignetError as error:
        sys.exit(error.message)
    sys.stdout.write(f"{done.is_new} {done.daemon.pid}\n")
