"""The context of a prompt, for programs and tools that ask for it themselves; and all of an episode in it."""

from fastapi import Request

from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.episodes import expand
from signet.domain.episodes.expand import Page
from signet.domain.sessions import context, prompt_text
from signet.domain.sessions.question import Question
from signet.errors import Invalid
from signet.wire import recall as wire
from signet.wire.recall import ContextAnswer, EpisodePage
from signet.wire.requests.context import ContextBody
from signet_api import scopes
from signet_api.answering import services_of
from signet_api.deps import Shared, agent_of, project_of, said
from signet_api.serving import serves


@serves(wire.CONTEXT)
async def post_context(
    body: ContextBody, request: Request, state: Shared
) -> ContextAnswer | EpisodePage:
    """Return what earlier work, rules and memories say of a prompt; with `id` one page of all of an episode.

    It is the block that sessions are given with their prompts. An episode that is unknown, or another agent's, is 404.
    """
    agent_id = await agent_of(body.agent_id, body.session_key, request)
    if body.id:
        found = await state.db.aread(_page, body.id, body.page, agent_id)
        return {
            "id": found.source.name,
            "type": found.source.type,
            "text": found.text,
            "page": found.page,
            "pages": found.pages,
        }
    await scopes.check_session(state.db, agent_id, body.session_key)
    if not body.prompt.strip():
        raise Invalid("prompt or id is required")
    only = project_of(body.project)
    question = Question(
        agent_id=agent_id,
        message=body.prompt,
        terms=prompt_text.terms(body.prompt),
        chars=body.max_chars,
        line_chars=body.max_chars,
        key=body.session_key,
        project=only or said(request.headers, "x-signet-project"),
        only=only,
        scope=body.scope,
        limit=body.limit,
        min_score=body.min_score or 0.0,
        is_whole=True,
    )
    return context.described(await context.context_of(question, services_of(state)))


def _page(tx: ReadTx, id: str, page: int, agent_id: str) -> Page:
    project = caller.current().scope.project
    return expand.page(tx, id, page, reader=agents.reader(tx, agent_id), project=project)
