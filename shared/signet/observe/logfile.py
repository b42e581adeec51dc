"""The log file shared by all processes of a daemon.

Every line is one `write` to a file opened for appending, so lines of several processes never mix. A file that reaches
10 MB is renamed under a lock; a process that still has it open finishes its line there and continues in the new one,
so no line is lost. Files older than 14 days are deleted, and the oldest ones while the total exceeds 200 MB.
`startup.log`, for output before logging works, is emptied at 1 MB.

`logs.py` formats lines, `logread.py` reads them.
"""

import contextlib
import fcntl
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

ROTATE_BYTES = 10_000_000
KEEP_DAYS = 14
#: Maximum total size of all files, including the current one.
KEEP_BYTES = 200_000_000 - ROTATE_BYTES
STARTUP_BYTES = 1_000_000
STARTUP = "startup.log"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPlace:
    """The log location: one file per day in `directory`, or always `file` in it if set."""

    directory: Path
    file: str | None = None

    def path(self, day: str) -> Path:
        """Return the log file of a day (YYYY-MM-DD)."""
        return self.directory / (self.file or f"daemon-{day}.log")

    def files(self) -> list[Path]:
        """Return the existing log files, oldest first."""
        if not self.directory.is_dir():
            return []
        name = Path(self.file or "daemon-.log")
        day = "" if self.file else r"\d{4}-\d\d-\d\d"
        ours = re.compile(rf"{re.escape(name.stem)}{day}(-\d+)?{re.escape(name.suffix)}")
        # A renamed file is `NAME-INSTANT.log`, and "-" sorts before ".": name order is time order.
        return sorted(path for path in self.directory.iterdir() if ours.fullmatch(path.name))


def place(default: Path, environ: Mapping[str, str]) -> LogPlace:
    """Return the log location: SIGNET_LOG_FILE, else SIGNET_LOG_DIR, else the default folder."""
    if file := environ.get("SIGNET_LOG_FILE", "").strip():
        path = Path(file).expanduser().absolute()
        return LogPlace(directory=path.parent, file=path.name)
    folder = environ.get("SIGNET_LOG_DIR", "").strip()
    return LogPlace(directory=Path(folder).expanduser().absolute() if folder else default)


class RotatedLog:
    """Appends lines for one process; safe to use from several threads."""

    def __init__(self, place: LogPlace, *, rotate_bytes: int = ROTATE_BYTES) -> None:
        with contextlib.suppress(OSError):  # the first line reports it
            place.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._place = place
        self._rotate_bytes = rotate_bytes
        self._mutex = threading.Lock()
        self._fd = -1
        self._is_broken = False

    def write(self, line: bytes, stamp: str) -> None:
        """Append one line (ending in a newline) written at an ISO instant.

        A disk error is reported once on stderr; later lines are tried again.
        """
        with self._mutex:
            try:
                self._ready(stamp)
                os.write(self._fd, line)
                self._is_broken = False
            except OSError as error:
                self._report(error)

    def close(self) -> None:
        """Close the file; a later line opens it again."""
        with self._mutex:
            self._close()

    def _ready(self, stamp: str) -> None:
        path = self._place.path(stamp[:10])
        if not self._is_current(path):
            self._open(path)
        if os.fstat(self._fd).st_size >= self._rotate_bytes:
            self._rotate(path, stamp)
            self._open(path)

    def _is_current(self, path: Path) -> bool:
        if self._fd < 0:
            return False
        with contextlib.suppress(FileNotFoundError):
            return os.path.samestat(path.stat(), os.fstat(self._fd))
        return False

    def _open(self, path: Path) -> None:
        self._close()
        path.parent.mkdir(
            exist_ok=True, mode=0o700
        )  # not its parents: a workspace may have been moved
        how = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._fd = os.open(
            path, how | os.O_NONBLOCK, 0o600
        )  # does not wait for the reader of a FIFO

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _rotate(self, path: Path, stamp: str) -> None:
        with _locked(path.parent):
            # Another process may have been first; then the file is gone, or new and small.
            if _size(path) >= self._rotate_bytes:
                path.rename(_unused(path, stamp))
        sweep(self._place, today=date.fromisoformat(stamp[:10]))

    def _report(self, error: OSError) -> None:
        self._close()
        if not self._is_broken:
            self._is_broken = True
            sys.stderr.write(
                f"signet: cannot write logs to {self._place.directory}: {error.strerror}\n"
            )


def sweep(place: LogPlace, *, today: date) -> None:
    """Delete log files that are too old or too many, and empty an oversized startup log."""
    kept = 0
    oldest = (today - timedelta(days=KEEP_DAYS)).isoformat()
    for path in reversed(place.files()):
        kept += _size(path)
        day = path.name.removeprefix("daemon-")[:10]
        if (place.file is None and day < oldest) or kept > KEEP_BYTES:
            path.unlink(missing_ok=True)
    startup = place.directory / STARTUP
    if _size(startup) > STARTUP_BYTES:
        # Everyone appends to it, so it can be truncated in place.
        os.truncate(startup, 0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _unused(path: Path, stamp: str) -> Path:
    instant = "".join(c for c in stamp if c.isdigit())
    candidates = (path.with_name(f"{path.stem}-{instant}{n:02d}{path.suffix}") for n in range(100))
    return next(candidate for candidate in candidates if not candidate.exists())


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    with (directory / ".rotate").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
