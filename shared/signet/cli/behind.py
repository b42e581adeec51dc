"""Background work in a separate process that outlives the hook or command that starts it.

It is a new program instead of a fork, so that it works on every system. It reads its input, including the key, from
stdin and never from arguments.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from signet.client.target import CallTarget
from signet.errors import SignetError
from signet.paths import Workspace

#: LOOK checks whether the daemon is reachable again; DELIVER sends the spool.
LOOK, DELIVER = "look", "deliver"


def begin(
    workspace: Workspace,
    daemon: CallTarget,
    *steps: str,
    refresh: Sequence[Mapping[str, object]] = (),
) -> None:
    """Start a process for the steps, and refresh the offline copy for each agent and project in `refresh`.

    Does nothing if no process can be started; the next hook tries again.
    """
    import subprocess  # few hooks start background work

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
            stdout=subprocess.DEVNULL,  # readers of the hook's output must see its end
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert program.stdin is not None
        with program.stdin as out:
            out.write(json.dumps(said).encode())


def main() -> None:
    """Run the steps named on stdin."""
    from signet.cli import offline, spooled

    said = json.loads(sys.stdin.buffer.read())
    workspace = Workspace(Path(said["workspace"]))
    daemon = CallTarget(**said["daemon"])
    if said["is_elsewhere"]:
        daemon = daemon._replace(home=workspace.root)
    for step in said["steps"]:
        (spooled.look if step == LOOK else spooled.deliver)(workspace, daemon)
    with suppress(SignetError):
        for body in said["refresh"]:
            offline.refresh(workspace, daemon, body)


if __name__ == "__main__":
    main()
