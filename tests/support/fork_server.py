"""Loads what a program imports, once, and runs the program in a fork each time: `python fork_server.py FD PID KIND`.

The other end of this program is `support/forks.py`.
"""

import array
import ctypes
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import site
import socket
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

#: What the command line loads only for some commands.
PACKAGES = ("signet.cli", "signet.care", "signet.client", "signet.daemon")
#: A program itself is run anew each time; the others are programs of their own.
NOT_LOADED = (
    "signet.cli.main",
    "signet.cli.mcp",
    "signet.daemon.supervise",
    "signet.daemon.migrate",
)
#: What a migration loads.
MIGRATION = ("alembic.command", "alembic.config", "alembic.context", "sqlalchemy.dialects.sqlite")
#: What services load when they begin to serve.
SERVICES = (
    "signet_api.app",
    "signet_api.authority",
    "signet_api.health",
    "signet_api.vectors",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.httptools_impl",
    "signet_worker.actors",
    "signet_worker.context",
    "signet_worker.dispatcher",
    "signet_worker.dramatiq_adapter",
    "signet_worker.executor",
    "signet_scheduler.git",
    "signet_scheduler.notes",
    "signet_scheduler.skills",
    "signet_scheduler.sync",
    "signet_scheduler.tick",
    "signet.domain.activity.events",
    "signet.db.postgres.database",
    "signet.db.postgres.moving",
    "signet.db.postgres.schema",
    "signet.db.postgres.session",
    "signet.process.settings_reload",
    "signet.process.memory",
)
#: How often services look at agent.yaml: ten times as often as by themselves, because many tests change it and wait.
SETTINGS_SECONDS = 0.1
#: Where metrics are kept that programs share: nowhere, until a daemon has said where; see `fork_daemon.py`.
METRICS = {"PROMETHEUS_MULTIPROC_DIR": "/dev/null/metrics"}
DESCRIPTORS = 4
#: Of madvise(2), since Linux 6.1; others refuse it.
MADV_COLLAPSE, HUGE_PAGE = 25, 2_097_152


def main() -> None:
    """Serve the processes of a run until the one has ended that it ends with."""
    gc.disable()  # a sixth of the time, and nothing of what is loaded goes
    _load(sys.argv[3])
    gc.enable()
    assert len([*Path("/proc/self/task").iterdir()]) == 1, "a fork has no threads but its own"
    gc.freeze()
    _join_pages()
    listener = socket.socket(fileno=int(sys.argv[1]))
    path = Path(listener.getsockname())
    run = os.pidfd_open(int(sys.argv[2]))
    wakes, woken = socket.socketpair()  # a byte for each end of a fork
    woken.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    clients: list[socket.socket] = []
    callers: dict[int, socket.socket] = {}
    while True:
        watched: list[Any] = [run, listener, wakes, *clients]
        ready = select.select(watched, [], [])[0]
        if run in ready:
            break
        if listener in ready:
            clients.append(listener.accept()[0])
        if wakes in ready:
            wakes.recv(4_096)
            _tell_ends(callers)
        for client in [one for one in clients if one in ready]:
            byte, passed, _, _ = client.recvmsg(1, socket.CMSG_SPACE(4 * DESCRIPTORS))
            if not byte:
                clients.remove(client)
                client.close()
                continue
            *streams, caller = array.array("i", passed[0][2])
            asked = socket.socket(fileno=caller)
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                os.close(run)
                for end in (listener, wakes, woken, *clients, *callers.values()):
                    end.close()
                _run(streams, asked)
            callers[pid] = asked
            _tell(asked, pid)
            for descriptor in streams:
                os.close(descriptor)
    path.unlink(missing_ok=True)
    path.with_suffix(".lock").unlink(missing_ok=True)


def _join_pages() -> None:
    """Put the memory of this process into huge pages where the kernel can: a fork and its end take half of the time."""
    madvise, size = ctypes.CDLL(None).madvise, HUGE_PAGE
    for line in Path("/proc/self/maps").read_text("utf-8").splitlines():
        addresses, rights, _, _, inode, *_ = line.split()
        begin, end = (int(one, 16) for one in addresses.split("-"))
        begin, end = -(-begin // size) * size, end // size * size
        if rights == "rw-p" and inode == "0" and begin < end:
            madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), MADV_COLLAPSE)


def _tell_ends(callers: dict[int, socket.socket]) -> None:
    """Tell the callers of forks that have ended how they did."""
    while callers:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with callers.pop(pid) as caller:
            _tell(caller, os.waitstatus_to_exitcode(status))


def _tell(caller: socket.socket, number: int) -> None:
    with suppress(OSError):  # it asks no more
        caller.sendall(f"{number}\n".encode())


def _load(kind: str) -> None:
    if kind == "services":
        sys.modules["rich"] = None  # type: ignore[assignment]  # as services do before their libraries look for it
        for name in SERVICES:
            importlib.import_module(name)
        sys.modules["signet.process.settings_reload"].LOOK_SECONDS = SETTINGS_SECONDS  # type: ignore[attr-defined]
        return
    os.environ.update(METRICS)
    for package in PACKAGES:
        parent = importlib.import_module(package)
        for module in pkgutil.walk_packages(parent.__path__, f"{package}."):
            if not module.name.startswith(NOT_LOADED):
                importlib.import_module(module.name)
    for name in (*SERVICES, *MIGRATION):
        importlib.import_module(name)
    importlib.import_module("support.fork_daemon").install()


def _run(streams: list[int], caller: socket.socket) -> None:
    """Be one program, which the caller describes."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with caller:
        request = json.loads(caller.makefile("rb").readline())
    if request["terminal"]:
        os.setsid()
        os.close(
            os.open(os.ttyname(streams[2]), os.O_RDWR)
        )  # whoever leads a session has it as /dev/tty
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    kept = {name: os.environ[name] for name in METRICS if name in os.environ}
    os.environ.clear()
    os.environ.update(kept | request["environ"])
    os.chdir(request["folder"])
    # What was read from the environment of this process and kept.
    time.tzset()
    tempfile.tempdir = None
    site.USER_BASE = None
    if request["is_daemon"]:
        sys.modules["support.fork_daemon"].be_supervisor(request["arguments"], request["environ"])
    sys.stdin = os.fdopen(0, encoding="utf-8")
    buffered = 1 if "PYTHONUNBUFFERED" in os.environ else -1
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", buffering=buffered)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    sys.argv = [request["module"], *request["arguments"]]
    sys.orig_argv = [sys.executable, "-m", *sys.argv]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
