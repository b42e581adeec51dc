"""Daemons as forks of a process that has loaded what their programs import; see `forks.py`.

`signet daemon start` gives the supervisor to Python anew. Here it becomes what it would be in a fork instead, as the
daemon's programs do. Parents, sessions, groups, signals, streams, exit statuses and command lines are the same; what
/proc shows of the environment is not.
"""

import os
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from signet.daemon.forks import BEFORE, become
from signet.daemon.record import SUPERVISE

_spawn_anew = os.posix_spawn


def install() -> None:
    """Let daemons that this process starts from now on be forks of it."""
    os.posix_spawn = _spawn  # type: ignore[assignment]


def _spawn(path: str, command: list[str], environ: Mapping[str, str], /, **how: Any) -> int:
    if SUPERVISE not in command:
        return _spawn_anew(path, command, environ, **how)
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        return pid
    assert how["setsid"] and how.keys() == {"setsid", "file_actions"}
    os.setsid()
    for action, number, *rest in how["file_actions"]:
        if action == os.POSIX_SPAWN_DUP2:
            os.dup2(number, *rest)
        else:
            opened = os.open(*rest)
            os.dup2(opened, number)
    become(command, environ)


def be_supervisor(arguments: list[str], environ: Mapping[str, str]) -> NoReturn:
    """Be the supervisor of a daemon in this process, whose streams are what they will be, and end."""
    os.setsid()
    become([sys.executable, *BEFORE, SUPERVISE, *arguments], environ)
