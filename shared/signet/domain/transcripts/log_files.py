"""The transcript of a session, from the file that its harness wrote or from the request itself."""

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from signet.domain.folders.mounts import is_below
from signet.domain.folders.reading import NotAFile, NotAllowed, opened
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
        if not place.is_absolute():
            return None
        try:
            with opened(place, self._reason) as file:
                found = os.fstat(file.fileno())
                if found.st_dev in _kernel_devices() or (self.folders and found.st_nlink > 1):
                    return None
                file.seek(max(found.st_size - MOST_BYTES, 0))
                return file.read(MOST_BYTES).decode("utf-8", "replace")
        except (NotAllowed, NotAFile, OSError, ValueError):
            return None

    def _reason(self, real: str) -> str | None:
        if any(is_below(real, one) for one in _KERNEL):
            return "it is state of the kernel"
        if self.folders is None or any(
            is_below(real, os.path.realpath(one)) for one in self.folders()
        ):
            return None
        return "it lies in no folder of logs"


def _kernel_devices() -> set[int]:
    return {Path(one).stat().st_dev for one in _KERNEL[:2] if os.path.ismount(one)}


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
