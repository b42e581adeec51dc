"""The transcript of a session, from the file that its harness wrote or from the request itself."""

import hashlib
import os
import stat
from pathlib import Path

from signet.domain.transcripts import steps, transcript
from signet.text.masking import Masked, mask
from signet.text.surrogates import encodable

#: Of a longer file the end is read: a log of this size is weeks of work, and what was said last counts.
MOST_BYTES = 64 * 1_048_576


def read(path: str | None) -> str | None:
    """Return the text of a regular file at an absolute path; None for everything else (HK-73)."""
    if not path or "\0" in path:
        return None
    place = Path(path).expanduser() if path.startswith("~/") else Path(path)
    if not place.is_absolute():
        return None
    try:
        # A pipe without a writer must not hold anybody up.
        file = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            return None
        os.lseek(file, max(found.st_size - MOST_BYTES, 0), os.SEEK_SET)
        with os.fdopen(file, "rb", closefd=False) as opened:
            return opened.read(MOST_BYTES).decode("utf-8", "replace")
    finally:
        os.close(file)


def text_of(path: str | None, inline: str | None, *, masks: bool) -> Masked:
    """Return what was said in a session, as it is stored: the file if it can be read, else the request's text.

    With `masks` its secrets are replaced.
    """
    raw = read(path)
    text = storable(transcript.normalize(inline or "" if raw is None else raw))
    return mask(text) if masks else Masked(text)


def session_of(path: str | None, inline: str | None, *, masks: bool) -> tuple[Masked, str]:
    """Return what `text_of` returns, and the steps of the session as they are stored, empty where there is no log."""
    raw = read(path)
    raw = inline or "" if raw is None else raw
    log = transcript.records(raw)
    text = storable(transcript.stored_form(raw, log))
    clean = (lambda step: mask(step).text) if masks else str
    return mask(text) if masks else Masked(text), storable(steps.written(log or (), clean))


def storable(text: str) -> str:
    """Return a text without what a database cannot hold, and without blank ends."""
    return encodable(text.replace("\0", "")).strip()


def key_of(text: str) -> str:
    """Return the key of a session that has none: the same text is the same session."""
    return f"transcript-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
