"""Search transcripts by words, for people; and list the saved text of the current session.

Transcripts have no index: maintaining one would cost each session's end more than a search costs here. A search reads
the newest, up to a number of characters.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from signet.db import ReadTx, script
from signet.domain.auth import caller
from signet.domain.sessions import every
from signet.domain.sessions.sql import every as sql
from signet.domain.sessions.sql.every import SizeRow
from signet.domain.transcripts import readings, stored, withheld
from signet.domain.transcripts.models import Overview
from signet.wire.sessions import SessionTranscript, StoredTranscript

#: Limits of a search: characters read, and transcripts.
SEARCH_CHARS = 30_000_000
MOST_SESSIONS = 500
EXCERPT_CHARS = 220
HEAD_LINES = 4
HEAD_CHARS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A turn of a session that contains query words; `hits` counts them."""

    session_key: str
    agent_id: str
    harness: str | None
    project: str | None
    at: str
    text: str
    hits: int

    @property
    def id(self) -> str:
        """Return the excerpt's name in a session's record."""
        return f"excerpt:{hashlib.sha256(self.text.encode()).hexdigest()[:16]}"


def transcript(
    tx: ReadTx, key: str, *, agent_id: str | None = None, project: str | None = None
) -> SessionTranscript | None:
    hidden = caller.current().hidden
    asked = {"key": key, "agent": agent_id, "hidden": hidden, "project": project}
    found = tx.record(StoredTranscript, sql.TRANSCRIPT, asked)
    if found is None:
        return None
    found["content"] = withheld.cleaned(tx, found["agentId"], found["content"])
    found["reading"] = readings.of_session(tx, found["agentId"], key)
    session = found["agentId"], key
    shown = stored.overviews(tx, [session]).get(session, Overview())
    return {**found, **every.overview(shown, found["project"])}


def head(tx: ReadTx, agent_id: str, key: str, terms: Sequence[str]) -> tuple[str, list[str]]:
    """Return ID and first lines of this session's stored text, if it relates to the terms (HK-58)."""
    row = tx.row(sql.SummaryRow, sql.SUMMARY, (agent_id, key))
    if row is None or not any(term in row.content.lower() for term in terms):
        return "", []
    said = withheld.cleaned(tx, agent_id, row.content)
    lines = [line.strip()[:HEAD_CHARS] for line in said.splitlines() if line.strip()]
    return f"summary:{row.id}", lines[:HEAD_LINES]


def search(
    tx: ReadTx,
    terms: Sequence[str],
    *,
    agent_id: str | None,
    project: str | None = None,
    but: str | None = None,
    chars: int,
    limit: int,
) -> list[Excerpt]:
    """Return turns with at least half of the terms, and at least two of several; those with most first."""
    terms = script.cut_all(terms)
    if not terms:
        return []
    least = max(min(2, len(terms)), (len(terms) + 1) // 2)
    asked = {
        "agent": agent_id,
        "hidden": caller.current().hidden,
        "but": but,
        "project": project,
        "most": MOST_SESSIONS,
    }
    sizes = tx.rows(sql.SizeRow, sql.SIZES, asked)
    found = [
        excerpt for row in _texts(tx, sizes, chars) for excerpt in _excerpts(row, terms, least)
    ]
    known = {one: withheld.statements(tx, one) for one in {excerpt.agent_id for excerpt in found}}
    found = [one for one in found if withheld.without(one.text, known[one.agent_id]) == one.text]
    found.sort(key=lambda one: (one.hits, one.at), reverse=True)
    unique = {one.text: one for one in reversed(found)}
    return sorted(unique.values(), key=lambda one: (one.hits, one.at), reverse=True)[:limit]


def _texts(tx: ReadTx, sizes: Sequence[SizeRow], chars: int) -> Iterator[StoredTranscript]:
    """Yield the newest transcripts while they fit together; always at least the newest that fits."""
    chosen = []
    for row in sizes:
        if row.chars <= chars:
            chars -= row.chars
            chosen.append(row.rowid)
    for rowid in chosen:
        if found := tx.record(StoredTranscript, sql.BY_ROWID, (rowid,)):
            yield found


def _excerpts(row: StoredTranscript, terms: Sequence[str], least: int) -> Iterator[Excerpt]:
    for line in row["content"].split("\n"):
        low = line.lower()
        hits = sum(term in low for term in terms)
        if hits >= least:
            yield Excerpt(
                session_key=row["sessionKey"],
                agent_id=row["agentId"],
                harness=row["harness"],
                project=row["project"],
                at=row["updatedAt"] or row["createdAt"],
                text=_around(line, low, terms),
                hits=hits,
            )


def _around(line: str, low: str, terms: Sequence[str]) -> str:
    """Return the part of a turn around the first of the terms."""
    if len(line) <= EXCERPT_CHARS:
        return line.strip()
    first = min(place for term in terms if (place := low.find(term)) >= 0)
    start = max(0, min(first - EXCERPT_CHARS // 4, len(line) - EXCERPT_CHARS + 6))
    cut = line[start : start + EXCERPT_CHARS - 6].strip()
    return f"{'...' if start else ''}{cut}{'...' if start + EXCERPT_CHARS - 6 < len(line) else ''}"
