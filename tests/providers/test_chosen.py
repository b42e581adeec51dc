"""Whom a key is told."""

import pytest

from signet.config import Settings, read_environment, settings_from
from signet.providers import registry

ENVIRONMENT, _ = read_environment({"OPENAI_API_KEY": "sk-of-the-environment"})


def named(url: str | None, key: str | None = None) -> Settings:
    extraction = {"provider": "openai", "endpoint": url, "api_key": key}
    embedding = {"provider": "openai", "base_url": url, "api_key": key}
    settings, warnings = settings_from(
        {"embedding": embedding, "memory": {"pipelineV2": {"extraction": extraction}}}
    )
    assert warnings == ()
    return settings


@pytest.mark.parametrize(
    ("url", "key", "told"),
    [
        (None, None, "sk-of-the-environment"),
        ("https://api.openai.com/v1", None, "sk-of-the-environment"),
        ("https://API.openai.com/v1", None, "sk-of-the-environment"),
        ("https://api.openai.com.example.org/v1", None, None),
        ("https://example.org/api.openai.com/v1", None, None),
        ("http://127.0.0.1:1234/v1", None, None),
        ("http://127.0.0.1:1234/v1", "sk-written-down", "sk-written-down"),
        (None, "sk-written-down", "sk-written-down"),
    ],
)
def test_the_key_of_the_environment_is_told_to_its_vendor_only(
    url: str | None, key: str | None, told: str | None
) -> None:
    settings = named(url, key)
    assert registry.text_settings(settings, ENVIRONMENT).api_key == told
    assert registry.vector_settings(settings, ENVIRONMENT).api_key == told
