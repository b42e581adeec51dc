"""Looking at files of harnesses, which may go or change while one looks."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

#: So much of the beginning of a log is read to find out whose it is: some lines come before the first that says.
HEAD_BYTES = 256 * 1024
#: A line may hold a picture; one that is longer is not read, nor is any other line of a log that begins with it.
LINE_BYTES = 64 * 1_048_576


def below(folder: Path, pattern: str) -> Iterator[Path]:
    """Yield the files of a pattern below a folder; nothing where there is none, or none that may be read."""
    with suppress(OSError):
        for path in folder.glob(pattern):
            with suppress(OSError):
                if path.is_file():
                    yield path


def head(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of the first lines of a log, at least of one; nothing where it cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        found = 0
        while (file.tell() < HEAD_BYTES or not found) and (line := file.readline(LINE_BYTES)):
            if len(line) == LINE_BYTES:
                return
            record = parsed(line.decode("utf-8-sig", "replace"))
            if isinstance(record, dict):
                found += 1
                yield record


def text(value: object) -> str | None:
    """Return a text that says something, None for anything else."""
    return value if isinstance(value, str) and value.strip() else None


def json_of(path: Path) -> Any:
    """Return the JSON value of a file; raises OSError, and ValueError for a file of another form."""
    try:
        return json.loads(path.read_bytes().decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def parsed(text: str) -> Any:
    """Return the JSON value that a text says, None for a text that says none."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def json_or_none(path: Path) -> Any:
    """Return the JSON value of a file, None where there is none."""
    with suppress(OSError, ValueError):
        return json_of(path)
    return None


def instant(milliseconds: object) -> datetime | None:
    """Return the instant that a number of milliseconds since 1970 names, None for anything else."""
    if isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool):
        with suppress(ValueError, OverflowError, OSError):
            return datetime.fromtimestamp(milliseconds / 1000, UTC)
    return None
