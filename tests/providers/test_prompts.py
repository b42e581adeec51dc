"""Known models get their prefixes for queries and passages from every provider."""

import pytest

from signet.providers import vectors
from signet.providers.ollama import OllamaEmbedder
from signet.providers.openai import OpenAIEmbedder
from signet.providers.vectors import NO_PROMPTS
from support.models import FakeServer, fake_ollama, fake_openai

E5 = ("query: ", "passage: ")
SENTENCE = "Represent this sentence for searching relevant passages: "


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("multilingual-e5-small", E5),
        ("intfloat/multilingual-e5-large", E5),
        ("jeffh/intfloat-e5-base-v2:f16", E5),
        ("multilingual_e5_small-Q8_0.gguf", E5),
        ("BAAI/bge-small-en-v1.5", (SENTENCE, "")),
        ("bge-large:latest", (SENTENCE, "")),
        ("mxbai-embed-large", (SENTENCE, "")),
        ("snowflake-arctic-embed:110m", (SENTENCE, "")),
        ("snowflake-arctic-embed2", ("query: ", "")),
        ("snowflake-arctic-embed-l-v2.0", ("query: ", "")),
        ("embeddinggemma:300m", ("task: search result | query: ", "title: none | text: ")),
    ],
)
def test_known_models_are_recognised_by_their_names(name: str, wanted: tuple[str, str]) -> None:
    assert vectors.prompts_of(name) == wanted


@pytest.mark.parametrize("name", ["multilingual-e5-large-instruct", "Qwen/Qwen3-Embedding-0.6B"])
def test_models_with_instructions_get_one_for_queries(name: str) -> None:
    query, passage = vectors.prompts_of(name)
    assert query.startswith("Instruct: ") and passage == ""


@pytest.mark.parametrize(
    "name",
    ["all-minilm", "bge-m3", "bge-large-zh-v1.5", "nomic-embed-text", "text-embedding-3-small"],
)
def test_other_models_get_none(name: str) -> None:
    assert vectors.prompts_of(name) == NO_PROMPTS


def inputs(server: FakeServer) -> list[object]:
    return [request.body["input"] for request in server.requests]


def test_a_model_of_an_openai_compatible_server_gets_its_prefixes() -> None:
    with fake_openai(dimensions=8, models=("multilingual-e5-small",)) as server:
        model = OpenAIEmbedder(server.url, "multilingual-e5-small", dimensions=8)
        model.embed(["Der Hund", "schläft"])
        model.question("Wer schläft?")
        assert inputs(server) == [
            ["passage: Der Hund", "passage: schläft"],
            ["query: Wer schläft?"],
        ]
        model.close()


def test_a_model_of_ollama_gets_its_prefixes() -> None:
    with fake_ollama(dimensions=8, models=("bge-large",)) as server:
        model = OllamaEmbedder(server.url, "bge-large", dimensions=8)
        model.embed(["Der Hund"])
        model.question("Wer schläft?")
        assert inputs(server) == [["Der Hund"], [f"{SENTENCE}Wer schläft?"]]
        model.close()
