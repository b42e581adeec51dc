"""Which `signet` and `signet-mcp` a harness runs: their absolute paths.

A harness is started from any shell, where the Python environment of the installation is not active. A bare name is
used only for a program in a folder that is on the PATH of every shell.
"""

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

from signet.domain.harnesses.models import Problem

#: What every shell looks through.
SYSTEM_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))


def command_of(name: str, environ: Mapping[str, str]) -> str:
    """Return how a harness calls a program of this installation, else the one on PATH, else its bare name."""
    path = next((one for one in _places(name, environ) if os.access(one, os.X_OK)), None)
    if path is None:
        return name
    return name if str(path.parent) in SYSTEM_PATH.split(os.pathsep) else str(path)


def problem(program: str) -> str | None:
    """Return why a harness cannot run a program, if it cannot."""
    if "/" in program or "\\" in program:
        return None if Path(program).exists() else f"{program} does not exist"
    if shutil.which(program, path=SYSTEM_PATH) is None:
        return f"{program} is not found outside its own environment"
    return None


def server_problems(path: Path, program: object) -> list[Problem]:
    """Return why the MCP server in a settings file cannot be run; nothing where there is none."""
    why = problem(program) if isinstance(program, str) else None
    return [] if why is None else [Problem(path=path, text=f"MCP server: {why}")]


def _places(name: str, environ: Mapping[str, str]) -> Iterator[Path]:
    suffix = ".exe" if sys.platform == "win32" else ""
    yield Path(sys.executable).with_name(name + suffix)
    yield Path(sysconfig.get_path("scripts"), name + suffix)
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")), name + suffix)
    if found := shutil.which(name, path=environ.get("PATH")):
        yield Path(found).absolute()
