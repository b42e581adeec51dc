"""The Messages API over real HTTP."""

import json

import pytest

from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout
from signet.providers.anthropic import AnthropicModel
from signet.providers.asking import an_object
from support.models import Drip, Raw, Status, fake_anthropic

HAIKU = "claude-haiku-4-5-20251001"


def test_events_are_joined_and_the_likeliest_answer_is_asked_for() -> None:
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 4}}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "three "}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "words"}},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    stream = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
    with fake_anthropic(Raw(stream)) as server:
        model = AnthropicModel(server.url, HAIKU, api_key="k")
        answer = model.generate("hello", timeout_seconds=60, max_tokens=64, shape=an_object())
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("three words", 4, 2)
    assert server.requests[0].body["temperature"] == 0


def ask(url: str, api_key: str | None = "sk-ant-1", seconds: float = 5.0) -> str:
    model = AnthropicModel(url, HAIKU, api_key=api_key)
    return model.generate("hello there", timeout_seconds=seconds, max_tokens=64).text


def test_a_prompt_is_one_user_message_and_the_blocks_of_the_answer_are_joined() -> None:
    with fake_anthropic("three little|words") as server:
        model = AnthropicModel(server.url, HAIKU, api_key="sk-ant-1")
        answer = model.generate("hello there", timeout_seconds=60, max_tokens=64)
    [request] = server.requests
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("three littlewords", 2, 2)
    assert request.headers["x-api-key"] == "sk-ant-1"
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in request.headers
    assert request.body["max_tokens"] == 64
    assert request.body["messages"] == [{"role": "user", "content": "hello there"}]


def test_an_address_may_be_given_with_or_without_the_version() -> None:
    with fake_anthropic("yes") as server:
        assert ask(f"{server.url}/v1") == ask(server.url) == "yes"


def test_without_a_key_nobody_is_called() -> None:
    with fake_anthropic("never") as server:
        with pytest.raises(ProviderDown, match="requires a key"):
            ask(server.url, None)
        assert not AnthropicModel(server.url, HAIKU, api_key=None).available()
        assert server.requests == []


@pytest.mark.parametrize("code", [429, 502, 503, 504, 529])
def test_a_busy_server_makes_the_job_wait_and_is_not_asked_again_at_once(code: int) -> None:
    with fake_anthropic(Status(code, retry_after="7")) as server:
        with pytest.raises(ProviderDown) as down:
            ask(server.url)
        assert down.value.retry_after_seconds == 7.0
        assert len(server.requests) == 1


def test_a_refused_key_makes_the_job_wait_long_and_is_not_shown() -> None:
    with fake_anthropic(Status(401)) as server, pytest.raises(ProviderDown) as down:
        ask(server.url, "sk-ant-secret")
    assert down.value.retry_after_seconds == 900.0
    assert "sk-ant-secret" not in down.value.message


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"content": []}',
        '{"content": [{"type": "tool_use"}]}',
        '{"content": "no list"}',
        "[]",
    ],
)
def test_an_answer_without_text_is_a_failure(body: str) -> None:
    with fake_anthropic(Raw(body)) as server, pytest.raises(ProviderFailed):
        ask(server.url)


def test_a_server_that_sends_byte_by_byte_is_given_up_in_time() -> None:
    with fake_anthropic(Drip()) as server, pytest.raises(ProviderTimeout, match="timeout"):
        ask(server.url, seconds=0.3)


def test_it_is_available_while_it_answers_and_takes_the_key() -> None:
    with fake_anthropic() as server:
        model = AnthropicModel(server.url, HAIKU, api_key="sk-ant-1")
        assert model.available()
        server.stop()
        assert not model.available()
