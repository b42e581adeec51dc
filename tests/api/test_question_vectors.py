"""The vectors of questions: while a model loads, is slow or fails, when many ask, when another one is chosen."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from typing import cast

import pytest
from structlog.contextvars import get_contextvars

from providers.native.cases import Models
from signet.db import READERS
from signet.domain.embeddings import vectors as embeddings
from signet.domain.recall.models import QueryVector
from signet.errors import ProviderFailed
from signet.providers import registry, scale
from signet.providers.ports import Embedder, Reading
from signet.providers.registry import VectorSettings
from signet_api import vectors
from support.database import MADE_AT
from support.http import Answer, Api
from support.models import FakeServer, Hang, Status, fake_ollama, packed_vector
from support.processes import PATIENCE_SECONDS, eventually

WIDTH = 384
NATIVE = "all-MiniLM-L6-v2"
SERVED = "nomic-embed-text"


class Stub:
    """The model of this process; `requests` are those in which `asked`, the texts, reached it."""

    model = NATIVE
    name = f"stub:{NATIVE}"
    dimensions = WIDTH
    settings = f"provider: native, model: {NATIVE}, dimensions: {WIDTH}"

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.asked: list[str] = []
        self.requests: list[object] = []
        self.fault_of: dict[str, Exception] = {}

    def question(self, text: str) -> Reading:
        (vector,) = self.embed([text])
        return lambda _: vector

    def embed(self, texts: Sequence[str], *, are_queries: bool = False) -> list[bytes]:
        self.requests.append(get_contextvars().get("request_id"))
        self.asked += texts
        assert self.gate.wait(PATIENCE_SECONDS)
        for text in texts:
            if text in self.fault_of:
                raise self.fault_of[text]
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> bytes:
        return packed_vector(f"of this process: {text}", WIDTH)

    def available(self) -> bool:
        return True

    def fault(self) -> str | None:
        return None

    def fail(self, text: str) -> None:
        self.fault_of[text] = ProviderFailed("broken", provider=self.name)


class Served:
    """The model of a server, over HTTP."""

    def __init__(self, server: FakeServer) -> None:
        self.gate = threading.Event()
        self.settings = (
            f"provider: ollama, model: {SERVED}, dimensions: {WIDTH}, base_url: '{server.url}'"
        )
        self._server = server
        server.embeddings = [Hang(self.gate)]

    @property
    def asked(self) -> list[object]:
        asked = [request.body for request in self._server.requests if request.path == "/api/embed"]
        return [text for body in asked for text in cast(list[object], body["input"])]

    def vector(self, text: str) -> bytes:
        return packed_vector(text, WIDTH)

    def fail(self, _: str) -> None:
        self._server.embeddings = [Status(500, '{"error": "broken"}')]


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """Return the model of this process, which can be chosen in the settings. Its gate is open."""
    stub, embedder = Stub(), registry.embedder

    def chosen(wanted: VectorSettings) -> Embedder | None:
        return stub if wanted.provider == registry.NATIVE else embedder(wanted)

    monkeypatch.setattr(registry, "embedder", chosen)
    monkeypatch.setattr(vectors, "PATIENCE_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(vectors, "PAUSE_SECONDS", 3_600.0)
    stub.gate.set()
    yield stub
    stub.gate.set()


@pytest.fixture
def served(native: Stub) -> Iterator[Served]:
    """Return the model of a server. Its gate is open."""
    with fake_ollama(models=(SERVED,), dimensions=WIDTH) as server:
        model = Served(server)
        model.gate.set()
        yield model


@pytest.fixture(params=["native", "served"])
def either(request: pytest.FixtureRequest) -> Stub | Served:
    """Return one model after the other."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Stub | Served)
    return found


def choose(api: Api, model: Stub | Served) -> None:
    (api.state.workspace.root / "agent.yaml").write_text(
        f"embedding: {{{model.settings}}}\n", "utf-8"
    )
    api.state.live.poll()


def wait_until_asked(model: Stub | Served, text: str) -> None:
    eventually(lambda: text in model.asked)


def asked(api: Api, text: str) -> QueryVector:
    """Ask for the vector of a question and return what gives it."""
    return asyncio.run(api.state.vectors.for_text(text))


def warm(api: Api, model: Stub | Served) -> None:
    """Choose a model and wait until it gives questions their vectors."""
    choose(api, model)
    asked(api, "Is anybody there?")
    eventually(lambda: api.state.vectors.is_warm)


def is_paused(api: Api, model: Stub | Served) -> bool:
    """Return whether a new question is kept from the model."""
    return asked(api, "And now?")({}) is None and "And now?" not in model.asked


def test_words_answer_until_the_model_is_loaded_then_meaning_does(api: Api, native: Stub) -> None:
    memory_id = api.post("/api/memory/remember", {"content": "Godwits fly far."}).body["id"]
    pair = ("Godwits fly far.", native.vector("wanderlust"))
    api.state.db.write(embeddings.replace, memory_id, "h", [pair], NATIVE, MADE_AT)
    native.gate.clear()
    choose(api, native)
    question = {"query": "wanderlust", "explain": True}
    by_words = api.post("/api/memory/recall", question).body
    assert (by_words["method"], by_words["results"]) == ("keyword", [])
    assert by_words["explain"]["channels"]["vector"] is None
    assert by_words["degraded_reasons"] == {"vector": "the embedding model is loading"}
    native.gate.set()
    eventually(lambda: api.state.vectors.is_warm)
    by_meaning = api.post("/api/memory/recall", question).body
    assert (by_meaning["method"], by_meaning["results"][0]["id"]) == ("hybrid", memory_id)
    assert by_meaning["explain"]["channels"]["vector"] == 1
    assert "degraded" not in by_meaning


def test_an_empty_page_says_that_new_texts_wait_for_their_vectors(api: Api, native: Stub) -> None:
    warm(api, native)
    assert "incomplete" not in api.post("/api/memory/recall", {"query": "wanderlust"}).body
    memory_id = api.post("/api/memory/remember", {"content": "Godwits fly far."}).body["id"]
    assert api.post("/api/memory/recall", {"query": "wanderlust"}).body["incomplete"]
    assert "incomplete" not in api.post("/api/memory/recall", {"query": "godwits"}).body
    api.state.db.write(
        lambda tx: tx.run("DELETE FROM memory_jobs WHERE memory_id = ?", (memory_id,))
    )
    assert "incomplete" not in api.post("/api/memory/recall", {"query": "wanderlust"}).body


def test_a_request_to_forget_takes_forms_of_its_words_and_shows_what_is_near(
    api: Api, native: Stub
) -> None:
    def remember(text: str, near: str) -> str:
        memory_id = str(api.post("/api/memory/remember", {"content": text}).body["id"])
        pair = (text, native.vector(near))
        api.state.db.write(embeddings.replace, memory_id, "h", [pair], NATIVE, MADE_AT)
        return memory_id

    mine = remember("I was diagnosed with type 2 diabetes.", "diabetes")
    insulin = remember("I inject insulin before breakfast.", "diabetes")
    uncle = remember("My uncle Rudi has diabetes.", "diabetes")
    far = remember("The charity run against diabetes is in May.", "wanderlust")
    asked = {"query": "forget that I have diabetes"}
    by_words = api.post("/api/memory/forget", asked).body
    assert by_words["candidates"] == []
    warm(api, native)
    found = api.post("/api/memory/forget", asked).body
    assert [one["id"] for one in found["candidates"]] == [mine]
    why = {one["id"]: one["why"] for one in found["similar"]}
    assert why[insulin] == "near in meaning"
    assert why[uncle] == why[far] == "holds diabetes, not of a person"


def test_a_model_of_this_process_is_not_waited_for_before_the_reading(
    api: Api, native: Stub
) -> None:
    warm(api, native)
    native.gate.clear()
    gives = asked(api, "Where to?")
    native.gate.set()
    assert gives({}) == native.vector("Where to?")


def test_a_server_is_waited_for_before_the_reading(api: Api, served: Served) -> None:
    warm(api, served)
    served.gate.clear()

    async def ask() -> QueryVector:
        asking = asyncio.create_task(api.state.vectors.for_text("Where to?"))
        await asyncio.to_thread(wait_until_asked, served, "Where to?")
        assert not asking.done()
        served.gate.set()
        return await asking

    assert asyncio.run(ask())({}) == served.vector("Where to?")


def test_what_is_noted_of_the_call_belongs_to_the_request(api: Api, native: Stub) -> None:
    warm(api, native)
    answers = [api.post("/api/memory/recall", {"query": text}) for text in ("Where to?", "When?")]
    assert native.asked[-2:] == ["Where to?", "When?"]
    assert native.requests[-2:] == [answer.headers["x-signet-request-id"] for answer in answers]


def test_all_of_many_questions_at_once_get_their_own_vectors(api: Api, native: Stub) -> None:
    warm(api, native)
    texts = [f"question{number}" for number in range(40)]
    given = [(text, asked(api, text)) for text in texts]
    assert [gives({}) for _, gives in given] == [native.vector(text) for text in texts]


def test_a_model_that_fails_is_left_alone_for_a_while(api: Api, either: Stub | Served) -> None:
    warm(api, either)
    either.fail("Where to?")
    answer = api.post("/api/memory/recall", {"query": "Where to?"})
    assert (answer.status, answer.body["method"]) == (200, "keyword")
    assert "broken" in answer.body["degraded_reasons"]["vector"]
    assert is_paused(api, either)
    [told] = [line for line in api.logged if line["event"] == "recall.without_vector"]
    assert "broken" in told["reason"]


def test_a_model_that_is_slow_is_left_alone_for_a_while(
    api: Api, either: Stub | Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm(api, either)
    either.gate.clear()
    with monkeypatch.context() as hurried:
        hurried.setattr(vectors, "PATIENCE_SECONDS", 0.01)
        hurried.setattr(vectors, "SLOW_SECONDS", 0.0)
        assert asked(api, "Where to?")({}) is None
    either.gate.set()
    assert is_paused(api, either)
    answer = api.post("/api/memory/recall", {"query": "Where to?"}).body
    said = "the embedding model was slow, and is asked again within 3600 s"
    assert answer["degraded_reasons"] == {"vector": said}


def test_a_model_that_does_not_load_is_left_alone_for_a_while(api: Api, native: Stub) -> None:
    native.fault_of = {"warm": ValueError("damaged")}
    choose(api, native)
    assert asked(api, "Where to?")({}) is None

    def told() -> list[object]:
        return [line["reason"] for line in api.logged if line["event"] == "recall.model_missing"]

    eventually(lambda: bool(told()))
    assert asked(api, "And now?")({}) is None
    assert (told(), native.asked) == (["damaged"], ["warm"])


def test_another_model_is_tried_at_once_after_one_has_failed(
    api: Api, native: Stub, served: Served
) -> None:
    warm(api, native)
    native.fail("Where to?")
    assert asked(api, "Where to?")({}) is None
    assert is_paused(api, native)
    assert api.state.vectors.fault
    warm(api, served)
    assert "broken" not in api.state.vectors.fault
    assert asked(api, "Where to?")({}) == served.vector("Where to?")


def test_a_question_that_only_comes_behind_others_makes_nobody_pause(
    api: Api, native: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "SLOW_SECONDS", 10 * PATIENCE_SECONDS)
    warm(api, native)
    native.gate.clear()
    first = asked(api, "The first?")
    wait_until_asked(native, "The first?")
    second = asked(api, "The second?")
    with monkeypatch.context() as hurried:
        hurried.setattr(vectors, "PATIENCE_SECONDS", 0.0)
        assert second({}) is None
    assert api.state.vectors.fault == "the embedding model was busy"
    native.gate.set()
    assert first({}) == native.vector("The first?")
    assert asked(api, "The third?")({}) == native.vector("The third?")
    assert "The second?" not in native.asked, "nobody waits for it any more"


def test_a_model_that_was_loading_when_another_was_chosen_is_not_used(
    api: Api, native: Stub, served: Served
) -> None:
    served.gate.clear()
    choose(api, served)
    assert asked(api, "Where to?")({}) is None
    wait_until_asked(served, scale.pairs()[0][0])
    choose(api, native)
    assert asked(api, "Where to?")({}) is None
    served.gate.set()
    given: list[bytes | None] = []

    def is_given() -> bool:
        given.append(asked(api, "Where to?")({}))
        return given[-1] is not None

    eventually(is_given)
    assert given[-1] == native.vector("Where to?")
    assert "Where to?" not in served.asked


def test_what_the_model_before_answers_late_is_kept_for_no_later_question(
    api: Api, native: Stub, served: Served
) -> None:
    warm(api, native)
    native.gate.clear()
    late = asked(api, "Where to?")
    wait_until_asked(native, "Where to?")
    warm(api, served)
    native.gate.set()
    assert late({}) == native.vector("Where to?")
    assert asked(api, "Where to?")({}) == served.vector("Where to?")


def test_a_question_whose_reader_waits_when_the_process_ends_is_answered_by_words(
    api: Api, native: Stub
) -> None:
    warm(api, native)
    native.gate.clear()
    asked(api, "The first?")
    wait_until_asked(native, "The first?")
    second = asked(api, "The second?")
    api.state.vectors.close()
    native.gate.set()
    assert second({}) is None
    assert not [line for line in api.logged if line["event"] == "recall.without_vector"]


def test_questions_that_wait_for_their_vectors_leave_readers_to_others(
    api: Api, native: Stub
) -> None:
    api.post("/api/memory/remember", {"content": "We met Ada Winter, who lives in Port Ellen."})
    warm(api, native)
    native.gate.clear()

    async def at_once() -> list[Answer]:
        bodies = [
            {"entity": "Ada Winter", "question": f"Where is number {number}?"}
            for number in range(READERS + 1)
        ]
        before = len(native.asked)
        asking = [
            asyncio.create_task(api.begin("POST", "/api/knowledge/expand", json.dumps(b).encode()))
            for b in bodies
        ]
        await asyncio.to_thread(eventually, lambda: len(native.asked) > before)
        read = await api.begin("GET", "/api/memories")
        assert not any(task.done() for task in asking)
        native.gate.set()
        return [read, *await asyncio.gather(*asking)]

    assert {answer.status for answer in api.all_of(at_once())} == {200}


def test_the_api_is_ready_when_its_model_has_been_loaded(api: Api, native: Stub) -> None:
    def reasons() -> object:
        return api.get("/health/ready").body["reasons"]

    choose(api, native)
    native.gate.clear()
    api.state.vectors.warm()
    wait_until_asked(native, "warm")
    assert "the embedding model is loading" in str(reasons())
    api.state.started_ms -= 60_000
    assert "the embedding model is loading" not in str(reasons())
    native.gate.set()
    eventually(lambda: api.state.vectors.is_warm)


def test_a_model_that_was_let_go_is_there_for_the_next_question(
    api: Api, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(models.home))
    monkeypatch.setattr(vectors, "PATIENCE_SECONDS", PATIENCE_SECONDS)
    choose(api, Stub())
    with_model = vectors.QueryVectors(api.state.live)
    with_model.warm()
    eventually(lambda: with_model.is_warm)
    kept = with_model._native
    assert kept is not None
    with_model.rest()
    assert not kept.loaded
    assert len(asyncio.run(with_model.for_text("What do I drink?"))({}) or b"") == 4 * WIDTH
    assert kept.loaded
    with_model.close()
