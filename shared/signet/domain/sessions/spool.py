"""What a hook could not deliver, kept in files until the daemon takes it: no session is lost because nobody listened.

A hook writes its entry before it calls the daemon and takes it away when the daemon has it, so that nothing is lost
even when the harness kills the hook meanwhile. Entries are private, whole (renamed into place) and without secrets;
delivering one twice does no harm (HK-71, idempotency keys). They are bounded in number and size: what waits stays, and
what no longer fits is refused with a word. A log that an entry names by its path is linked beside it, so that it can
be read though the harness deletes it. Loads nothing but the standard library: hooks start in milliseconds.
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

#: More or larger ones are refused. A day without the daemon is some hundred.
MOST_ENTRIES = 5_000
MOST_BYTES = 512 * 1_048_576
#: Of those that the daemon did not want the last are kept, to be shown.
MOST_REFUSED = 50
#: A longer log is not copied where it cannot be linked.
MOST_COPIED = 64 * 1_048_576
#: What is younger may still be on its way by the hook that wrote it.
SETTLED_SECONDS = 3.0
#: What is older and belongs to no entry was left by a hook that was killed.
LEFT_SECONDS = 60.0

_ENTRY, _LOG, _DRAFT, _REFUSED = ".json", ".log", ".new", ".refused"
#: Fields of bodies that hold what somebody said.
_TEXTS = ("content", "summary", "transcript")


class Entry(NamedTuple):
    """One call that waits: the path of its route, headers and body.

    `daemon` is the address that it waits for where the workspace is connected to one elsewhere.
    """

    file: Path
    route: str
    headers: Mapping[str, str]
    body: Mapping[str, object]
    daemon: str = ""

    @property
    def log(self) -> Path:
        """Return where the log is that was kept with it, if one was."""
        return self.file.with_suffix(_LOG)

    def remove(self) -> None:
        """Take the entry away."""
        for path in (self.file, self.log):
            path.unlink(missing_ok=True)

    def refuse(self, why: str) -> None:
        """Put the entry aside, with the daemon's reason, where a person is shown it; the last MOST_REFUSED stay."""
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
    """Keep a call and return its entry; one that nobody is about to deliver `is_settled`.

    Raises Unavailable, and OSError when the disk does not take it.
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
        with suppress(OSError):  # another disk: it is copied when the call has failed
            os.link(log, entry.log)
    draft.replace(entry.file)
    if is_settled:
        os.utime(entry.file, (0, 0))
    return entry


def hold(entry: Entry) -> None:
    """Prepare an entry to wait for long: copy a log that could not be linked, and clear up.

    Earlier entries that hold the beginning of the same log go: each turn of a session makes one.
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
    """Return whether anything waits."""
    return next(_files(folder), None) is not None


def refused(folder: Path) -> list[Mapping[str, Any]]:
    """Return what the daemon did not want, oldest first: `route`, `body`, and `why`."""
    found = []
    for file in sorted(folder.glob(f"*{_REFUSED}")):
        with suppress(OSError, ValueError):
            found.append(_read(file))
    return found


def entries(folder: Path, *, all: bool = False) -> list[Entry]:
    """Return the entries that have settled, or `all`, oldest first.

    What cannot be read is taken away: it can never be delivered.
    """
    found: list[Entry] = []
    for file in sorted(_files(folder)):
        try:
            if not all and time.time() - file.stat().st_mtime < SETTLED_SECONDS:
                continue
            said = _read(file)
            headers = {str(name): str(value) for name, value in dict(said["headers"]).items()}
            daemon = str(said.get("daemon", ""))
            found.append(Entry(file, str(said["route"]), headers, dict(said["body"]), daemon))
        except OSError:  # gone meanwhile, or not ours to read: it holds nobody up
            continue
        except (ValueError, TypeError, KeyError, RecursionError):
            Entry(file, "", {}, {}).remove()
    return found


def body_to_deliver(entry: Entry) -> dict[str, object]:
    """Return the body of an entry; it names the kept log where the harness has removed its own."""
    body = dict(entry.body)
    if _log_of(body) is None and entry.log.exists():
        body["transcriptPath"] = str(entry.log)
    return body


def _slot(route: str, headers: Mapping[str, str], body: Mapping[str, object]) -> str:
    """Return what entries have in common of which the last holds what all hold; a session that is cleared is none."""
    import hashlib  # most hooks keep nothing

    owner = (body.get("sessionKey"), body.get("transcriptPath"), body.get("reason") == "clear")
    said = json.dumps([route, sorted(headers.items()), *owner])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read(file: Path) -> Mapping[str, Any]:
    """Return what a file says, each half of a surrogate pair as U+FFFD: no database takes it."""
    text = json.dumps(json.loads(file.read_bytes()), ensure_ascii=False)
    found: Mapping[str, Any] = json.loads(encodable(text))
    return found


def _files(folder: Path) -> Iterator[Path]:
    with suppress(FileNotFoundError, NotADirectoryError):
        yield from (one for one in folder.iterdir() if one.suffix == _ENTRY and one.is_file())


def _log_of(body: Mapping[str, object]) -> Path | None:
    """Return the log that a body names, if it is there."""
    path = body.get("transcriptPath")
    if not isinstance(path, str) or not path or "\0" in path:
        return None
    try:
        log = Path(path).expanduser()
        return log if log.is_absolute() and stat.S_ISREG(log.stat().st_mode) else None
    except (OSError, RuntimeError, ValueError):  # a path that cannot be said in UTF-8, too
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
    from signet.text import masking  # a hook that has no text does not wait for it

    return {**body, **{name: masking.mask(text).text for name, text in said.items()}}


def _check_room(folder: Path, *, instead_of: str | None) -> None:
    """Raise Unavailable when nothing more fits; what a new entry replaces does not count."""
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
    """Take away what was left behind."""
    for path in sorted(folder.iterdir(), key=lambda one: one.suffix, reverse=True):  # drafts first
        # In this order: a draft that becomes an entry meanwhile is seen as one or the other.
        is_owned = path.with_suffix(_DRAFT).exists() or path.with_suffix(_ENTRY).exists()
        if (path.suffix == _LOG and not is_owned) or (path.suffix == _DRAFT and _is_left(path)):
            path.unlink(missing_ok=True)
