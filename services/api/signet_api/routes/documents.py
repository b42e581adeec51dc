"""Add, read and delete documents."""

import asyncio
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Response

from signet import clock
from signet.db import columns
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.auth.caller import ScopeDenied
from signet.domain.backfill import jobs, look
from signet.domain.backfill.models import UserHome, WantedSessions
from signet.domain.connectors import registry
from signet.domain.documents import records
from signet.domain.documents.records import DocumentRules, DocumentSource, NewDocument
from signet.domain.folders.reading import check_local
from signet.errors import Invalid, SignetError
from signet.wire import backfill as wire_backfill
from signet.wire import connectors as wire
from signet.wire import documents as wire_documents
from signet.wire.requests.documents import ConnectorBody, DocumentBody
from signet.wire.requests.machine import BackfillBody
from signet.wire.requests.model import GIVEN, ClampedInt, Flag, Text
from signet_api.deps import Agent, Ask, Db, Shared, State, Who, named_agent
from signet_api.serving import respond, serves
from signet_api.shapes import as_wire, filled


@serves(wire_documents.ADD_DOCUMENT)
async def post_document(body: DocumentBody, ask: Ask) -> Response:
    """Store a document and queue its processing; a known one is answered with 200 and `deduplicated`.

    With `source_type` url or file, `url` is its location. A token limited to an agent cannot name files, which
    belong to no agent.
    """
    asked = caller.current().scope
    if asked.agent and body.source_type == DocumentSource.FILE and not body.content:
        whose = f"user '{asked.user}'" if asked.user else f"agent '{asked.agent}'"
        raise ScopeDenied(f"the token is limited to {whose} and may not read files")
    if body.source_type == DocumentSource.FILE and not body.content:
        check_local(ask.state.workspace)
    rules = DocumentRules.from_settings(ask.state.settings)
    kind, agent_id = body.source_type or "", await ask.agent(body)
    new = filled(NewDocument, body, source_type=kind, agent_id=agent_id)
    new = await asyncio.to_thread(records.without_secrets, new, rules)
    made = await ask.state.db.awrite(records.create, new, rules=rules, now=clock.now())
    is_known = True if made.job_id is None else None
    added = as_wire(wire_documents.AddedDocument, made, deduplicated=is_known, masked=new.masked)
    return respond(added, wire_documents.ADD_DOCUMENT, status=200 if made.deduplicated else 201)


@serves(wire_documents.DOCUMENTS)
async def get_documents(
    agent: Agent,
    db: Db,
    status: Text = None,
    include: Annotated[Literal["content"] | None, GIVEN] = None,
    limit: Annotated[int, ClampedInt(1, records.MAX_LIMIT)] = records.DEFAULT_LIMIT,
    offset: Annotated[int, ClampedInt(0, 1_000_000_000)] = 0,
) -> wire_documents.DocumentPage:
    """Return a page of documents, newest first; `include=content` adds their text."""
    found, total = await db.aread(
        records.newest,
        agent_id=agent,
        status=status,
        limit=limit,
        offset=offset,
        with_content=include == "content",
    )
    return {
        "documents": [_row(document) for document in found],
        "total": total,
        "limit": limit,
        "offset": offset,
    }


@serves(wire_documents.DOCUMENT)
async def get_document(document_id: str, agent: Agent, db: Db) -> wire_documents.Document:
    """Return one document."""
    return _row(await db.aread(records.get, document_id, agent_id=agent))


@serves(wire_documents.CHUNKS)
async def get_chunks(document_id: str, agent: Agent, db: Db) -> wire_documents.Chunks:
    """Return the memories of a document's chunks, in order."""
    found = await db.aread(records.chunks, document_id, agent_id=agent)
    return {"chunks": found, "count": len(found)}


@serves(wire_documents.DELETE_DOCUMENT)
async def delete_document(
    document_id: str, agent: Agent, state: Shared, actor: Who, reason: str = ""
) -> wire_documents.ForgottenDocument:
    """Delete a document and forget chunks that belong only to it; `reason` is required."""
    gone = await state.db.awrite(
        records.delete,
        document_id,
        reason=reason,
        actor=actor,
        rules=DocumentRules.from_settings(state.settings),
        now=clock.now(),
        agent_id=agent,
    )
    return {"success": True, "deleted": True, "memoriesRemoved": gone.memories_removed}


def _row(document: wire_documents.StoredDocument) -> wire_documents.Document:
    return {**document, "metadata": columns.json_value(document["metadata_json"])}


@serves(wire_backfill.BACKFILL)
async def get_backfill(db: Db) -> wire_backfill.Backfill:
    """Return the progress of the last run."""
    return await db.aread(jobs.status, now=clock.now())


@serves(wire_backfill.START_BACKFILL)
async def post_backfill(state: Shared, body: BackfillBody) -> wire_backfill.StartedBackfill:
    """Find unread sessions and queue them, newest first; `dry_run` only lists them.

    With `by_model` the configured model extracts the facts, else the built-in rules.
    """
    agent_id = named_agent(body.agent_id, None, {})
    wanted = WantedSessions(
        agent_id=agent_id,
        since=body.since,
        harnesses=tuple(body.harnesses),
        projects=tuple(body.projects),
        private=state.settings.hooks.private_folders,
    )
    found = await asyncio.to_thread(look.find, UserHome(path=Path.home()), wanted)
    has_others = await state.db.aread(agents.has_others)
    seen = await state.db.aread(look.compared, found, agent_id, has_others=has_others)
    reads_commits = state.settings.hooks.session_start.read_commits
    roots = await asyncio.to_thread(look.repositories, state.db, seen) if reads_commits else {}
    if not body.dry_run:
        await state.db.awrite(
            jobs.start,
            seen,
            roots,
            by_model=body.by_model,
            is_frozen=state.settings.pipeline.mutations_frozen,
            now=clock.now(),
        )
    return {**look.survey(seen, len(roots)), "dryRun": body.dry_run}


@serves(wire_backfill.STOP_BACKFILL)
async def post_stop(db: Db) -> wire_backfill.StoppedBackfill:
    """Stop reading; finished sessions stay, and the next start finds the rest."""
    return {"stopped": await db.awrite(jobs.stop_run)}


@serves(wire.CONNECTORS)
async def get_connectors(db: Db) -> wire.Connectors:
    """Return all connectors, newest first."""
    found = await db.aread(registry.newest)
    return {"connectors": [_connector(connector) for connector in found], "count": len(found)}


@serves(wire.ADD_CONNECTOR)
async def post_connector(body: ConnectorBody, ask: Ask) -> wire.AddedConnector:
    """Add a connector, and with `sync` start its first sync; `settings.rootPath` must be a readable folder on this
    machine.
    """
    # The folder may be on a slow or disconnected network disk.
    connector = await asyncio.to_thread(
        registry.draft,
        body.provider,
        display_name=body.display_name,
        settings=body.settings or {},
        agent_id=await ask.agent(body),
        workspace=ask.state.workspace,
        now=clock.now(),
    )
    added = await ask.state.db.awrite(registry.register, connector)
    if body.sync:
        await _start(ask.state, added, is_full=False)
    return {"id": added}


@serves(wire.RESYNC_CONNECTORS)
async def post_resync(state: Shared) -> wire.Resynced:
    """Start an incremental sync of every connector."""
    connectors = await state.db.aread(registry.newest)
    counts: wire.Resynced = {
        "status": "ok",
        "total": len(connectors),
        "started": 0,
        "alreadySyncing": 0,
        "unsupported": 0,
        "failed": 0,
    }
    for connector in connectors:
        try:
            started = await _start(state, connector["id"], is_full=False)
            counts["started" if started.job_id else "alreadySyncing"] += 1
        except registry.Unsupported:
            counts["unsupported"] += 1
        except SignetError:
            counts["failed"] += 1
    return counts


@serves(wire.CONNECTOR)
async def get_connector(connector_id: str, db: Db) -> wire.Connector:
    """Return one connector."""
    return _connector(await db.aread(registry.get, connector_id))


@serves(wire.SYNC_CONNECTOR)
async def post_sync(connector_id: str, state: Shared) -> wire.QueuedSync:
    """Queue new and changed files, and delete the documents of removed ones."""
    return _started(await _start(state, connector_id, is_full=False))


@serves(wire.FULLY_SYNC_CONNECTOR)
async def post_full_sync(connector_id: str, state: Shared, confirm: str = "") -> wire.QueuedSync:
    """Read every file again; requires `confirm=true`."""
    if confirm != "true":
        raise Invalid("Full resync requires ?confirm=true")
    return _started(await _start(state, connector_id, is_full=True))


@serves(wire.CONNECTOR_HEALTH)
async def get_health(connector_id: str, db: Db) -> wire.ConnectorHealth:
    """Return a connector's state, sync progress and document counts."""
    return await db.aread(registry.health, connector_id)


@serves(wire.REMOVE_CONNECTOR)
async def delete_connector(
    connector_id: str, state: Shared, actor: Who, cascade: Flag = False
) -> wire.RemovedConnector:
    """Remove a connector, with `cascade` also its documents."""
    rules = DocumentRules.from_settings(state.settings)
    if cascade:
        await state.db.awrite(registry.prepare_removal, connector_id, rules=rules, now=clock.now())
        while groups := await state.db.aread(registry.documents, connector_id):
            for group in groups:
                await state.db.awrite(registry.delete_group, group, actor=actor, now=clock.now())
    await state.db.awrite(
        registry.remove, connector_id, cascade=cascade, actor=actor, rules=rules, now=clock.now()
    )
    return {"success": True, "deleted": True}


async def _start(state: State, connector_id: str, *, is_full: bool) -> registry.StartedSync:
    check_local(state.workspace)
    return await state.db.awrite(
        registry.start,
        connector_id,
        is_full=is_full,
        rules=DocumentRules.from_settings(state.settings),
        now=clock.now(),
    )


def _started(started: registry.StartedSync) -> wire.QueuedSync:
    if started.job_id is None:
        return {"status": "syncing", "message": "Already syncing"}
    return {"status": "syncing", "jobId": started.job_id}


def _connector(connector: wire.StoredConnector) -> wire.Connector:
    return {
        **connector,
        "settings": columns.json_value(connector["config_json"]),
        "cursor": columns.json_value(connector["cursor_json"]),
        "progress": columns.json_value(connector["progress_json"]),
    }
