"""The vectors of questions: while a model loads, is slow or fails, when many ask, when another one is chosen."""

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from structlog.contextvars import get_contextvars

from signet.db import READERS
from signet.domain.embeddings import store
from signet.domain.recall.models import QueryVector
from signet.errors import ProviderFailed
from signet.providers import registry
from signet.providers.registry import VectorSettings
from signet_api import vectors
from support.database import MADE_AT
from support.http import Answer, Api
from support.models import packed_vector
from support.processes import PATIENCE_SECONDS, eventually

WIDTH = 384
NATIVE = "all-MiniLM-L6-v2"
SERVED = "nomic-embed-text"


@dataclass(slots=True)
class Stub:
    """An embedder that answers while its gate is open; `asked` are the questions that reached it, in `requests`."""

    model: str
    dimensions: int = WIDTH
    gate: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)
    requests: list[object] = field(default_factory=list)
    fault_of: Mapping[str, Exception] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"stub:{self.model}"

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.asked += texts
        self.requests.append(get_contextvars().get("request_id"))
        self.begun.set()
        assert self.gate.wait(PATIENCE_SECONDS)
        for text in texts:
            if text in self.fault_of:
                raise self.fault_of[text]
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> bytes:
        return packed_vector(f"{self.model} {text}", WIDTH)

    def available(self) -> bool:
        return True

    def fault(self) -> str | None:
        return None

    def hold(self) -> None:
        """Close the gate."""
        self.gate.clear()
        self.begun.clear()


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Stub]]:
    """Return the models, by name; each can be chosen in the settings. Their gates are open."""
    made = {model: Stub(model) for model in (NATIVE, SERVED)}

    def chosen(wanted: VectorSettings) -> Stub:
        return made[wanted.model]

    monkeypatch.setattr(registry, "embedder", chosen)
    monkeypatch.setattr(vectors, "PATIENCE_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(vectors, "PAUSE_SECONDS", 3_600.0)
    for stub in made.values():
        stub.gate.set()
    yield made
    for stub in made.values():
        stub.gate.set()


def choose(api: Api, provider: str, model: str) -> None:
    text = f"embedding:\n  provider: {provider}\n  model: {model}\n  dimensions: {WIDTH}\n"
    (api.state.workspace.root / "agent.yaml").write_text(text, "utf-8")
    api.state.live.look()


def asked(api: Api, text: str) -> QueryVector:
    """Ask for the vector of a question and return what gives it."""
    return asyncio.run(api.state.vectors.of(text))


def warm(api: Api) -> None:
    """Wait until questions get vectors."""
    asked(api, "Is anybody there?")
    eventually(lambda: api.state.vectors.is_warm)


@pytest.fixture
def native(api: Api, stubs: dict[str, Stub]) -> Stub:
    """Return the model of the process, which is warm."""
    choose(api, "native", NATIVE)
    warm(api)
    return stubs[NATIVE]


def is_paused(api: Api, stub: Stub) -> bool:
    """Return whether a new question is kept from the model."""
    return asked(api, "And now?")() is None and "And now?" not in stub.asked


def test_words_answer_until_the_model_is_loaded_then_meaning_does(
    api: Api, stubs: dict[str, Stub]
) -> None:
    stub = stubs[NATIVE]
    memory_id = api.post("/api/memory/remember", {"content": "Godwits fly far."}).body["id"]
    pair = ("Godwits fly far.", stub.vector("wanderlust"))
    api.state.db.write(store.replace, memory_id, "h", [pair], NATIVE, MADE_AT)
    stub.hold()
    choose(api, "native", NATIVE)
    question = {"query": "wanderlust", "explain": True}
    by_words = api.post("/api/memory/recall", question).body
    assert (by_words["method"], by_words["results"]) == ("keyword", [])
    assert by_words["explain"]["channels"]["vector"] is None
    stub.gate.set()
    eventually(lambda: api.state.vectors.is_warm)
    by_meaning = api.post("/api/memory/recall", question).body
    assert (by_meaning["method"], by_meaning["results"][0]["id"]) == ("hybrid", memory_id)
    assert by_meaning["explain"]["channels"]["vector"] == 1
    assert "degraded" not in by_meaning


def test_a_model_of_this_process_is_not_waited_for_before_the_reading(
    api: Api, native: Stub
) -> None:
    native.hold()
    gives = asked(api, "Where to?")
    native.gate.set()
    assert gives() == native.vector("Where to?")


def test_a_server_is_waited_for_before_the_reading(api: Api, stubs: dict[str, Stub]) -> None:
    choose(api, "ollama", SERVED)
    warm(api)
    server = stubs[SERVED]
    server.hold()

    async def ask() -> QueryVector:
        asking = asyncio.create_task(api.state.vectors.of("Where to?"))
        assert await asyncio.to_thread(server.begun.wait, PATIENCE_SECONDS)
        assert not asking.done()
        server.gate.set()
        return await asking

    assert asyncio.run(ask())() == server.vector("Where to?")


def test_what_is_noted_of_the_call_belongs_to_the_request(api: Api, native: Stub) -> None:
    answers = [api.post("/api/memory/recall", {"query": text}) for text in ("Where to?", "When?")]
    assert native.asked[-2:] == ["Where to?", "When?"]
    assert native.requests[-2:] == [answer.headers["x-signet-request-id"] for answer in answers]


def test_all_of_many_questions_at_once_get_their_own_vectors(api: Api, native: Stub) -> None:
    texts = [f"question{number}" for number in range(40)]
    given = [(text, asked(api, text)) for text in texts]
    assert [gives() for _, gives in given] == [native.vector(text) for text in texts]


@pytest.mark.parametrize(("provider", "model"), [("native", NATIVE), ("ollama", SERVED)])
def test_a_model_that_fails_is_left_alone_for_a_while(
    api: Api, stubs: dict[str, Stub], provider: str, model: str
) -> None:
    choose(api, provider, model)
    warm(api)
    stub = stubs[model]
    stub.fault_of = {"Where to?": ProviderFailed("broken", provider=model)}
    answer = api.post("/api/memory/recall", {"query": "Where to?"})
    assert (answer.status, answer.body["method"]) == (200, "keyword")
    assert is_paused(api, stub)
    [told] = [line for line in api.logged if line["event"] == "recall.without_vector"]
    assert told["reason"] == "broken"


@pytest.mark.parametrize(("provider", "model"), [("native", NATIVE), ("ollama", SERVED)])
def test_a_model_that_is_slow_is_left_alone_for_a_while(
    api: Api,
    stubs: dict[str, Stub],
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    model: str,
) -> None:
    choose(api, provider, model)
    warm(api)
    stub = stubs[model]
    stub.hold()
    with monkeypatch.context() as hurried:
        hurried.setattr(vectors, "PATIENCE_SECONDS", 0.01)
        hurried.setattr(vectors, "SLOW_SECONDS", 0.0)
        assert asked(api, "Where to?")() is None
    stub.gate.set()
    assert is_paused(api, stub)


def test_a_model_that_does_not_load_is_left_alone_for_a_while(
    api: Api, stubs: dict[str, Stub]
) -> None:
    stub = stubs[NATIVE]
    stub.fault_of = {"warm": ValueError("damaged")}
    choose(api, "native", NATIVE)
    assert asked(api, "Where to?")() is None

    def told() -> list[str]:
        logged = [line for line in api.logged if line["event"] == "recall.model_missing"]
        return [str(line["reason"]) for line in logged]

    eventually(lambda: bool(told()))
    assert asked(api, "And now?")() is None
    assert (told(), stub.asked) == (["damaged"], ["warm"])


def test_another_model_is_tried_at_once_after_one_has_failed(
    api: Api, stubs: dict[str, Stub], native: Stub
) -> None:
    native.fault_of = {"Where to?": ProviderFailed("broken", provider=NATIVE)}
    assert asked(api, "Where to?")() is None
    assert is_paused(api, native)
    choose(api, "ollama", SERVED)
    warm(api)
    assert asked(api, "Where to?")() == stubs[SERVED].vector("Where to?")


def test_a_question_that_only_comes_behind_others_makes_nobody_pause(
    api: Api, native: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "SLOW_SECONDS", 10 * PATIENCE_SECONDS)
    native.hold()
    first = asked(api, "The first?")
    assert native.begun.wait(PATIENCE_SECONDS)
    second = asked(api, "The second?")
    with monkeypatch.context() as hurried:
        hurried.setattr(vectors, "PATIENCE_SECONDS", 0.0)
        assert second() is None
    native.gate.set()
    assert first() == native.vector("The first?")
    assert asked(api, "The third?")() == native.vector("The third?")
    assert "The second?" not in native.asked, "nobody waits for it any more"


def test_a_model_that_was_loading_when_another_was_chosen_is_not_used(
    api: Api, stubs: dict[str, Stub]
) -> None:
    old, new = stubs[SERVED], stubs[NATIVE]
    old.hold()
    choose(api, "ollama", SERVED)
    assert asked(api, "Where to?")() is None
    assert old.begun.wait(PATIENCE_SECONDS)
    choose(api, "native", NATIVE)
    assert asked(api, "Where to?")() is None
    old.gate.set()
    given: list[bytes | None] = []

    def is_given() -> bool:
        given.append(asked(api, "Where to?")())
        return given[-1] is not None

    eventually(is_given)
    assert given[-1] == new.vector("Where to?")
    assert old.asked == ["warm"]


def test_what_the_model_before_answers_late_is_kept_for_no_later_question(
    api: Api, stubs: dict[str, Stub], native: Stub
) -> None:
    native.hold()
    late = asked(api, "Where to?")
    assert native.begun.wait(PATIENCE_SECONDS)
    choose(api, "ollama", SERVED)
    warm(api)
    native.gate.set()
    assert late() == native.vector("Where to?")
    assert asked(api, "Where to?")() == stubs[SERVED].vector("Where to?")


def test_a_question_whose_reader_waits_when_the_process_ends_is_answered_by_words(
    api: Api, native: Stub
) -> None:
    native.hold()
    asked(api, "The first?")
    assert native.begun.wait(PATIENCE_SECONDS)
    second = asked(api, "The second?")
    api.state.vectors.close()
    native.gate.set()
    assert second() is None
    assert not [line for line in api.logged if line["event"] == "recall.without_vector"]


def test_questions_that_wait_for_their_vectors_leave_readers_to_others(
    api: Api, native: Stub
) -> None:
    api.post("/api/memory/remember", {"content": "We met Ada Winter, who lives in Port Ellen."})
    native.hold()

    async def at_once() -> list[Answer]:
        bodies = [
            {"entity": "Ada Winter", "question": f"Where is number {number}?"}
            for number in range(READERS + 1)
        ]
        asking = [
            asyncio.create_task(api.begin("POST", "/api/knowledge/expand", json.dumps(b).encode()))
            for b in bodies
        ]
        assert await asyncio.to_thread(native.begun.wait, PATIENCE_SECONDS)
        read = await api.begin("GET", "/api/memories")
        assert not any(task.done() for task in asking)
        native.gate.set()
        return [read, *await asyncio.gather(*asking)]

    assert {answer.status for answer in api.all_of(at_once())} == {200}
