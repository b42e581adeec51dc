"""How a command line names a program, in the shell in which a harness runs it.

Everywhere but on Windows that is `sh`. There Claude Code runs hooks in Git Bash, Codex in `cmd.exe`, Gemini CLI, Cursor
and Copilot in PowerShell. A path with slashes that needs no quotes is the same in all of them, so that quotes are only
written where a path has a space or the like.
"""

import re
import shlex
import sys
from enum import StrEnum


class Shell(StrEnum):
    """What runs a command line."""

    SH = "sh"
    CMD = "cmd"
    POWERSHELL = "powershell"


_PLAIN = re.compile(r"[\w@+=:,./-]+", re.ASCII)
#: What PowerShell reads in double quotes.
_READ = re.compile(r'[`$"]')


def here(on_windows: Shell) -> Shell:
    """Return the shell of a harness on this machine, which on Windows is the named one."""
    return on_windows if sys.platform == "win32" else Shell.SH


def slashed(path: str) -> str:
    """Return a path as every shell of this machine takes it: on Windows with slashes."""
    return path.replace("\\", "/") if sys.platform == "win32" else path


def quoted(program: str, shell: Shell = Shell.SH) -> str:
    """Return the name of a program as it begins a command line of a shell. Pure."""
    if _PLAIN.fullmatch(program):
        return program
    if shell is Shell.CMD:  # no name of a file has double quotes there
        return f'"{program}"'
    if shell is Shell.POWERSHELL:  # a text is run only after this mark
        escaped = _READ.sub(r"`\g<0>", program)
        return f'& "{escaped}"'
    return shlex.quote(program)


def program_of(command: str) -> str:
    """Return the program that begins a command line; raises ValueError for none and for quotes without an end. Pure."""
    mark, *rest = shlex.split(command) or [""]
    found = rest[0] if mark == "&" and rest else mark
    if not found:
        raise ValueError("there is no program")
    return re.sub(r"`(.)", r"\1", found) if mark == "&" else found
