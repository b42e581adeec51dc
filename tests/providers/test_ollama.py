"""Ollama over real HTTP."""

import json
import time

import pytest

from signet.errors import (
    ProviderCut,
    ProviderDown,
    ProviderFailed,
    ProviderNonsense,
    ProviderRefused,
    ProviderTimeout,
)
from signet.net.http import MAX_BODY_BYTES
from signet.providers import exchange
from signet.providers.asking import TEXT, an_object, list_of
from signet.providers.ollama import OllamaEmbedder, OllamaModel
from support.models import (
    Cut,
    Drip,
    Hang,
    Raw,
    Status,
    Works,
    fake_ollama,
    packed_vector,
    thinking,
)

SHAPE = an_object(facts=list_of(TEXT))


def ask(url: str, *, timeout_seconds: float = 5.0) -> str:
    model = OllamaModel(url, "qwen3:4b")
    return model.generate("hello there", timeout_seconds=timeout_seconds, max_tokens=64).text


def test_a_prompt_is_sent_whole_with_its_limits_and_the_usage_comes_back() -> None:
    with fake_ollama("three little words") as server:
        model = OllamaModel(server.url, "qwen3:4b")
        answer = model.generate("hello there", timeout_seconds=60, max_tokens=64)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("three little words", 2, 3)
    assert model.name == "ollama:qwen3:4b"
    assert server.requests[0].headers["content-type"] == "application/json"
    assert server.requests[0].body == {
        "model": "qwen3:4b",
        "prompt": "hello there",
        "stream": True,
        "think": False,
        "truncate": False,
        "shift": False,
        "options": {"num_predict": 64, "num_ctx": 8192},
    }


def test_a_model_that_thinks_aloud_is_passed_on_as_it_speaks() -> None:
    with fake_ollama(thinking("{}")) as server:
        assert ask(server.url) == thinking("{}")


def test_half_an_emoji_neither_stops_a_question_nor_comes_with_an_answer() -> None:
    with fake_ollama("cut \ud83d") as server:
        model = OllamaModel(server.url, "qwen3:4b")
        answer = model.generate("cut \ud83d", timeout_seconds=60, max_tokens=8)
    assert answer.text == "cut ?"
    assert server.prompts == ["cut \ud83d"]


def test_one_model_object_keeps_its_connection_between_calls() -> None:
    with fake_ollama() as server:
        model = OllamaModel(server.url, "qwen3:4b")
        for _ in range(3):
            model.generate("hello", timeout_seconds=60, max_tokens=8)
        assert server.connections == 1
        model.close()
        model.generate("hello", timeout_seconds=60, max_tokens=8)
        assert server.connections == 2


def test_a_server_that_returns_is_spoken_to_again_by_the_same_object() -> None:
    with fake_ollama("back") as server:
        model = OllamaModel(server.url, "qwen3:4b")
        model.generate("hello", timeout_seconds=60, max_tokens=8)
        server.stop()
        assert not model.available()
        with pytest.raises(ProviderDown) as down:
            model.generate("hello", timeout_seconds=60, max_tokens=8)
        assert down.value.retry_after_seconds == 3.0
        server.start()
        assert model.available()
        assert model.generate("hello", timeout_seconds=60, max_tokens=8).text == "back"


@pytest.mark.parametrize(
    "slow", [Hang(), Drip(), Drip(headers=True)], ids=["silent", "body", "headers"]
)
def test_a_slow_answer_ends_at_the_deadline_however_many_bytes_came(slow: Hang | Drip) -> None:
    with fake_ollama(slow) as server, pytest.raises(ProviderTimeout, match="timeout"):
        ask(server.url, timeout_seconds=0.2)


def test_a_late_answer_within_the_deadline_counts() -> None:
    slow = Hang(text="at last")
    with fake_ollama(slow) as server:
        slow.release.set()
        assert ask(server.url) == "at last"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Cut(), "the connection broke"),
        (Raw('{"response": "half'), "not JSON"),
        (Raw('["a list"]'), "not a JSON object"),
        (Raw(""), "the answer is empty"),
        (Raw("<!doctype html><title>Sign in</title>"), "not JSON: <!doctype"),
        (Raw('{"error": "model is loading"}'), "is an error: model is loading"),
        (Raw("[" * 100_000), "not JSON"),
        (Raw('{"response": 7}'), "empty"),
        (Raw("{}"), "empty"),
        ("  \n", "empty"),
        (Raw('{"response": "", "done_reason": "length"}'), "limit of tokens was reached"),
        (Status(500, "runner has terminated"), "HTTP 500: runner has terminated"),
        (Status(302, "", location="http://127.0.0.1:9/"), "HTTP 302"),
    ],
)
def test_nonsense_is_a_failure_that_costs_an_attempt(
    answer: Cut | Raw | Status, reason: str
) -> None:
    with fake_ollama(answer) as server, pytest.raises(ProviderFailed, match=reason):
        ask(server.url)
    assert len(server.requests) == 1


NDJSON = """
{"response": "three \u2028", "done": false}
{"thinking": "hm", "done": false}
{"response": "words", "done": false}
{"response": "", "done": true, "prompt_eval_count": 4, "eval_count": 3}
"""


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "with a byte order mark"])
def test_an_answer_that_is_streamed_all_the_same_is_joined(mark: str) -> None:
    with fake_ollama(Raw(mark + NDJSON)) as server:
        model = OllamaModel(server.url, "qwen3:4b")
        answer = model.generate("hello there", timeout_seconds=60, max_tokens=64)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("three \u2028words", 4, 3)


def test_a_byte_order_mark_is_no_part_of_an_answer() -> None:
    with fake_ollama(Raw('\ufeff{"response": "yes", "done": true}')) as server:
        assert ask(server.url) == "yes"


@pytest.mark.parametrize("lost", [40, 110], ids=["in a line", "between lines"])
def test_a_stream_that_breaks_off_is_no_answer(lost: int) -> None:
    whole = NDJSON.rstrip()
    kept = whole[:-lost] if lost == 40 else whole[: whole.rindex("\n")]
    with fake_ollama(Raw(kept)) as server, pytest.raises(ProviderCut, match="broke off"):
        ask(server.url)


def test_an_error_in_a_stream_is_told() -> None:
    stream = '{"response": "a"}\n{"error": "out of memory"}'
    with fake_ollama(Raw(stream)) as server, pytest.raises(ProviderFailed, match="out of memory"):
        ask(server.url)


def test_a_stream_has_the_largest_size_of_any_answer() -> None:
    line = json.dumps({"response": "x" * 1_000, "done": False}) + "\n"
    endless = Raw(line * (MAX_BODY_BYTES // len(line) + 2))
    with fake_ollama(endless) as server, pytest.raises(ProviderFailed, match="larger than"):
        ask(server.url, timeout_seconds=30)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Status(500), ProviderFailed),
        (Status(400), ProviderRefused),
        (Cut(), ProviderCut),
        (Raw(""), ProviderNonsense),
        (Raw("<html>Sign in</html>"), ProviderNonsense),
    ],
)
def test_each_kind_of_failure_has_its_class(
    answer: Cut | Raw | Status, error: type[ProviderFailed]
) -> None:
    with fake_ollama(answer) as server, pytest.raises(ProviderFailed) as failed:
        ask(server.url)
    assert type(failed.value) is error


def shaped(model: OllamaModel) -> str:
    return model.generate("list", timeout_seconds=60, max_tokens=64, shape=SHAPE).text


def test_a_shape_is_asked_for_with_the_likeliest_answer() -> None:
    with fake_ollama('{"facts": []}') as server:
        assert shaped(OllamaModel(server.url, "qwen3:4b")) == '{"facts": []}'
    [request] = server.requests
    assert request.body["format"] == SHAPE
    assert request.body["options"] == {"num_predict": 64, "num_ctx": 8192, "temperature": 0}


def test_a_server_that_refuses_a_shape_is_asked_without_it_from_then_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with fake_ollama(Status(400, "invalid format"), "first", "second", "third") as server:
        assert shaped(OllamaModel(server.url, "qwen3:4b")) == "first"
        assert shaped(OllamaModel(server.url, "qwen3:4b")) == "second"
        assert ["format" in request.body for request in server.requests] == [True, False, False]
        later = time.monotonic() + exchange.UNKNOWN_SECONDS
        monkeypatch.setattr(time, "monotonic", lambda: later + 1)
        assert shaped(OllamaModel(server.url, "qwen3:4b")) == "third"
        assert "format" in server.requests[-1].body, "it may have been updated"


def test_a_request_that_is_refused_in_every_form_says_nothing_of_shapes() -> None:
    with fake_ollama(Status(400, "too long"), Status(400, "too long"), "fine") as server:
        model = OllamaModel(server.url, "qwen3:4b")
        with pytest.raises(ProviderRefused, match="too long"):
            shaped(model)
        assert shaped(model) == "fine"
        assert "format" in server.requests[-1].body


def test_a_model_that_is_not_installed_is_waited_for() -> None:
    with fake_ollama(models=["other:1b"]) as server:
        model = OllamaModel(server.url, "qwen3:4b")
        assert not model.available()
        with pytest.raises(ProviderDown, match="ollama pull qwen3:4b") as down:
            model.generate("hello", timeout_seconds=60, max_tokens=8)
    assert down.value.retry_after_seconds == 60.0


@pytest.mark.parametrize(
    ("model", "installed", "is_there"),
    [
        ("qwen3:4b", "qwen3:4b", True),
        ("nomic-embed-text", "nomic-embed-text:latest", True),
        ("llama3", "llama3.2:3b", False),
        ("qwen3:4b", "qwen3:8b", False),
    ],
)
def test_a_model_is_there_when_its_name_or_a_tag_of_it_is_listed(
    model: str, installed: str, is_there: bool
) -> None:
    with fake_ollama(models=[installed]) as server:
        assert OllamaModel(server.url, model).available() is is_there


def test_a_batch_of_texts_is_one_request_and_keeps_its_order() -> None:
    texts = [f"text number {n}" for n in range(5)]
    with fake_ollama(dimensions=16) as server:
        found = OllamaEmbedder(server.url, "nomic-embed-text", dimensions=16).embed(texts)
    assert found == [packed_vector(text, 16) for text in texts]
    assert [request.path for request in server.requests] == ["/api/embed"]


def test_a_long_list_travels_in_parts_and_an_empty_one_not_at_all() -> None:
    texts = [f"text number {n}" for n in range(70)]
    with fake_ollama(dimensions=4) as server:
        embedder = OllamaEmbedder(server.url, "nomic-embed-text", dimensions=4)
        assert embedder.embed([]) == []
        assert embedder.embed(texts) == [packed_vector(text, 4) for text in texts]
    assert len(server.requests) == 3


def test_an_old_server_is_asked_text_by_text() -> None:
    with fake_ollama(dimensions=8, is_old=True) as server:
        embedder = OllamaEmbedder(server.url, "nomic-embed-text", dimensions=8)
        assert embedder.embed(["one", "two"]) == [packed_vector(t, 8) for t in ("one", "two")]
    paths = [request.path for request in server.requests]
    assert paths == ["/api/embed", "/api/embeddings", "/api/embeddings"]


@pytest.mark.parametrize("is_old", [False, True])
def test_an_embedding_model_that_is_not_installed_is_waited_for(is_old: bool) -> None:
    with fake_ollama(models=[], is_old=is_old) as server:
        embedder = OllamaEmbedder(server.url, "nomic-embed-text", dimensions=8)
        with pytest.raises(ProviderDown, match="ollama pull nomic-embed-text"):
            embedder.embed(["one"])


@pytest.mark.parametrize(
    "body",
    [
        '{"embeddings": [[1, 2, 3]]}',
        '{"embeddings": [[1, 2], [3, 4]]}',
        '{"embeddings": []}',
        '{"embeddings": "none"}',
        '{"embeddings": [[0, 0]]}',
        '{"embeddings": [[1, null]]}',
        '{"embeddings": [[1, true]]}',
        '{"embeddings": [[1, NaN]]}',
        '{"embeddings": [[1, 1e999]]}',
        f'{{"embeddings": [[1, 1{"0" * 400}]]}}',
        "{}",
    ],
)
def test_vectors_that_are_not_what_was_asked_for_are_refused(body: str) -> None:
    with fake_ollama(embeddings=[Raw(body), Works()], dimensions=2) as server:
        embedder = OllamaEmbedder(server.url, "nomic-embed-text", dimensions=2)
        with pytest.raises(ProviderFailed):
            embedder.embed(["one"])
        assert embedder.embed(["one"]) == [packed_vector("one", 2)]


def test_vectors_are_scaled_to_length_one() -> None:
    with fake_ollama(embeddings=[Raw('{"embeddings": [[3, 4]]}')]) as server:
        [found] = OllamaEmbedder(server.url, "nomic-embed-text", dimensions=2).embed(["one"])
    assert found == bytes.fromhex("9a99193fcdcc4c3f")  # 0.6, 0.8
