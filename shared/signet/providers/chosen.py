"""Select the providers from settings and environment."""

from signet.config import Environment, Settings
from signet.config.extraction import ExtractionSettings, TextProvider
from signet.config.pipeline import Synthesis
from signet.net.http import host_of
from signet.providers import anthropic, openai
from signet.providers.ration import Ration
from signet.providers.registry import TextSettings, VectorSettings


def text_settings(settings: Settings, environment: Environment) -> TextSettings:
    """Return the text provider's settings."""
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
    """Return the embedding provider's settings."""
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
