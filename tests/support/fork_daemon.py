"""Daemons as forks of a process that has loaded what their programs import; see `forks.py`.

`signet daemon start` gives the supervisor to Python anew, and the supervisor its migration and its three programs:
five times the same imports, four to six seconds of the processor for each daemon. Here each becomes what it would be
in a fork instead. Parents, sessions, groups, signals, streams, exit statuses and command lines are the same; what
/proc shows of the environment is not.
"""

import atexit
import ctypes
import gc
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from supervisor.options import ServerOptions

from signet.daemon.record import SUPERVISE
from signet.process.pulse import FD

#: What stands before a module in the command lines of a daemon's programs, after the interpreter.
BEFORE = ["-P", "-m"]
#: What prepares the database: the real one, and that of tests/daemon.
MIGRATIONS = ("signet.daemon.migrate", "daemon.stand_in_migrate")
#: Descriptors above the standard streams that may be open.
DESCRIPTORS = 1_024
_spawn_anew = os.posix_spawn


def install() -> None:
    """Let daemons that this process starts from now on be forks of it."""
    os.posix_spawn = _spawn  # type: ignore[assignment]
    ServerOptions.execve = _execve
    subprocess.Popen = _Popen  # type: ignore[assignment, misc]


class _Popen(subprocess.Popen[Any]):
    def __init__(self, command: Any, **how: Any) -> None:
        if [*command[1:3]] == BEFORE and command[3] in MIGRATIONS:
            sys.stdout.flush()
            sys.stderr.flush()
            # In the child, when its streams are what they will be; it does not return.
            how["preexec_fn"] = lambda: _become(command, os.environ)
        super().__init__(command, **how)


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
    _become(command, environ)


def be_supervisor(arguments: list[str], environ: Mapping[str, str]) -> NoReturn:
    """Be the supervisor of a daemon in this process, whose streams are what they will be, and end."""
    os.setsid()
    _become([sys.executable, *BEFORE, SUPERVISE, *arguments], environ)


def _execve(_options: ServerOptions, path: str, command: list[str], environ: Any) -> None:
    if command[1:3] != BEFORE:
        os.execve(path, command, environ)
    _become(command, environ)


def _become(command: list[str], environ: Mapping[str, str]) -> NoReturn:
    """Do what this process would do if it were given to Python anew, and end."""
    assert command[1:3] == BEFORE
    _show(command)
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # What is left of before must not be found unused later, and close a descriptor that is somebody else's by then.
    gc.collect()
    gc.freeze()
    given = dict(environ)
    pulse = int(given.get(FD, 3))  # the one descriptor that the supervisor passes on
    os.closerange(3, pulse)
    os.closerange(pulse + 1 if FD in given else 3, DESCRIPTORS)
    os.environ.clear()
    os.environ.update(given)
    sys.argv = [*command[3:]]
    sys.orig_argv = [*command]
    status = 1
    try:
        runpy.run_module(command[3], run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
        else:
            status = ended.code or 0
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as an end does
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _show(command: list[str]) -> None:
    """Let the kernel show this command line as that of this process (proc_pid_cmdline(5))."""
    fields = Path("/proc/self/stat").read_text("utf-8").rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    interpreter, *rest = [os.fsencode(part) + b"\0" for part in command]
    shown = b"".join(rest)
    filler = end - begin - len(interpreter) - len(shown) - len(b"-X\0\0")
    assert filler >= 0, "too long a command line"
    ctypes.memmove(
        begin, b"".join((interpreter, b"-X\0", b"_" * filler, b"\0", shown)), end - begin
    )
