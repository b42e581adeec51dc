"""The programs that a harness runs, by absolute path, and how its shell quotes them.

A harness starts in any shell, where the Python environment of the installation is not active. A bare name is used only
for a program in a folder that is on the PATH of every shell. On Windows, Claude Code runs hooks in Git Bash, Codex in
`cmd.exe`, Gemini CLI, Cursor and Copilot in PowerShell. A path with slashes and without blanks needs no quotes in any
of them, so only other paths are quoted.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from signet.domain.harnesses.models import Problem, Site
from signet.errors import Conflict
from signet.process import group


class Shell(StrEnum):
    """The program that runs a command line."""

    SH = "sh"
    CMD = "cmd"
    POWERSHELL = "powershell"


_PLAIN = re.compile(r"[\w@+=:,./-]+", re.ASCII)
#: Characters that PowerShell interprets in double quotes.
_READ = re.compile(r'[`$"]')


def shell_here(on_windows: Shell) -> Shell:
    """Return the shell of a harness on this machine: `on_windows` on Windows, else `sh`."""
    return on_windows if sys.platform == "win32" else Shell.SH


def slashed(path: str) -> str:
    """Return a path in the form that every shell of this machine accepts: on Windows with slashes."""
    return path.replace("\\", "/") if sys.platform == "win32" else path


def quoted(program: str, shell: Shell = Shell.SH) -> str:
    """Quote the program at the start of a command line. Pure."""
    if _PLAIN.fullmatch(program):
        return program
    if shell is Shell.CMD:  # file names have no double quotes there
        return f'"{program}"'
    if shell is Shell.POWERSHELL:  # runs a quoted text only after this mark
        escaped = _READ.sub(r"`\g<0>", program)
        return f'& "{escaped}"'
    return shlex.quote(program)


def program_of(command: str) -> str:
    """Return the program of a command line; raises ValueError if it is missing or a quote is not closed. Pure."""
    mark, *rest = shlex.split(command) or [""]
    found = rest[0] if mark == "&" and rest else mark
    if not found:
        raise ValueError("there is no program")
    return re.sub(r"`(.)", r"\1", found) if mark == "&" else found


#: The PATH of every shell.
SYSTEM_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))


def command_of(name: str, environ: Mapping[str, str]) -> str:
    """Return the path of a program of this installation, else of the one on PATH, else its bare name."""
    path = next((one for one in _places(name, environ) if os.access(one, os.X_OK)), None)
    if path is None:
        return name
    return name if str(path.parent) in SYSTEM_PATH.split(os.pathsep) else str(path)


def problem(program: str) -> str | None:
    """Return why a harness cannot run a program, or None."""
    if "/" in program or "\\" in program:
        return None if Path(program).exists() else f"{program} does not exist"
    if shutil.which(program, path=SYSTEM_PATH) is None:
        return f"{program} is not found outside its own environment"
    return None


def server_problems(path: Path, program: object) -> list[Problem]:
    """Return why the MCP server of a settings file cannot be run; empty without a server."""
    why = problem(program) if isinstance(program, str) else None
    return [] if why is None else [Problem(path=path, text=f"MCP server: {why}")]


def _places(name: str, environ: Mapping[str, str]) -> Iterator[Path]:
    suffix = ".exe" if sys.platform == "win32" else ""
    yield Path(sys.executable).with_name(name + suffix)
    yield Path(sysconfig.get_path("scripts"), name + suffix)
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")), name + suffix)
    if found := shutil.which(name, path=environ.get("PATH")):
        yield Path(found).absolute()


#: Time limit of a check. The slowest harness needs 4 s on an idle machine.
CHECK_SECONDS = 30.0
_SHOWN_CHARS = 500


class SettingsRejected(Conflict):
    """A harness does not accept its settings."""


def check_settings(command: Sequence[str], site: Site) -> str | None:
    """Run a harness's own check of its settings; return a warning when it could not be run.

    Raises SettingsRejected with its output when it exits with an error.
    """
    program = shutil.which(command[0], path=site.environ.get("PATH"))
    shown = " ".join(command)
    if program is None:
        return f"the program {command[0]} was not found on PATH, so its settings were not checked"
    # The check must not run our hooks.
    environment = {**site.environ, "HOME": str(site.home), "SIGNET_NO_HOOKS": "1"}
    try:
        status, said = group.run(
            [program, *command[1:]], folder=site.home, environ=environment, seconds=CHECK_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"`{shown}` did not end within {CHECK_SECONDS:g} s, so the settings were not checked"
    except OSError as error:
        return f"`{shown}` could not be run ({error.strerror}), so the settings were not checked"
    if status:
        why = " ".join(said.split())[-_SHOWN_CHARS:]
        raise SettingsRejected(
            f"{command[0]} rejects its settings with Signet's entries, so they were restored;"
            f" `{shown}` says: {why or f'exit status {status}'}"
        )
    return None
