"""Hand over documents and look at them."""

import asyncio
import json
from dataclasses import asdict

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from signet import clock
from signet.domain.auth import caller
from signet.domain.auth.caller import ScopeDenied
from signet.domain.documents import create, delete, lookup
from signet.domain.documents.models import Document, NewDocument, Rules, SourceType
from signet.wire.requests.documents import DocumentBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Db, Shared, Who, agent_of
from signet_api.params import whole

router = APIRouter(tags=["documents"], route_class=JsonRoute)


@router.post(
    "/api/documents", status_code=201, responses={200: {"description": "It is known already"}}
)
async def post_document(body: DocumentBody, request: Request, state: Shared) -> JSONResponse:
    """Store a document and queue its reading; one that is known is answered with 200.

    A token that is limited to an agent names no file: those of this machine, MEMORY.md of others among them, are
    nobody's rows.
    """
    asked = caller.current().scope
    if asked.agent and body.source_type == SourceType.FILE and not body.content:
        raise ScopeDenied(f"the token is limited to agent '{asked.agent}' and may not read files")
    rules = Rules.of(state.settings)
    new = NewDocument(
        source_type=body.source_type or "",
        content=body.content,
        url=body.url,
        title=body.title,
        content_type=body.content_type,
        connector_id=body.connector_id,
        metadata=body.metadata,
        agent_id=await agent_of(body.agent_id, None, request),
    )
    new = await asyncio.to_thread(create.without_secrets, new, rules)
    made = await state.db.awrite(create.create, new, rules=rules, now=clock.now())
    masked = {"masked": list(new.masked)} if new.masked else {}
    if made.deduplicated:
        known = {"id": made.id, "status": made.status, "deduplicated": True}
        return JSONResponse(known | masked, 200)
    return JSONResponse({"id": made.id, "status": made.status, "jobId": made.job_id} | masked, 201)


@router.get("/api/documents")
async def get_documents(request: Request, db: Db) -> dict[str, object]:
    """Return a page of documents, newest first; `include=content` adds their text."""
    params = request.query_params
    limit = whole(params.get("limit"), lookup.DEFAULT_LIMIT, low=1, high=lookup.MAX_LIMIT)
    offset = whole(params.get("offset"), 0, low=0, high=1_000_000_000)
    page = await db.aread(
        lookup.newest,
        agent_id=await _agent(request),
        status=params.get("status") or None,
        limit=limit,
        offset=offset,
        with_content=params.get("include") == "content",
    )
    return {
        "documents": [_row(document) for document in page.documents],
        "total": page.total,
        "limit": limit,
        "offset": offset,
    }


@router.get("/api/documents/{document_id}")
async def get_document(document_id: str, request: Request, db: Db) -> dict[str, object]:
    """Return one document."""
    return _row(await db.aread(lookup.get, document_id, agent_id=await _agent(request)))


@router.get("/api/documents/{document_id}/chunks")
async def get_chunks(document_id: str, request: Request, db: Db) -> dict[str, object]:
    """Return the memories made from a document, in its order."""
    found = await db.aread(lookup.chunks, document_id, agent_id=await _agent(request))
    return {"chunks": [asdict(chunk) for chunk in found], "count": len(found)}


@router.delete("/api/documents/{document_id}")
async def delete_document(
    document_id: str, request: Request, state: Shared, actor: Who, reason: str = ""
) -> dict[str, object]:
    """Delete a document and forget what only it holds; `reason` is needed."""
    gone = await state.db.awrite(
        delete.delete,
        document_id,
        reason=reason,
        actor=actor,
        rules=Rules.of(state.settings),
        now=clock.now(),
        agent_id=await _agent(request),
    )
    return {"success": True, "deleted": True, "memoriesRemoved": gone.memories_removed}


async def _agent(request: Request) -> str:
    params = request.query_params
    return await agent_of(params.get("agentId") or params.get("agent_id"), None, request)


def _row(document: Document) -> dict[str, object]:
    row = asdict(document)
    metadata = document.metadata_json
    row["metadata"] = json.loads(metadata) if metadata else None
    return row
