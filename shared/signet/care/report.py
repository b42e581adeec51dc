"""A report for whoever is asked for help: what runs here and how it is, without what is remembered.

It holds no text of a memory, no secret and no settings that are one. It is written to a file and sent to nobody.
"""

import json
import os
import platform
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path

from signet import __version__, clock, config
from signet.care.doctor.examine import examine
from signet.db import migrate, snapshot
from signet.db.driver import sqlite
from signet.domain.backup import disk
from signet.errors import Conflict, SignetError
from signet.observe import logfile, logread
from signet.observe.logs import MASK, mask_text
from signet.paths import Workspace

LOG_LINES = 500
STARTUP_LINES = 50
#: A longer value of a log line could be what somebody wrote.
LONGEST_VALUE = 160
#: Fields of log lines that hold words of people, whoever comes to log them.
_WORDS_OF_PEOPLE = frozenset(
    "content text query prompt memory fact summary answer body input output value".split()
)


class Exists(Conflict):
    """The file exists."""

    code = "file_exists"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of the report and what it is for."""

    name: str
    what: str
    content: bytes


def write(workspace: Workspace, target: Path, *, now: datetime) -> list[Part]:
    """Write the report to a new file that only its owner may read, and return its parts. Raises Exists."""
    parts = collect(workspace, now=now)
    if target.exists():
        raise Exists(f"{target} exists; choose another file with --output")
    unfinished = target.with_name(f".{target.name}.part")
    unfinished.unlink(missing_ok=True)
    try:
        with disk.create(unfinished) as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
                for part in parts:
                    archive.writestr(part.name, part.content)
            disk.sync_file(stream)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return parts


def collect(
    workspace: Workspace, *, now: datetime, environ: Mapping[str, str] = os.environ
) -> list[Part]:
    """Return the parts of a report."""
    loaded = config.load(workspace, environ)
    checks = [check.to_dict() for check in examine(workspace, now=now, environ=environ)]
    return [
        _part("versions.json", "Signet, Python, SQLite, system, libraries", _versions(now)),
        _part(
            "settings.json",
            "settings in force, without secrets",
            config.as_public_dict(loaded.settings),
        ),
        _part("doctor.json", "what signet doctor finds", masked(checks)),
        _part("database.json", "schema, and how many rows each table has", _database(workspace)),
        _lines("log.ndjson", f"the last {LOG_LINES} lines of the log", _log(workspace, environ)),
        _lines("startup.log", "the last lines of the start", _startup(workspace)),
    ]


def masked(value: object) -> object:
    """Return JSON data without credentials, without words of people, and with long values cut."""
    if isinstance(value, Mapping):
        return {
            str(name): MASK if str(name).lower() in _WORDS_OF_PEOPLE else masked(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked(item) for item in value]
    if isinstance(value, str):
        text = mask_text(value)
        return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
    return value


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
    if not database.exists():
        return {"exists": False}
    try:
        return {
            "bytes": database.stat().st_size,
            "schema": migrate.current(database),
            "newest": migrate.head(),
            "counts": snapshot.counts(database),
            "definitions": migrate.schema(database),
        }
    except (SignetError, sqlite.Error) as error:
        return {"unreadable": str(error)}


def _log(workspace: Workspace, environ: Mapping[str, str]) -> list[str]:
    place = logfile.place(workspace.log_dir, environ)
    newest = logread.newest(place, LOG_LINES, logread.Filter(level="info"))
    return [json.dumps(masked(entry), ensure_ascii=False) for entry in newest]


def _startup(workspace: Workspace) -> list[str]:
    try:
        lines = (workspace.log_dir / logfile.STARTUP).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [str(masked(line)) for line in lines[-STARTUP_LINES:]]


def _part(name: str, what: str, value: object) -> Part:
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    return Part(name=name, what=what, content=text.encode("utf-8", "backslashreplace"))


def _lines(name: str, what: str, lines: list[str]) -> Part:
    text = "".join(f"{line}\n" for line in lines)
    return Part(name=name, what=what, content=text.encode("utf-8", "backslashreplace"))
