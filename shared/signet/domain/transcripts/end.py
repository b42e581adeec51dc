"""What happens when a session ends, or goes on for long: its transcript is kept whole, and its reading is queued.

Everything is one short transaction; nobody waits for a model (HK-70). A session has one open job at most. A job that
finds more stored than it has read asks for the rest itself (see summaries/summarize.py), so nothing said while it
runs is lost.
"""

from datetime import datetime

from signet.db import WriteTx
from signet.domain.memory import store as memories
from signet.domain.transcripts import merge, store, transcript
from signet.domain.transcripts.models import Queued, Rules, Session

#: Shorter sessions are kept and not read (PIP-36).
LEAST_CHARS = 500
#: A checkpoint with less than this to hand on waits for the next.
LEAST_NEW_BYTES = 500


def end(tx: WriteTx, session: Session, *, rules: Rules, now: datetime) -> Queued | None:
    """Keep the transcript and queue its reading; None when it is not to be read.

    The same session ended twice has one job (HK-71); a longer stored transcript stays, and is what is read.
    """
    keep(tx, session, now=now)
    chars, _ = store.stored(tx, session.agent_id, session.key)
    if chars < LEAST_CHARS or not rules.distil:
        return None
    return read(tx, session, chars=chars, attempts=rules.attempts, now=now)


def read(tx: WriteTx, session: Session, *, chars: int, attempts: int, now: datetime) -> Queued:
    """Queue the reading of the stored transcript in this version, unless it was read."""
    version = f"{session.agent_id}:{session.key}:{chars}"
    known = store.asked(tx, session.agent_id, session.key, version)
    if known:
        return Queued(job_id=known[0], is_open=known[1])
    slot = f"{session.agent_id}:{session.key}"
    return Queued(
        job_id=store.ask(tx, session, slot=slot, version=version, attempts=attempts, now=now)
    )


def checkpoint(tx: WriteTx, session: Session, *, rules: Rules, now: datetime) -> Queued | None:
    """Keep the transcript and queue what is new in it; None when that is too little, or nothing is to be read."""
    keep(tx, session, now=now)
    chars, position = store.stored(tx, session.agent_id, session.key)
    part = store.after(tx, session.agent_id, session.key, position)
    if len(part.encode()) < LEAST_NEW_BYTES or not rules.distil:
        return None
    store.move(tx, session.agent_id, session.key, chars)
    slot = f"{session.agent_id}:{session.key}#{position}"
    asked = store.ask(
        tx, session, slot=slot, version=slot, part=part, attempts=rules.attempts, now=now
    )
    return Queued(job_id=asked)


def keep(tx: WriteTx, session: Session, *, now: datetime) -> None:
    """Keep what was handed over of a session together with what is stored of it (see merge.py)."""
    if not session.text:
        return
    stored = store.text(tx, session.agent_id, session.key)
    text = merge.joined(stored, session.text, is_turn=session.is_turn)
    if len(text) <= len(stored):
        return
    began, spoke = transcript.spoken(session.text) or (now, now)
    memories.keep_transcript(
        tx,
        session.agent_id,
        session.key,
        text,
        harness=session.harness,
        project=session.project,
        began_at=began,
        at=spoke,
    )
    store.ask_index(tx, session.agent_id, session.key, now=now)
