"""Takes from a Python of Linux what that of Windows does not have, where this folder is on its PYTHONPATH.

Modules, functions and constants of POSIX are gone, folders cannot be opened, only sockets can be waited for, signal 0
ends a process, and a file that somebody has open cannot be locked a second time. The standard library and typer are
loaded first, as they choose by the system that they are on; paths stay those of this machine.
"""

import importlib
import os
import select
import shutil
import signal
import socket
import stat
import sys
import types
from typing import Any, NoReturn

#: What chooses by the system when it is loaded.
FIRST = (
    *("asyncio", "ctypes", "getpass", "http.client", "logging.handlers", "multiprocessing"),
    *("pathlib", "platform", "random", "selectors", "ssl", "subprocess", "tempfile", "threading"),
    *("typer", "typer.main", "typer.completion", "urllib.request", "webbrowser", "zoneinfo"),
)
MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
IN_OS = (
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "chroot", "fchmod"),
    *("fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getuid", "killpg"),
    *("mkfifo", "nice", "posix_spawn", "sched_getaffinity", "setpgid", "setsid", "statvfs"),
    *("sysconf", "uname", "wait", "wait3", "wait4"),
)
IN_SIGNAL = (
    *("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1", "SIGUSR2", "alarm"),
    *("pthread_sigmask", "setitimer", "sigwait"),
)


def become_windows() -> None:
    """Take it away, for the rest of the process."""
    for name in FIRST:
        importlib.import_module(name)
    import fcntl

    locks = types.ModuleType("msvcrt")
    locks.LK_LOCK, locks.LK_NBLCK = 1, 2  # type: ignore[attr-defined]  # a module that is not of this system
    kinds = {1: fcntl.LOCK_EX, 2: fcntl.LOCK_EX | fcntl.LOCK_NB}
    locks.locking = lambda handle, kind, _: fcntl.lockf(handle, kinds[kind])  # type: ignore[attr-defined]  # as above
    sys.modules["msvcrt"] = locks
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # how the import system says that it is not there
    for holder, names in ((os, IN_OS), (signal, IN_SIGNAL), (socket, ("AF_UNIX",))):
        for name in names:
            delattr(holder, name)
    for name in ("epoll", "poll"):
        delattr(select, name)
    opened, waited = os.open, select.select

    def open_(path: Any, flags: int, *more: Any, **named: Any) -> int:
        found = opened(path, flags, *more, **named)
        if stat.S_ISDIR(os.fstat(found).st_mode):
            os.close(found)
            raise PermissionError(13, "Permission denied", path)
        return found

    def select_(*lists: Any) -> Any:
        if any(not isinstance(one, socket.socket) for each in lists[:3] for one in each):
            raise OSError(10038, "An operation was attempted on something that is not a socket")
        return waited(*lists)

    def kill(process: int, number: int) -> NoReturn:
        raise AssertionError(f"signal {number} ends process {process} on Windows")

    os.open, select.select, os.kill = open_, select_, kill
    shutil._use_fd_functions = False  # type: ignore[attr-defined]  # it opens folders where it can
    sys.platform = "win32"


become_windows()
