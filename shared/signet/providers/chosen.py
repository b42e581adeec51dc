"""Which providers the settings and the environment name."""

from signet.config import Environment, Settings
from signet.net.http import host_of
from signet.providers import openai
from signet.providers.registry import TextSettings, VectorSettings


def text_settings(settings: Settings, environment: Environment) -> TextSettings:
    """Return the part of the settings that says who reads texts."""
    extraction = settings.pipeline.extraction
    return TextSettings(
        provider=extraction.provider,
        model=extraction.model,
        endpoint=extraction.endpoint,
        api_key=extraction.api_key or _vendor_key(extraction.endpoint, environment),
        ollama_url=environment.ollama_url,
    )


def vector_settings(settings: Settings, environment: Environment) -> VectorSettings:
    """Return the part of the settings that says who makes vectors."""
    embedding = settings.embedding
    return VectorSettings(
        provider=embedding.provider,
        model=embedding.model,
        dimensions=embedding.dimensions,
        base_url=embedding.base_url,
        api_key=embedding.api_key or _vendor_key(embedding.base_url, environment),
        ollama_url=environment.ollama_url,
    )


def _vendor_key(url: str | None, environment: Environment) -> str | None:
    """Return the environment's key for its own vendor; another server must never be told it."""
    is_vendor = host_of(url or openai.BASE_URL) == openai.VENDOR_HOST
    return environment.openai_api_key if is_vendor else None
