"""Calls of hooks that wait in files until the daemon accepts them, so that no session is lost.

A hook writes its entry before it calls the daemon and deletes it once the daemon has accepted the call; nothing is lost
even if the harness kills the hook in between. Entries are private, written atomically by rename, and contain no
secrets. Delivering one twice is harmless (HK-71, idempotency keys). Number and size are limited: waiting entries stay,
and a new one that does not fit is refused with a message. A log file named in an entry is linked next to it, because
the harness may delete the log. This module loads only the standard library: hooks start in milliseconds.
"""

import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from signet import ids
from signet.errors import Unavailable
from signet.text.controls import encodable

#: More or larger entries are refused. A day without the daemon makes a few hundred.
MOST_ENTRIES = 5_000
MOST_BYTES = 512 * 1_048_576
#: Refused entries kept for display: the newest.
MOST_REFUSED = 50
#: A longer log is not copied if it cannot be linked.
MOST_COPIED = 64 * 1_048_576
#: The hook that wrote a younger entry may still be delivering it.
SETTLED_SECONDS = 3.0
#: An older file without an entry was left by a killed hook.
LEFT_SECONDS = 60.0

_ENTRY, _LOG, _DRAFT, _REFUSED = ".json", ".log", ".new", ".refused"
#: Fields of bodies that contain messages.
_TEXTS = ("content", "summary", "transcript")


class Entry(NamedTuple):
    """A waiting call: route path, headers and body.

    `daemon` is the remote address it waits for, if the workspace is connected to one.
    """

    file: Path
    route: str
    headers: Mapping[str, str]
    body: Mapping[str, object]
    daemon: str = ""

    @property
    def log(self) -> Path:
        """Return the path of the linked or copied log, if there is one."""
        return self.file.with_suffix(_LOG)

    def remove(self) -> None:
        for path in (self.file, self.log):
            path.unlink(missing_ok=True)

    def refuse(self, why: str) -> None:
        """Move the entry to the refused ones, with the daemon's reason; keeps the last MOST_REFUSED."""
        aside = self.file.with_suffix(_REFUSED)
        said = {"route": self.route, "body": dict(self.body), "why": why}
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(said, file)
        self.remove()
        for old in sorted(self.file.parent.glob(f"*{_REFUSED}"))[:-MOST_REFUSED]:
            old.unlink(missing_ok=True)


def put(
    folder: Path,
    route: str,
    headers: Mapping[str, str],
    body: Mapping[str, object],
    *,
    daemon: str = "",
    is_settled: bool = False,
) -> Entry:
    """Store a call and return its entry; `is_settled` if no hook is about to deliver it.

    Raises Unavailable, and OSError if the disk refuses it.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    slot = _slot(route, headers, body)
    _check_room(folder, instead_of=slot if "transcriptPath" in body else None)
    body = _without_secrets(body)
    entry = Entry(folder / f"{ids.new_ordered_id()}-{slot}{_ENTRY}", route, headers, body, daemon)
    draft = entry.file.with_suffix(_DRAFT)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    said = {"route": route, "headers": dict(headers), "body": dict(body), "daemon": daemon}
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(said, file)
    if (log := _log_of(body)) is not None:
        with suppress(OSError):  # another disk: it is copied if the call fails
            os.link(log, entry.log)
    draft.replace(entry.file)
    if is_settled:
        os.utime(entry.file, (0, 0))
    return entry


def hold(entry: Entry) -> None:
    """Prepare an entry for a long wait: copy a log that could not be linked, and clean up.

    Deletes earlier entries with the beginning of the same log: each turn of a session makes one.
    """
    log = _log_of(entry.body)
    if log is not None and not entry.log.exists():
        with suppress(OSError):
            if log.stat().st_size <= MOST_COPIED:
                import shutil

                shutil.copyfile(log, entry.log)
                entry.log.chmod(0o600)
    if log is not None:
        _, _, slot = entry.file.stem.rpartition("-")
        for file in entry.file.parent.glob(f"*-{slot}{_ENTRY}"):
            if file.name < entry.file.name:
                Entry(file, "", {}, {}).remove()
    _clear(entry.file.parent)


def is_waiting(folder: Path) -> bool:
    return next(_files(folder), None) is not None


def refused(folder: Path) -> list[Mapping[str, Any]]:
    """Return the calls that the daemon refused, oldest first: `route`, `body`, and `why`."""
    found = []
    for file in sorted(folder.glob(f"*{_REFUSED}")):
        with suppress(OSError, ValueError):
            found.append(_read(file))
    return found


def entries(folder: Path, *, all: bool = False) -> list[Entry]:
    """Return the settled entries, or `all`, oldest first. Deletes unreadable entries, which can never be delivered."""
    found: list[Entry] = []
    for file in sorted(_files(folder)):
        try:
            if not all and time.time() - file.stat().st_mtime < SETTLED_SECONDS:
                continue
            said = _read(file)
            headers = {str(name): str(value) for name, value in dict(said["headers"]).items()}
            daemon = str(said.get("daemon", ""))
            found.append(Entry(file, str(said["route"]), headers, dict(said["body"]), daemon))
        except OSError:  # deleted meanwhile, or not ours to read: it blocks no one
            continue
        except (ValueError, TypeError, KeyError, RecursionError):
            Entry(file, "", {}, {}).remove()
    return found


def body_to_deliver(entry: Entry) -> dict[str, object]:
    """Return the body of an entry; it names our copy of the log if the harness has deleted its own."""
    body = dict(entry.body)
    if _log_of(body) is None and entry.log.exists():
        body["transcriptPath"] = str(entry.log)
    return body


def _slot(route: str, headers: Mapping[str, str], body: Mapping[str, object]) -> str:
    """Return the key shared by entries of which the last contains all others; none for a cleared session."""
    import hashlib  # most hooks store nothing

    owner = (body.get("sessionKey"), body.get("transcriptPath"), body.get("reason") == "clear")
    said = json.dumps([route, sorted(headers.items()), *owner])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read(file: Path) -> Mapping[str, Any]:
    """Return the contents of a file; lone surrogates become U+FFFD, because no database accepts them."""
    text = json.dumps(json.loads(file.read_bytes()), ensure_ascii=False)
    found: Mapping[str, Any] = json.loads(encodable(text))
    return found


def _files(folder: Path) -> Iterator[Path]:
    with suppress(FileNotFoundError, NotADirectoryError):
        yield from (one for one in folder.iterdir() if one.suffix == _ENTRY and one.is_file())


def _log_of(body: Mapping[str, object]) -> Path | None:
    path = body.get("transcriptPath")
    if not isinstance(path, str) or not path or "\0" in path:
        return None
    try:
        log = Path(path).expanduser()
        return log if log.is_absolute() and stat.S_ISREG(log.stat().st_mode) else None
    except (OSError, RuntimeError, ValueError):  # also a path that is not valid UTF-8
        return None


def _is_left(draft: Path) -> bool:
    with suppress(FileNotFoundError):
        return time.time() - draft.stat().st_mtime > LEFT_SECONDS
    return False


def _without_secrets(body: Mapping[str, object]) -> Mapping[str, object]:
    """Return a body whose texts are masked as the daemon would mask them."""
    said = {name: text for name in _TEXTS if isinstance(text := body.get(name), str)}
    if not said:
        return body
    from signet.text import masking  # a hook without text does not wait for this import

    return {**body, **{name: masking.mask(text).text for name, text in said.items()}}


def _check_room(folder: Path, *, instead_of: str | None) -> None:
    """Raise Unavailable if nothing more fits; an entry about to be replaced does not count."""
    count = size = 0
    for file in _files(folder):
        if file.stem.rpartition("-")[2] == instead_of:
            continue
        count += 1
        for path in (file, file.with_suffix(_LOG)):
            with suppress(OSError):
                size += path.stat().st_size
    if count >= MOST_ENTRIES or size >= MOST_BYTES:
        raise Unavailable(
            f"{count} calls ({size // 1_048_576} MB) wait for the daemon in {folder}; nothing more is kept until it"
            " answers",
            "spool_full",
        )


def _clear(folder: Path) -> None:
    """Delete leftover files."""
    for path in sorted(folder.iterdir(), key=lambda one: one.suffix, reverse=True):  # drafts first
        # In this order: a draft that becomes an entry meanwhile is found as one or the other.
        is_owned = path.with_suffix(_DRAFT).exists() or path.with_suffix(_ENTRY).exists()
        if (path.suffix == _LOG and not is_owned) or (path.suffix == _DRAFT and _is_left(path)):
            path.unlink(missing_ok=True)
