"""What a harness asks during a session: recall in the form of a hook (spec/recall.md §1)."""

from fastapi import APIRouter, Request

from signet.errors import Invalid
from signet.wire.browse import HookRecallBody
from signet.wire.recall import RecallBody
from signet_api.bodies import JsonRoute, body_of
from signet_api.deps import Shared, project_of
from signet_api.routes.hooks import INTERNAL
from signet_api.routes.recall import recalled

router = APIRouter(tags=["hooks"], route_class=JsonRoute)


@router.post("/api/hooks/recall")
async def post_hook_recall(request: Request, state: Shared) -> dict[str, object]:
    """Return the memories that answer a question; nothing to a process that Signet itself started (HK-6)."""
    if request.headers.get(INTERNAL) == "1":
        return {"memories": [], "results": [], "count": 0, "internal": True}
    body = await body_of(request, HookRecallBody)
    if not (body.harness.strip() and body.query.strip()):
        raise Invalid("harness and query are required")
    project_of(body.project)
    question = RecallBody.model_validate(body.model_dump(exclude={"harness"}))
    return await recalled(question, request, state)
