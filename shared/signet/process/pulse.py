"""The heartbeat of a program: one datagram a second to its supervisor, which replaces a program that stands still.

The supervisor hands over one end of a socket pair: nothing on disk can get lost or be forged. Without a supervisor
nothing is sent. The loop that does the program's work sends the beat, with the open write transaction.
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
    """One heartbeat; `needs_restart` asks the supervisor to stop all programs and to start them again."""

    pid: int
    holding: Holding
    needs_restart: bool


class Pulse:
    """Sends the heartbeats of this process."""

    def __init__(self) -> None:
        """Take over what the supervisor has passed; programs that this one starts do not inherit it."""
        named = os.environ.pop(FD, "")
        self._fd = int(named) if named.isdigit() else None
        if self._fd is not None:
            os.set_inheritable(self._fd, False)

    def beat(self, holding: tuple[int, int] = (0, 0), *, needs_restart: bool = False) -> None:
        """Send one heartbeat, with `Database.holding`; a supervisor that does not read loses it."""
        if self._fd is not None:
            with suppress(OSError):
                os.write(self._fd, _FORM.pack(os.getpid(), *holding, needs_restart))


class Receiver:
    """The supervisor's end of the pair."""

    def __init__(self) -> None:
        """Make the pair and pass its other end to every program that is started from now on."""
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        other.setblocking(False)
        other.set_inheritable(True)
        self.fd = other.detach()
        os.environ[FD] = str(self.fd)

    def beats(self) -> dict[int, Beat]:
        """Return the newest beat of each process since the last call, by process id."""
        found: dict[int, Beat] = {}
        while True:
            try:
                pid, number, thread, needs_restart = _FORM.unpack(self._socket.recv(_FORM.size))
            except BlockingIOError:
                return found
            found[pid] = Beat(pid, Holding(number, thread), needs_restart)
