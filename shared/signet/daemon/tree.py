"""The supervisor of the three programs; adds what its library lacks.

- Signals wake its loop, which checks signals only after an event on a file descriptor or a second. Each signal writes a
  byte to one, and a first byte saves the second before the first program starts.
- It holds the API's listening socket until it exits. The library closes it between two runs of the API, and clients of
  a restarting API would be refused instead of waiting.
- It survives a log that cannot be written; the library would report that to the same log.
- It replaces hanging programs (watch.py); the library notices only exits.
- It restarts all programs if one requests it, because files of the database were replaced.
- It stops with all programs if the workspace is moved or deleted (DG-25); they would write to the old place.
- It stops all programs at once; one after another would take three times three seconds.
- Its programs are forks that share the memory of common modules (forks.py).
"""

import math
import os
import signal
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from supervisor import loggers
from supervisor.medusa import asyncore_25 as asyncore
from supervisor.options import ServerOptions
from supervisor.states import ProcessStates, SupervisorStates
from supervisor.supervisord import Supervisor

from signet.daemon import forks
from signet.daemon.watch import Watch
from signet.paths import Workspace
from signet.process import backoff
from signet.process.pulse import EVERY_SECONDS, Receiver

#: Why all programs are restarted, and how often that may happen.
REOPENED = "found that files of the database were moved, replaced or deleted"
RESTART_EACH_SECONDS = 60.0
#: Consecutive checks, one a second, that find the workspace moved before its daemon stops.
MOVED_LOOKS = 2


def run(config: Path, workspace: Workspace) -> None:
    """Run the programs of a supervisor configuration until SIGTERM, SIGINT or SIGHUP.

    Raises ValueError if the API's port is taken. Must run in the main thread.
    """
    loggers.Handler.handleError = lambda handler: None
    options = _Options()
    options.realize(["-c", str(config)])
    options.first = True
    options.test = False
    bell = _Bell()
    asyncore.socket_map[bell.fileno()] = bell
    try:
        _Tree(options, workspace).main()
    except asyncore.ExitNow:
        options.close_httpservers()
        options.close_logger()


class _Options(ServerOptions):  # type: ignore[misc]  # the library ships no types
    def make_logger(self) -> None:
        """Log without the advice against running as root, which is the caller's choice."""
        self.parse_criticals.clear()
        super().make_logger()

    def close_fd(self, fd: int) -> None:
        """Close a descriptor in a starting program, except the one for heartbeats."""
        if fd != self.pulse_fd:
            super().close_fd(fd)

    def execve(self, filename: str, argv: list[str], env: Mapping[str, str]) -> None:
        """Become a program, in a fork."""
        if forks.CAN_FORK and tuple(argv[1:3]) == forks.BEFORE:
            forks.become(argv, env)
        super().execve(filename, argv, env)


class _Tree(Supervisor):  # type: ignore[misc]  # the library ships no types
    def __init__(self, options: _Options, workspace: Workspace) -> None:
        super().__init__(options)
        self._workspace = workspace
        self._runtime_dir = workspace.runtime_dir
        self._moved_looks = 0
        self._receiver = Receiver()
        options.pulse_fd = self._receiver.fd
        self._watch = Watch()
        self._watched_at = 0.0
        self._restarted_at = -math.inf
        self._is_restarting = False

    def tick(self, now: float | None = None) -> None:
        """Run a turn of the library's loop, and once a second replace hanging programs."""
        super().tick(now)
        if time.monotonic() - self._watched_at < EVERY_SECONDS:
            return
        self._watched_at = time.monotonic()
        if self._is_moved():
            return
        processes = [
            one for group in self.process_groups.values() for one in group.processes.values()
        ]
        running = {
            one.config.name: one.pid
            for one in processes
            if one.state in (ProcessStates.STARTING, ProcessStates.RUNNING)
        }
        beats = self._receiver.beats()
        for name, pid, reason in self._watch.poll(running, beats):
            self.options.logger.warn(f"{name} (PID {pid}) {reason}; it is replaced")
            backoff.note_stall(self._runtime_dir, name, reason)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.options.mood != SupervisorStates.RUNNING:
            return
        if self._is_restarting and all(one.state == ProcessStates.STOPPED for one in processes):
            self._is_restarting = False
            for one in processes:
                one.spawn()
        elif any(beat.needs_restart for beat in beats.values()) and running:
            self._stop_for_restart(running)

    def _is_moved(self) -> bool:
        """Return whether the workspace was moved or deleted; the second time everything stops."""
        if not self._workspace.is_moved():
            self._moved_looks = 0
            return False
        self._moved_looks += 1
        if self._moved_looks >= MOVED_LOOKS and self.options.mood == SupervisorStates.RUNNING:
            with suppress(FileNotFoundError):
                place = Path.cwd()
                help = f"it is at {place} now. Start its daemon there: signet daemon start --path {place}"
                self.options.logger.warn(f"{self._workspace.root} was moved; {help}")
            self.options.mood = SupervisorStates.SHUTDOWN
        return True

    def _stop_for_restart(self, running: Mapping[str, int]) -> None:
        """Stop all programs, at most once a minute."""
        if self._watched_at - self._restarted_at < RESTART_EACH_SECONDS:
            return
        self._restarted_at, self._is_restarting = self._watched_at, True
        self.options.logger.warn(f"{REOPENED}; all programs are restarted")
        for name in running:
            backoff.note_stall(self._runtime_dir, name, REOPENED)
        for group in self.process_groups.values():
            group.stop_all()

    def runforever(self) -> None:
        """Run the loop while holding every listening socket."""
        groups = self.process_groups.values()
        held = [
            group.socket_manager.get_socket()
            for group in groups
            if hasattr(group, "socket_manager")
        ]
        try:
            super().runforever()
        finally:
            held.clear()

    def ordered_stop_groups_phase_1(self) -> None:
        for group in self.stop_groups:
            group.stop_all()

    def ordered_stop_groups_phase_2(self) -> None:
        """Drop stopped programs."""
        if self.stop_groups is not None:
            self.stop_groups[:] = [g for g in self.stop_groups if g.get_unstopped_processes()]


class _Bell:
    """A socket that becomes readable at every signal; the loop's own interface of a dispatcher."""

    def __init__(self) -> None:
        self._inside, self._outside = socket.socketpair()
        self._inside.setblocking(False)
        self._outside.setblocking(False)
        self._outside.send(b"\0")
        signal.set_wakeup_fd(self._outside.fileno(), warn_on_full_buffer=False)

    def fileno(self) -> int:
        """Return the descriptor that the loop polls."""
        return self._inside.fileno()

    def readable(self) -> bool:
        """Ask the loop to poll."""
        return True

    def writable(self) -> bool:
        """Ask the loop not to wait for room."""
        return False

    def handle_read_event(self) -> None:
        """Become silent again."""
        self._inside.recv(4096)

    def handle_error(self) -> None:
        """Let a socket error end the supervisor; a healthy one has none."""
        raise
