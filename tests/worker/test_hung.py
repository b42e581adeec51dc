"""A model server that accepts requests and never answers: it is soon left alone, and costs no attempt."""

import threading

from support.models import Hang
from support.processes import eventually
from worker.home import Home, manifest
from worker.script import Script, fact, found, scripted


def test_a_hung_server_costs_no_attempts_and_stops_no_other_work(home: Home) -> None:
    script, hang = Script(), threading.Event()
    texts = [
        f"The bunting service number {number} listens on port 441{number}." for number in range(3)
    ]
    for text in texts:
        script.reads(text, Hang(hang, found(fact(text))))
    script.reads("one word", Hang(hang, "yes"))
    with scripted(script) as server, home.worker():
        home.configure_live(manifest(url=server.url, embedding="ollama", timeout_ms=5_000))
        saved = [home.remember(text) for text in texts]
        opened = "SELECT COUNT(*) FROM provider_breakers WHERE state <> 'closed'"
        eventually(lambda: bool(home.value(opened)), 60)
        assert any("one word" in prompt for prompt in server.prompts)
        later = home.remember("The bunting is a bird.")
        for memory_id in (*saved, later):
            home.ended(memory_id, "embed")
        hang.set()
        home.hurry()
        for memory_id in saved:
            home.ended(memory_id)
            assert (home.job(memory_id)["attempts"], home.job(memory_id)["status"]) == (
                1,
                "completed",
            )
