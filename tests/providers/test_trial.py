"""One request tells whether a configured model works, and which setting is wrong."""

import pytest

from signet.providers.anthropic import AnthropicModel
from signet.providers.ollama import OllamaModel
from signet.providers.openai import BASE_URL, OpenAIModel
from signet.providers.trial import tried
from support.models import Hang, Status, fake_ollama, fake_openai
from support.strict import MODEL, strict

MODELS = ("gpt-4o-mini", "text-embedding-3-small")


def test_a_model_that_answers_has_no_fault() -> None:
    with fake_openai("yes") as server:
        trial = tried(OpenAIModel(server.url, "gpt-4o-mini"))
    assert (trial.fault, trial.fix) == ("", None)
    assert 0 < trial.seconds < 20


@pytest.mark.parametrize("pasted", ["", "/v1/chat/completions", "/v1/models/", "/chat/completions"])
def test_a_wrong_address_is_corrected(pasted: str) -> None:
    with fake_openai(Status(404)) as server:
        root = server.url.removesuffix("/v1")
        trial = tried(OpenAIModel(f"{root}{pasted}", "gpt-4o-mini"))
        assert trial.fault
        assert trial.fix == f"signet config set memory.pipelineV2.extraction.endpoint {root}/v1"


def test_a_model_that_the_server_lacks_is_named_with_those_it_has() -> None:
    with fake_openai(Status(404, "model not found")) as server:
        trial = tried(OpenAIModel(server.url, "gpt-5-nano"))
    assert trial.fix is not None and trial.fix.endswith(f"one of: {', '.join(MODELS)}")


def test_a_refused_key_names_the_setting_for_it() -> None:
    with fake_openai(Status(401)) as server:
        trial = tried(OpenAIModel(server.url, "gpt-4o-mini", api_key="sk-wrong"))
    assert trial.fix == "signet config set memory.pipelineV2.extraction.apiKey '$secret:NAME'"


def test_a_missing_ollama_model_and_a_slow_server_are_reported() -> None:
    with fake_ollama(models=["qwen3:4b"]) as server:
        assert tried(OllamaModel(server.url, "mistral")).fix == "ollama pull mistral"
    with fake_ollama(Hang()) as server:
        trial = tried(OllamaModel(server.url, "qwen3:4b"), seconds=0.2)
    assert "no complete answer within" in trial.fault and trial.fix is None


SET = "signet config set memory.pipelineV2.extraction"


@pytest.mark.parametrize("pasted", ["/v1", "/api/generate", "/api", "/v1/chat/completions"])
def test_a_wrong_address_of_ollama_is_corrected(pasted: str) -> None:
    with strict("ollama", "yes") as server:
        trial = tried(OllamaModel(f"{server.url}{pasted}", MODEL))
        assert trial.fix == f"{SET}.endpoint {server.url}"
        assert "ollama pull" not in trial.fault


def test_a_server_of_another_kind_names_the_provider_for_it() -> None:
    with strict("llama.cpp", "yes") as server:
        trial = tried(OllamaModel(server.url, MODEL))
        assert trial.fix == f"{SET}.provider openai, then: {SET}.endpoint {server.url}"
    with strict("ollama", "yes") as server:
        trial = tried(OpenAIModel(f"{server.url}/v1", MODEL))
        assert trial.fix == f"{SET}.provider ollama, then: {SET}.endpoint {server.url}"


def test_tls_where_none_is_spoken_is_corrected_on_this_machine() -> None:
    with strict("llama.cpp", "yes") as server:
        trial = tried(OpenAIModel(server.url.replace("http:", "https:"), MODEL))
        assert trial.fix == f"{SET}.endpoint {server.url}"


def test_a_missing_key_names_the_setting_for_it() -> None:
    for model in (
        AnthropicModel("http://127.0.0.1:9", MODEL, api_key=None),
        OpenAIModel(BASE_URL, MODEL),
    ):
        assert tried(model).fix == f"{SET}.apiKey '$secret:NAME'"
