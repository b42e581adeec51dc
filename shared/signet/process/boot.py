"""The first steps of a program, in a fixed order.

First private files, then the tie to the supervisor, then the delay of a program that keeps crashing, all before
heavy imports; then settings and logs. After that the program opens the database.
"""

import faulthandler
import os
import sys
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from signet.paths import Workspace, find_workspace
from signet.process import backoff, memory, parent, signals
from signet.process.program import LOG_STDOUT, SUPERVISOR_PID, Program
from signet.process.pulse import Pulse

if TYPE_CHECKING:
    from signet.config import Loaded
    from signet.db import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Booted:
    program: Program
    workspace: Workspace
    loaded: "Loaded"
    stop: signals.Stop
    pulse: Pulse


def boot(program: Program) -> Booted:
    """Prepare this process; exits if a stop is requested meanwhile."""
    os.umask(0o077)
    memory.share_heap()
    faulthandler.enable()
    pulse = Pulse()
    parent.watch()
    stop = signals.catch()
    workspace = find_workspace()
    if SUPERVISOR_PID in os.environ and workspace.is_moved():
        raise SystemExit(f"{workspace.root} is not the workspace of this daemon any more")
    workspace.make()
    before = backoff.last(workspace.runtime_dir, program)
    started = backoff.begin(workspace.runtime_dir, program, time.monotonic())
    stop.wait(max(0.0, started.at - time.monotonic()))
    if stop.is_set:
        raise SystemExit(0)
    loaded = _prepare(program, workspace)
    if before and before.ended:
        _log_stall(before.ended)
    return Booted(program=program, workspace=workspace, loaded=loaded, stop=stop, pulse=pulse)


def open_database(
    workspace: Workspace, *, inline: bool = True, interactive: bool = False
) -> "Database":
    """Open the workspace's database, after creating or upgrading it if no supervisor has (as under a Procfile).

    `inline` and the longer turns of an `interactive` process are explained in db/writer.py.
    """
    from signet import clock
    from signet.db import Database, migrate
    from signet.db.writer import GROUP_SECONDS, INTERACTIVE_SECONDS
    from signet.errors import Conflict

    if workspace.restore_journal.exists():
        # Only without a supervisor: with one, the daemon's start has finished it.
        raise Conflict("A restore was interrupted. Finish it with: signet daemon start")
    if not migrate.is_current(workspace.database):
        migrate.upgrade(workspace.database, now=clock.now())
    turn = INTERACTIVE_SECONDS if interactive else GROUP_SECONDS
    return Database(workspace.database, inline=inline, group_seconds=turn)


def _prepare(program: Program, workspace: Workspace) -> "Loaded":
    memory.keep_out_rich()
    from signet import config
    from signet.observe import logfile, logs

    loaded = config.load(workspace, os.environ)
    is_read = os.environ.get(LOG_STDOUT) == "1" or SUPERVISOR_PID not in os.environ
    logs.configure(
        program,
        logfile.place(workspace.log_dir, os.environ),
        level=logs.level_of(os.environ.get("SIGNET_LOG_LEVEL")),
        echo=is_read,
    )
    log = logs.get("daemon")
    _log_crashes()
    log.info("process.started", pid=os.getpid())
    for warning in loaded.warnings:
        log.warning("config.odd", detail=str(warning))
    if loaded.error is not None:
        log.error("config.unreadable", detail=str(loaded.error))
    return loaded


def _log_stall(reason: str) -> None:
    from signet.observe import logs

    logs.get("daemon").warning("process.replaced", reason=reason)


def _log_crashes() -> None:
    """Write uncaught exceptions to the log as well as to stderr."""
    from signet.observe import logs

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, Exception):
            logs.get("daemon").error("process.crashed", exc_info=(kind, error, trace))
        sys.__excepthook__(kind, error, trace)

    def tell_thread(failure: threading.ExceptHookArgs) -> None:
        logs.get("daemon").error(
            "thread.crashed",
            thread=failure.thread.name if failure.thread else None,
            exc_info=failure.exc_value,
        )

    sys.excepthook = tell
    threading.excepthook = tell_thread
