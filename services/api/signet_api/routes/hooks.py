"""What harnesses ask for while a session runs."""

from collections.abc import Mapping

from fastapi import APIRouter, Request

from signet.domain.memory.models import NewMemory
from signet.errors import Invalid
from signet.wire.hooks import HookRememberBody
from signet_api.bodies import JsonRoute, body_of, described
from signet_api.deps import Shared, Who, agent_of, project_of
from signet_api.routes.remember import save

router = APIRouter(prefix="/api/hooks", tags=["hooks"], route_class=JsonRoute)

#: Set by the processes that Signet itself has started: what they do is nobody's memory (HK-6).
INTERNAL = "x-signet-no-hooks"
RUNTIME_PATHS = frozenset({"plugin", "legacy"})


@router.post("/remember", openapi_extra=described(HookRememberBody))
async def post_remember(request: Request, state: Shared, actor: Who) -> dict[str, object]:
    """Save a text from within a session; the same text or idempotency key twice is one memory."""
    if request.headers.get(INTERNAL) == "1":
        return {"success": True, "memories": [], "internal": True}
    body = await body_of(request, HookRememberBody)
    if not (body.harness.strip() and body.content.strip()):
        raise Invalid("harness and content are required")
    new = NewMemory(
        content=body.content,
        agent_id=agent_of(body.agent_id, body.session_key, request.headers),
        who=body.who or body.harness,
        project=project_of(body.project),
        source_type="explicit",
        session_id=body.session_key or None,
        harness=body.harness,
        idempotency_key=body.idempotency_key,
        runtime_path=_runtime_path(request.headers, body.runtime_path),
    )
    saved = await save(state, new, actor)
    return {
        "success": True,
        "saved": True,
        "id": saved.id,
        "memoryId": saved.id,
        "deduped": saved.deduped,
    }


def _runtime_path(headers: Mapping[str, str], said: str | None) -> str | None:
    path = headers.get("x-signet-runtime-path", said)
    return path if path in RUNTIME_PATHS else None
