"""Start at login: a systemd user unit on Linux, a launchd agent on macOS, for the current interpreter.

Uses the files in `deploy/` with the actual command, and the user's PATH: the worker runs programs such as claude,
codex, git and gh, and at login PATH has only the system's folders.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from signet.errors import Conflict
from signet.files import replace_file
from signet.paths import Workspace
from signet.resources import deploy_dir

UNIT = "signet.service"
LABEL = "ai.signet.daemon"
#: Arguments that identify our service file, whichever version wrote it.
_OURS = ("daemon", "start", "--foreground")


#: Run a command; return None, or why it failed.
Run = Callable[[Sequence[str]], str | None]
RUN_SECONDS = 30.0


def run(command: Sequence[str]) -> str | None:
    """Run a command to its end; return None, or why it failed in one line."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RUN_SECONDS,
        )
    except FileNotFoundError:
        return f"{command[0]} is not installed"
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return said[-1] if said else f"exit status {done.returncode}"


class Manager(StrEnum):
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The desired service: its file, and the commands to enable (from now or the next login on) and disable it."""

    manager: Manager
    path: Path
    text: str
    enable: tuple[tuple[str, ...], ...]
    enable_later: tuple[tuple[str, ...], ...]
    disable: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]
    #: A command that succeeds if the manager answers.
    probe: tuple[str, ...] = ()

    @property
    def is_written(self) -> bool:
        """Return whether the file exists with the desired content."""
        return _read(self.path) == self.text

    @property
    def exists(self) -> bool:
        found = _read(self.path)
        return found is not None and all(word in found for word in _OURS)


def planned(
    workspace: Workspace,
    *,
    port: int | None = None,
    environ: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> Service:
    command = _command(workspace, port)
    path = _search_path(environ)
    return _launchd(command, path) if platform == "darwin" else _systemd(command, path, environ)


def is_possible(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Return whether this user has a service manager, and this installation stays."""
    if _is_temporary():
        return False
    runtime = environ.get("XDG_RUNTIME_DIR")
    return platform == "darwin" or bool(runtime and Path(runtime, "systemd", "private").exists())


def _is_temporary() -> bool:
    return bool(re.search(r"/archive-v\d+/|/pipx/\.cache/", sys.prefix))


def check(service: Service, run: Run) -> None:
    """Raise Conflict in a temporary environment of `uvx` or `pipx run`, or without a service manager that answers."""
    if _is_temporary():
        raise Conflict(
            f"Signet runs in {sys.prefix}, a temporary environment of uvx or pipx. Install it first, for example with: "
            "uv tool install signetai",
            "temporary_environment",
        )
    if service.probe and (why := run(service.probe)) is not None:
        raise Conflict(
            f"The service manager of this user does not answer: {why}. Nothing was changed. "
            "Containers and root shells often have none; there, use: signet daemon start",
            "no_service_manager",
        )


def words(workspace: Workspace) -> tuple[str, ...]:
    return sys.executable, str(workspace.root)


def install(service: Service, run: Run, *, now: bool = True) -> tuple[bool, list[str]]:
    """Write and enable the service; return whether the file changed, and the manager's error.

    It starts `now`, or at the next login. Raises Conflict if a file of this name is not ours.
    """
    if service.path.exists() and not service.exists:
        raise Conflict(
            f"{service.path} was not written by Signet; move it elsewhere first",
            "service_exists",
        )
    is_new = not service.is_written
    if is_new:
        service.path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(service.path, service.text.encode())
    return is_new, _run(service.enable if now else service.enable_later, run)


def remove(service: Service, run: Run) -> tuple[bool, list[str]]:
    """Remove the service; return whether it existed, and the manager's error."""
    if not service.exists:
        return False, []
    refused = _run(service.disable, run)
    service.path.unlink()
    return True, refused + _run(service.after, run)


def _run(commands: tuple[tuple[str, ...], ...], run: Run) -> list[str]:
    for command in commands:
        if (why := run(command)) is not None:
            return [f"{' '.join(command)}: {why}"]
    return []


def _command(workspace: Workspace, port: int | None) -> list[str]:
    fixed = [sys.executable, "-P", "-m", "signet.cli.main", "daemon", "start", "--foreground"]
    chosen = [] if port is None else ["--port", str(port)]
    return [*fixed, "--path", str(workspace.root), *chosen]


def _search_path(environ: Mapping[str, str]) -> str:
    folders = environ.get("PATH", "").split(os.pathsep)
    usable = (one for one in folders if one.startswith("/") and one.isprintable())
    return os.pathsep.join(dict.fromkeys(usable))


def _systemd(command: list[str], path: str, environ: Mapping[str, str]) -> Service:
    home = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    template = (deploy_dir() / UNIT).read_text("utf-8")
    line = "ExecStart=" + " ".join(_unit_word(word).replace("$", "$$") for word in command)
    if path:
        line = f"Environment={_unit_word(f'PATH={path}')}\n{line}"
    control = ("systemctl", "--user")
    reload = (*control, "daemon-reload")
    return Service(
        manager=Manager.SYSTEMD,
        path=home / "systemd" / "user" / UNIT,
        text=re.sub(r"(?m)^ExecStart=.*$", lambda _: line, template),
        enable=(reload, (*control, "enable", "--now", UNIT)),
        enable_later=(reload, (*control, "enable", UNIT)),
        disable=((*control, "disable", "--now", UNIT),),
        after=(reload,),
        probe=(*control, "show-environment"),
    )


def _unit_word(word: str) -> str:
    quoted = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{quoted}"'


def _launchd(command: list[str], search_path: str) -> Service:
    import plistlib

    path = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    agent = plistlib.loads((deploy_dir() / f"{LABEL}.plist").read_bytes())
    agent["ProgramArguments"] = command
    if search_path:
        agent["EnvironmentVariables"] = {"PATH": search_path}
    return Service(
        manager=Manager.LAUNCHD,
        path=path,
        text=plistlib.dumps(agent, sort_keys=False).decode(),
        enable=(("launchctl", "load", "-w", str(path)),),
        enable_later=(),  # launchd loads the file at login
        disable=(("launchctl", "unload", "-w", str(path)),),
        after=(),
    )


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
