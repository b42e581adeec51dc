"""Create models from settings.

Reads no settings files, environment or vault: the caller passes the values, with secrets resolved. Creating a
provider sends no request.
"""

from collections.abc import Callable
from dataclasses import dataclass

from signet.config import Environment, Settings
from signet.config.extraction import ExtractionSettings, TextProvider
from signet.config.pipeline import Synthesis
from signet.config.sections import ADDED_MODELS
from signet.net.http import host_of, is_loopback, shown
from signet.providers import anthropic, ollama, openai, opencode
from signet.providers.ports import Embedder, LanguageModel
from signet.providers.ration import Ration

#: Return whether a model can be used now; callers cache the result (PROBE_KEPT_SECONDS).
Probe = Callable[[LanguageModel], bool]
PROBE_KEPT_SECONDS = 30

AUTO = "auto"
RULES = "rules"
NONE = "none"
OLLAMA = "ollama"
OPENAI = "openai"
NATIVE = "native"
ANTHROPIC = "anthropic"
CLAUDE_CODE = "claude-code"
CODEX = "codex"
OPENCODE = "opencode"


#: Default addresses of providers.
BASE_URLS = {OPENAI: openai.BASE_URL, ANTHROPIC: anthropic.BASE_URL, OPENCODE: opencode.BASE_URL}
#: Providers that are asked over HTTP; the others run a program.
SERVERS = frozenset({OLLAMA, OPENAI, ANTHROPIC, OPENCODE})
#: Providers whose calls reach a vendor at any address.
PAID = frozenset({ANTHROPIC, CLAUDE_CODE, CODEX, OPENCODE})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSettings:
    """The text provider: `extraction.*`; `endpoint` only if configured."""

    provider: str
    model: str
    endpoint: str | None
    api_key: str | None
    ollama_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSettings:
    """The embedding provider: `embedding.*`; `base_url` only if configured."""

    provider: str
    model: str
    dimensions: int
    base_url: str | None
    api_key: str | None
    ollama_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The text provider in use.

    `effective` is `rules`, `none` or the provider's name; only then `model` is set. `reason` is for people.
    """

    configured: str
    effective: str
    model: LanguageModel | None
    reason: str


def language_model(settings: TextSettings) -> LanguageModel | None:
    """Return the model of a named provider, None if it uses no model."""
    match settings.provider:
        case "ollama":
            return ollama.OllamaModel(settings.endpoint or settings.ollama_url, settings.model)
        case "openai":
            return openai.OpenAIModel(_url(settings), settings.model, api_key=settings.api_key)
        case "anthropic":
            return anthropic.AnthropicModel(
                _url(settings), settings.model, api_key=settings.api_key
            )
        case "opencode":
            return opencode.OpencodeModel(_url(settings), settings.model)
        case "claude-code":
            from signet.providers.command import ClaudeCodeModel

            return ClaudeCodeModel(settings.model)
        case "codex":
            from signet.providers.command import CodexModel

            return CodexModel(settings.model)
    return None


def is_rationed(settings: TextSettings, effective: str) -> bool:
    """Return whether calls of the provider in use cost money: they leave this machine, or run a program."""
    if effective not in (OLLAMA, OPENAI):
        return effective in PAID
    usual = settings.ollama_url if effective == OLLAMA else openai.BASE_URL
    return not is_loopback(settings.endpoint or usual)


def resolve(settings: TextSettings, probe: Probe) -> Resolution:
    """Return the text provider to use; only `auto` probes, jobs wait for a named provider that is down (CF-30)."""
    name = settings.provider
    if name == AUTO:
        return _auto(settings, probe)
    if name == NONE:
        return _without_model(settings, NONE, "extraction is switched off")
    if name == RULES:
        return _without_model(settings, RULES, "the built-in rules are configured")
    model = language_model(settings)
    if model is None:
        return _without_model(settings, NONE, f"{name} is not a provider")
    return _with(settings, name, model, f"{model.name} is configured")


def embedder(settings: VectorSettings) -> Embedder | None:
    if settings.provider == NATIVE:
        from signet.providers.native.encoder import AddedEmbedder, NativeEmbedder

        if settings.model.startswith(ADDED_MODELS):
            return AddedEmbedder(settings.model, settings.dimensions)
        return NativeEmbedder()
    if settings.provider == OLLAMA:
        return ollama.OllamaEmbedder(
            settings.base_url or settings.ollama_url, settings.model, dimensions=settings.dimensions
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
    """Choose automatically. Text leaves this machine only to a configured address."""
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


def _url(settings: TextSettings) -> str:
    return settings.endpoint or BASE_URLS[settings.provider]


def _with(settings: TextSettings, name: str, model: LanguageModel, reason: str) -> Resolution:
    return Resolution(configured=settings.provider, effective=name, model=model, reason=reason)


def _without_model(settings: TextSettings, effective: str, reason: str) -> Resolution:
    return Resolution(configured=settings.provider, effective=effective, model=None, reason=reason)


def text_settings(settings: Settings, environment: Environment) -> TextSettings:
    extraction = settings.pipeline.extraction
    return TextSettings(
        provider=extraction.provider,
        model=extraction.model,
        endpoint=extraction.endpoint,
        api_key=extraction.api_key or _text_key(extraction, environment),
        ollama_url=environment.ollama_url,
    )


def synthesis_settings(settings: Settings, environment: Environment) -> TextSettings:
    """Return the settings of MEMORY.md's provider; extraction's key is sent only to extraction's address."""
    synthesis, extraction = settings.pipeline.synthesis, settings.pipeline.extraction
    is_same = (synthesis.provider, synthesis.endpoint) == (extraction.provider, extraction.endpoint)
    return TextSettings(
        provider=synthesis.provider,
        model=synthesis.model,
        endpoint=synthesis.endpoint,
        api_key=(extraction.api_key if is_same else None) or _text_key(synthesis, environment),
        ollama_url=environment.ollama_url,
    )


def vector_settings(settings: Settings, environment: Environment) -> VectorSettings:
    embedding = settings.embedding
    return VectorSettings(
        provider=embedding.provider,
        model=embedding.model,
        dimensions=embedding.dimensions,
        base_url=embedding.base_url,
        api_key=embedding.api_key or _vendor_key(embedding.base_url, environment),
        ollama_url=environment.ollama_url,
    )


def _text_key(section: ExtractionSettings | Synthesis, environment: Environment) -> str | None:
    if section.provider is not TextProvider.ANTHROPIC:
        return _vendor_key(section.endpoint, environment)
    is_vendor = host_of(section.endpoint or anthropic.BASE_URL) == host_of(anthropic.BASE_URL)
    return environment.anthropic_api_key if is_vendor else None


def ration(settings: Settings, environment: Environment) -> Ration:
    """Return the limits on paid calls."""
    extraction = settings.pipeline.extraction
    return Ration(
        at_once=environment.max_llm_concurrency,
        calls_per_hour=extraction.max_calls_per_hour,
        tokens_per_hour=extraction.max_tokens_per_hour,
    )


def _vendor_key(url: str | None, environment: Environment) -> str | None:
    """Return the environment's key for its own vendor; it is never sent to another server."""
    is_vendor = host_of(url or openai.BASE_URL) == openai.VENDOR_HOST
    return environment.openai_api_key if is_vendor else None
