"""The list of all sessions, running and ended, with what each was given and used. Looking counts as no use."""

import json
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, cursor
from signet.domain.auth import caller
from signet.domain.injections.models import tokens
from signet.domain.sessions.sql import every as sql
from signet.domain.sessions.sql.every import GivenRow, SessionRow
from signet.domain.transcripts import stored
from signet.domain.transcripts.models import Overview
from signet.wire.injections import SessionOverview
from signet.wire.sessions import ListedSession, SessionPage, Use


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which sessions: of one agent, project, harness or use where these are named, behind a cursor."""

    agent_id: str | None = None
    project: str | None = None
    harness: str | None = None
    use: Use | None = None
    cursor: str | None = None
    limit: int = 50


def page(tx: ReadTx, wanted: Wanted, *, now: datetime) -> SessionPage:
    """Return sessions, those heard of last first; raises BadCursor."""
    last, agent, key = cursor.read(wanted.cursor, str, str, str) if wanted.cursor else (None,) * 3
    asked = {
        "agent": wanted.agent_id,
        "hidden": caller.current().hidden,
        "project": wanted.project,
        "harness": wanted.harness,
        "use": wanted.use,
        "now": clock.to_text(now),
        "last": last,
        "last_agent": agent,
        "last_key": key,
        "limit": wanted.limit + 1,
    }
    rows = tx.rows(SessionRow, sql.PAGE, asked)
    found, more = rows[: wanted.limit], rows[wanted.limit :]
    named = json.dumps([(one.agent_id, one.session_key) for one in found])
    given = {
        (one.agent_id, one.session_key): one
        for one in tx.rows(GivenRow, sql.GIVEN, {"sessions": named})
    }
    overviews = stored.overviews(tx, [_key(one) for one in found])
    end = found[-1] if more else None
    return {
        "sessions": [
            _listed(one, given.get(_key(one)), overviews.get(_key(one), Overview()))
            for one in found
        ],
        "count": len(found),
        "next": cursor.write([end.last, end.agent_id, end.session_key]) if end else None,
    }


def overview(shown: Overview, project: str | None) -> SessionOverview:
    """Return an overview as clients read it, with paths relative to the project."""
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
