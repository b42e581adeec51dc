"""Start the programs as forks of their supervisor, which has loaded what they have in common.

These modules are loaded once, and the processes share their memory pages until one of them writes to a page. Otherwise
a fork behaves like a new process with the same command line. Linux only: on macOS, system libraries may not survive a
fork.
"""

import ctypes
import gc
import importlib
import os
import runpy
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from signet.process import memory

CAN_FORK = sys.platform == "linux"
#: What stands before a module in the command line of a program, after the interpreter.
BEFORE = ("-P", "-m")
#: What the programs have in common. The API loads the rest itself, meanwhile the others start.
MODULES = ("signet.db.migrate", "signet_scheduler.serve", "signet_worker.serve")
#: No folder: the supervisor keeps no files of metrics; each fork creates its own.
NO_METRICS = {"PROMETHEUS_MULTIPROC_DIR": f"{os.devnull}/metrics"}


def load() -> None:
    """Load the common modules; what cannot be loaded is left to the programs, which report it."""
    if not CAN_FORK:
        return
    memory.share_heap()
    memory.keep_out_rich()
    before = {name: os.environ.get(name) for name in NO_METRICS}
    os.environ.update(NO_METRICS)
    gc.disable()  # a sixth of the time, and nothing of what is loaded goes
    with suppress(Exception):
        for name in MODULES:
            importlib.import_module(name)
    gc.enable()
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value
    memory.give_back()
    gc.freeze()


def become(command: Sequence[str], environ: Mapping[str, str]) -> NoReturn:
    """Run a program (`python -P -m MODULE …`) in this fork, as `execve` would, and end with its exit status."""
    _show(command)
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # An object of the supervisor that is deleted later would close a descriptor that is another file's by then.
    gc.freeze()
    _close()
    given = dict(environ)
    os.environ.clear()
    os.environ.update(given)
    sys.argv = [*command[3:]]
    sys.orig_argv = [*command]
    status = 1
    try:
        runpy.run_module(command[3], run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        else:
            status = end.code or 0
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _close() -> None:
    """Close the descriptors that a new program would not inherit."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  # a Path per descriptor says no more
        with suppress(OSError):  # that of the folder itself is closed
            if not os.get_inheritable(int(name)):
                os.close(int(name))


def _show(command: Sequence[str]) -> None:
    """Set the command line that `ps` shows for this process, if it fits into the old one (see proc_pid_cmdline(5))."""
    fields = Path("/proc/self/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    shown = b"".join(os.fsencode(part) + b"\0" for part in command)
    if len(shown) <= end - begin:
        ctypes.memmove(begin, shown.ljust(end - begin, b"\0"), end - begin)
