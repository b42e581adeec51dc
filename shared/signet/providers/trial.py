"""Try a model server with one short request, and name the setting to change if it fails."""

import re
import time
from contextlib import closing
from dataclasses import dataclass

from signet.errors import ProviderDown, ProviderFailed
from signet.net.http import is_loopback
from signet.providers import ollama
from signet.providers.anthropic import AnthropicModel
from signet.providers.ollama import OllamaModel
from signet.providers.openai import OpenAIModel
from signet.providers.ports import LanguageModel
from signet.providers.served import Served

QUESTION = "Answer with the one word: yes"
#: Enough for a model that thinks before it answers.
TOKENS = 256
#: A slower server is reported as slow; its jobs have longer limits.
SECONDS = 20.0
SHOWN_MODELS = 5

#: Ends of addresses that people paste: paths of single calls, then of whole interfaces.
_CALLS = re.compile(
    r"(?:/v1)?(?:/(?:chat/completions|completions|embeddings|messages|models)|/api(?:/\w+)?)?$"
)
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
        took, fault = time.monotonic() - started, error.message
        if not isinstance(model, Served):
            return Trial(seconds=took, fault=fault)
        fix = _fix(model, error.facts.get("status"))
        return Trial(seconds=took, fault=fault.removesuffix(f"; {model.advice()}"), fix=fix)
    return Trial(seconds=time.monotonic() - started)


def _fix(model: Served, status: object) -> str | None:
    """Return the command that sets the corrected address, model, provider or key, None if no request shows one."""
    if status in (401, 403) or model.lacks_key:
        return f"{_SETTING}.apiKey '$secret:NAME'"
    own, address = model.name.partition(":")[0], model.server.url
    for kind in dict.fromkeys((own, "openai", "ollama")):
        for other in _addresses(kind, address):
            names = _names(kind, other, model.api_key if kind == own else None)
            if names is None:
                continue
            if kind != own:
                return f"{_SETTING}.provider {kind}, then: {_SETTING}.endpoint {other}"
            if other != address:
                return f"{_SETTING}.endpoint {other}"
            return _fix_model(model, names)
    return None


def _fix_model(model: Served, names: list[str]) -> str | None:
    """Return the command for a model that its server lacks."""
    if not names or model.model in names:
        return None
    if isinstance(model, OllamaModel):
        return model.advice().removeprefix("to install the model: ")
    return f"{_SETTING}.model NAME, one of: {', '.join(names[:SHOWN_MODELS])}"


def _addresses(kind: str, address: str) -> list[str]:
    """Return an address and its corrections: with the path of the interface only, and without TLS on this machine."""
    root = _CALLS.sub("", address.rstrip("/"), count=1)
    found = [address, f"{root}/v1", root] if kind == "openai" else [address, root]
    if is_loopback(address):
        found += [one.replace("https://", "http://", 1) for one in found]
    return list(dict.fromkeys(found))


def _names(kind: str, address: str, api_key: str | None) -> list[str] | None:
    """Return the models that a server lists at an address, None if it lists none there."""
    try:
        if kind == "ollama":
            return ollama.installed(address) or None
        with closing(
            AnthropicModel(address, "", api_key=api_key)
            if kind == "anthropic"
            else OpenAIModel(address, "", api_key=api_key)
        ) as other:
            return other.names() or None
    except (ProviderDown, ProviderFailed):
        return None
