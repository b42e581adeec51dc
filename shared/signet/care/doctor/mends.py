"""What `signet doctor --fix` does, by the name that a check gives."""

from signet import clock
from signet.care.doctor.place import too_open
from signet.care.steps import CareStep
from signet.client import Signet
from signet.client.call import Call
from signet.db import damage, migrate, moved
from signet.domain.backup import create, restore
from signet.paths import Workspace

_BODIES = {"check-fts": {"repair": True}}


def step(workspace: Workspace, name: str) -> CareStep:
    """Return a step; a repair of the daemon runs there, with its limits and audit."""
    what, do = _HERE.get(name, (f"repair {name}", None))
    return CareStep(what=what, do=lambda: do(workspace) if do else _repair(workspace, name))


def _close(workspace: Workspace) -> str:
    found = [*too_open(workspace)]
    for path, mode in found:
        path.chmod(mode)
    return f"{len(found)} restricted to you"


def _finish(workspace: Workspace) -> str:
    return f"finished; the previous state is in {restore.resume(workspace)}"


def _back_up(workspace: Workspace) -> str:
    return str(create.create(workspace, now=clock.now()).path)


def _structure(workspace: Workspace) -> str:
    return ", ".join(migrate.mend(workspace.database)) or "nothing left to do"


_HERE = {
    "modes": ("restrict private files to you", _close),
    "restore": ("finish the interrupted restore", _finish),
    "backup": ("create a backup", _back_up),
    "loss": ("accept the loss", lambda workspace: damage.accept(workspace.database)),
    "moved": ("use this memory again", lambda workspace: moved.clear(workspace.database)),
    "structure": ("repair indexes and triggers", _structure),
}


def _repair(workspace: Workspace, name: str) -> str:
    signet = Signet(path=str(workspace.root), environ={}, actor="doctor", actor_type="operator")
    call: Call[dict[str, str]] = Call(
        method="POST", path=f"/api/repair/{name}", body=_BODIES.get(name, {})
    )
    return signet.send(call)["message"]
