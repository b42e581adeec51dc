"""What a session that goes on is told of where it, or one like it, stood (HK-83)."""

from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.sessions import checkpoints, models, prompt_text
from signet.domain.sessions.models import Trigger
from signet.domain.sessions.sql import states
from signet.wire.sessions import SessionCheckpoint

#: A session of the same project that stood there longer ago is another matter.
RECENT = timedelta(hours=4)
#: A session that was heard of so lately still runs: where it stands is its own (two in one folder are common).
AT_WORK = timedelta(minutes=10)
#: Checkpoints of a project that are looked at.
LOOKED_AT = 20


def text(
    tx: ReadTx,
    reader: Reader,
    *,
    key: str | None,
    project: str | None,
    most: int,
    now: datetime,
) -> str:
    """Return the digest of the newest checkpoint of the session, else of its project; empty for none."""
    own = (
        checkpoints.of_session(tx, key, agent_id=reader.agent_id, project=reader.project)
        if key
        else []
    )
    found = own[0] if own else _of_project(tx, reader, project, now=now)
    if found is None:
        return ""
    return prompt_text.cut(models.told(found["digest"]), most)


def _of_project(
    tx: ReadTx, reader: Reader, project: str | None, *, now: datetime
) -> SessionCheckpoint | None:
    if project is None:
        return None
    called_since = clock.to_text(now - AT_WORK)
    at_work = set(tx.column(states.AT_WORK, (reader.agent_id, called_since)))
    for row in checkpoints.of_project(tx, project, agent_id=reader.agent_id, limit=LOOKED_AT):
        if (clock.parsed(row["created_at"]) or now) < now - RECENT:
            return None
        ended = row["trigger"] == Trigger.SESSION_END
        allowed = reader.project is None or row["project"] == reader.project
        if allowed and (ended or row["session_key"] not in at_work):
            return row
    return None
