"""What `--fix` may do to the database: only by asking the daemon for a repair, with its limits and its audit."""

from collections.abc import Mapping
from typing import Any

from signet.care.doctor.models import Mend, Scene
from signet.client import Signet
from signet.client.call import Call
from signet.domain.auth.own import own_token
from signet.domain.diagnostics import rules
from signet.errors import Unavailable

#: Repairs that lose nothing and cost nothing, by the command that a person would give.
SAFE: Mapping[str | None, str] = {
    rules.FTS_HELP: "check-fts",
    rules.LEASES_HELP: "release-leases",
}
_BODIES: Mapping[str, Mapping[str, object]] = {"check-fts": {"repair": True}}


def repair(scene: Scene, path: str) -> Mend:
    """Return the repair of this name, asked of the daemon when it is done."""
    return Mend(what=f"repair {path}", do=lambda: _ask(scene, path))


def _ask(scene: Scene, path: str) -> str:
    if scene.running is None:
        raise Unavailable("requires the daemon: signet daemon start, then run this again")
    signet = Signet(
        url=scene.running.url,
        token=own_token(scene.workspace, "doctor", now=scene.now),
        actor="doctor",
        actor_type="operator",
    )
    call: Call[dict[str, Any]] = Call(
        method="POST", path=f"/api/repair/{path}", body=_BODIES.get(path, {})
    )
    return str(signet.send(call)["message"])
