"""Read log lines: the newest ones, and new ones live.

Reads only the files, so it needs no daemon. Skips lines that are not JSON objects (torn by a full disk). Imports only
the standard library, because the command line imports it.
"""

import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from io import BufferedReader
from itertools import islice, takewhile
from pathlib import Path

from signet import clock
from signet.observe.logfile import LogPlace
from signet.text import json_text

#: Order of levels; a filter names the lowest one.
RANK = {"debug": 0, "info": 1, "warn": 2, "error": 3}
_BLOCK = 65_536
#: Maximum delay between a line's timestamp and its write.
DISORDER = timedelta(seconds=5)
#: Maximum displacement of a line from its time order.
NEIGHBOURS = 32

Entry = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    level: str = "debug"
    category: str | None = None
    since: str | None = None
    #: Must match in message, data or error.
    text: re.Pattern[str] | None = None

    def matches(self, entry: Entry) -> bool:
        """Return whether a line passes; `since` is an instant in the format of log lines."""
        return (
            RANK.get(str(entry.get("level")), 1) >= RANK[self.level]
            and self.category in (None, entry.get("category"))
            and (self.since is None or str(entry.get("timestamp")) >= self.since)
            and (self.text is None or any(map(self.text.search, strings(entry))))
        )

    def is_over(self, entry: Entry) -> bool:
        """Return whether no earlier line can pass: lines of several processes are nearly in order."""
        return self.since is not None and str(entry.get("timestamp")) < _before(self.since)


def newest(place: LogPlace, limit: int, wanted: LogFilter) -> list[Entry]:
    """Return the newest matching lines, oldest first."""
    entries = (parse(line) for path in reversed(place.files()) for line in _backwards(path))
    known = (entry for entry in entries if entry is not None)
    recent = takewhile(lambda entry: not wanted.is_over(entry), known)
    # Read a few more than requested: sorting decides which are the newest.
    found = [*islice(filter(wanted.matches, recent), limit + NEIGHBOURS)][::-1]
    found.sort(key=lambda entry: str(entry["timestamp"]))
    return found[len(found) - limit :] if limit < len(found) else found


def follow(place: LogPlace, wanted: LogFilter, stop: threading.Event) -> Iterator[Entry]:
    """Return matching lines from now on, across rotation and midnight, until `stop` is set."""
    return _follow(Tail(place), wanted, stop)


def strings(value: object) -> Iterator[str]:
    """Return every text in a line, or in part of one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def _before(instant: str) -> str:
    return clock.to_text(clock.parse(instant) - DISORDER)


def _follow(tail: "Tail", wanted: LogFilter, stop: threading.Event) -> Iterator[Entry]:
    try:
        while not stop.wait(0.2):
            yield from (entry for entry in tail.take() if wanted.matches(entry))
    finally:
        tail.close()


def parse(line: bytes) -> Entry | None:
    """Return a line's object, None without a timestamp."""
    found = json_text.an_object(line)
    return found if found and "timestamp" in found else None


class Tail:
    """Reads the end of the newest file, and continues in the next one."""

    def __init__(self, place: LogPlace) -> None:
        self._place = place
        self._rest = b""
        self._file: BufferedReader | None = None
        path = self._path()
        if path.exists():
            self._file = path.open("rb")
            self._file.seek(0, os.SEEK_END)

    def take(self) -> list[Entry]:
        """Return the lines written since the last call."""
        lines = self._lines()
        path = self._path()
        if path.exists() and not self._is_open(path):
            # Lines written to the old file just before its renaming are read before the others.
            lines += self._lines()
            self.close()
            self._file = path.open("rb")
            lines += self._lines()
        return [entry for line in lines if (entry := parse(line)) is not None]

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            self._rest = b""

    def _path(self) -> Path:
        return self._place.path(clock.to_text(clock.now())[:10])

    def _is_open(self, path: Path) -> bool:
        if self._file is None:
            return False
        return os.path.samestat(path.stat(), os.fstat(self._file.fileno()))

    def _lines(self) -> list[bytes]:
        if self._file is None:
            return []
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        return lines


def _backwards(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, last first, reading only as much as requested."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        end = file.seek(0, os.SEEK_END)
        rest = b""
        while end > 0:
            start = max(0, end - _BLOCK)
            file.seek(start)
            first, *lines = (file.read(end - start) + rest).split(b"\n")
            yield from (line for line in reversed(lines) if line)
            rest, end = first, start
        if rest:
            yield rest
