"""The stored transcripts of sessions: a new part is joined with the stored text."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.transcripts import models, readings, records, sql, steps, transcript, withheld
from signet.domain.transcripts.models import Overview, Session
from signet.domain.transcripts.sql import Transcript
from signet.domain.transcripts.transcript import Turn
from signet.queue import NORMAL, NewJob, enqueue

#: Names of the end of a turn in harnesses, in lower case: the event or the reason.
TURN_ENDS = frozenset(
    (
        "agent_end agent-turn-complete afteragent idle post_cascade_response_with_transcript "
        "session.idle stop subagentstop turn_end turn-end"
    ).split()
)
#: Two transcripts overlap if the other one has this many characters of the end of the first.
OVERLAP_CHARS = 200
#: Harnesses correct the time of a message by less than this.
CORRECTED = timedelta(minutes=5)


def is_turn_end(harness: str, runtime_path: str | None, reason: str | None) -> bool:
    """Return whether a call of session-end reports a turn.

    The published OpenClaw adapter calls it only at `agent_end`, without a reason.
    """
    if not (reason or "").strip():
        return harness == "openclaw" and runtime_path == "plugin"
    return (reason or "").strip().lower() in TURN_ENDS


def joined(stored: str, told: str, *, is_turn: bool) -> str:
    """Merge the stored transcript with a new one, without losing a message of either.

    After compaction a harness sends less than before: text after the end of the stored one is appended. A turn without
    overlap is appended whole. Of two whole transcripts, each may have messages that the other lacks (PIP-34).
    """
    if stored in told:
        return told
    if told in stored:
        return stored
    # Stored before messages had times, or delivered again with other times: OpenClaw corrects that of a prompt.
    if transcript.untimed(told).startswith(transcript.untimed(stored)):
        return told
    tail = _tail(stored)
    at = told.find(tail)
    if 0 <= at <= len(stored) - len(tail):
        return stored + told[at + len(tail) :]
    turns, more = (transcript.parse(one, with_tools=True) for one in (stored, told))
    for size in range(min(len(turns), len(more)), 0, -1):
        if all(map(_is_again, turns[-size:], more)):
            return transcript.written([*turns[:-size], *more])
    if is_turn and at < 0:
        return f"{stored}\n{told}"
    return transcript.written(_union(turns, more))


def _is_again(known: Turn, told: Turn) -> bool:
    """Return whether a message is the known one, with a time that may have been corrected."""
    at, again = clock.parsed(known.at), clock.parsed(told.at)
    return _same(known) == _same(told) and (not (at and again) or abs(at - again) < CORRECTED)


def _union(stored: Sequence[Turn], told: Sequence[Turn]) -> list[Turn]:
    """Return the distinct messages of both in order, by their times if all have one."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, turn in enumerate(stored):
        places.setdefault(_same(turn), []).append(place)
    found: list[Turn] = []
    done = 0
    if not any(_same(turn) in places for turn in told):
        found, done = list(stored), len(stored)
    for turn in told:
        known = places.get(_same(turn))
        if not known:
            found.append(turn)
            continue
        place = known.pop(0)
        if place >= done:
            found += stored[done:place]
            found.append(turn if turn.at else stored[place])
            done = place + 1
    found += stored[done:]
    if all(turn.at for turn in found):
        found.sort(key=lambda turn: turn.at or "")
    return found


def _same(turn: Turn) -> tuple[str, str]:
    return turn.role, folded(turn.text)


def folded(text: str) -> str:
    """Return a message with single blanks, because stored messages may have other line breaks than a log."""
    return " ".join(text.split())


class CorrectedTranscript(NamedTuple):
    """A transcript without texts of records that are not messages, and these texts."""

    text: str
    dropped: str


def corrected(stored: str, read: str, refused: Collection[str]) -> CorrectedTranscript | None:
    """Remove from a transcript the texts that an earlier version took for messages; None without any.

    `read` is the transcript as read now, `refused` the folded texts of records that are not messages.
    """
    messages = transcript.parse(read, with_tools=True)
    known = {folded(turn.text) for turn in messages}
    kept: list[Turn] = []
    dropped: list[str] = []
    for turn in transcript.parse(stored, with_tools=True):
        text = records.without_injected(turn.text).strip()
        is_refused = folded(turn.text) in refused and folded(turn.text) not in known
        if is_refused or text != turn.text:
            dropped.append(turn.text)
        if text and not is_refused:
            kept.append(replace(turn, text=text))
    if not dropped:
        return None
    if {folded(turn.text) for turn in kept} <= known:
        return CorrectedTranscript(read, "\n".join(dropped))
    text = transcript.written(kept)
    return CorrectedTranscript(joined(text, read, is_turn=False), "\n".join(dropped))


def _tail(text: str) -> str:
    """Return the last whole lines, long enough to be found again."""
    begin = text.rfind("\n", 0, max(len(text) - OVERLAP_CHARS, 0))
    return text[begin + 1 :]


#: The kind of job that reads a session into episodes (domain/episodes/index.py).
INDEX = "index_session"


class UnreadPart(NamedTuple):
    """A part of a transcript not yet queued for reading, and where it begins."""

    text: str
    position: int


def copy_from_jobs(tx: WriteTx) -> None:
    """Store the transcripts that the earlier program stored with its summary jobs."""
    tx.run(sql.COPY_FROM_JOBS)


def keep(tx: WriteTx, session: Session, *, priority: int = NORMAL, now: datetime) -> None:
    """Merge a session into its stored transcript (see `joined`), unless the session was forgotten.

    `priority` is that of its indexing.
    """
    if is_forgotten(tx, session.agent_id, session.key):
        return
    readings.put(tx, session, now=now)
    if session.reading and session.reading.files:
        _add_files(tx, session.agent_id, session.key, session.reading.files)
    if not session.text:
        return
    models.put_parts(tx, session.agent_id, session.key, session.parts)
    stored = tx.value(sql.TEXT, (session.agent_id, session.key)) or ""
    text = joined(stored, session.text, is_turn=session.is_turn)
    if len(text) <= len(stored):
        return
    spoken = transcript.spoken(session.text) or (now, now)
    keep_text(
        tx,
        session.agent_id,
        session.key,
        text,
        harness=session.harness,
        project=session.project,
        spoken=spoken,
    )
    readings.captured(tx, session.agent_id, session.key, said_at=min(spoken[1], now))
    queue_index(tx, session.agent_id, session.key, priority=priority, now=now)


def keep_text(
    tx: WriteTx,
    agent_id: str,
    key: str,
    text: str,
    *,
    harness: str | None,
    project: str | None,
    spoken: tuple[datetime, datetime],
) -> None:
    """Store a transcript with the times of its first and last message, if it is longer than the stored one."""
    tx.run(sql.PUT, (agent_id, key, text, harness, project, *map(clock.to_text, spoken)))


def correct(
    tx: WriteTx, agent_id: str, key: str, before: str, after: str, *, now: datetime
) -> bool:
    """Replace a transcript, also by a shorter one, and queue its indexing; False if it is no longer `before`."""
    if not tx.run(sql.CORRECT, (after, agent_id, key, before)):
        return False
    queue_index(tx, agent_id, key, now=now)
    return True


def text(tx: ReadTx, agent_id: str, key: str) -> str:
    return tx.value(sql.TEXT, (agent_id, key)) or ""


def whole(tx: ReadTx, agent_id: str, key: str) -> Transcript | None:
    return tx.row(sql.Transcript, sql.WHOLE, (agent_id, key))


def count(tx: ReadTx, agent_id: str | None) -> int:
    found = tx.value(sql.COUNT_OF_AGENT, (agent_id,)) if agent_id else tx.value(sql.COUNT)
    return int(found)


def forget(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    """Delete a transcript, and store nothing of its session from now on."""
    tx.run(sql.DELETE, (agent_id, key))
    tx.run(sql.DELETE_PARTS, (agent_id, key))
    tx.run(sql.DELETE_OVERVIEW, (agent_id, key))
    readings.forget(tx, agent_id, key)
    tx.run(sql.FORGET, (agent_id, key, clock.to_text(now)))


def is_forgotten(tx: ReadTx, agent_id: str, key: str) -> bool:
    return tx.value(sql.IS_FORGOTTEN, (agent_id, key)) is not None


def forgotten(tx: ReadTx) -> set[tuple[str, str]]:
    """Return agent and key of every forgotten session."""
    return {(row[0], row[1]) for row in tx.tuples(sql.FORGOTTEN)}


def put_overview(tx: WriteTx, agent_id: str, key: str, found: Overview) -> None:
    """Store the overview of a session, except for its files, which are stored with its log."""
    decisions = json.dumps(list(found.decisions), ensure_ascii=False)
    tx.run(sql.PUT_OVERVIEW, (agent_id, key, found.title, found.outcome, decisions))


def put_first_title(tx: WriteTx, agent_id: str, key: str, title: str) -> None:
    """Store the title of a running session, unless it has an overview or is not to be stored."""
    if not is_forgotten(tx, agent_id, key) and not readings.is_unkept(tx, agent_id, key):
        tx.run(sql.PUT_FIRST_TITLE, (agent_id, key, title))


def delete_first_titles(tx: WriteTx, sessions: Iterable[tuple[str, str]]) -> None:
    """Delete the titles of those sessions (agent and key) that never had a transcript."""
    tx.many(sql.DELETE_FIRST_TITLE, sessions)


def put_topic(tx: WriteTx, agent_id: str, key: str, topic: str) -> None:
    tx.run(sql.PUT_TOPIC, (agent_id, key, topic))


def files(
    tx: ReadTx, *, agent_id: str | None, project: str | None, least: int, most: int
) -> list[tuple[str, str, int]]:
    """Return project, path and number of sessions of the files that at least `least` sessions changed, most first."""
    asked = {"agent": agent_id, "project": project, "least": least, "most": most}
    return tx.tuples(sql.TOUCHED, asked)


def overviews(tx: ReadTx, sessions: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Overview]:
    """Return the overviews of these sessions (agent and key), without forgotten statements."""
    rows = tx.tuples(sql.OVERVIEWS, {"sessions": json.dumps(list(sessions))})
    known = {agent: withheld.statements(tx, agent) for agent in {row[0] for row in rows}}

    def shown(agent: str, text: str | None) -> str | None:
        return None if text is None or withheld.hides(text, known[agent]) else text

    return {
        (agent, key): Overview(
            title=shown(agent, title),
            outcome=shown(agent, outcome),
            decisions=[one for one in json.loads(decided or "[]") if shown(agent, one)],
            files=json.loads(files or "[]"),
        )
        for agent, key, title, outcome, decided, files in rows
    }


def _add_files(tx: WriteTx, agent_id: str, key: str, files: Sequence[str]) -> None:
    before = json.loads(tx.value(sql.FILES, (agent_id, key)) or "[]")
    every = [*(one for one in before if one not in files), *files]
    tx.run(sql.PUT_FILES, (agent_id, key, json.dumps(every[-steps.MOST_FILES :])))


def length(tx: ReadTx, agent_id: str, key: str) -> int:
    """Return the length of a stored transcript, which identifies its version; 0 without one."""
    return (tx.row(sql.Read, sql.READ, (agent_id, key)) or sql.Read()).chars


def take_new(tx: WriteTx, agent_id: str, key: str, *, least_bytes: int) -> UnreadPart | None:
    """Take the text since the last taken part; None while it is shorter than `least_bytes`."""
    chars, position = tx.row(sql.Read, sql.READ, (agent_id, key)) or sql.Read()
    part = UnreadPart(tx.value(sql.AFTER, (position, agent_id, key)) or "", position)
    if len(part.text.encode()) < least_bytes:
        return None
    tx.run(sql.SET_READ, (chars, agent_id, key))
    return part


def queue_index(
    tx: WriteTx, agent_id: str, key: str, *, priority: int = NORMAL, now: datetime
) -> None:
    """Queue the indexing of a session, unless it is queued."""
    job = NewJob(
        kind=INDEX,
        dedupe_key=f"{agent_id}:{key}",
        agent_id=agent_id,
        payload={"session_key": key},
        priority=priority,
    )
    enqueue(tx, job, now=now)
