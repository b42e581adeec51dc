"""`signet daemon …`: start, stop and inspect the daemon of a workspace, and start it at login."""

import contextlib
import os
import re
import sys
import threading
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from signet import clock
from signet.cli import output
from signet.cli.command import (
    JsonOption,
    Output,
    PathOption,
    PortOption,
    StatusAnswer,
    command,
    declared,
    opt,
)
from signet.cli.options import DryRunOption, SinceOption
from signet.config.env import is_loopback
from signet.observe import logfile, logread
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.care.service import Service
    from signet.daemon.control import StartedDaemon

#: Time limit for restarting OpenClaw.
OPENCLAW_SECONDS = 30.0

HostOption = Annotated[
    str | None,
    opt(
        "Address to listen on; default: SIGNET_BIND, else the last one, else 127.0.0.1.",
        "--host",
        "--bind",
    ),
]

app = typer.Typer(
    help="Start, stop and inspect the daemon.", no_args_is_help=True, rich_markup_mode=None
)


@command(app)
def start(
    path: PathOption = None,
    port: PortOption = None,
    host: HostOption = None,
    foreground: Annotated[bool, "Run in the foreground until Ctrl-C; logs go to stdout."] = False,
    as_json: bool = False,
) -> Output:
    """Start the daemon and return when it is ready.

    Examples: signet daemon start · signet daemon start --port 4000 --foreground
    """
    from signet.daemon import control

    workspace = find_workspace(path)
    chosen = port or default_port(workspace)
    if foreground:
        found = control.foreground(workspace, chosen, bind=host, tell=output.tell)
        yield from _say_started(workspace, control.StartedDaemon(daemon=found, is_new=False))
        return
    with shown_log(as_json):
        done = control.start(workspace, chosen, bind=host, tell=output.tell)
    yield from _say_started(workspace, done)
    if port and not done.is_new and not done.daemon.url.endswith(f":{port}"):
        output.hint(f"Change its port with: signet daemon restart --port {port}")
    if host and not done.is_new and done.daemon.bind != host:
        output.hint(f"Change its address with: signet daemon restart --host {host}")


@command(app)
def stop(path: PathOption = None) -> Output:
    """Stop the daemon. Jobs that do not end within seconds return to the queue.

    Examples: signet daemon stop · signet daemon stop --path ~/other
    """
    from signet.daemon import control

    was_running = control.stop(find_workspace(path))
    yield {"running": False, "stopped": was_running}
    output.say("Daemon stopped" if was_running else "Daemon is not running")


@command(app)
def restart(
    path: PathOption = None,
    port: PortOption = None,
    host: HostOption = None,
    no_openclaw: Annotated[
        bool, "Do not restart OpenClaw, even if agent.yaml configures it."
    ] = False,
    as_json: bool = False,
) -> Output:
    """Restart the daemon, even if it hangs; on the same port and address unless --port or --host names another.

    Also restarts OpenClaw, if services.openclaw.restart_command is set in agent.yaml.

    Examples: signet daemon restart · signet daemon restart --port 4000 ·
    signet daemon restart --host 0.0.0.0
    """
    from signet.daemon import control

    workspace = find_workspace(path)
    with shown_log(as_json):
        usual = default_port(workspace)
        done = control.restart(workspace, port, default_port=usual, bind=host, tell=output.tell)
    if not no_openclaw:
        _restart_openclaw(workspace)
    yield from _say_started(workspace, done)


@command(app)
def status(path: PathOption = None) -> Output:
    """Show the daemon and its three processes; exit 1 if it is not running.

    Examples: signet daemon status · signet daemon status --json
    """
    from signet.daemon import control

    found = control.status(find_workspace(path))
    yield StatusAnswer(found, status=0 if found["running"] else 1)
    output.advise("\n".join(_status_lines(found)))


def started(workspace: Workspace, port: int, *, quiet: bool) -> "StartedDaemon":
    """Start the daemon, showing on a transient line what it still waits for."""
    from signet.daemon import control

    with output.Passing(quiet=quiet) as passing:
        return control.start(workspace, port, tell=passing.show)


@contextlib.contextmanager
def shown_log(as_json: bool) -> Iterator[None]:
    """On a failed start, show the end of the startup log below the error."""
    from signet.daemon.record import StartFailed

    try:
        yield
    except StartFailed as error:
        output.failed(error.message, error.code, as_json=as_json)
        for line in error.tail:
            output.tell(f"  {line}")
        output.hint(f"Complete log: {error.log}")
        raise typer.Exit(1) from None


def default_port(workspace: Workspace) -> int:
    """Return the port for a daemon without an explicit one (`record.next_port`); print warnings to stderr."""
    from signet.config.env import read_environment
    from signet.daemon import record

    environment, warnings = read_environment(os.environ)
    for warning in warnings:
        output.tell(warning)
    return record.next_port(workspace, environment)


def _restart_openclaw(workspace: Workspace) -> None:
    """Run the configured command that restarts OpenClaw (HN-56); report a failure and continue."""
    from signet import config

    command = config.load(workspace).settings.services.openclaw.restart_command
    if not command:
        return
    import subprocess

    try:
        subprocess.run(
            command,
            shell=True,
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=OPENCLAW_SECONDS,
        )
    except subprocess.SubprocessError as error:
        # Do not print the command: it may contain a secret.
        why = "took too long" if isinstance(error, subprocess.TimeoutExpired) else "failed"
        output.tell(f"! services.openclaw.restart_command {why}")


def _say_started(workspace: Workspace, done: "StartedDaemon") -> Output:
    from signet.daemon import control

    if done.daemon.notice:
        output.tell(done.daemon.notice)
    yield {**control.status(workspace), "started": done.is_new}
    output.say("Daemon started" if done.is_new else "Daemon is already running")
    if done.trouble:
        output.tell(f"! {done.trouble}")
    output.say(done.daemon.url)


def _status_lines(found: dict[str, object]) -> list[str]:
    if not found["running"]:
        return ["Daemon is not running", f"Workspace  {found['workspace']}"]
    processes = found["processes"]
    assert isinstance(processes, list)
    shown = [
        f"{one['name']:<10} {one['state']}, PID {one['pid'] or '-'}, restarts {one['restarts']}"
        + (f"; replaced, because it {one['stall']}" if one["stall"] else "")
        for one in processes
    ]
    return [
        f"Daemon is running, version {found['version']}",
        f"Address    {found['url']}"
        + ("" if is_loopback(str(found["bind"])) else f", listens on {found['bind']}"),
        f"PID        {found['pid']}",
        f"Uptime     {clock.span(float(str(found['uptime'])))}",
        f"Workspace  {found['workspace']}",
        *(shown or ["Its supervisor does not answer. Replace it with: signet daemon restart"]),
    ]


@app.command()
@declared
def logs(
    path: PathOption = None,
    lines: Annotated[int, opt("Number of lines.", "-n", min=0)] = 50,
    follow: Annotated[bool, opt("Keep printing new lines until Ctrl-C.", "-f")] = False,
    level: Annotated[str, opt("Lowest level shown: debug, info, warn, error.", "-l")] = "debug",
    category: Annotated[
        str | None, opt("Only lines of this category, such as pipeline.", "-c")
    ] = None,
    since: SinceOption = None,
    grep: Annotated[str | None, "Only lines that match this regular expression."] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the log of the daemon's processes, oldest line first.

    Examples: signet daemon logs -n 100 -l warn · signet daemon logs -f -c pipeline · signet daemon logs --since 1h
    """
    if level not in logread.RANK:
        raise typer.BadParameter(f"{level}; one of {', '.join(logread.RANK)}", param_hint="--level")
    from signet.daemon import record

    workspace = find_workspace(path)
    if record.running(workspace) is None:
        output.hint("Daemon is not running; these are its last log lines")
    place = logfile.place(workspace.log_dir, os.environ)
    wanted = logread.LogFilter(level=level, category=category, since=since, text=_pattern(grep))
    # Opened before reading the older lines, so that none is lost.
    coming = logread.follow(place, wanted, threading.Event()) if follow else iter(())
    older = logread.newest(place, lines, wanted)
    if as_json and not follow:
        output.show({"logs": older, "count": len(older)})
        return
    with contextlib.suppress(KeyboardInterrupt):
        for entry in chain(older, coming):
            output.show(entry) if as_json else output.say(output.plain(_log_line(entry)))


def _pattern(grep: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(grep, re.IGNORECASE) if grep else None
    except re.error as error:
        raise typer.BadParameter(f"{grep!r}: {error}", param_hint="--grep") from None


def _log_line(entry: logread.Entry) -> str:
    when = clock.parse(str(entry["timestamp"])).astimezone().strftime("%Y-%m-%d %H:%M:%S%z")
    words = [when, f"{entry.get('level')!s:<5}", entry.get("category"), entry.get("message")]
    data, error = entry.get("data"), entry.get("error")
    if isinstance(data, dict):
        words += [f"{name}={value}" for name, value in data.items()]
    if "duration" in entry:
        words.append(f"took {entry['duration']} ms")
    if isinstance(error, dict):
        words.append(f"· {error.get('name')}: {error.get('message')}")
    return " ".join(str(word) for word in words)


@command(app, does="start Signet at every login")
def install(
    path: PathOption = None,
    port: PortOption = None,
    dry_run: DryRunOption = False,
) -> Output:
    """Start the daemon at every login, as a user service.

    A running daemon is restarted as that service.

    Examples: signet daemon install · signet daemon install --dry-run
    """
    from signet.care import service
    from signet.daemon import control, record

    workspace = find_workspace(path)
    found = service.planned(workspace, port=port)
    if dry_run:
        yield from _planned(found, is_written=False)
        return
    service.check(found, service.run)
    workspace.make()
    if not found.is_written and record.running(workspace) is not None:
        control.stop(workspace)  # otherwise the service would find the port taken
    is_new, refused = service.install(found, service.run)
    facts = {"service": str(found.path), "written": is_new, "refused": refused}
    yield StatusAnswer(facts, status=1 if refused else 0)
    if refused:
        output.failed(
            f"{found.path} is written, but {refused[0]}", "service_refused", as_json=False
        )
        return
    output.say(f"Service {'' if is_new else 'already '}installed: {found.path}")
    if found.manager is service.Manager.SYSTEMD:
        output.hint("Keep it running after logout with: loginctl enable-linger")


@command(app, does="stop starting Signet at every login")
def uninstall(path: PathOption = None, dry_run: DryRunOption = False) -> Output:
    """Remove the service that `install` added, and stop the daemon.

    Examples: signet daemon uninstall · signet daemon uninstall --dry-run
    """
    from signet.care import service

    found = service.planned(find_workspace(path))
    if dry_run:
        yield from _planned(found, is_written=True)
        return
    was_there, refused = service.remove(found, service.run)
    yield {"service": str(found.path), "removed": was_there, "refused": refused}
    output.say(f"Service removed: {found.path}" if was_there else "No service is installed")
    for line in refused:
        output.tell(f"{output.ink(sys.stderr).warn('!')} {line}")


def _planned(found: "Service", *, is_written: bool) -> Output:
    commands = [*found.disable, *found.after] if is_written else [*found.enable]
    lines = [" ".join(command) for command in commands]
    text = None if is_written else found.text
    yield {"service": str(found.path), "text": text, "commands": lines}
    output.say(f"Would {'remove' if is_written else 'write'} {found.path}")
    if not is_written:
        output.say(found.text.rstrip())
    for line in lines:
        output.say(f"Would run: {line}")
