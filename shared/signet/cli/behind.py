"""Work for which nobody waits, in a program of its own that outlives the hook or command that begins it.

It is a new program and no fork, so that it is the same on every system; what it needs to know, with the key, comes
on its stdin and never as an argument.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from signet.client.target import Target
from signet.errors import SignetError
from signet.paths import Workspace

#: See whether a daemon that was away is there again; hand over what waits for it.
LOOK, DELIVER = "look", "deliver"


def begin(
    workspace: Workspace,
    daemon: Target,
    *steps: str,
    refresh: Sequence[Mapping[str, object]] = (),
) -> None:
    """Begin the steps, then ask the daemon for what is to be known here: for each agent and project of `refresh`.

    Nothing is done where no program can be started: the next hook tries again.
    """
    import subprocess  # few hooks have anything to leave behind

    said = {
        "workspace": str(workspace.root),
        "daemon": daemon._replace(home=None)._asdict(),
        "is_elsewhere": daemon.is_elsewhere,
        "steps": steps,
        "refresh": refresh,
    }
    with suppress(OSError):
        program = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,  # whoever reads the hook's output must see its end
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert program.stdin is not None
        with program.stdin as out:
            out.write(json.dumps(said).encode())


def main() -> None:
    """Do what stdin says."""
    from signet.cli import offline, spooled

    said = json.loads(sys.stdin.buffer.read())
    workspace = Workspace(Path(said["workspace"]))
    daemon = Target(**said["daemon"])
    if said["is_elsewhere"]:
        daemon = daemon._replace(home=workspace.root)
    for step in said["steps"]:
        (spooled.look if step == LOOK else spooled.deliver)(workspace, daemon)
    with suppress(SignetError):
        for body in said["refresh"]:
            offline.refresh(workspace, daemon, body)


if __name__ == "__main__":
    main()
