"""What a prompt brings to mind."""

from collections.abc import Mapping

from fastapi import Request

from signet import clock
from signet.domain.sessions import prompt, prompt_text
from signet.errors import Invalid
from signet.wire import hooks as wire
from signet.wire.requests.hooks import PromptBody
from signet_api import transcripts
from signet_api.answering import services_of
from signet_api.deps import Shared, Who
from signet_api.hook import call_of, known, unless_internal
from signet_api.serving import serves


@serves(wire.SUBMIT_PROMPT, first=unless_internal(prompt.NOTHING))
async def post_prompt(
    request: Request, state: Shared, actor: Who, body: PromptBody
) -> wire.Prompted:
    """Return what is known about a prompt, if it is near enough and has not just been told."""
    message = body.user_message.strip() or prompt_text.cleaned(body.user_prompt)
    if not (body.harness.strip() and (body.user_message.strip() or body.user_prompt.strip())):
        raise Invalid("harness and userMessage or userPrompt are required")
    call = await call_of(body, request.headers, state, cwd=body.cwd)
    session = await known(call, state)
    if session is not None and session.bypasses(clock.now()):
        return {**prompt.NOTHING, "bypassed": True}
    transcripts.later(state, call, body.transcript_path, body.transcript)
    return await prompt.answer(
        call,
        session,
        message,
        body.last_assistant_message,
        _ratings(body.memory_feedback),
        services_of(state),
        actor=actor,
    )


def _ratings(said: object) -> dict[str, float]:
    """Return the ratings among what was sent with a prompt; the rest is left out, because the prompt goes on."""
    if not isinstance(said, Mapping):
        return {}
    return {
        str(name): float(value)
        for name, value in said.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
