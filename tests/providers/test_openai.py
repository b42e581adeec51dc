"""OpenAI-compatible servers over real HTTP, and what each status means."""

import json
from datetime import UTC, datetime

import pytest

from signet.errors import ProviderCut, ProviderDown, ProviderFailed, ProviderTimeout
from signet.providers import track
from signet.providers.asking import TEXT, an_object, list_of
from signet.providers.exchange import excerpt, retry_after
from signet.providers.metered import MeteredModel
from signet.providers.openai import BASE_URL, OpenAIEmbedder, OpenAIModel
from support.models import Hang, Raw, Status, fake_openai, packed_vector

SHAPE = an_object(facts=list_of(TEXT))
NOON = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


def ask(url: str, api_key: str | None = None, *, prompt: str = "hello there") -> str:
    model = OpenAIModel(url, "gpt-4o-mini", api_key=api_key)
    return model.generate(prompt, timeout_seconds=60, max_tokens=64).text


def test_a_prompt_is_one_user_message_and_the_key_goes_with_it() -> None:
    with fake_openai("three little words") as server:
        model = OpenAIModel(server.url, "gpt-4o-mini", api_key="sk-test")
        answer = model.generate("hello there", timeout_seconds=60, max_tokens=64)
    [request] = server.requests
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("three little words", 2, 3)
    assert request.headers["authorization"] == "Bearer sk-test"
    assert request.body["messages"] == [{"role": "user", "content": "hello there"}]
    assert request.body["max_tokens"] == 64


def shaped(url: str) -> str:
    model = OpenAIModel(url, "gpt-4o-mini")
    return model.generate("list", timeout_seconds=60, max_tokens=64, shape=SHAPE).text


def test_a_shape_is_asked_for_with_the_likeliest_answer() -> None:
    with fake_openai('{"facts": []}') as server:
        assert shaped(server.url) == '{"facts": []}'
    [request] = server.requests
    assert request.body["temperature"] == 0
    assert request.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SHAPE},
    }


@pytest.mark.parametrize("status", [400, 422])
def test_what_a_server_does_not_know_is_left_out_from_then_on(status: int) -> None:
    refused = Status(status, "unknown field")
    with fake_openai(refused, refused, "no schema", "again") as server:
        assert [shaped(server.url), shaped(server.url)] == ["no schema", "again"]
    wishes = ("stream_options", "response_format", "temperature")
    left = [[one for one in wishes if one in request.body] for request in server.requests]
    assert left == [[*wishes], [*wishes[1:]], ["temperature"], ["temperature"]]


def test_a_model_that_refuses_a_temperature_too_is_asked_plainly() -> None:
    refused = Status(400, "unsupported value")
    with fake_openai(refused, refused, refused, "plain", "again") as server:
        assert [shaped(server.url), shaped(server.url)] == ["plain", "again"]
    assert len(server.requests) == 5
    assert not {"response_format", "temperature"} & server.requests[-1].body.keys()


EVENTS = """\
event: message
data: {"choices": [{"delta": {"role": "assistant", "content": "three "}}]}

: still there

data: {"choices": [{"delta": {"content": "words"}}]}

data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}

data: {"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 2}}

"""


@pytest.mark.parametrize("end", ["", "data: [DONE]\n\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_answer_that_is_streamed_all_the_same_is_joined(end: str, newline: str) -> None:
    with fake_openai(Raw((EVENTS + end).replace("\n", newline))) as server:
        model = OpenAIModel(server.url, "gpt-4o-mini")
        answer = model.generate("hello there", timeout_seconds=60, max_tokens=64)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("three words", 4, 2)


def test_a_stream_that_falls_silent_is_a_timeout_long_before_its_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(track, "SILENCE_SECONDS", 0.2)
    with fake_openai(Raw(EVENTS.replace('"stop"', '"length"')), Hang()) as server:
        model = OpenAIModel(server.url, "gpt-4o-mini")
        assert model.generate("hello", timeout_seconds=600, max_tokens=64).is_cut
        with pytest.raises(ProviderTimeout, match="or nothing of it for"):
            model.generate("hello", timeout_seconds=600, max_tokens=64)


def test_a_whole_answer_that_does_not_come_is_a_timeout_after_a_multiple_of_the_slowest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    track.forget()
    monkeypatch.setattr(track, "SILENCE_SECONDS", 0.2)
    with fake_openai(*["three little words"] * track.ALIKE, Hang()) as server:
        model = MeteredModel(OpenAIModel(server.url, "gpt-4o-mini"))
        for _ in range(track.ALIKE):
            model.generate("hello", timeout_seconds=600, max_tokens=64)
        with pytest.raises(ProviderTimeout, match="or nothing of it for"):
            model.generate("hello", timeout_seconds=600, max_tokens=64)


def test_a_stream_that_breaks_off_is_no_answer() -> None:
    cut = EVENTS[: EVENTS.index('data: {"choices": [{"delta": {},')]
    with fake_openai(Raw(cut)) as server, pytest.raises(ProviderCut, match="broke off"):
        ask(server.url)


def test_vectors_in_one_event_are_read() -> None:
    body = json.dumps({"data": [{"index": 0, "embedding": [3, 4]}]})
    with fake_openai(embeddings=[Raw(f"data: {body}\n\ndata: [DONE]\n\n")]) as server:
        model = OpenAIEmbedder(server.url, "text-embedding-3-small", dimensions=2)
        assert len(model.embed(["one"])) == 1


def test_another_host_may_do_without_a_key() -> None:
    with fake_openai() as server:
        assert ask(server.url) == "ok"
    assert "authorization" not in server.requests[0].headers


def test_the_vendor_without_a_key_is_not_even_called(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr("socket.create_connection", no_network)
    monkeypatch.setattr("socket.getaddrinfo", no_network)
    model = OpenAIModel(BASE_URL, "gpt-4o-mini")
    assert not model.available()
    with pytest.raises(ProviderDown, match="requires a key"):
        model.generate("hello", timeout_seconds=60, max_tokens=8)
    with pytest.raises(ProviderDown, match="requires a key"):
        OpenAIEmbedder(BASE_URL, "text-embedding-3-small", dimensions=768).embed(["one"])


@pytest.mark.parametrize("code", [401, 403])
def test_a_refused_key_makes_the_job_wait_long(code: int) -> None:
    with fake_openai(Status(code)) as server, pytest.raises(ProviderDown) as down:
        ask(server.url, "sk-wrong")
    assert down.value.retry_after_seconds == 900.0
    assert str(code) in down.value.message and "key was refused" in down.value.message
    assert "sk-wrong" not in down.value.message


@pytest.mark.parametrize("key", ["sk-“quoted”", "sk-two\nlines"])
def test_a_key_that_cannot_be_a_header_is_refused_without_a_call(key: str) -> None:
    with fake_openai() as server, pytest.raises(ProviderDown, match="characters"):
        ask(server.url, key)
    assert server.requests == []


@pytest.mark.parametrize("code", [429, 502, 503, 504, 529])
def test_a_busy_server_says_how_long_to_wait(code: int) -> None:
    with fake_openai(Status(code, retry_after="7")) as server, pytest.raises(ProviderDown) as down:
        ask(server.url)
    assert down.value.retry_after_seconds == 7.0
    assert down.value.facts["status"] == code


@pytest.mark.parametrize(("code", "seconds"), [(429, 20.0), (503, 3.0)])
def test_a_busy_server_that_does_not_say_is_asked_again_soon(code: int, seconds: float) -> None:
    with fake_openai(Status(code)) as server, pytest.raises(ProviderDown) as down:
        ask(server.url)
    assert down.value.retry_after_seconds == seconds


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("12", 12.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("999999999", 86_400.0),
        ("Fri, 01 May 2026 12:01:30 GMT", 90.0),
        ("Fri, 01 May 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("", None),
        (None, None),
    ],
)
def test_a_wait_is_read_as_seconds_or_as_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOON) == seconds


def test_an_error_repeats_the_first_200_characters_on_one_line() -> None:
    page = "<html>\n  bad \x00 request\n" + "x" * 10_000
    with fake_openai(Status(400, page)) as server, pytest.raises(ProviderFailed) as failed:
        ask(server.url)
    assert failed.value.facts["status"] == 400
    assert "HTTP 400: <html> bad  request xxx" in failed.value.message
    assert len(excerpt(page.encode(), None)) == 200
    assert "x" * 200 not in failed.value.message


@pytest.mark.parametrize("status", [200, 400, 503])
def test_an_error_does_not_repeat_what_was_asked(status: int) -> None:
    asked = 'The spare key of the "boathouse" hangs\nbehind the Zanzibarite clock.'
    said = json.dumps({"error": {"message": f"cannot read: {asked} Too long.", "input": [asked]}})
    reply = Raw(said) if status == 200 else Status(status, said)
    with fake_openai(reply) as server, pytest.raises((ProviderFailed, ProviderDown)) as failed:
        ask(server.url, prompt=asked)
    message = failed.value.message
    assert "cannot read" in message
    assert "Too long" in message
    assert "Zanzibarite" not in message


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"choices": []}',
        '{"choices": [7]}',
        '{"choices": [{"message": null}]}',
        '{"choices": [{"message": {"content": null}}]}',
        '{"choices": [{"message": {"content": ""}}]}',
    ],
)
def test_an_answer_without_text_is_a_failure(body: str) -> None:
    with fake_openai(Raw(body)) as server, pytest.raises(ProviderFailed, match="empty"):
        ask(server.url)


def test_vectors_come_back_in_the_order_of_the_texts() -> None:
    texts = ["red", "green", "blue"]
    with fake_openai(dimensions=16) as server:
        embedder = OpenAIEmbedder(server.url, "text-embedding-3-small", dimensions=16)
        assert embedder.embed(texts) == [packed_vector(text, 16) for text in texts]
    [request] = server.requests
    assert request.body == {"model": "text-embedding-3-small", "input": texts, "dimensions": 16}


def test_two_vectors_for_one_place_are_refused() -> None:
    body = '{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [3, 4]}]}'
    with fake_openai(embeddings=[Raw(body)]) as server, pytest.raises(ProviderFailed):
        OpenAIEmbedder(server.url, "text-embedding-3-small", dimensions=2).embed(["a", "b"])


def test_a_server_without_a_list_of_models_is_available() -> None:
    with fake_openai() as server:
        assert OpenAIModel(server.url, "gpt-4o-mini").available()
        assert OpenAIModel(server.url.removesuffix("/v1"), "gpt-4o-mini").available()
        server.stop()
        assert not OpenAIModel(server.url, "gpt-4o-mini").available()
