"""An hour without the providers, by a clock that the test moves from one probe to the next."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from signet import clock, config
from signet.config.pipeline import Threads
from signet.process.settings_reload import LiveSettings
from signet.queue.wakeup import Listener
from signet_worker.context import Context
from signet_worker.declaration import declare
from signet_worker.dispatcher import Dispatcher
from signet_worker.dramatiq_adapter import JobsBroker
from signet_worker.executor import Executor
from support.models import FakeServer, Status
from support.processes import eventually
from support.queue import Hands
from worker.home import Home, manifest
from worker.script import Script, fact, found, scripted

HOUR_MS = 3_600_000
#: How long the providers only refuse, so that our own waits count (at most circuit_breaker.LAST_PROBE_MS); then
#: they say when to come back, which keeps the test short.
UNTOLD_MS = 120_000
TOLD_SECONDS = "30"
JOBS = 20
#: Read at once: a probe may go and come back between two looks.
_RETRIES = """
SELECT provider, retry_at_ms FROM provider_breakers
 WHERE state = 'open' AND NOT EXISTS (SELECT 1 FROM memory_jobs WHERE status = 'leased')"""
_UNFINISHED = "SELECT COUNT(*) FROM memory_jobs WHERE status <> 'completed'"


@contextmanager
def a_worker(home: Home, hands: Hands) -> Iterator[Dispatcher]:
    """Run the worker's threads and actors in this process, by the clocks of the test."""
    with tempfile.TemporaryDirectory(prefix="signet-") as folder:
        listener = Listener(Path(folder), "me")
        concurrency = asdict(Threads())
        dispatcher = Dispatcher(
            home.db,
            listener,
            owner="me",
            concurrency=concurrency,
            lease_ms=300_000,
            clock=hands.clock,
        )
        broker = JobsBroker(home.db, dispatcher)
        live = LiveSettings(home.workspace, config.load(home.workspace))
        declare(broker, Context(home.db, live, home.workspace))
        executor = Executor(broker)
        executor.start()
        dispatcher.start()
        try:
            yield dispatcher
        finally:
            executor.stop(2.0)
            dispatcher.stop()
            listener.close()


def _retries(home: Home) -> dict[str, int]:
    """Return when the next probe of each provider that is away may go; none while a job runs."""
    return {row["provider"]: row["retry_at_ms"] for row in home.rows(_RETRIES)}


def _asked(server: FakeServer) -> dict[str, int]:
    vectors = sum(request.path == "/api/embed" for request in server.requests)
    return {"llm": len(server.prompts), "vectors": vectors}


def test_an_hour_without_providers_costs_nothing_but_time(home: Home) -> None:
    script = Script()
    told = Status(503, retry_after=TOLD_SECONDS)
    script.reads("", Status(503))
    with scripted(script, embeddings=[Status(503)]) as server:
        home.configure(manifest(url=server.url, embedding="ollama"))
        sources = [home.remember(f"The tern plan has part {n}.", f"a{n}") for n in range(JOBS)]
        began = clock.wall_ms()
        hands = Hands(wall=began)
        with a_worker(home, hands) as dispatcher:
            eventually(lambda: set(_retries(home)) == {"llm", "vectors"})
            at_first = _asked(server)
            probes = {"llm": 0, "vectors": 0}
            while hands.wall < began + HOUR_MS:
                if hands.wall > began + UNTOLD_MS:
                    script.reads("", told)
                    server.embeddings = [told]
                due = _retries(home)
                hands.move(max(min(due.values()) - hands.wall, 1))
                for provider, at in due.items():
                    probes[provider] += at <= hands.wall
                dispatcher.poke()
                eventually(
                    lambda: len(later := _retries(home)) == 2 and min(later.values()) > hands.wall
                )
            asked = _asked(server)
            for provider, count in asked.items():
                assert at_first[provider] <= asdict(Threads())[provider]
                assert count == at_first[provider] + probes[provider]
                assert count < UNTOLD_MS / 4_000 + HOUR_MS / 30_000 + 4
            waiting = home.rows("SELECT DISTINCT status, attempts, max_attempts FROM memory_jobs")
            assert [tuple(row) for row in waiting] == [("pending", 0, 3)]
            script.reads("", found(fact("The tern plan is a good one")))
            server.embeddings = ["works"]
            hands.move(30_000)
            dispatcher.poke()
            eventually(lambda: not home.value(_UNFINISHED))
    assert home.value("SELECT COUNT(*) FROM provider_breakers") == 0
    assert home.value("SELECT MAX(attempts) FROM memory_jobs") == 1
    assert all(len(home.facts(source)) == 1 for source in sources)
    assert not home.value("SELECT COUNT(*) FROM memories WHERE embedding_model IS NULL")
