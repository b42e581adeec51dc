"""Transcripts of the sessions that results came from (REC-27)."""

import json
from collections.abc import Sequence

from signet.domain.recall.models import Hit
from signet.domain.recall.run import Run
from signet.domain.recall.sql import expand as sql
from signet.domain.transcripts import withheld

#: Characters of all transcripts of one answer together.
MAX_CHARS = 200_000


def sources(run: Run, hits: Sequence[Hit]) -> dict[str, str]:
    """Return the transcripts of the caller's agent by session key, cut to `MAX_CHARS` in total.

    A source is what a client says it is: it opens no session of a project that the reader is not bound to.
    """
    keys = list(dict.fromkeys(hit.source_id for hit in hits if hit.source_id))
    parents = {row[0]: row[1] for row in run.tx.all(sql.PARENTS, (json.dumps(keys),))}
    wanted = list(dict.fromkeys(parents.get(key, key) for key in keys))
    reader = run.query.reader
    asked = (MAX_CHARS, reader.agent_id, reader.project, json.dumps(wanted))
    known = withheld.of(run.tx, reader.agent_id)
    rows = run.tx.all(sql.TRANSCRIPTS, asked)
    found = {row[0]: withheld.without(row[1], known) for row in rows}
    kept: dict[str, str] = {}
    room = MAX_CHARS
    for key in wanted:
        if room > 0 and (text := found.get(key)):
            kept[key] = text[:room]
            room -= len(kept[key])
    return kept
