"""A report for support: versions and state of this installation, without memory texts.

It contains no text of a memory, no secrets and no secret settings. It is written to a file and sent nowhere.
"""

import json
import os
import platform
import re
import sys
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path

from signet import __version__, clock, config, engine
from signet.care.doctor.examine import examine
from signet.db import ReadTx, inspection, migrate, snapshot
from signet.db.driver import sqlite
from signet.domain.backup import create
from signet.errors import Conflict, SignetError
from signet.files import read_file
from signet.observe import logfile, logread
from signet.observe.logs import MASK, mask_text
from signet.paths import Workspace

LOG_LINES = 500
STARTUP_LINES = 50
#: Longer values could be user text, so only their length is reported.
LONGEST_VALUE = 160
#: Shorter texts are not memories. Maximum number of distinct texts to compare with memories; the rest is removed.
SHORTEST_TEXT = 12
MOST_TEXTS = 200
READ_SECONDS = 60.0
#: Fields of log lines that contain user text.
_WORDS_OF_PEOPLE = frozenset(
    "content text query prompt memory fact summary answer body input output value".split()
)
#: Quoted parts of messages, and the lines of a stack trace that name program locations.
_QUOTED = re.compile(r"""(['"`])(?:(?!\1).){12,}\1""")
_FRAME = re.compile(r'^[ \t]++File ".*$', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPart:
    """One file of the report, and its purpose."""

    name: str
    what: str
    content: bytes


def write(workspace: Workspace, target: Path, *, now: datetime) -> list[ReportPart]:
    """Write the report to a new private file, and return its parts. Raises Conflict."""
    create.check_folder(target)
    parts = collect(workspace, now=now)
    if target.exists():
        raise Conflict(f"{target} already exists; choose another file with --output", "file_exists")
    unfinished = target.with_name(f".{target.name}.part")
    unfinished.unlink(missing_ok=True)
    try:
        with create.create_file(unfinished) as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
                for part in parts:
                    archive.writestr(part.name, part.content)
            create.sync_file(stream)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return parts


def collect(workspace: Workspace, *, now: datetime) -> list[ReportPart]:
    settings = config.as_public_dict(config.load(workspace).settings)
    checks = [check._asdict() for check in examine(workspace, now=now)]
    with inspection.reading(workspace.database, seconds=READ_SECONDS) as tx:
        cleaner = Cleaner(tx)
        log = [cleaner.entry(entry) for entry in _log(workspace)]
        startup = [str(cleaner.clean(line)) for line in _startup(workspace)]
        found = cleaner.clean(checks)
    return [
        _part("versions.json", "Signet, Python, SQLite, system, libraries", _versions(now)),
        _part("settings.json", "effective settings, without secrets", settings),
        _part("doctor.json", "results of signet doctor", found),
        _part("database.json", "schema, and row counts of the tables", _database(workspace)),
        _lines("log.ndjson", f"the last {LOG_LINES} lines of the log", map(json.dumps, log)),
        _lines("startup.log", "the last lines of the startup log", startup),
    ]


class Cleaner:
    """Removes credentials and possible memory texts from JSON data."""

    def __init__(self, tx: ReadTx | None) -> None:
        self._tx = tx
        self._known: dict[str, bool] = {}

    def entry(self, entry: logread.Entry) -> object:
        """Return a log line; stack traces keep only program locations."""
        error = entry.get("error")
        if isinstance(error, dict) and "stack" in error:
            frames = [line.strip() for line in _FRAME.findall(str(error["stack"]))]
            cleaned = self.clean({**entry, "error": {**error, "stack": None}})
            assert isinstance(cleaned, dict)
            return {**cleaned, "error": {**cleaned["error"], "stack": frames}}
        return self.clean(entry)

    def clean(self, value: object) -> object:
        """Return JSON data without private content."""
        if isinstance(value, Mapping):
            return {
                str(name): MASK if str(name).lower() in _WORDS_OF_PEOPLE else self.clean(item)
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.clean(item) for item in value]
        return self._text(value) if isinstance(value, str) else value

    def _text(self, given: str) -> str:
        text = _QUOTED.sub(r"\1…\1", mask_text(given))
        if len(text) > LONGEST_VALUE:
            return f"[{len(text)} characters]"
        return MASK if self._is_remembered(text) else text

    def _is_remembered(self, text: str) -> bool:
        """Return whether a text contains a memory or is part of one; text without spaces is neither."""
        if self._tx is None or len(text) < SHORTEST_TEXT or " " not in text:
            return False
        if text not in self._known:
            if len(self._known) >= MOST_TEXTS:
                return True
            self._known[text] = inspection.is_remembered(self._tx, text, least_chars=SHORTEST_TEXT)
        return self._known[text]


def _versions(now: datetime) -> dict[str, object]:
    requires = metadata.requires("signetai") or []
    names = sorted({_name(one) for one in requires if "extra ==" not in one})
    return {
        "signet": __version__,
        "at": clock.to_text(now),
        "python": sys.version,
        "executable": sys.executable,
        "sqlite": sqlite.sqlite_version,
        "system": platform.platform(),
        "libraries": {name: _version(name) for name in names},
    }


def _name(requirement: str) -> str:
    return requirement.translate(str.maketrans("<>=!~;[(", " " * 8)).split()[0]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _database(workspace: Workspace) -> dict[str, object]:
    database = workspace.database
    if not engine.exists(database):
        return {"exists": False}
    try:
        found: dict[str, object] = {
            "schema": migrate.current(database),
            "newest": migrate.head(),
            "counts": snapshot.counts(database),
        }
        if engine.url_of(database) is None:
            found |= {"bytes": database.stat().st_size, "definitions": migrate.schema(database)}
        return found
    except (SignetError, sqlite.Error) as error:
        return {"unreadable": str(error)}


def _log(workspace: Workspace) -> list[logread.Entry]:
    place = logfile.place(workspace.log_dir, os.environ)
    return logread.newest(place, LOG_LINES, logread.LogFilter(level="info"))


def _startup(workspace: Workspace) -> list[str]:
    try:
        content = read_file(workspace.log_dir / logfile.STARTUP)
    except OSError:
        return []
    lines = content.decode("utf-8", "replace").splitlines()
    return lines[-STARTUP_LINES:]


def _part(name: str, what: str, value: object) -> ReportPart:
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    return ReportPart(name=name, what=what, content=text.encode("utf-8", "backslashreplace"))


def _lines(name: str, what: str, lines: Iterable[str]) -> ReportPart:
    text = "".join(f"{line}\n" for line in lines)
    return ReportPart(name=name, what=what, content=text.encode("utf-8", "backslashreplace"))
