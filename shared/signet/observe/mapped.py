"""Memory-mapped files whose disk space is allocated at creation.

Writing to a mapped page without disk space ends the process with SIGBUS, and a file extended by `truncate` has none
yet. So the space is written first; if the disk is full, the values stay in memory.

The only module that uses private parts of prometheus-client; tests/architecture/test_library_parts.py lists them, and
pyproject.toml bounds the version.
"""

import contextlib
import io
import mmap
from pathlib import Path

import prometheus_client.values
from prometheus_client.mmap_dict import MmapedDict

#: The library's initial size (prometheus_client.mmap_dict).
_INITIAL = 1 << 16
#: Bytes of an entry besides its key: length, padding, two numbers.
_ENTRY = 4 + 8 + 16


def install() -> None:
    """Store the values of metrics created from now on in such files."""
    prometheus_client.values.MmapedDict = MappedValues  # type: ignore[attr-defined]  # a name that the module looks up


def reserved(path: Path, size: int) -> mmap.mmap:
    """Return a new mapped file of zeros; plain memory if the disk is full."""
    try:
        with path.open("a+b") as file:
            if (there := path.stat().st_size) < size:
                file.write(bytes(size - there))
                file.flush()
            return mmap.mmap(file.fileno(), size)
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink()
        return mmap.mmap(-1, size)


class MappedValues(MmapedDict):
    """The library's value file, which survives a full disk."""

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        if not read_mode:
            reserved(Path(filename), _INITIAL).close()
        if read_mode or Path(filename).exists():
            super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]  # ships no types
            return
        self._f, self._fname = io.BytesIO(), filename
        self._move(mmap.mmap(-1, _INITIAL))
        self._positions: dict[str, int] = {}
        self._used = 8

    def _init_value(self, key: str) -> None:
        while self._used + len(key.encode()) + _ENTRY > self._capacity:
            self._grow()
        super()._init_value(key)  # type: ignore[no-untyped-call]  # ships no types

    def _grow(self) -> None:
        """Double the size; if the disk is full, continue in memory, visible only to this process."""
        size = 2 * self._capacity
        try:
            number = self._f.fileno()  # plain memory has none
            self._f.write(bytes(size - self._capacity))
            self._f.flush()
            self._move(mmap.mmap(number, size))
        except OSError:
            larger = mmap.mmap(-1, size)
            larger[: self._capacity] = self._m[:]
            with contextlib.suppress(OSError):  # it reports the failed write once more
                self._f.close()
            self._f = io.BytesIO()
            self._move(larger)

    def _move(self, memory: mmap.mmap) -> None:
        self._m, self._capacity = memory, len(memory)
