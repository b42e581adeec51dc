"""The heartbeat of a program: one datagram a second to its supervisor, which replaces a program that hangs.

The supervisor passes one end of a socket pair, which cannot be lost or forged as a file could. Without a supervisor
nothing is sent. The program's main loop sends the beat, with the open write transaction.
"""

import os
import socket
import struct
from contextlib import suppress
from typing import NamedTuple

#: Names the file descriptor that beats are written to.
FD = "SIGNET_PULSE_FD"
EVERY_SECONDS = 1.0
_FORM = struct.Struct("=iqi?")


class Holding(NamedTuple):
    """An open write transaction: its number in this process and its thread (native id); zeros without one."""

    number: int = 0
    thread: int = 0


class Beat(NamedTuple):
    """One heartbeat; `needs_restart` asks the supervisor to restart all programs."""

    pid: int
    holding: Holding
    needs_restart: bool


class Pulse:
    """Sends the heartbeats of this process."""

    def __init__(self) -> None:
        """Take the supervisor's descriptor; programs started by this one do not inherit it."""
        named = os.environ.pop(FD, "")
        self._fd = int(named) if named.isdigit() else None
        if self._fd is not None:
            os.set_inheritable(self._fd, False)

    def beat(self, holding: tuple[int, int] = (0, 0), *, needs_restart: bool = False) -> None:
        """Send one heartbeat, with `Database.holding`; it is lost if the supervisor does not read."""
        if self._fd is not None:
            with suppress(OSError):
                os.write(self._fd, _FORM.pack(os.getpid(), *holding, needs_restart))


class Receiver:
    """The supervisor's end of the pair."""

    def __init__(self) -> None:
        """Create the pair, and pass its other end to every program started from now on."""
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        other.setblocking(False)
        other.set_inheritable(True)
        self.fd = other.detach()
        os.environ[FD] = str(self.fd)

    def beats(self) -> dict[int, Beat]:
        """Return each process's newest beat since the last call, by process ID."""
        found: dict[int, Beat] = {}
        while True:
            try:
                pid, number, thread, needs_restart = _FORM.unpack(self._socket.recv(_FORM.size))
            except BlockingIOError:
                return found
            found[pid] = Beat(pid, Holding(number, thread), needs_restart)
