"""`signet status` and `signet paths`: show health and locations."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from signet import __version__, clock, config, engine
from signet.care import capture, contents
from signet.cli import output, work
from signet.cli.command import Output, PathOption, command, plain_client
from signet.cli.output import Ink
from signet.client import DaemonNotRunning, connection
from signet.config.env import is_loopback
from signet.domain.backup import kept
from signet.errors import Kind, SignetError
from signet.paths import Workspace, cache_home, config_home, find_workspace

if TYPE_CHECKING:
    from signet.wire.capture import Capture

_LABEL = 12
#: Workspace files that `status` shows.
_FILES = ("AGENTS.md", "agent.yaml")
#: Providers that send texts to their vendor, whatever address is set.
_VENDORS = frozenset({"anthropic", "claude-code", "codex", "opencode"})


@command()
def status(path: PathOption = None) -> Output:
    """Show daemon, queue and memories. Exits 0 even if the daemon is stopped.

    On a machine connected to a remote daemon, shows the connection, as signet connect does.

    Examples: signet status · signet status --json
    """
    workspace = find_workspace(path)
    if connection.connection_of(workspace) is not None:
        from signet.cli import elsewhere

        yield from elsewhere.shown(workspace, path)
        return
    found = _found(path, workspace)
    found["files"] = {name: (workspace.root / name).exists() for name in _FILES}
    if not _is_on_server(found):
        found["files"]["memories.db"] = workspace.database.exists()
    found["backups"] = _backups(workspace)
    found["disk"] = contents.disk(workspace)
    if "harnesses" not in found:
        found["harnesses"] = _connected(workspace)
    yield found
    ink = output.ink(sys.stdout)
    show = _stopped if not found["running"] else _ill if "error" in found else _running
    yield from map(output.runnable, show(found, ink))


@command()
def paths(path: PathOption = None) -> Output:
    """Show the paths of all files and folders.

    Examples: signet paths · signet paths --json
    """
    workspace = find_workspace(path)
    found = places(workspace)
    yield found
    for name, place in found.items():
        output.say(f"{name:<{_LABEL}}{place}")


def places(workspace: Workspace) -> dict[str, str]:
    models = os.environ.get("SIGNET_MODEL_DIR") or cache_home() / "models"
    found = {
        "workspace": workspace.root,
        "settings": workspace.root / "agent.yaml",
        "database": workspace.database,
        "backups": workspace.backups_dir,
        "secrets": workspace.secrets_dir,
        "logs": workspace.log_dir,
        "state": workspace.state_file,
        "runtime": workspace.runtime_dir,
        "models": models,
        "config": config_home(),
    }
    return {name: str(place) for name, place in found.items()}


def _found(path: str | None, workspace: Workspace) -> dict[str, Any]:
    """Return the daemon's status; with `error`, the supervisor's while the daemon cannot answer."""
    try:
        signet = plain_client(path)
        found: dict[str, Any] = {"running": True, "url": signet.url, **signet.overview()}
        found["waitsFor"] = work.why(found["pipeline"])
        known = found.pop("known")["harnesses"]
        found["harnesses"] = [
            {"name": one["id"], **{key: one[key] for key in ("problems", "notices", "plugin")}}
            for one in known
            if one["connected"] or one["plugin"] or one["problems"]
        ]
        found["harnessNames"] = {one["id"]: one["name"] for one in known}
        return found
    except DaemonNotRunning:
        storage = _storage(workspace)
        return {
            "running": False,
            "agentsDir": str(workspace.root),
            "memories": {"total": contents.memories(workspace.database)},
            "storage": storage,
            "lost": None if storage else contents.lost(workspace.database),
        }
    except SignetError as error:
        from signet.daemon import control

        found = control.status(workspace)
        if error.kind not in (Kind.UNAVAILABLE, Kind.BROKEN) or not found["running"]:
            raise
        return {
            **found,
            "agentsDir": found["workspace"],
            "storage": _storage(workspace),
            "error": error.message,
            "code": error.code,
        }


def _storage(workspace: Workspace) -> dict[str, Any] | None:
    """Return the server that the settings name, None for the workspace's file or an unclear place."""
    config.load(workspace)
    if (url := engine.used(workspace.database)) is None:
        return None
    from signet.db.postgres.address import shown

    return {"engine": "postgresql", "address": shown(url), "version": None}


def _is_on_server(found: Mapping[str, Any]) -> bool:
    storage = found.get("storage")  # absent in an earlier version of the daemon
    return storage is not None and storage["engine"] != "sqlite"


def _ill(found: dict[str, Any], ink: Ink) -> Iterator[str]:
    yield f"{ink.bad('●')} {ink.bold('Daemon running')} · {ink.bad(found['error'])}"
    yield _row("address", found["url"])
    yield _row("up", f"{clock.span(found['uptime'])} · PID {found['pid']}")
    yield _row("processes", ", ".join(_process(one, ink) for one in found["processes"]))
    yield from _workspace(found, ink)


def _stopped(found: dict[str, Any], ink: Ink) -> Iterator[str]:
    is_made = found["files"].get("memories.db", True)
    help = "start it with: signet daemon start" if is_made else "set it up with: signet setup"
    yield f"{ink.dim('○')} {ink.bold('Daemon stopped')} · {help}"
    if found["memories"]["total"] is not None:
        yield _row("memories", str(found["memories"]["total"]))
    yield from _workspace(found, ink)
    if found["lost"]:
        yield ink.bad(f"! {found['lost']}")


def _running(found: dict[str, Any], ink: Ink) -> Iterator[str]:
    reasons = found["reasons"]
    health = found["health"]
    is_ill = health["status"] != "healthy"
    dot = ink.bad("●") if is_ill else ink.warn("●") if reasons else ink.good("●")
    yield f"{dot} {ink.bold('Daemon running')} · version {found['version']}"
    yield _row("address", found["url"])
    yield _row("up", f"{clock.span(found['uptime'])} · PID {found['pid']}")
    yield _row("processes", ", ".join(_process(one, ink) for one in found["processes"]))
    yield _row("queue", _queue(found["queue"], ink))
    for line in work.table(found["pipeline"], ink):
        yield _row("", line)
    if found["backfill"]["state"] in ("running", "stopped"):
        yield _row("backfill", work.backfill_line(found["backfill"]))
    for reason in found["waitsFor"]:
        yield _row("waits", ink.warn(str(reason)))
    yield _row("memories", str(found["memories"]["total"]))
    yield _row("captured", _captured(found["capture"], found["harnessNames"], ink))
    yield _row("vectors", _vectors(found, ink))
    yield _row("facts", texts(found["pipelineV2"].get("extraction", {}), ink))
    if share := found.get("holdout"):
        told = f"{share:.0%} of sessions after the first week receive no memories, for comparison"
        yield _row("hold-out", f"{told} · see: signet eval")
    yield _row("learning", learning(found["predictor"]))
    yield from _workspace(found, ink)
    yield from troubles(health, ink)
    for problem in capture.empty(found["capture"], found["harnessNames"]):
        yield ink.bad(f"! {problem}") + " · see: signet doctor"
    for problem in capture.unread(found["capture"], found["harnessNames"]):
        yield ink.warn(f"! {problem}") + " · report it with: signet report"
    if waiting := found.get("reviewsWaiting"):
        told = f"! {output.count(waiting, 'memory')} to review"
        yield ink.warn(told) + " · see: signet review"
    for reason in reasons:
        yield ink.warn(f"! {reason}") + " · see: signet daemon logs -l warn"
    for warning in [found["configError"], *found["configWarnings"]]:
        if warning:
            yield ink.warn(f"! {warning}")
    if found["version"] != __version__:
        yield ink.warn(f"! {__version__} is installed") + " · use it with: signet daemon restart"
    for key in found["restartRequired"]:
        yield ink.warn(f"! {key} changed") + " · apply it with: signet daemon restart"


def learning(predictor: Mapping[str, Any]) -> str:
    """Return whether ranking learns from useful memories, and from how many sessions."""
    if not predictor["enabled"]:
        return "off, results unchanged"
    state = predictor["state"]
    judged = state["wins"] + state["losses"]
    told = f"better in {state['wins']} of {output.count(judged, 'session')} with a result"
    if state["coldStartExited"]:
        return f"active, {told}"
    if not judged:
        told = "no comparable session yet"
    stopped = f" · stopped {output.day(state['lastRollback'])}" if state["lastRollback"] else ""
    return f"collecting data, results unchanged: {told}{stopped}"


def troubles(health: Mapping[str, Any], ink: Ink) -> Iterator[str]:
    """Yield the health problems, worst first, each with its remedy; red if unhealthy."""
    draw = ink.warn if health["status"] == "healthy" else ink.bad
    for one in sorted(health.get("help", ()), key=lambda one: -float(one["points"])):
        said = draw(f"! {one['domain']}: {output.plain(one['reason'])}")
        yield " · ".join(filter(None, (said, remedy(one))))


def remedy(advice: Mapping[str, Any]) -> str | None:
    """Return the command that helps or, for what passes, that shows it; None without one."""
    label = "watch" if advice.get("passes") else "try"
    return f"{label}: {advice['command']}" if advice["command"] else None


def _captured(found: "Capture", names: Mapping[str, str], ink: Ink) -> str:
    """Return when the last message of each harness was said, newest first."""
    times = [(one["lastMessageAt"], one["harness"]) for one in found["harnesses"]]
    told = [
        f"{names.get(harness, harness)} {output.ago(at)}"
        for at, harness in sorted(((at, name) for at, name in times if at), reverse=True)
    ]
    return " · ".join(told) or ink.dim("no session yet")


def _backups(workspace: Workspace) -> dict[str, Any]:
    there = kept.backups(workspace)
    return {
        "count": len(there),
        "bytes": sum(one.bytes for one in there),
        "newest": kept.to_dict(there[0]) if there else None,
    }


def _backup(backups: dict[str, Any], ink: Ink) -> str:
    newest = backups["newest"]
    if newest is None:
        return ink.dim("none yet · create one with: signet backup")
    age = clock.now() - clock.parse(newest["createdAt"])
    text = output.ago(newest["createdAt"])
    text = ink.warn(f"{text}, create a new one with: signet backup") if age > kept.OLD else text
    return f"{text} · {backups['count']} kept, {output.size(backups['bytes'])}"


def _workspace(found: dict[str, Any], ink: Ink) -> Iterator[str]:
    marks = [
        f"{ink.good('✓') if there else ink.dim('✗')} {name}"
        for name, there in found["files"].items()
    ]
    if _is_on_server(found):
        storage = found["storage"]
        version = f" {storage['version']}" if storage["version"] else ""
        yield _row("storage", f"PostgreSQL{version}, {output.plain(storage['address'])}")
    yield _row("files", "  ".join(marks))
    yield _row("harnesses", _harnesses(found["harnesses"], ink))
    if found["files"].get("memories.db", True):
        yield _row("backup", _backup(found["backups"], ink))
    if disk := found["disk"]:
        used = "" if _is_on_server(found) else f"{output.size(disk['database'])} used, "
        yield _row("disk", f"{used}{output.size(disk['free'])} free")
    yield _row("workspace", found["agentsDir"])


def _process(one: dict[str, Any], ink: Ink) -> str:
    text = f"{one['name']} {one['state']}"
    restarts = f" ({one['restarts']} restarts)" if one["restarts"] else ""
    if one.get("stalls"):  # absent in an earlier version of the daemon
        restarts = f" ({one['restarts']} restarts, {one['stalls']} by the supervisor: it {one.get('lastStall')})"
    return text + restarts if one["state"] == "running" else ink.warn(text) + restarts


def _queue(queue: dict[str, Any], ink: Ink) -> str:
    text = f"{queue['pending']} waiting, {queue['leased']} running, {queue['completed']} done"
    if queue["dead"]:
        dead = ink.bad(f"{queue['dead']} dead")
        text += f", {dead} · see: signet jobs list --status dead"
    return text


def _vectors(found: dict[str, Any], ink: Ink) -> str:
    embedding, provider = found["embedding"], found["vectors"]
    if embedding["model"] is None:
        return "off; recall uses keywords only"
    done = f"{embedding['embedded']} of {embedding['total']} · {provider['provider']}"
    text = (
        f"{done} {embedding['model']}{_away(provider['provider'], provider.get('base_url'), ink)}"
    )
    if provider["available"] or found["waitsFor"]:
        return text
    why = output.plain(provider.get("error") or "unreachable")
    return f"{text} · {ink.warn(why)}"


def texts(extraction: dict[str, Any], ink: Ink) -> str:
    """Return which model reads texts, with a warning if they leave this machine."""
    provider = str(extraction.get("provider", "auto"))
    words = {"none": "none", "rules": "built-in rules"}
    if provider in words:
        return words[provider]
    model, address = str(extraction.get("model", "")), extraction.get("endpoint")
    if provider == "auto":
        where = f"at {_host(address)} if it answers" if address else "in Ollama while it runs"
        return f"{model} {where}, else built-in rules{_away(provider, address, ink)}"
    return f"{provider} {model}{_away(provider, address, ink)}"


def _away(provider: str, address: str | None, ink: Ink) -> str:
    """Return a warning if a provider at this address (None: its usual one) sends texts to another machine."""
    if provider in _VENDORS or (provider == "openai" and address is None):
        return ink.warn(" · texts leave this machine")
    if address is None or is_loopback(_host(address)):
        return ""
    return ink.warn(f" · texts leave this machine for {_host(address)}")


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _connected(workspace: Workspace) -> list[dict[str, Any]]:
    from signet.domain.harnesses import registry
    from signet.domain.harnesses.models import Site

    return [
        {
            "name": name,
            "problems": [f"{one.place}: {one.problem}" for one in entries if one.problem],
            "notices": [one.notice for one in entries if one.notice],
            "plugin": any(one.plugin_removal for one in entries),
        }
        for name, entries in registry.connected(Site(workspace=workspace, home=Path.home())).items()
    ]


def _harnesses(connected: list[dict[str, Any]], ink: Ink) -> str:
    if not connected:
        return ink.dim("none connected · connect one with: signet setup --harness NAME")
    marks = [
        f"{ink.bad('✗') if one['problems'] else ink.good('✓')} {one['name']}"
        f"{' by its plugin' if one['plugin'] else ''}"
        for one in connected
    ]
    broken = [(one["name"], text) for one in connected for text in one["problems"]]
    notices = [f"{one['name']}: {text}" for one in connected for text in one["notices"]]
    if not broken:
        return "  ".join(marks) + (f"  · {ink.warn('; '.join(notices))}" if notices else "")
    name, text = broken[0]
    return "  ".join([*marks, f"· {ink.bad(text)} · repair it with: signet harness install {name}"])


def _row(name: str, text: str) -> str:
    return f"  {name:<{_LABEL}}{text}"
