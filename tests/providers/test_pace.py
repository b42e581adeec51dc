"""A local server is asked as often at once as it answers without slowing down."""

import threading

import pytest

from signet.errors import ProviderBusy, ProviderDown, ProviderTimeout
from signet.providers.ollama import OllamaModel
from signet.providers.openai import OpenAIModel
from signet.providers.pace import Pace, PacedModel
from support.models import Hang, fake_ollama
from support.processes import eventually
from support.strict import MODEL, Limits, strict


def paced(model: OllamaModel | OpenAIModel, pace: Pace) -> PacedModel:
    return PacedModel(model, pace, model)


def play(pace: Pace, calls: int, *, slots: int) -> list[int]:
    """Let a server with some slots answer full rounds of calls, one second each; return the limit after each round."""
    limits = []
    while calls > 0:
        together = pace.limit
        for running in range(1, together + 1):
            pace.answered(max(together / slots, 1.0), running)
        calls -= together
        limits.append(pace.limit)
    return limits


def test_a_server_with_one_slot_is_asked_one_at_a_time() -> None:
    pace = Pace(most=4)
    limits = play(pace, 400, slots=1)
    assert max(limits) == 2, "it is tried with two now and then"
    assert limits.count(1) > 0.9 * len(limits)


@pytest.mark.parametrize(("slots", "limit"), [(2, 2), (4, 4), (16, 8)])
def test_a_server_that_batches_is_asked_in_parallel(slots: int, limit: int) -> None:
    pace = Pace(most=8)
    limits = play(pace, 800, slots=slots)
    assert limits[-1] >= limit and sorted(limits)[len(limits) // 2] >= limit


def test_an_answer_that_never_comes_halves_the_limit() -> None:
    pace = Pace(most=8, limit=8)
    pace.failed()
    assert pace.limit == 4


def test_a_call_without_a_turn_is_postponed_and_its_time_counts_from_its_turn() -> None:
    release = threading.Event()
    with fake_ollama(Hang(release, "first"), "second") as server:
        model = paced(OllamaModel(server.url, "qwen3:4b"), Pace(most=4))

        def ask() -> None:
            model.generate("hello", timeout_seconds=60, max_tokens=9)

        first = threading.Thread(target=ask)
        first.start()
        eventually(lambda: len(server.prompts) == 1)
        with pytest.raises(ProviderBusy):
            model.generate("hello", timeout_seconds=0.2, max_tokens=9)
        release.set()
        first.join()
        assert model.generate("hello", timeout_seconds=60, max_tokens=9).text == "second"
        assert len(server.prompts) == 2, "the postponed call never reached the server"


def test_a_server_that_tells_its_one_slot_is_never_asked_in_parallel() -> None:
    with strict("llama.cpp", "fine", limits=Limits(slots=1)) as server:
        model, pace = OpenAIModel(server.url, MODEL), Pace(most=4)
        paced_model = paced(model, pace)
        for _ in range(12):
            paced_model.generate("hello", timeout_seconds=60, max_tokens=9)
        assert pace.limit == 1
        server.limits.slots = 2
        model.server.forget()
        pace.most = 4
        for _ in range(12):
            paced_model.generate("hello", timeout_seconds=60, max_tokens=9)
        assert pace.limit == 2


def test_a_late_answer_of_a_server_that_works_is_a_timeout() -> None:
    with fake_ollama(Hang(), "yes") as server:
        model, pace = OllamaModel(server.url, "qwen3:4b"), Pace(most=4)
        with pytest.raises(ProviderTimeout):
            paced(model, pace).generate("hello", timeout_seconds=0.2, max_tokens=9)
        assert not pace.is_hung


def test_a_server_that_answers_nothing_is_down_until_it_answers_one_word() -> None:
    with fake_ollama(Hang(), Hang(), Hang(), "yes", "fine") as server:
        model, pace = OllamaModel(server.url, "qwen3:4b"), Pace(most=4)
        for questions in (2, 3):
            with pytest.raises(ProviderDown, match="hangs"):
                paced(model, pace).generate("hello", timeout_seconds=0.2, max_tokens=9)
            assert len(server.prompts) == questions, "the second call asks one word only"
        assert paced(model, pace).generate("hello", timeout_seconds=60, max_tokens=9).text == "fine"
        assert not pace.is_hung
