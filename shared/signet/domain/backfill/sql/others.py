"""What is read from the databases of harnesses; nothing is ever written there.

A database that is not there, has another form or is held for long gives no sessions.
"""

import contextlib
from pathlib import Path
from typing import NamedTuple, TypeVar

from signet.db import ReadTx
from signet.db.driver import connect, sqlite

N = TypeVar("N", bound=NamedTuple)


class OpenCodeRow(NamedTuple):
    """A session of OpenCode; `at` is in milliseconds since 1970."""

    id: str
    directory: str | None
    at: int
    bytes: int


class PartRow(NamedTuple):
    """A part of a message, with that message; both as JSON."""

    message_id: str
    message: str
    part: str


class OpenClawRow(NamedTuple):
    """What was said under one key of OpenClaw; `at` is in milliseconds since 1970."""

    key: str
    directory: str | None
    at: int
    bytes: int


class EventRow(NamedTuple):
    """A line of a log, as JSON."""

    event: str


class CursorRow(NamedTuple):
    """A talk of Cursor; `at` is in milliseconds since 1970."""

    id: str
    at: int | None
    bytes: int


class BubbleRow(NamedTuple):
    """A message of a talk; `type` is 1 for the user and 2 for the assistant."""

    type: int | None
    text: str | None
    at: str | int | None


class TalkRow(NamedTuple):
    """The id of a talk that belongs to a folder."""

    id: str


OPENCODE = """
SELECT s.id, s.directory, s.time_updated AS at,
       (SELECT coalesce(sum(length(p.data)), 0) FROM part p WHERE p.session_id = s.id) AS bytes
  FROM session s WHERE s.parent_id IS NULL"""
OPENCODE_PARTS = """
SELECT m.id AS message_id, m.data AS message, p.data AS part
  FROM message m JOIN part p ON p.message_id = m.id
 WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id"""
OPENCLAW = """
SELECT w.session_key AS key,
       max(CASE e.seq WHEN 0 THEN e.event_json ->> 'cwd' END) AS directory,
       max(e.created_at) AS at, sum(length(e.event_json)) AS bytes
  FROM session_windows w JOIN transcript_events e ON e.session_id = w.session_id
 WHERE e.event_json IS NOT NULL GROUP BY w.session_key"""
OPENCLAW_EVENTS = """
SELECT e.event_json AS event
  FROM session_windows w JOIN transcript_events e ON e.session_id = w.session_id
 WHERE w.session_key = ? AND e.event_json IS NOT NULL ORDER BY w.created_at, w.session_id, e.seq"""
#: The keys of this table are `kind:id:part`; a range is an index seek, and the file may be of gigabytes.
CURSOR = """
SELECT substr(d.key, 14) AS id,
       coalesce(d.value ->> 'lastUpdatedAt', d.value ->> 'createdAt') AS at,
       (SELECT coalesce(sum(length(b.value)), 0) FROM cursorDiskKV b
         WHERE b.key > 'bubbleId:' || substr(d.key, 14) || ':'
           AND b.key < 'bubbleId:' || substr(d.key, 14) || ';') AS bytes
  FROM cursorDiskKV d
 WHERE d.key > 'composerData:' AND d.key < 'composerData;' AND json_valid(d.value)"""
CURSOR_BUBBLES = """
SELECT b.value ->> 'type' AS type, b.value ->> 'text' AS text,
       coalesce(b.value ->> 'createdAt', d.value ->> 'createdAt') AS at
  FROM cursorDiskKV d, json_each(d.value, '$.fullConversationHeadersOnly') h
  JOIN cursorDiskKV b ON b.key = 'bubbleId:' || substr(d.key, 14) || ':' || (h.value ->> 'bubbleId')
 WHERE d.key = 'composerData:' || ? AND json_valid(b.value) ORDER BY h.key"""
CURSOR_TALKS = """
SELECT t.value ->> 'composerId' AS id FROM ItemTable i, json_each(i.value, '$.allComposers') t
 WHERE i.key = 'composer.composerData' AND json_valid(i.value) AND t.value ->> 'composerId' IS NOT NULL"""


def asked(
    database: Path, shape: type[N], statement: str, params: tuple[object, ...] = ()
) -> list[N]:
    """Return what a database of a harness answers; raises OSError where it is gone, ValueError for another form."""
    if not database.is_file():
        raise FileNotFoundError(f"{database} is gone")
    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            return ReadTx(connection).rows(shape, statement, params)
    except sqlite.DatabaseError as error:
        raise ValueError(f"{database} cannot be read: {error}") from error


def read(database: Path, shape: type[N], statement: str) -> list[N]:
    """Return what a database of a harness answers, nothing where it cannot be asked."""
    with contextlib.suppress(OSError, ValueError):
        return asked(database, shape, statement)
    return []
