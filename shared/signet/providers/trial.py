"""Try a model server with one short request, and name the setting to change if it fails."""

import time
from dataclasses import dataclass

from signet.errors import ProviderDown, ProviderFailed
from signet.providers.openai import OpenAIModel, endpoints
from signet.providers.ports import LanguageModel

QUESTION = "Answer with the one word: yes"
#: Enough for a model that thinks before it answers.
TOKENS = 256
#: A slower server is reported as slow; its jobs have longer limits.
SECONDS = 20.0
SHOWN_MODELS = 5

_SETTING = "signet config set memory.pipelineV2.extraction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The outcome of one request: how long the answer took, or the fault and a command that corrects it."""

    seconds: float
    fault: str = ""
    fix: str | None = None


def tried(model: LanguageModel, *, seconds: float = SECONDS) -> Trial:
    """Ask a model one question; never raises."""
    started = time.monotonic()
    try:
        model.generate(QUESTION, timeout_seconds=seconds, max_tokens=TOKENS)
    except (ProviderDown, ProviderFailed) as error:
        took = time.monotonic() - started
        return Trial(seconds=took, fault=error.message, fix=_fix(model, error.facts.get("status")))
    return Trial(seconds=time.monotonic() - started)


def _fix(model: LanguageModel, status: object) -> str | None:
    """Return the command that sets the corrected address, model or key, None if no request shows one."""
    if status in (401, 403):
        return f"{_SETTING}.apiKey '$secret:NAME'"
    if not isinstance(model, OpenAIModel):
        return None
    for address in endpoints(model.address):
        names = _names(model, address)
        if names is None:
            continue
        if address != model.address:
            return f"{_SETTING}.endpoint {address}"
        is_missing = bool(names) and model.model not in names
        shown = ", ".join(names[:SHOWN_MODELS])
        return f"{_SETTING}.model NAME, one of: {shown}" if is_missing else None
    return None


def _names(model: OpenAIModel, address: str) -> list[str] | None:
    """Return the models that a server lists at an address, None if it lists none there."""
    other = model.at(address)
    try:
        return other.names()
    except (ProviderDown, ProviderFailed):
        return None
    finally:
        other.close()
