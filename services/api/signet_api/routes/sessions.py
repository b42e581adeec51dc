"""Active and past sessions, their transcripts, summaries and checkpoints."""

import asyncio
from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Depends, Query, Request

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.backup import kept as backups
from signet.domain.injections import show
from signet.domain.memory import filters, lookup
from signet.domain.memory.models import Along
from signet.domain.sessions import (
    checkpoints,
    every,
    forget,
    prompt_text,
    replay,
    running,
    transcript_search,
)
from signet.domain.sessions.every import Wanted
from signet.domain.sessions.running import UnknownSession
from signet.domain.summaries import files
from signet.errors import Invalid
from signet.wire import memory as wire_memory
from signet.wire import sessions as wire
from signet.wire.injections import MemoryUsage, SessionContext, SessionReplay
from signet.wire.projects import PROJECTS, Projects
from signet.wire.requests.hooks import (
    BypassBody,
    ForgetSessionBody,
    SessionParams,
    TranscriptSearchBody,
    bare,
)
from signet.wire.requests.model import ClampedInt, Text
from signet.wire.sessions import RunningSession, SummaryPage
from signet_api.deps import Agent, Ask, Db, Mine, Project, Shared, agent_of, filed
from signet_api.routes.changes import along_body
from signet_api.serving import serves
from signet_api.shapes import as_wire

MAX_RESULTS = 20


async def _only(request: Request, agent_id: Text = None) -> str | None:
    named = caller.current().scope.agent or agent_id
    found = await agent_of(named, None, request)
    return None if named is None or found != named else found


#: The agent that a list is limited to, None for no limit; without other agents the default one has every session
#: (HN-77).
T = TypeVar("T")
Only = Annotated[str | None, Depends(_only)]


@serves(wire.SESSIONS)
async def get_sessions(
    agent_id: Only, state: Shared, db: Db, asked: Annotated[SessionParams, Query()]
) -> wire.RunningSessions | wire.SessionPage:
    """Return the active sessions, or with `state=all` also ended ones, latest activity first, with injected and used
    items.

    For all sessions, `project`, `harness`, `use` (received nothing, used nothing), `since` and `until` (active in this
    time) filter; `cursor` is `next` of the previous page.
    """
    scope = caller.current().scope
    asked = await filed(asked, state)
    if asked.state == "all":
        caller.current().check_row(project=asked.project)
        await state.injections.flush()
        wanted = Wanted(
            agent_id=agent_id,
            project=scope.project or asked.project,
            harness=asked.harness,
            use=asked.use,
            since=filters.instant("since", asked.since),
            until=filters.instant("until", asked.until, last=True),
            cursor=asked.cursor,
            limit=asked.limit,
        )
        return await db.aread(every.page, wanted, now=clock.now())
    for name in ("project", "harness", "use", "since", "until", "cursor"):
        if getattr(asked, name) is not None:
            raise Invalid(f"{name} needs state=all")
    found = await db.aread(running.find, agent_id=agent_id, project=scope.project, now=clock.now())
    return {"sessions": found, "count": len(found)}


@serves(PROJECTS)
async def get_projects(mine: Mine, only: Only) -> Projects:
    """Return the projects with their number of memories and sessions, the latest session first."""
    return {"projects": await mine.read(every.projects, only=only, now=clock.now())}


@serves(wire.SEARCH_SESSIONS)
async def post_search(ask: Ask, body: TranscriptSearchBody) -> wire.Excerpts:
    """Return transcript passages that contain the query's words."""
    if not body.query.strip():
        raise Invalid("query is required")
    body = await filed(body, ask.state)
    scope = caller.current().scope
    caller.current().check_row(project=body.project)
    found = await ask.state.db.aread(
        transcript_search.search,
        prompt_text.terms(body.query),
        agent_id=await ask.agent(body),
        project=scope.project or body.project,
        chars=transcript_search.SEARCH_CHARS,
        limit=min(max(body.limit, 1), MAX_RESULTS),
    )
    results = [as_wire(wire.TranscriptExcerpt, one, excerpt=one.text) for one in found]
    return {"results": results, "count": len(results)}


@serves(wire.SESSION)
async def get_session(session_key: str, db: Db) -> RunningSession:
    """Return an active session."""
    scope, key = caller.current().scope, bare(session_key)
    live = await db.aread(
        running.find, agent_id=scope.agent, project=scope.project, now=clock.now()
    )
    found = next((one for one in live if one["key"] == key), None)
    if found is None:
        raise UnknownSession
    return found


@serves(wire.BYPASS_SESSION)
async def post_bypass(session_key: str, db: Db, body: BypassBody) -> wire.Bypassed:
    """Disable or enable a session's hooks."""
    if not isinstance(body.enabled, bool):
        raise Invalid("enabled (boolean) is required")
    key, is_on = bare(session_key), body.enabled
    await db.awrite(running.bypass, key, caller.current().scope, is_on=is_on, now=clock.now())
    return {"key": key, "bypassed": is_on}


@serves(wire.RENEW_SESSION)
async def post_renew(session_key: str, db: Db) -> wire.RenewedSession:
    """Renew a session's claim to its full duration."""
    key = bare(session_key)
    until = await db.awrite(running.renew, key, caller.current().scope, now=clock.now())
    return {"key": key, "renewed": True, "expiresAt": clock.to_text(until)}


@serves(wire.FORGET_SESSION)
async def post_forget(
    session_key: str, only: Only, ask: Ask, body: ForgetSessionBody
) -> wire.SessionPreview | wire.SessionForgotten:
    """Delete a session's stored data permanently, and forget memories that come only from it; `mode=preview` only lists
    them.

    Only the memories can be recovered. Nothing more of the session is stored afterwards. `reason` is required.
    """
    if body.mode == "execute" and not body.reason.strip():
        raise Invalid("reason is required")
    state = ask.state
    found = await state.db.aread(forget.preview, bare(session_key), agent_id=body.agent_id or only)
    if body.mode == "preview":
        return {**_going(found, found.along), "mode": "preview"}
    state.check_writable()
    began = clock.parsed(found.began) or clock.now()
    held_by = await asyncio.to_thread(backups.copies_since, state.workspace, began)
    root = state.workspace.root
    held_by += [root / ".git"] if (root / ".git").exists() else []
    removed, kept = await asyncio.to_thread(forget.remove_notes, root, found.made)
    along = await ask.change(forget.forget, found.agent_id, found.key, reason=body.reason)
    return {
        **_going(found, along),
        "mode": "execute",
        "notes": removed,
        "notesKept": kept,
        "heldBy": [str(path) for path in held_by],
    }


def _going(found: forget.Going, along: Along) -> wire.SessionGoing:
    return {
        **along_body(along),
        "sessionKey": found.key,
        "agentId": found.agent_id,
        "transcriptChars": found.chars,
        "passages": found.passages,
        "summaries": len(found.made.texts),
        "checkpoints": found.checkpoints,
        "given": found.given,
        "notes": list(found.made.paths),
    }


@serves(wire.TRANSCRIPT)
async def get_transcript(session_key: str, agent_id: Only, db: Db) -> wire.SessionTranscript:
    """Return a session's stored transcript."""
    scope = caller.current().scope
    row = await db.aread(
        transcript_search.transcript, bare(session_key), agent_id=agent_id, project=scope.project
    )
    if row is None:
        raise UnknownSession
    return row


async def _looked(
    state: Shared, read: Callable[..., T], key: str, agent_id: str | None, project: str | None
) -> T:
    """Return a session's data after its pending injections are stored."""
    within = caller.current().scope.project
    await state.injections.flush()
    return await state.db.aread(
        read, bare(key), agent_id=agent_id, within=within, project=project, now=clock.now()
    )


@serves(wire.SESSION_CONTEXT)
async def get_context(
    session_key: str, agent_id: Only, state: Shared, project: Project
) -> SessionContext:
    """Return a session's injections with sources, reasons and use; what was omitted is included.

    The key may be a prefix, or `latest`: the newest of the folder `project`, or of all. Reading does not count as use.
    """
    return (await _looked(state, show.looked, session_key, agent_id, project))[0]


@serves(wire.SESSION_REPLAY)
async def get_replay(
    session_key: str, agent_id: Only, state: Shared, project: Project
) -> SessionReplay:
    """Return a whole session: context, messages, saved memories, summary.

    The key is as for the context. Reading does not count as use.
    """
    return await _looked(state, replay.replay, session_key, agent_id, project)


@serves(wire_memory.MEMORY_USAGE)
async def get_usage(
    memory_id: str,
    agent: Agent,
    only: Only,
    state: Shared,
    limit: Annotated[int, ClampedInt(1, 500)] = 50,
) -> MemoryUsage:
    """Return the sessions that received or omitted a memory, the reasons, and whether they used it."""
    within = caller.current().scope.project
    await state.injections.flush()

    def read_usage(tx: ReadTx) -> MemoryUsage:
        memory = lookup.get(tx, memory_id, reader=agents.reader(tx, agent))
        found = show.uses(tx, memory_id, agent_id=only, within=within, limit=limit)
        return {
            "memoryId": memory.id,
            "accessCount": memory.access_count,
            "lastAccessed": memory.last_accessed,
            "uses": found,
            "count": len(found),
        }

    return await state.db.aread(read_usage)


#: Far above the depth of any summary, and within a column's range.
MAX_DEPTH = 1_000_000


@serves(wire.SESSION_SUMMARIES)
async def get_summaries(
    db: Db,
    project: Project,
    depth: Text = None,
    limit: Annotated[int, ClampedInt(0, 200)] = 50,
    offset: Annotated[int, ClampedInt(0, 1_000_000_000)] = 0,
) -> SummaryPage:
    """Return a page of session summaries, latest first; `depth` 0 covers one session, higher ones several."""
    return await db.aread(
        files.read_page,
        project=project,
        within=caller.current().scope,
        depth=_depth(depth),
        limit=limit,
        offset=offset,
    )


def _depth(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise Invalid("depth must be a whole number, 0 or more")
    return min(int(text[:10]), MAX_DEPTH)


MAX_ROWS = 100


@serves(wire.CHECKPOINTS)
async def get_checkpoints(
    state: Shared, project: Project, limit: Annotated[int, ClampedInt(1, MAX_ROWS)] = 10
) -> wire.Checkpoints:
    """Return the checkpoints of a project's sessions, newest first."""
    if project is None:
        raise Invalid("project query parameter required")
    asked = caller.current()
    asked.check_row(project=project)
    rows = await state.db.aread(
        checkpoints.of_project, project, agent_id=asked.scope.agent, limit=limit
    )
    return {"checkpoints": rows, "count": len(rows)}


@serves(wire.SESSION_CHECKPOINTS)
async def get_session_checkpoints(session_key: str, state: Shared) -> wire.Checkpoints:
    """Return the checkpoints of one session, newest first."""
    scope = caller.current().scope
    rows = await state.db.aread(
        checkpoints.of_session, session_key, agent_id=scope.agent, project=scope.project
    )
    return {"checkpoints": rows, "count": len(rows)}
