"""Read a delivered session, from the harness's log file or from the request itself."""

import hashlib
import io
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import BinaryIO, Generic, NamedTuple, TypeVar

from signet import clock
from signet.domain.folders.private import is_below
from signet.domain.folders.reading import NotAFile, NotAllowed, opened
from signet.domain.transcripts import log_lines, records, steps, tool_lines, transcript
from signet.domain.transcripts import stored as merge
from signet.domain.transcripts.models import Folders, Reading
from signet.domain.transcripts.transcript import Lines, Record, Turn
from signet.text.controls import encodable
from signet.text.masking import Masked, mask

#: Of a longer session only the newest messages are read. The limit is about 1.5 million tokens.
MOST_CHARS = 6 * 1_048_576
#: Files of these systems are state of the kernel and of processes, not logs.
_KERNEL = ("/proc", "/sys", "/dev")

T = TypeVar("T")


class LogFile(NamedTuple):
    """A log file named in a request.

    With `folders` it is read only if it is below one of them and has no other hard link.
    """

    path: str
    folders: Callable[[], Iterable[Path]] | None = None

    @contextmanager
    def opened(self) -> Iterator[BinaryIO | None]:
        """Open a regular file at an absolute path; yields None for anything else (HK-73)."""
        path = self.path
        place = Path(path).expanduser() if path.startswith("~/") else Path(path)
        if not path or "\0" in path or not place.is_absolute():
            yield None
            return
        try:
            with opened(place, self._reason) as file:
                found = os.fstat(file.fileno())
                is_refused = found.st_dev in _kernel_devices() or (
                    self.folders and found.st_nlink > 1
                )
                yield None if is_refused else file
        except (NotAllowed, NotAFile, OSError, ValueError):
            yield None

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


def read(
    log: LogFile | None,
    inline: str | None,
    *,
    masks: bool,
    with_steps: bool = True,
    offset: timedelta = timedelta(),
) -> Reading:
    """Read a session from its log file, or from the request's text if the file is unreadable; `masks` hides secrets.

    This clock is `offset` ahead of the one by which the text was written. No message is later than now.
    """
    if log is not None:
        with log.opened() as file:
            if file is not None:
                size = os.fstat(file.fileno()).st_size
                found = _read(partial(_lines, file), masks=masks, with_steps=with_steps)
                return replace(_timed(found, timedelta()), log_bytes=size)
    found = _read(partial(io.StringIO, inline or ""), masks=masks, with_steps=with_steps)
    return _timed(found, offset)


def _timed(found: Reading, offset: timedelta) -> Reading:
    now, said = clock.now(), transcript.spoken(found.text)
    if not said or not (offset or said[1] > now):
        return found
    return replace(found, text=transcript.retimed(found.text, offset, now))


def refused(log: LogFile, *, masks: bool) -> set[str]:
    """Return the stored forms of records that are not messages (see transcript.refused)."""
    found: set[str] = set()
    with log.opened() as file:
        for turn in transcript.refused(partial(_lines, file)) if file else ():
            text = storable(transcript.written([turn]))
            stored = transcript.parse(mask(text).text if masks else text)
            found |= {merge.folded(one.text) for one in stored}
    return found


def _lines(file: BinaryIO) -> Iterator[str]:
    file.seek(0)
    return (line.decode("utf-8", "replace") for line in log_lines.lines(file))


def _read(lines: Lines, *, masks: bool, with_steps: bool) -> Reading:
    log = transcript.records(lines)
    if log is None:
        return _text(lines, masks=masks)
    session = _LogSession((lambda step: mask(step).text) if masks else str)
    for record in log:
        session.add(record, with_steps=with_steps)
    return session.read(masks=masks)


def _text(lines: Lines, *, masks: bool) -> Reading:
    newest = _Newest[str]()
    for line in lines():
        newest.add(line, len(line))
    text = storable(records.without_injected("".join(newest.kept)))
    masked = mask(text) if masks else Masked(text)
    return Reading(text=masked.text, masked=masked.kinds, left_out=newest.gone)


class _Newest(Generic[T]):
    """Keeps the newest items, up to MOST_CHARS, and counts the dropped ones."""

    def __init__(self) -> None:
        self.kept: deque[T] = deque()
        self.gone = 0
        self._sizes: deque[int] = deque()
        self._size = 0

    def add(self, one: T, size: int) -> None:
        self.kept.append(one)
        self._sizes.append(size)
        self._size += size
        while self._size > MOST_CHARS and len(self.kept) > 1:
            self.kept.popleft()
            self._size -= self._sizes.popleft()
            self.gone += 1


class _LogSession:
    """Collects the messages and steps of a log, record by record."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        self._reader = records.AsideReader()
        self._turns = _Newest[Turn]()
        self._steps = steps.Recorder(clean)
        self._unknown = Counter[str]()
        self._version: str | None = None
        self._last: Turn | None = None
        self._tools, self._of_tools = tool_lines.ToolLines(), 0
        self._folders = Folders()
        self._shortened = self._left_out = 0

    def add(self, record: Record, *, with_steps: bool) -> None:
        self._version = records.program_version(record) or self._version
        if kind := records.unknown_type(record):
            self._unknown[kind] += 1
        if record.get("type") == log_lines.LEFT_OUT and isinstance(gone := record["count"], int):
            self._left_out += gone
        self._folders.add(record)
        turns = [*transcript.turns_of(record, self._reader)]
        for turn in turns:
            if turn != self._last:
                if turn.role == transcript.ASSISTANT and (ran := self._tools.take()):
                    self._keep(Turn(transcript.TOOL, ran, turn.at))
                self._keep(turn)
                self._shortened += log_lines.CUT in turn.text
                self._last = turn
        self._tools.add(record)
        if with_steps:
            self._steps.add(record, turns)

    def _keep(self, turn: Turn) -> None:
        self._turns.add(turn, len(turn.text))
        self._of_tools += turn.role == transcript.TOOL

    def read(self, *, masks: bool) -> Reading:
        turns = self._turns
        messages = len(turns.kept) + turns.gone - self._of_tools
        text = storable(transcript.written(turns.kept))
        turns.kept.clear()  # masking needs the memory
        masked = mask(text) if masks else Masked(text)
        return Reading(
            text=masked.text,
            steps=storable(self._steps.written()),
            masked=masked.kinds,
            version=self._version,
            messages=messages,
            unknown=dict(self._unknown),
            shortened=self._shortened,
            left_out=self._left_out + turns.gone,
            folders=tuple(self._folders.changes),
            files=tuple(map(storable, self._steps.files)),
        )


def storable(text: str) -> str:
    """Return a trimmed text without characters that a database cannot store."""
    return encodable(text.replace("\0", "")).strip()


def key_of(text: str) -> str:
    """Return the key of a session without one: the same text is the same session."""
    return f"transcript-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
