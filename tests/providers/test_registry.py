"""Who reads text, from settings and a probe."""

from dataclasses import replace

import pytest

from signet.providers import registry
from signet.providers.ports import LanguageModel
from signet.providers.registry import TextSettings, VectorSettings
from support.models import fake_ollama, fake_openai

LOCAL = "http://localhost:11434"
SETTINGS = TextSettings(
    provider="auto", model="qwen3:4b", endpoint=None, api_key=None, ollama_url=LOCAL
)
VECTORS = VectorSettings(
    provider="ollama",
    model="some-model",
    dimensions=8,
    base_url=None,
    api_key=None,
    ollama_url=LOCAL,
)


def yes(_: LanguageModel) -> bool:
    return True


def no(_: LanguageModel) -> bool:
    return False


def never(_: LanguageModel) -> bool:
    raise AssertionError("was probed")


def only(kind: str) -> registry.Probe:
    return lambda model: model.name.startswith(kind)


def effective(settings: TextSettings, probe: registry.Probe) -> str:
    found = registry.resolve(settings, probe)
    assert (found.model is None) == (found.effective in ("rules", "none"))
    assert found.reason
    return found.effective


def test_auto_takes_the_local_model_when_it_answers_and_the_rules_when_not() -> None:
    assert effective(SETTINGS, yes) == "ollama"
    assert effective(SETTINGS, no) == "rules"


def test_auto_never_asks_a_remote_ollama() -> None:
    assert effective(replace(SETTINGS, ollama_url="http://gpu.example:11434"), never) == "rules"


def test_auto_takes_a_compatible_server_only_where_a_person_pointed() -> None:
    assert effective(SETTINGS, only("openai")) == "rules"
    written = replace(SETTINGS, endpoint="https://models.example/v1")
    assert effective(written, only("openai")) == "openai"
    assert effective(written, only("ollama")) == "rules"
    local = replace(SETTINGS, endpoint="http://127.0.0.1:8080/v1")
    assert effective(local, yes) == "ollama"
    assert effective(local, only("openai")) == "openai"


@pytest.mark.parametrize("name", ["ollama", "openai"])
def test_a_named_provider_is_taken_without_a_probe_even_when_remote(name: str) -> None:
    settings = replace(SETTINGS, provider=name, endpoint="https://models.example")
    assert effective(settings, never) == name


@pytest.mark.parametrize("name", ["none", "rules"])
def test_none_and_rules_need_nobody(name: str) -> None:
    assert effective(replace(SETTINGS, provider=name), never) == name
    assert registry.language_model(replace(SETTINGS, provider=name)) is None


@pytest.mark.parametrize(
    ("name", "model", "rationed"),
    [
        ("anthropic", "claude-haiku-4-5-20251001", True),
        ("claude-code", "haiku", True),
        ("codex", "gpt-5.3-codex", True),
        ("opencode", "anthropic/claude-haiku-4-5-20251001", True),
        ("ollama", "qwen3:4b", False),
    ],
)
def test_every_provider_can_be_named_and_those_that_cost_somebody_are_rationed(
    name: str, model: str, rationed: bool
) -> None:
    settings = replace(SETTINGS, provider=name, model=model)
    found = registry.resolve(settings, never)
    assert found.model is not None
    assert (found.effective, found.model.name) == (name, f"{name}:{model}")
    assert registry.is_rationed(settings, found.effective) is rationed


@pytest.mark.parametrize("name", ["ollama", "openai"])
def test_a_server_elsewhere_is_rationed_and_one_here_is_not(name: str) -> None:
    there = replace(SETTINGS, endpoint="https://models.example")
    here = replace(SETTINGS, endpoint="http://127.0.0.1:8080/v1")
    assert registry.is_rationed(there, name)
    assert not registry.is_rationed(here, name)
    assert not registry.is_rationed(there, "rules")


def test_auto_finds_real_servers() -> None:
    with fake_ollama() as server:
        settings = replace(SETTINGS, ollama_url=server.url)
        assert effective(settings, lambda model: model.available()) == "ollama"
        server.stop()
        assert effective(settings, lambda model: model.available()) == "rules"
    with fake_openai() as server:
        settings = replace(SETTINGS, endpoint=server.url)
        assert effective(settings, lambda model: model.available()) == "openai"


def test_a_reason_never_shows_a_password() -> None:
    settings = replace(SETTINGS, endpoint="http://me:hunter2@127.0.0.1:8080/v1")
    for probe in (yes, no, only("openai")):
        reason = registry.resolve(settings, probe).reason
        assert "hunter2" not in reason and "127.0.0.1:8080" in reason


def test_vectors_come_from_the_provider_that_is_named_or_from_nobody() -> None:
    ollama = registry.embedder(VECTORS)
    openai = registry.embedder(replace(VECTORS, provider="openai"))
    assert ollama is not None and openai is not None
    assert (ollama.name, ollama.model, ollama.dimensions) == ("ollama:some-model", "some-model", 8)
    assert (openai.name, openai.dimensions) == ("openai:some-model", 8)
    native = registry.embedder(replace(VECTORS, provider="native"))
    assert native is not None and native.name.startswith("native:")
    assert registry.embedder(replace(VECTORS, provider="none")) is None
