"""Counts of captured messages and unread records per session: `session_readings`.

When a harness changes its log format, sessions become empty or contain records of unknown types. The counts show that
on the first day.
"""

import json
from datetime import datetime, timedelta
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.domain.auth import caller
from signet.domain.transcripts import sql
from signet.domain.transcripts.models import Session
from signet.wire import capture as wire

#: The version of the log reader; sessions stored by an earlier one are read again (see backfill/jobs.py).
READER = 3
_READER = "transcripts:reader"
#: Records of unknown types are reported this long after the last session that had some.
REPORTED = timedelta(days=30)


class Row(NamedTuple):
    """The counts of one session; times are ISO-8601 text, `unknown` is JSON: count by type."""

    harness: str
    version: str | None
    messages: int
    unknown: str
    shortened: int
    left_out: int
    last_said_at: str | None


def note_prompt(tx: WriteTx, agent_id: str, key: str, harness: str, *, now: datetime) -> None:
    """Record a prompt of the user: the session then has at least one message."""
    tx.run(sql.ASKED, (agent_id, key, harness, clock.to_text(now)))


def put(tx: WriteTx, session: Session, *, now: datetime) -> None:
    """Store the counts of a session; without a log, only its end."""
    found, owner = session.reading, (session.agent_id, session.key)
    if found is None:
        tx.run(sql.ENDED, (clock.to_text(now), *owner))
        return
    before = tx.row(Row, sql.READING, owner)
    counts = json.loads(before.unknown) if before else {}
    unknown = {
        kind: max(counts.get(kind, 0), found.unknown.get(kind, 0))
        for kind in (*counts, *found.unknown)
    }
    told = (session.harness, found.version, found.messages, json.dumps(unknown))
    rest = (found.shortened, found.left_out, clock.to_text(now), found.log_bytes, READER)
    tx.run(sql.PUT_READING, (*owner, *told, *rest))


def captured(tx: WriteTx, agent_id: str, key: str, *, said_at: datetime) -> None:
    """Record the time of the last stored message."""
    tx.run(sql.CAPTURED, (clock.to_text(said_at), agent_id, key))


def forget(tx: WriteTx, agent_id: str, key: str) -> None:
    tx.run(sql.FORGET_READING, (agent_id, key))


def is_stale(tx: ReadTx) -> bool:
    """Return whether transcripts of an earlier READER still need to be queued."""
    return runtime_settings.get_number(tx, _READER) < READER and bool(tx.value(sql.OLD, (READER,)))


def set_current(tx: WriteTx) -> None:
    runtime_settings.put(tx, _READER, READER)


def of_session(tx: ReadTx, agent_id: str, key: str) -> wire.LogCounts | None:
    row = tx.row(Row, sql.READING, (agent_id, key))
    if row is None:
        return None
    return {
        "version": row.version,
        "messages": row.messages,
        "unknownRecords": json.loads(row.unknown),
        "shortened": row.shortened,
        "leftOut": row.left_out,
    }


def capture(tx: ReadTx, *, now: datetime) -> wire.Capture:
    """Return the last captured message per harness, and the unread records of the last 30 days."""
    since = clock.to_text(now - REPORTED)
    may_see = caller.current().is_local_user  # session keys do not concern other users
    return {
        "harnesses": [
            {"harness": harness, "lastMessageAt": last, "emptySession": empty if may_see else None}
            for harness, last, empty in tx.tuples(sql.CAPTURES)
        ],
        "unknownRecords": [
            {"harness": harness, "version": version, "type": kind, "records": count}
            for harness, version, kind, count in tx.tuples(sql.UNKNOWN_RECORDS, (since,))
        ],
        "truncatedSessions": int(tx.value(sql.TRUNCATED) or 0),
    }


def note_unkept(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    tx.run(sql.UNKEEP, (agent_id, key, clock.to_text(now)))


def lift_unkept(tx: WriteTx, agent_id: str, key: str) -> None:
    tx.run(sql.KEEP_AGAIN, (agent_id, key))


def is_unkept(tx: ReadTx, agent_id: str, key: str) -> bool:
    return tx.value(sql.IS_UNKEPT, (agent_id, key)) is not None
