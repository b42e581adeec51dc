"""A session as its harness hands it over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from signet.domain.transcripts.parts import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The messages of a session's log, and counts of unread records.

    `text` is the transcript in stored form, `steps` its steps (see steps.py), `masked` the kinds of secrets that were
    replaced. `version` is that of the program that wrote the log, `log_bytes` the size of the file. `unknown` counts
    records of unknown types, `shortened` messages that lost their end, and `left_out` messages that are not in `text`.
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
    #: From when on the session was in which folder, where the log has times and folders.
    folders: tuple[tuple[str, str], ...] = ()
    #: Paths of the files that tools changed, the last one last.
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What a list shows of a session: lines of at most 80 characters, decisions and files in order."""

    title: str | None = None
    outcome: str | None = None
    decisions: Sequence[str] = ()
    files: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a harness hands over of a session; `text` is normalized and may be empty."""

    agent_id: str
    key: str
    harness: str
    project: str | None
    text: str
    #: A turn has handed it over, and the session goes on (see merge.py).
    is_turn: bool = False
    #: What else is known of its log; None where none was read.
    reading: Reading | None = None
    #: The repositories in which it was held (see parts.py); empty where all of it belongs to its project.
    parts: tuple[Part, ...] = ()
