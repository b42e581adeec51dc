"""A session as its harness delivers it."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.domain.projects.folder import ProjectPlace
from signet.domain.transcripts import sql, transcript
from signet.domain.transcripts.transcript import Record

#: Most changes of folder stored per session, and folders resolved to projects.
MOST_PARTS, MOST_FOLDERS = 200, 50


class ProjectSpan(NamedTuple):
    """The project and folder of a session from an instant on (`2026-11-22T19:02:00Z`)."""

    since: str
    project: str
    sub_path: str = ""


class Folders:
    """Collects the working folders of a log's records."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, str]] = []

    def add(self, record: Record) -> None:
        inner = record.get("payload")
        named = record.get("cwd") or (inner.get("cwd") if isinstance(inner, dict) else None)
        if not isinstance(named, str) or not named or len(self.changes) >= MOST_PARTS:
            return
        if (not self.changes or self.changes[-1][1] != named) and (
            at := transcript.time_of(record)
        ):
            self.changes.append((at, named))


def of_folders(
    changes: Sequence[tuple[str, str]], project: str | None, find: Callable[[str], ProjectPlace]
) -> list[ProjectSpan]:
    """Return the parts of a session from the folders in its log.

    Folders outside of any repository, such as `/tmp`, are ignored.
    """
    names = list(dict.fromkeys(folder for _, folder in changes))[:MOST_FOLDERS]
    places = {name: find(name) for name in names}
    parts: list[ProjectSpan] = []
    for since, name in changes:
        place = places.get(name)
        if place is None or not (place.is_repository or place.project == project):
            continue
        part = ProjectSpan(since, place.project, place.sub_path)
        if not parts or parts[-1][1:] != part[1:]:
            parts.append(part)
    return parts


def project_at(parts: Sequence[ProjectSpan], at: str | None, otherwise: str) -> str:
    """Return the project of a message by its time; `otherwise` if no part covers it."""
    number = bisect_right(parts, at, key=lambda part: part.since) if at else 0
    return parts[number - 1].project if number else otherwise


def put_parts(tx: WriteTx, agent_id: str, key: str, parts: Iterable[ProjectSpan]) -> None:
    tx.many(sql.PUT_PART, [(agent_id, key, *part) for part in parts])


def parts_of_session(tx: ReadTx, agent_id: str, key: str) -> list[ProjectSpan]:
    return tx.rows(ProjectSpan, sql.PARTS, (agent_id, key))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The messages of a session's log, and counts of unread records.

    `text` is the transcript in stored form, `steps` its steps (see steps.py), `masked` the kinds of masked secrets,
    `version` that of the program that wrote the log. `unknown` counts records of unknown types, `shortened` cut
    messages, and `left_out` messages missing from `text`.
    """

    text: str = ""
    steps: str = ""
    masked: tuple[str, ...] = ()
    version: str | None = None
    messages: int = 0
    log_bytes: int | None = None
    unknown: Mapping[str, int] = field(default_factory=dict)
    shortened: int = 0
    left_out: int = 0
    #: The working folders of the session and their start times, if the log has them.
    folders: tuple[tuple[str, str], ...] = ()
    #: Paths of the files that tools changed, the last one last.
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """A session in a list: lines of at most 80 characters, decisions and files in order."""

    title: str | None = None
    outcome: str | None = None
    decisions: Sequence[str] = ()
    files: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session as its harness sends it; `text` is normalized and may be empty."""

    agent_id: str
    key: str
    harness: str
    project: str | None
    text: str
    #: Delivered at the end of a turn; the session continues (see `stored.py`).
    is_turn: bool = False
    #: The reading of its log; None if no log was read.
    reading: Reading | None = None
    #: The repositories of the session (see `split.py`); empty if all of it belongs to its project.
    parts: tuple[ProjectSpan, ...] = ()
