"""Each kind of server as strict as the real one: contexts, memory, missing models and keys."""

import pytest

from signet.errors import (
    ModelMissing,
    ProviderDown,
    ProviderExhausted,
    ProviderTimeout,
    ProviderTooLong,
)
from signet.providers import capacity, ollama
from signet.providers.anthropic import AnthropicModel
from signet.providers.asking import TEXT, an_object, list_of
from signet.providers.ollama import OllamaModel
from signet.providers.openai import OpenAIModel
from signet.providers.ports import Completion
from support.models import Hang, Status
from support.strict import KEY, KINDS, MODEL, Limits, StrictServer, strict, tokens

SHAPE = an_object(facts=list_of(TEXT))
WORDS = "Somebody talked about the weather in the harbour. "


def model_of(kind: str, server: StrictServer, model: str = MODEL) -> OllamaModel | OpenAIModel:
    """Return the model of a server; Anthropic's has the same methods."""
    match kind:
        case "ollama":
            return OllamaModel(server.url, model)
        case "anthropic":
            found: object = AnthropicModel(server.url, model, api_key=KEY)
            assert isinstance(found, OllamaModel | OpenAIModel | AnthropicModel)
            return found  # type: ignore[return-value]
    return OpenAIModel(server.url, model, api_key=KEY)


def ask(
    model: OllamaModel | OpenAIModel, prompt: str = "hello", *, max_tokens: int = 64
) -> Completion:
    return model.generate(prompt, timeout_seconds=60, max_tokens=max_tokens, shape=SHAPE)


@pytest.fixture(autouse=True)
def _unknown() -> None:
    """Forget earlier servers: a new one may have the port of one of them."""
    ollama._sizes.clear()
    capacity._known.clear()


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_is_well_formed_and_its_limit_is_reported(kind: str) -> None:
    with strict(kind, "one two three", "x" * 1000, limits=Limits(needs_key=True)) as server:
        model = model_of(kind, server)
        first = ask(model)
        assert (first.text, first.is_cut) == ("one two three", False)
        assert ask(model).is_cut


@pytest.mark.parametrize("kind", ["ollama", "openai", "llama.cpp"])
def test_a_prompt_that_does_not_fit_is_not_sent(kind: str) -> None:
    with strict(kind, limits=Limits(context=2500)) as server:
        model = model_of(kind, server)
        with pytest.raises(ProviderTooLong, match="2500"):
            ask(model, WORDS * 400)
        assert server.prompts == []


@pytest.mark.parametrize("kind", ["ollama", "openai", "llama.cpp"])
def test_the_answer_gets_the_room_that_the_prompt_leaves(kind: str) -> None:
    with strict(kind, "fine", limits=Limits(context=4000)) as server:
        model = model_of(kind, server)
        prompt = WORDS * 130
        assert ask(model, prompt, max_tokens=4096).text == "fine"
        body = server.requests[-1].body
        options = body.get("options", body)
        assert isinstance(options, dict)
        given = options["num_predict" if kind == "ollama" else "max_tokens"]
        assert 1000 < given <= 4000 - tokens(prompt)


@pytest.mark.parametrize("kind", ["openai", "llama.cpp"])
def test_an_error_tells_the_context_of_a_server_that_tells_it_nowhere_else(kind: str) -> None:
    with strict(kind, "fine", limits=Limits(context=2500, tells=False)) as server:
        model = model_of(kind, server)
        for _ in range(2):
            with pytest.raises(ProviderTooLong):
                ask(model, WORDS * 400)
        assert len(server.prompts) == 1, "neither again without a shape, nor for the second call"


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_the_server_lacks_makes_jobs_wait(kind: str) -> None:
    name = "other-model-with-parts:7b"
    with (
        strict(kind) as server,
        pytest.raises(ModelMissing, match=f"model '{name}' not") as missing,
    ):
        ask(model_of(kind, server, name))
    assert (missing.value.retry_after_seconds, missing.value.facts["status"]) == (60.0, 404)
    assert isinstance(missing.value, ProviderDown)


def test_ollama_is_asked_for_the_usual_context_and_for_more_only_when_a_request_needs_it() -> None:
    with strict("ollama", "fine", limits=Limits(context=32_768)) as server:
        model = OllamaModel(server.url, MODEL)
        ask(model)
        ask(model, WORDS * 300, max_tokens=1024)
        ask(model, WORDS * 600, max_tokens=4096)
        ask(model)
        assert server.limits.sizes == [8192, 8192, 16_384, 16_384]
        with pytest.raises(ProviderTooLong):
            ask(model, WORDS * 3000, max_tokens=4096)


def test_ollama_is_asked_for_no_more_than_the_model_supports() -> None:
    with strict("ollama", "fine", limits=Limits(context=2048)) as server:
        model = OllamaModel(server.url, MODEL)
        ask(model, WORDS * 80, max_tokens=1024)
        assert server.limits.sizes == [2048]


def test_ollama_keeps_the_context_with_which_another_program_loaded_the_model() -> None:
    with strict("ollama", "fine", limits=Limits(context=65_536, loaded=32_768)) as server:
        model = OllamaModel(server.url, MODEL)
        ask(model, WORDS * 1500, max_tokens=4096)
        assert server.limits.sizes == [32_768]


def test_a_lack_of_memory_halves_the_context_before_it_is_an_error() -> None:
    with strict("ollama", "fine", limits=Limits(context=32_768, affordable=6000)) as server:
        model = OllamaModel(server.url, MODEL)
        assert ask(model).text == "fine"
        assert ask(model).text == "fine"
        assert server.limits.sizes == [8192, 4096, 4096]
        server.limits.affordable = 1000
        with pytest.raises(ProviderExhausted, match="more system memory"):
            ask(model)


def test_an_older_ollama_that_cuts_the_prompt_is_noticed() -> None:
    with strict("ollama", "fine", limits=Limits(tells=False, cuts=True)) as server:
        model = OllamaModel(server.url, MODEL)
        with pytest.raises(ProviderTooLong, match="cut the request"):
            ask(model, "x" * 25_000)


def test_a_server_is_asked_again_after_its_context_shrank() -> None:
    with strict("llama.cpp", "fine", limits=Limits(context=8192)) as server:
        model = OpenAIModel(server.url, MODEL)
        assert ask(model, WORDS * 300).text == "fine"
        server.limits.context = 2500
        with pytest.raises(ProviderTooLong):
            ask(model, WORDS * 300)
        sent = len(server.prompts)
        with pytest.raises(ProviderTooLong, match="2500"):
            ask(model, WORDS * 300)
        assert len(server.prompts) == sent


def test_counts_in_answers_correct_the_estimate() -> None:
    dense = "日本語の長い文章です。" * 200
    with strict("llama.cpp", "fine", limits=Limits(context=None)) as server:
        model = OpenAIModel(server.url, MODEL)
        before = model.server.tokens(dense)
        ask(model, dense)
        after = model.server.tokens(dense)
    assert before > tokens(dense) > after - before


@pytest.mark.parametrize("kind", KINDS)
def test_slow_and_broken_servers_stay_within_the_deadline(kind: str) -> None:
    with strict(kind, Hang()) as server, pytest.raises(ProviderTimeout):
        model_of(kind, server).generate("hello", timeout_seconds=0.2, max_tokens=9)
    no_memory = Status(500, '{"error": "cudaMalloc failed: out of memory"}')
    with strict(kind, no_memory) as server, pytest.raises(ProviderExhausted):
        ask(model_of(kind, server))
