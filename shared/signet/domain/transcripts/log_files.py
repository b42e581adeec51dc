"""The transcript of a session, from the file that its harness wrote or from the request itself."""

import fcntl
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from signet.domain.transcripts import steps, transcript
from signet.text.masking import Masked, mask
from signet.text.surrogates import encodable

#: Of a longer file the end is read: a log of this size is weeks of work, and what was said last counts.
MOST_BYTES = 64 * 1_048_576
#: Files of these systems are state of the kernel and of processes, not logs.
_KERNEL = ("/proc", "/sys", "/dev")


class LogFile(NamedTuple):
    """A file that a request names as a log.

    With `folders` it is read only if it really lies below one of those, and has no name elsewhere.
    """

    path: str
    folders: Callable[[], Iterable[Path]] | None = None

    def read(self) -> str | None:
        """Return the text of a regular file at an absolute path; None for everything else (HK-73)."""
        path = self.path
        if not path or "\0" in path:
            return None
        place = Path(path).expanduser() if path.startswith("~/") else Path(path)
        try:
            # Opening a device can do something by itself, and a pipe without a writer must not hold anybody up.
            if not (place.is_absolute() and stat.S_ISREG(place.stat().st_mode)):
                return None
            file = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except (OSError, ValueError):
            return None
        try:
            found = os.fstat(file)
            if not self._is_log(file, found):
                return None
            os.lseek(file, max(found.st_size - MOST_BYTES, 0), os.SEEK_SET)
            with os.fdopen(file, "rb", closefd=False) as opened:
                return opened.read(MOST_BYTES).decode("utf-8", "replace")
        finally:
            os.close(file)

    def _is_log(self, file: int, found: os.stat_result) -> bool:
        """Return whether an open file may be read: it is asked for its own path, because names can change."""
        if not stat.S_ISREG(found.st_mode) or found.st_dev in _kernel_devices():
            return False
        real = _real_path(file)
        if any(real.is_relative_to(one) for one in _KERNEL):
            return False
        if self.folders is None:
            return True
        is_below = any(real.is_relative_to(one.resolve()) for one in self.folders())
        return is_below and found.st_nlink == 1


def _kernel_devices() -> set[int]:
    return {Path(one).stat().st_dev for one in ("/proc", "/sys") if os.path.ismount(one)}


def _real_path(file: int) -> Path:
    if sys.platform == "darwin":
        return Path(os.fsdecode(fcntl.fcntl(file, fcntl.F_GETPATH, bytes(1_024)).rstrip(b"\0")))
    return Path(f"/proc/self/fd/{file}").readlink()


def text_of(log: LogFile | None, inline: str | None, *, masks: bool) -> Masked:
    """Return what was said in a session, as it is stored: the file if it can be read, else the request's text.

    With `masks` its secrets are replaced.
    """
    text = storable(transcript.normalize(_raw(log, inline)))
    return mask(text) if masks else Masked(text)


def session_of(log: LogFile | None, inline: str | None, *, masks: bool) -> tuple[Masked, str]:
    """Return what `text_of` returns, and the steps of the session as they are stored, empty where there is no log."""
    raw = _raw(log, inline)
    records = transcript.records(raw)
    text = storable(transcript.stored_form(raw, records))
    clean = (lambda step: mask(step).text) if masks else str
    return mask(text) if masks else Masked(text), storable(steps.written(records or (), clean))


def _raw(log: LogFile | None, inline: str | None) -> str:
    raw = log.read() if log else None
    return inline or "" if raw is None else raw


def storable(text: str) -> str:
    """Return a text without what a database cannot hold, and without blank ends."""
    return encodable(text.replace("\0", "")).strip()


def key_of(text: str) -> str:
    """Return the key of a session that has none: the same text is the same session."""
    return f"transcript-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
