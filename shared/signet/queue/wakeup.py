"""Wake the other processes when a job may be due: one datagram to each listener.

Each consuming process binds a datagram socket in `<runtime dir>/bell/`. After a commit that made a job due, one byte
goes to every socket; the owner of a full one is awake already, a dead socket is removed. A signal can be lost, so a
listener also checks `PRAGMA data_version` once a second.
"""

import contextlib
import os
import select
import socket
import time
from pathlib import Path

#: A folder whose last change is this old gets another time when it changes again: file times have steps of 10 ms, or of
#: one or two whole seconds on some file systems.
SETTLED_NS = 50_000_000
SECONDS_SETTLED_NS = 2_500_000_000


class Notifier:
    """Wakes every listening process of a workspace; thread-safe."""

    def __init__(self, runtime_dir: Path) -> None:
        self._folder = str(runtime_dir / "bell")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        #: The addresses, and the folder's last change: without a new change, a notification need not read the folder.
        self._known: tuple[int | None, tuple[str, ...]] = (None, ())

    def notify(self) -> None:
        """Wake every listener."""
        for address in self._listeners():
            try:
                self._socket.sendto(b"1", address)
            except ConnectionRefusedError:
                with contextlib.suppress(OSError):
                    Path(address).unlink()
            except OSError:
                continue  # full: its owner is awake; gone: its owner removed it

    def _listeners(self) -> tuple[str, ...]:
        seen, found = self._known
        # Taken before the folder is read: later changes must get another time.
        now = time.time_ns()
        try:
            changed = os.stat(self._folder).st_mtime_ns  # noqa: PTH116  # Path.stat takes 2 µs more
            if changed != seen:
                with os.scandir(self._folder) as entries:
                    found = tuple(entry.path for entry in entries)
                self._known = (changed if now - changed > _settled_ns(changed) else None, found)
        except FileNotFoundError:
            return ()
        return found

    def close(self) -> None:
        self._socket.close()


def _settled_ns(changed: int) -> int:
    return SETTLED_NS if changed % 1_000_000_000 else SECONDS_SETTLED_NS


class Listener:
    """A process's own socket; for one thread."""

    def __init__(self, runtime_dir: Path, owner: str) -> None:
        folder = runtime_dir / "bell"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = folder / owner
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        self._socket.bind(str(self._path))
        self._nudge_read, self._nudge_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._sources = select.poll()  # select(2) takes no descriptor above 1023
        for source in (self._socket.fileno(), self._nudge_read):
            self._sources.register(source, select.POLLIN)

    def wait(self, seconds: float) -> bool:
        """Wait for a notification and return whether there was one; `nudge` ends the wait early."""
        ready = [source for source, _ in self._sources.poll(max(seconds, 0.0) * 1000)]
        if self._nudge_read in ready:
            os.read(self._nudge_read, 4096)
        if self._socket.fileno() not in ready:
            return False
        with contextlib.suppress(BlockingIOError):
            while True:
                self._socket.recv(64)
        return True

    def nudge(self) -> None:
        """End the current wait; from any thread."""
        with contextlib.suppress(BlockingIOError):  # the pipe is full of nudges already
            os.write(self._nudge_write, b"1")

    def close(self) -> None:
        self._socket.close()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        os.close(self._nudge_read)
        os.close(self._nudge_write)
