"""From settings to a model.

Nothing here reads settings files, the environment or the vault: the caller passes the few values that count, with
secrets resolved. Making a provider calls nobody.
"""

from collections.abc import Callable
from dataclasses import dataclass

from signet.net.http import is_loopback, shown
from signet.providers import ollama, openai
from signet.providers.ports import Embedder, LanguageModel

#: Answers whether a model can be used now; the caller keeps the answer for a while (PROBE_KEPT_SECONDS).
Probe = Callable[[LanguageModel], bool]
PROBE_KEPT_SECONDS = 30

AUTO = "auto"
RULES = "rules"
NONE = "none"
OLLAMA = "ollama"
OPENAI = "openai"
NATIVE = "native"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSettings:
    """Who reads text: `extraction.*`; `endpoint` is None unless a person wrote one."""

    provider: str
    model: str
    endpoint: str | None
    api_key: str | None
    ollama_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSettings:
    """Who makes vectors: `embedding.*`; `base_url` is None unless a person wrote one."""

    provider: str
    model: str
    dimensions: int
    base_url: str | None
    api_key: str | None
    ollama_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Who reads text now.

    `effective` is `rules`, `none` or the provider's name; `model` is there in the last case only. `waits` says
    that extraction is wanted but cannot be done, so its jobs stay; without it, `none` means that there are none.
    `reason` is for people.
    """

    configured: str
    effective: str
    model: LanguageModel | None
    waits: bool
    reason: str


def language_model(settings: TextSettings) -> LanguageModel | None:
    """Return the model of a provider that is named, or None when it is none that is spoken to over HTTP."""
    if settings.provider == OLLAMA:
        return ollama.OllamaModel(settings.endpoint or settings.ollama_url, settings.model)
    if settings.provider == OPENAI:
        return openai.OpenAIModel(
            settings.endpoint or openai.BASE_URL, settings.model, api_key=settings.api_key
        )
    return None


def resolve(settings: TextSettings, probe: Probe) -> Resolution:
    """Return who reads text now; only `auto` probes, a named provider that is down is waited for (CF-30)."""
    name = settings.provider
    if name == AUTO:
        return _auto(settings, probe)
    if name == NONE:
        return _without_model(settings, NONE, "extraction is switched off")
    if name == RULES:
        return _without_model(settings, RULES, "the built-in rules are configured")
    model = language_model(settings)
    if model is None:
        return Resolution(
            configured=name,
            effective=NONE,
            model=None,
            waits=True,
            reason=f"{name} is not available in this version",
        )
    return _with(settings, name, model, f"{model.name} is configured")


def embedder(settings: VectorSettings) -> Embedder | None:
    """Return who makes vectors, or None when nobody does."""
    if settings.provider == NATIVE:
        from signet.providers.native.encoder import NativeEmbedder

        return NativeEmbedder()
    if settings.provider == OLLAMA:
        return ollama.OllamaEmbedder(
            settings.base_url or settings.ollama_url,
            settings.model,
            dimensions=settings.dimensions,
        )
    if settings.provider == OPENAI:
        return openai.OpenAIEmbedder(
            settings.base_url or openai.BASE_URL,
            settings.model,
            dimensions=settings.dimensions,
            api_key=settings.api_key,
        )
    return None


def _auto(settings: TextSettings, probe: Probe) -> Resolution:
    """Text leaves this machine only to an address that a person wrote down."""
    url = settings.endpoint or settings.ollama_url
    if is_loopback(url):
        local = ollama.OllamaModel(url, settings.model)
        if probe(local):
            return _with(settings, OLLAMA, local, f"{local.name} answers at {shown(url)}")
    if settings.endpoint is not None:
        written = openai.OpenAIModel(url, settings.model, api_key=settings.api_key)
        if probe(written):
            return _with(settings, OPENAI, written, f"{written.name} answers at {shown(url)}")
    return _without_model(
        settings, RULES, f"no model {settings.model} at {shown(url)}; using the built-in rules"
    )


def _with(settings: TextSettings, name: str, model: LanguageModel, reason: str) -> Resolution:
    return Resolution(
        configured=settings.provider, effective=name, model=model, waits=False, reason=reason
    )


def _without_model(settings: TextSettings, effective: str, reason: str) -> Resolution:
    return Resolution(
        configured=settings.provider, effective=effective, model=None, waits=False, reason=reason
    )
