"""An OpenCode server over real HTTP."""

import pytest

from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout
from signet.providers.opencode import OpencodeModel
from signet.providers.ports import Completion
from support.models import Hang, Status, fake_opencode


def ask(url: str, seconds: float = 5.0) -> Completion:
    model = OpencodeModel(url, "anthropic/claude-haiku")
    return model.generate("hello there", timeout_seconds=seconds, max_tokens=64)


def test_a_prompt_is_one_message_of_a_session_that_is_deleted_afterwards() -> None:
    with fake_opencode("three little words") as server:
        answer = ask(server.url)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("three little words", 7, 3)
    opened, said, deleted = server.requests
    assert (opened.method, opened.path) == ("POST", "/session")
    assert said.body == {
        "parts": [{"type": "text", "text": "hello there"}],
        "model": {"providerID": "anthropic", "modelID": "claude-haiku"},
    }
    assert (deleted.method, deleted.path) == ("DELETE", "/session/ses_1")


def test_text_that_comes_late_is_found_in_the_session() -> None:
    with fake_opencode("", "", "late words") as server:
        assert ask(server.url).text == "late words"
    assert [request.method for request in server.requests] == [
        "POST",
        "POST",
        "GET",
        "GET",
        "DELETE",
    ]


def test_a_session_that_the_server_forgot_is_opened_again_once() -> None:
    with fake_opencode(Status(404), "found") as server:
        assert ask(server.url).text == "found"
    with fake_opencode(Status(410)) as server, pytest.raises(ProviderFailed, match="empty"):
        ask(server.url)
    assert [request.path for request in server.requests].count("/session") == 2


def test_an_answer_that_stays_empty_ends_with_the_time_of_the_call() -> None:
    with fake_opencode("") as server, pytest.raises(ProviderFailed):
        ask(server.url, seconds=0.6)


def test_a_server_that_is_down_busy_or_silent_says_so() -> None:
    with fake_opencode(Status(503, retry_after="4")) as server:
        with pytest.raises(ProviderDown) as down:
            ask(server.url)
        assert down.value.retry_after_seconds == 4.0
        server.stop()
        with pytest.raises(ProviderDown, match="cannot connect"):
            ask(server.url)
    with fake_opencode(Hang()) as server, pytest.raises(ProviderTimeout):
        ask(server.url, seconds=0.3)


def test_it_is_available_while_it_is_well() -> None:
    with fake_opencode() as server:
        model = OpencodeModel(server.url, "anthropic/claude-haiku")
        assert model.available()
        server.stop()
        assert not model.available()
