"""Transcripts of the sessions that results came from (REC-27)."""

import json
from collections.abc import Sequence

from signet.domain.recall.models import Hit
from signet.domain.recall.run import Run

#: Characters of all transcripts of one answer together.
MAX_CHARS = 200_000

#: A fact made from a memory carries that memory's id as its source: one step back leads to the session.
_PARENTS = """
SELECT id, source_id FROM memories
WHERE id IN (SELECT value FROM json_each(?)) AND source_id IS NOT NULL
"""
_TRANSCRIPTS = """
SELECT session_key, substr(content, 1, ?1) FROM session_transcripts
WHERE agent_id = ?2 AND (?3 IS NULL OR project = ?3) AND session_key IN (SELECT value FROM json_each(?4))
"""


def sources(run: Run, hits: Sequence[Hit]) -> dict[str, str]:
    """Return the transcripts of the caller's agent by session key, cut to `MAX_CHARS` in total.

    A source is what a client says it is: it opens no session of a project that the reader is not bound to.
    """
    keys = list(dict.fromkeys(hit.source_id for hit in hits if hit.source_id))
    parents = {row[0]: row[1] for row in run.tx.all(_PARENTS, (json.dumps(keys),))}
    wanted = list(dict.fromkeys(parents.get(key, key) for key in keys))
    reader = run.query.reader
    asked = (MAX_CHARS, reader.agent_id, reader.project, json.dumps(wanted))
    found = {row[0]: row[1] for row in run.tx.all(_TRANSCRIPTS, asked)}
    kept: dict[str, str] = {}
    room = MAX_CHARS
    for key in wanted:
        if room > 0 and (text := found.get(key)):
            kept[key] = text[:room]
            room -= len(kept[key])
    return kept
