"""Embedding when the provider or one text is at fault."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from signet import clock
from signet.db import vectors
from signet.domain.embeddings import vectors as embeddings
from support.database import indexed_vectors
from support.models import OLLAMA, Answer, FakeServer, Request, Route, Status, Works, Wrap
from support.processes import eventually
from worker.home import Home, manifest

MODELS = ("nomic-embed-text:latest",)
BROKEN = Status(500, "out of memory")
CHARGED = "SELECT count(*) FROM memory_jobs WHERE status <> 'pending' OR attempts > 0"


@contextmanager
def ollama(routes: Mapping[tuple[str, str], Route]) -> Iterator[FakeServer]:
    server = FakeServer(
        {**OLLAMA, **routes},
        ["unused"],
        path="",
        models=MODELS,
        dimensions=768,
        embeddings=[Works()],
    )
    try:
        yield server
    finally:
        server.stop()


def _broken(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    return BROKEN, lambda text: text


def _no_poison(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    answer, wrap = OLLAMA["POST", "/api/embed"](server, request)
    return (BROKEN if "poison" in str(request.body) else answer), wrap


def test_a_server_that_fails_everything_is_down_and_costs_no_text_an_attempt(home: Home) -> None:
    with ollama({("POST", "/api/embed"): _broken, ("GET", "/api/tags"): _broken}) as server:
        home.configure(manifest("none", server.url, embedding="ollama"))
        ids = [home.remember(f"The tern plan has part {n}.", f"a{n}") for n in range(5)]
        with home.worker():
            eventually(lambda: bool(home.rows("SELECT 1 FROM provider_breakers")))
            eventually(lambda: not home.value(CHARGED))
            asked = sum(request.method == "POST" for request in server.requests)
            assert asked < len(ids), "the others wait for one that goes to see"
            server.routes = OLLAMA
            home.hurry()
            for memory_id in ids:
                home.ended(memory_id, "embed")


def test_a_text_that_cannot_be_embedded_rests_and_stands_in_nobodys_way(home: Home) -> None:
    with ollama({("POST", "/api/embed"): _no_poison}) as server:
        home.configure(manifest("none", server.url, embedding="ollama"))
        with home.worker():
            bad = home.remember("This text is poison.", attempts=1)
            good = [home.remember(f"This text is fine, number {n}.") for n in range(3)]
            for memory_id in good:
                home.ended(memory_id, "embed")
            home.ended(bad, "embed", status="dead")
        found = home.db.read(embeddings.find_gaps, model="nomic-embed-text", now=clock.now())
        assert found == [], "it rests"
        tracker = home.db.read(embeddings.tracker)
        assert (tracker["processed"], tracker["failed"], tracker["queueDepth"]) == (3, 1, 0)


def test_another_model_is_followed_and_old_vectors_are_replaced(home: Home) -> None:
    with ollama({}) as server:
        home.configure(manifest("none", server.url, embedding="ollama"))
        server.models = ["nomic-embed-text:latest", "all-minilm:latest"]
        with home.worker():
            ids = [home.remember(f"The tern plan has part {n}.", f"a{n}") for n in range(3)]
            for memory_id in ids:
                home.ended(memory_id, "embed")
            server.dimensions = 384
            tree = manifest("none", server.url, embedding="ollama")
            tree["embedding"] = {
                "provider": "ollama",
                "base_url": server.url,
                "model": "all-minilm",
            }
            home.configure_live(tree)
            found = home.db.read(embeddings.find_gaps, model="all-minilm", now=clock.now())
            assert set(found) == set(ids)
            home.db.write(embeddings.fill_gaps, found, now=clock.now())
            eventually(
                lambda: (
                    home.value("SELECT count(*) FROM embeddings WHERE model = 'all-minilm'") == 3
                )
            )
            if home.db.has_vec:
                assert home.db.read(vectors.indexed_dimensions) == 768
                home.db.write(embeddings.queue_reindex, dimensions=384, now=clock.now())
                eventually(lambda: home.db.read(vectors.indexed_dimensions) == 384)
        assert home.value(f"SELECT count(*) FROM {indexed_vectors()}") == 3
        assert home.value("SELECT count(*) FROM embeddings") == 3
        assert home.value("SELECT count(DISTINCT dimensions) FROM embeddings") == 1
        assert home.db.read(embeddings.find_gaps, model="all-minilm", now=clock.now()) == []
