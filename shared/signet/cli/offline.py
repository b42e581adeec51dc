"""What hooks do while the daemon that this machine is connected to is away: nothing slow, and what is known here.

Who finds nobody notes it (`connection.note_away`). After that hooks do not try again for some seconds, and then
leave the looking to a process of its own; only a session that begins looks itself, because it may take longer.

What is known here is a file for each agent: what sessions begin with in the projects that were last worked in, and
the rules that stand there, as the daemon said it. Each answer of the daemon replaces all of it, so that what was
forgotten is gone with the next contact.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from signet.client import connection
from signet.client.target import Target
from signet.files import read_file
from signet.paths import Workspace

#: How long (s) a session that begins, and any other hook, waits for a connection while nobody knows better.
START_CONNECT_SECONDS, CONNECT_SECONDS = 0.9, 0.5
#: How long (s) a hook may take in all while nobody has said otherwise: a start is over within a second and a half.
PATIENCE_SECONDS = 1.3
#: Projects that are kept, those that were worked in last; and how rarely (s) they are asked for.
MOST_PROJECTS, REFRESH_SECONDS = 8, 60.0
#: Sessions of which is known whether they were told the rules.
MOST_SESSIONS = 200
#: The daemon may take so long (s) to say what it has: nobody waits for it.
ANSWER_SECONDS = 30.0


def hurried(daemon: Target, *, is_start: bool) -> Target:
    """Return the daemon elsewhere as a hook calls it: soon over when nobody is there."""
    most = START_CONNECT_SECONDS if is_start else CONNECT_SECONDS
    return daemon._replace(connect_seconds=min(daemon.connect_seconds, most))


def is_away(workspace: Workspace, daemon: Target, *, is_start: bool) -> bool:
    """Return whether a hook need not try; when it is time to look again, that begins behind it."""
    since = connection.away_for(workspace)
    if since is None or (is_start and since >= connection.AWAY_SECONDS):
        return False
    if since >= connection.AWAY_SECONDS:
        from signet.cli import spooled

        spooled.look_behind(workspace, daemon)
    return True


def context_of(workspace: Workspace, event: str, body: Mapping[str, object]) -> str:
    """Return what is known here for a session that begins, or for its prompt; empty for nothing.

    A session begins as the daemon last said that it would; its prompts get the standing rules, once.
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


def refresh(workspace: Workspace, daemon: Target, body: Mapping[str, object]) -> None:
    """Ask the daemon for what is to be known here, and put it in the place of what was; raises SignetError."""
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
    # Who may not read it any more keeps none of it.
    if reply.status in (connection.KEY_REFUSED, 403):
        file.unlink(missing_ok=True)
    if reply.status != 200:
        return
    said = json.loads(reply.body)
    contexts = {one["project"]: one for one in said["contexts"]}
    if said["at"] < str(_read(file).get("at", "")):  # a slower answer than another one
        return
    new = {"at": said["at"], "agent": _agent(body), "projects": projects, "contexts": contexts}
    _write(file, {**new, "told": _read(file).get("told", [])})


def is_old(workspace: Workspace, event: str, body: Mapping[str, object]) -> bool:
    """Return whether it is time to ask again: at the start of a session, or when some time has passed."""
    try:
        age = time.time() - _file(workspace, body).stat().st_mtime
    except OSError:
        return True
    return event == "session-start" or age >= REFRESH_SECONDS


def behind(workspace: Workspace, daemon: Target, event: str, body: Mapping[str, object]) -> None:
    """Do in a process of its own what is due after a hook has reached the daemon elsewhere."""
    from signet.cli import behind, spooled

    steps = [behind.DELIVER] if spooled.takes_spool(workspace, daemon) else []
    asked = [_scope(body)] if is_old(workspace, event, body) else []
    if steps or asked:
        behind.begin(workspace, daemon, *steps, refresh=asked)


def forgot(workspace: Workspace, daemon: Target) -> None:
    """Give no context until the daemon, of which something was forgotten, has said it anew; ask it behind."""
    from signet.cli import behind

    agents = []
    for file in workspace.offline_dir.glob("*.json"):
        kept = _read(file)
        _write(file, {**kept, "contexts": {}})
        agents.append({"agentId": kept.get("agent", ""), "project": kept.get("projects", [""])[0]})
    if agents:
        behind.begin(workspace, daemon, refresh=agents)


def forget(workspace: Workspace) -> None:
    """Take away what is known here."""
    import shutil

    shutil.rmtree(workspace.offline_dir, ignore_errors=True)


def _mark(at: str) -> str:
    return f"[signet: the memory cannot be reached now; this is what it said at {at}, and may have changed since]"


def _file(workspace: Workspace, body: Mapping[str, object]) -> Path:
    # No digest: loading one takes a hook as long as all of this. A name that no file can have is not kept.
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
    """Replace a file, which is private; what cannot be kept is asked for again another time."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = file.with_suffix(f".{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            json.dump(content, out)
        draft.replace(file)
