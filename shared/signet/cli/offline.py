"""Let hooks work while the remote daemon of this machine is unreachable: without delay, from an offline copy.

A hook that fails to connect records it (`connection.note_away`). Later hooks do not try for some seconds, and then
start a background process that checks. Only a session start checks itself, because it may take longer.

The offline copy is a file per agent: session starts of the most recent projects and their standing rules. Each answer
of the daemon replaces all of it, so a forgotten text disappears with the next contact.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from signet.client import connection
from signet.client.target import CallTarget
from signet.files import read_file
from signet.paths import Workspace

#: Connect timeout (s) of a session start and of other hooks, unless the daemon is known to be unreachable.
START_CONNECT_SECONDS, CONNECT_SECONDS = 0.9, 0.5
#: Total time limit (s) of a hook by default: a session start ends within a second and a half.
PATIENCE_SECONDS = 1.3
#: Most recent projects to keep, and the minimum seconds between refreshes.
MOST_PROJECTS, REFRESH_SECONDS = 8, 60.0
#: Sessions to remember as having received the rules.
MOST_SESSIONS = 200
#: Timeout (s) of a background refresh.
ANSWER_SECONDS = 30.0


def hurried(daemon: CallTarget, *, is_start: bool) -> CallTarget:
    """Return the remote daemon with a hook's short connect timeout."""
    most = START_CONNECT_SECONDS if is_start else CONNECT_SECONDS
    return daemon._replace(connect_seconds=min(daemon.connect_seconds, most))


def is_away(workspace: Workspace, daemon: CallTarget, *, is_start: bool) -> bool:
    """Return whether a hook should skip the call; start a background check after some time."""
    since = connection.away_for(workspace)
    if since is None or (is_start and since >= connection.AWAY_SECONDS):
        return False
    if since >= connection.AWAY_SECONDS:
        from signet.cli import spooled

        spooled.look_behind(workspace, daemon)
    return True


def context_of(workspace: Workspace, event: str, body: Mapping[str, object]) -> str:
    """Return the offline context for a session start or a prompt; empty without one.

    A session start gets the daemon's last answer; the first prompt gets the standing rules, once.
    """
    file = _file(workspace, body)
    kept = _read(file)
    project, key = str(body.get("project") or ""), str(body.get("sessionKey") or "")
    contexts = kept.get("contexts", {})
    found = contexts.get(project) or contexts.get("") or {}
    text = str(found.get("inject" if event == "session-start" else "rules") or "")
    told = [one for one in kept.get("told", []) if one != key]
    if not text or (event != "session-start" and len(told) < len(kept.get("told", []))):
        return ""
    if key and event != "session-start":
        _write(file, {**kept, "told": [*told, key][-MOST_SESSIONS:]})
    return f"{_mark(str(kept.get('at')))}\n\n{text}"


def refresh(workspace: Workspace, daemon: CallTarget, body: Mapping[str, object]) -> None:
    """Fetch the offline copy from the daemon and replace the old one. Raises SignetError."""
    file = _file(workspace, body)
    kept = _read(file)
    here = str(body.get("project") or "")
    projects = [here, *(one for one in kept.get("projects", []) if one != here)]
    if "" not in projects[:MOST_PROJECTS]:
        projects.insert(MOST_PROJECTS - 1, "")
    projects = projects[:MOST_PROJECTS]
    asked: dict[str, object] = {"projects": projects}
    if agent := _agent(body):
        asked["agentId"] = agent
    from signet.client import transport
    from signet.client.call import Call

    call: Call[object] = Call(method="POST", path="/api/hooks/offline", body=asked)
    reply = transport.send(daemon._replace(seconds=ANSWER_SECONDS, only_signet=True), call)
    # A rejected key must keep no copy.
    if reply.status in (connection.KEY_REFUSED, 403):
        file.unlink(missing_ok=True)
    if reply.status != 200:
        return
    said = json.loads(reply.body)
    contexts = {one["project"]: one for one in said["contexts"]}
    if said["at"] < str(_read(file).get("at", "")):  # a slower answer than a concurrent one
        return
    new = {"at": said["at"], "agent": _agent(body), "projects": projects, "contexts": contexts}
    _write(file, {**new, "told": _read(file).get("told", [])})


def is_old(workspace: Workspace, event: str, body: Mapping[str, object]) -> bool:
    """Return whether to refresh: at a session start, or after some time."""
    try:
        age = time.time() - _file(workspace, body).stat().st_mtime
    except OSError:
        return True
    return event == "session-start" or age >= REFRESH_SECONDS


def behind(
    workspace: Workspace, daemon: CallTarget, event: str, body: Mapping[str, object]
) -> None:
    """Start a background refresh after a hook has reached the remote daemon."""
    from signet.cli import spooled

    steps = [spooled.DELIVER] if spooled.may_receive_spool(workspace, daemon) else []
    asked = [_scope(body)] if is_old(workspace, event, body) else []
    if steps or asked:
        spooled.begin(workspace, daemon, *steps, refresh=asked)


def forgot(workspace: Workspace, daemon: CallTarget) -> None:
    """Disable the offline copy after a forget until the daemon has replaced it, in the background."""
    from signet.cli import spooled

    agents = []
    for file in workspace.offline_dir.glob("*.json"):
        kept = _read(file)
        _write(file, {**kept, "contexts": {}})
        agents.append({"agentId": kept.get("agent", ""), "project": kept.get("projects", [""])[0]})
    if agents:
        spooled.begin(workspace, daemon, refresh=agents)


def forget(workspace: Workspace) -> None:
    import shutil

    shutil.rmtree(workspace.offline_dir, ignore_errors=True)


def _mark(at: str) -> str:
    return f"[signet: the memory is unreachable; this copy is from {at} and may be outdated]"


def _file(workspace: Workspace, body: Mapping[str, object]) -> Path:
    # No digest: importing hashlib takes as long as the whole hook. An impossible file name is not stored.
    name = _agent(body).encode("utf-8", "surrogatepass").hex() or "usual"
    return workspace.offline_dir / f"{name}.json"


def _scope(body: Mapping[str, object]) -> Mapping[str, object]:
    return {name: body[name] for name in ("agentId", "project") if name in body}


def _agent(body: Mapping[str, object]) -> str:
    return str(body.get("agentId") or os.environ.get("SIGNET_AGENT_ID") or "")


def _read(file: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads(read_file(file))
        if isinstance(found, dict):
            return found
    return {}


def _write(file: Path, content: Mapping[str, object]) -> None:
    """Replace a private file; ignore errors, because it is fetched again later."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = file.with_suffix(f".{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            json.dump(content, out)
        draft.replace(file)
