"""All sessions with their injections, projects and decisions. Reading them does not count as use."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, cursor
from signet.db.visibility import Reader
from signet.domain.auth import caller
from signet.domain.injections.models import tokens
from signet.domain.memory import listing
from signet.domain.memory.listing import Filter, MemoryState, Order, Sort
from signet.domain.sessions import decided
from signet.domain.sessions.decided import Decided
from signet.domain.sessions.sql import every as sql
from signet.domain.sessions.sql.every import GivenRow, ProjectRow, SessionRow
from signet.domain.transcripts import stored
from signet.domain.transcripts.models import Overview
from signet.wire.injections import SessionOverview
from signet.wire.projects import DigestItem, ListedProject, ProjectDigest
from signet.wire.sessions import ListedSession, SessionPage, Use

#: Limits of a digest: a project's open items, which agents write often and rarely close, and corrected memories.
MOST_OPEN, MOST_CORRECTED = 6, 20
LATELY = timedelta(days=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A filter for sessions by agent, project, harness, use or time (ISO, UTC), and the cursor of a page.

    A session is of an interval if it was active in it.
    """

    agent_id: str | None = None
    project: str | None = None
    harness: str | None = None
    use: Use | None = None
    since: str | None = None
    until: str | None = None
    cursor: str | None = None
    limit: int = 50


def page(tx: ReadTx, wanted: Wanted, *, now: datetime) -> SessionPage:
    """Return sessions, the most recently active first; raises BadCursor."""
    last, agent, key = cursor.read(wanted.cursor, str, str, str) if wanted.cursor else (None,) * 3
    asked = {
        "agent": wanted.agent_id,
        "hidden": caller.current().hidden,
        "project": wanted.project,
        "harness": wanted.harness,
        "use": wanted.use,
        "since": wanted.since,
        "until": wanted.until,
        "now": clock.to_text(now),
        "last": last,
        "last_agent": agent,
        "last_key": key,
        "limit": wanted.limit + 1,
    }
    rows = tx.rows(SessionRow, sql.PAGE, asked)
    found, following = cursor.cut(
        rows, wanted.limit, lambda row: (row.last, row.agent_id, row.session_key)
    )
    named = json.dumps([(one.agent_id, one.session_key) for one in found])
    given = {
        (one.agent_id, one.session_key): one
        for one in tx.rows(GivenRow, sql.GIVEN, {"sessions": named})
    }
    overviews = stored.overviews(tx, [_key(one) for one in found])
    return {
        "sessions": [
            _listed(one, given.get(_key(one)), overviews.get(_key(one), Overview()))
            for one in found
        ],
        "count": len(found),
        "next": following,
    }


def projects(tx: ReadTx, *, only: str | None, reader: Reader, now: datetime) -> list[ListedProject]:
    """Return the projects of sessions and memories, the latest session first, then by number of memories."""
    memories = dict(listing.facets(tx, ("project",), Filter(), reader=reader)["project"])
    known = _projects(tx, only=only, project=caller.current().scope.project, now=now)
    rows = {row.project: row for row in known}
    return [
        {
            "project": name,
            "memories": memories.get(name, 0),
            "sessions": rows[name].sessions if name in rows else 0,
            "lastAt": rows[name].last if name in rows else None,
        }
        for name in dict.fromkeys((*rows, *memories))
    ]


def _projects(
    tx: ReadTx, *, only: str | None, project: str | None, now: datetime
) -> list[ProjectRow]:
    hidden = caller.current().hidden
    asked = {"agent": only, "hidden": hidden, "project": project, "now": clock.to_text(now)}
    return tx.rows(ProjectRow, sql.PROJECTS, asked)


def digest(
    tx: ReadTx, wanted: Wanted, *, reader: Reader, since: str, now: datetime
) -> list[ProjectDigest]:
    """Return each project's sessions, decisions and changes since an instant, and its open items.

    Lists open items only for projects with a session in the last `LATELY`.
    """
    sessions: dict[str, list[ListedSession]] = {}
    for session in page(tx, replace(wanted, since=since), now=now)["sessions"]:
        sessions.setdefault(session["project"] or "", []).append(session)
    corrected: dict[str, list[DigestItem]] = {}
    for name, one in _corrected(tx, reader=reader, project=wanted.project, since=since):
        corrected.setdefault(name, []).append(one)
    lately = clock.to_text(now - LATELY)
    known = _projects(tx, only=wanted.agent_id, project=wanted.project, now=now)
    named = [row.project for row in known if row.last >= min(since, lately)]
    return [
        {
            "project": name,
            "sessions": sessions.get(name, []),
            "items": [*_decided(tx, reader, name, since), *corrected.get(name, [])],
        }
        for name in dict.fromkeys((*named, *sessions, *corrected))
    ]


def _decided(tx: ReadTx, reader: Reader, project: str, since: str) -> Iterator[DigestItem]:
    if not project:
        return
    holds, changed = decided.digest(tx, reader=reader, project=project)
    yield from (_item(one) for one in holds if not one.is_open and one.said_at >= since)
    yield from (_item(new, old.text) for old, new in changed if new.said_at >= since)
    yield from (_item(one) for one in [one for one in holds if one.is_open][:MOST_OPEN])


def _item(one: Decided, before: str = "") -> DigestItem:
    return {
        "kind": "changed" if before else "open" if one.is_open else "decided",
        "text": one.shown,
        "before": before,
        "at": one.said_at,
        "openBy": one.open_by,
        "id": one.session,
        "isMemory": False,
    }


def _corrected(
    tx: ReadTx, *, reader: Reader, project: str | None, since: str
) -> Iterator[tuple[str, DigestItem]]:
    """Yield project and change of each memory superseded since an instant, latest first."""
    order = Order(sort=Sort.UPDATED, limit=MOST_CORRECTED)
    old = listing.page(
        tx, Filter(state=MemoryState.SUPERSEDED, project=project), order, reader=reader
    )
    ids = tuple(one.superseded_by for one in old.memories if one.superseded_by)
    new = listing.page(tx, Filter(ids=ids), Order(), reader=reader).memories if ids else []
    by_id = {one.id: one for one in new}
    for one in old.memories:
        after = by_id.get(one.superseded_by or "")
        if after and one.updated_at >= since:
            yield (
                one.project or "",
                {
                    "kind": "changed",
                    "text": after.content,
                    "before": one.content,
                    "at": one.updated_at,
                    "openBy": "",
                    "id": after.id,
                    "isMemory": True,
                },
            )


def overview(shown: Overview, project: str | None) -> SessionOverview:
    """Return an overview for clients, with paths relative to the project."""
    return {
        "title": shown.title,
        "outcome": shown.outcome,
        "decisions": list(shown.decisions),
        "files": [file.removeprefix(f"{project}/") for file in shown.files],
    }


def _key(row: SessionRow) -> tuple[str, str]:
    return row.agent_id, row.session_key


def _listed(row: SessionRow, given: GivenRow | None, shown: Overview) -> ListedSession:
    return {
        "key": row.session_key,
        "agentId": row.agent_id,
        "harness": row.harness,
        "project": row.project,
        "startedAt": row.began,
        "lastAt": row.last,
        "endedAt": None if row.is_live else row.last,
        "seconds": round((clock.parse(row.last) - clock.parse(row.began)).total_seconds()),
        "bypassed": bool(row.is_bypassed),
        "prompts": given.prompts if given else 0,
        "given": given.given if given else 0,
        "used": given.used if given else 0,
        "tokens": tokens(given.chars) if given else 0,
        **overview(shown, row.project),
    }
