"""Save a memory."""

from fastapi import APIRouter, Request

from signet import clock
from signet.domain.memory import remember
from signet.domain.memory.models import NewMemory, Remembered, Rules, Visibility
from signet.errors import Invalid, TooLarge
from signet.wire.memory import RememberBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Shared, Who, agent_of

router = APIRouter(tags=["memory"], route_class=JsonRoute)

#: A longer text is a document. This much is saved in two thousand pieces by one transaction of a second or two, for
#: which every other writer waits.
MAX_CONTENT_CHARS = 1_048_576


@router.post("/api/memory/remember")
@router.post("/api/memory/save")
@router.post("/api/hook/remember")
async def post_remember(
    body: RememberBody, request: Request, state: Shared, actor: Who
) -> dict[str, object]:
    """Save one memory and queue what is to be learned from it; the same text twice is one memory."""
    if not body.content.strip():
        raise Invalid("content is required")
    if len(body.content) > MAX_CONTENT_CHARS:
        raise TooLarge(
            f"content is longer than {MAX_CONTENT_CHARS} characters; hand it over as a document"
        )
    saved = await state.db.awrite(
        remember.remember,
        new_memory(body, agent_of(body.agent_id, body.session_key, request.headers)),
        actor=actor,
        rules=Rules.of(state.settings),
        now=clock.now(),
    )
    return answer(saved)


def new_memory(body: RememberBody, agent_id: str) -> NewMemory:
    """Return what a client asks to remember."""
    return NewMemory(
        content=body.content,
        agent_id=agent_id,
        type=body.type or None,
        importance=body.importance,
        pinned=body.pinned,
        tags=body.tags,
        who=body.who or "daemon",
        project=body.project or None,
        source_type=body.source_type or "manual",
        source_id=body.source_id or None,
        ordinal=body.ordinal,
        session_id=body.session_key or None,
        created_at=body.created_at,
        event_at=body.event_at,
        visibility=Visibility.PRIVATE if body.visibility == "private" else Visibility.GLOBAL,
        scope=body.scope or None,
        hints=tuple(body.hints or ()),
        transcript=body.transcript,
        harness=body.harness,
        idempotency_key=body.idempotency_key,
    )


def answer(saved: Remembered) -> dict[str, object]:
    """Return the fields that clients read (memory.md §4, §5)."""
    body: dict[str, object] = {
        "success": True,
        "id": saved.id,
        "memoryId": saved.id,
        "type": saved.type,
        "tags": ",".join(saved.tags) or None,
        "pinned": saved.pinned,
        "importance": saved.importance,
        "content": saved.content,
        "embedded": saved.embedded,
        "deduped": saved.deduped,
        "entities_linked": saved.entities_linked,
        "hints_written": saved.hints_written,
    }
    if saved.group_id is not None:
        body |= {
            "chunked": True,
            "chunk_count": len(saved.ids),
            "ids": list(saved.ids),
            "group_id": saved.group_id,
        }
    return body
