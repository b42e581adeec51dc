"""Loads what the commands of `signet` import, once, and runs each command in a fork: `python command_server.py FD`.

The other end of this program is `support/commands.py`.
"""

import array
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import site
import socket
import sys
import tempfile
import time

MAIN = "signet.cli.main"
#: What the command line loads only for some commands.
PACKAGES = ("signet.cli", "signet.care", "signet.client", "signet.daemon")
#: The program itself is run anew each time; the others are programs of their own.
NOT_LOADED = (MAIN, "signet.cli.mcp", "signet.daemon.supervise", "signet.daemon.migrate")
DESCRIPTORS = 4


def main() -> None:
    """Serve until the other end closes."""
    for package in PACKAGES:
        parent = importlib.import_module(package)
        for module in pkgutil.walk_packages(parent.__path__, f"{package}."):
            if not module.name.startswith(NOT_LOADED):
                importlib.import_module(module.name)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    control = socket.socket(fileno=int(sys.argv[1]))
    while True:
        byte, passed, _, _ = control.recvmsg(1, socket.CMSG_SPACE(4 * DESCRIPTORS))
        if not byte:
            return
        given = array.array("i", passed[0][2])
        if os.fork() == 0:
            control.close()
            _attend(*given)
        for descriptor in given:
            os.close(descriptor)


def _attend(stdin: int, stdout: int, stderr: int, caller: int) -> None:
    """Run one command in a process of its own; tell the caller its number and how it ended. Does not return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with socket.socket(fileno=caller) as asked:
        request = json.loads(asked.makefile("rb").readline())
        started = os.fork()
        if started:
            asked.sendall(f"{started}\n".encode())
            status = os.waitstatus_to_exitcode(os.waitpid(started, 0)[1])
            asked.sendall(f"{status}\n".encode())
            os._exit(0)
    if request["terminal"]:
        os.setsid()
        os.close(
            os.open(os.ttyname(stderr), os.O_RDWR)
        )  # whoever leads a session has it as /dev/tty
    for number, descriptor in enumerate((stdin, stdout, stderr)):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environ"])
    os.chdir(request["folder"])
    # What was read from the environment of this process and kept.
    time.tzset()
    tempfile.tempdir = None
    site.USER_BASE = None
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    sys.argv = [MAIN, *request["arguments"]]
    runpy.run_module(MAIN, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
