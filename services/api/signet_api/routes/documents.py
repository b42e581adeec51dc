"""Add, read and delete documents."""

import asyncio
from typing import Annotated

from fastapi import Response

from signet import clock
from signet.db import columns
from signet.domain.auth import caller
from signet.domain.auth.caller import ScopeDenied
from signet.domain.documents import records
from signet.domain.documents.records import DocumentRules, DocumentSource, NewDocument
from signet.wire import documents as wire
from signet.wire.requests.documents import DocumentBody
from signet.wire.requests.model import ClampedInt, Text
from signet_api.deps import Agent, Ask, Db, Shared, Who
from signet_api.serving import respond, serves
from signet_api.shapes import as_wire, filled


@serves(wire.ADD_DOCUMENT)
async def post_document(body: DocumentBody, ask: Ask) -> Response:
    """Store a document and queue its processing; a known one is answered with 200 and `deduplicated`.

    With `source_type` url or file, `url` is its location. A token limited to an agent cannot name files, which
    belong to no agent.
    """
    asked = caller.current().scope
    if asked.agent and body.source_type == DocumentSource.FILE and not body.content:
        whose = f"user '{asked.user}'" if asked.user else f"agent '{asked.agent}'"
        raise ScopeDenied(f"the token is limited to {whose} and may not read files")
    rules = DocumentRules.of(ask.state.settings)
    kind, agent_id = body.source_type or "", await ask.agent(body)
    new = filled(NewDocument, body, source_type=kind, agent_id=agent_id)
    new = await asyncio.to_thread(records.without_secrets, new, rules)
    made = await ask.state.db.awrite(records.create, new, rules=rules, now=clock.now())
    is_known = True if made.job_id is None else None
    added = as_wire(wire.AddedDocument, made, deduplicated=is_known, masked=new.masked)
    return respond(added, wire.ADD_DOCUMENT, status=200 if made.deduplicated else 201)


@serves(wire.DOCUMENTS)
async def get_documents(
    agent: Agent,
    db: Db,
    status: Text = None,
    include: Text = None,
    limit: Annotated[int, ClampedInt(1, records.MAX_LIMIT)] = records.DEFAULT_LIMIT,
    offset: Annotated[int, ClampedInt(0, 1_000_000_000)] = 0,
) -> wire.DocumentPage:
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


@serves(wire.DOCUMENT)
async def get_document(document_id: str, agent: Agent, db: Db) -> wire.Document:
    """Return one document."""
    return _row(await db.aread(records.get, document_id, agent_id=agent))


@serves(wire.CHUNKS)
async def get_chunks(document_id: str, agent: Agent, db: Db) -> wire.Chunks:
    """Return the memories of a document's chunks, in order."""
    found = await db.aread(records.chunks, document_id, agent_id=agent)
    return {"chunks": found, "count": len(found)}


@serves(wire.DELETE_DOCUMENT)
async def delete_document(
    document_id: str, agent: Agent, state: Shared, actor: Who, reason: str = ""
) -> wire.DeletedDocument:
    """Delete a document and forget chunks that belong only to it; `reason` is required."""
    gone = await state.db.awrite(
        records.delete,
        document_id,
        reason=reason,
        actor=actor,
        rules=DocumentRules.of(state.settings),
        now=clock.now(),
        agent_id=agent,
    )
    return {"success": True, "deleted": True, "memoriesRemoved": gone.memories_removed}


def _row(document: wire.StoredDocument) -> wire.Document:
    return {**document, "metadata": columns.json_value(document["metadata_json"])}
