"""A provider that is away: jobs wait, none is charged, and the provider is left in peace."""

from functools import partial
from pathlib import Path

from signet import clock
from signet.db import Row
from support.models import FakeServer, Status
from support.processes import eventually
from worker.home import Home, manifest
from worker.script import Script, depends, fact, filed, found, scripted, triple

JOBS = 8
SLOTS = 4
#: So long that nobody asks again until a test hurries.
DOWN = Status(503, retry_after="600")
#: Whether jobs of all three queues wait.
_KINDS_WAITING = """
SELECT COUNT(DISTINCT queue) = 3 FROM memory_jobs
 WHERE status = 'pending' AND queue IN ('llm', 'hints', 'structure')"""


def _waiting(home: Home) -> bool:
    """Return whether nothing runs and nothing may start."""
    is_closed = (
        "SELECT 1 FROM provider_breakers WHERE state = 'open' AND retry_at_ms > ?"
        " AND NOT EXISTS (SELECT 1 FROM memory_jobs WHERE status = 'leased')"
    )
    return bool(home.value(is_closed, clock.wall_ms()))


def _has_asked(home: Home, server: FakeServer, times: int) -> bool:
    return len(server.prompts) >= times and _waiting(home)


def test_jobs_outlast_an_outage_without_asking_much(home: Home) -> None:
    script = Script()
    script.reads("", DOWN)
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        sources = [home.remember(f"The tern plan has part {n}.", f"a{n}") for n in range(JOBS)]
        with home.worker():
            eventually(lambda: bool(server.prompts) and _waiting(home))
            first = len(server.prompts)
            assert first <= SLOTS
            for probe in (1, 2):  # each interval, one job goes to see
                home.hurry()
                eventually(partial(_has_asked, home, server, first + probe))
                assert len(server.prompts) == first + probe
            jobs = [home.job(source) for source in sources]
            assert {(job["status"], job["attempts"]) for job in jobs} == {("pending", 0)}
            assert {job["last_error_code"] for job in jobs} <= {"provider_down", None}
            retry_at = home.value("SELECT retry_at_ms FROM provider_breakers")
            due = home.value("SELECT MAX(due_ms) FROM memory_jobs")
            assert isinstance(retry_at, int) and isinstance(due, int) and due <= retry_at
            script.reads("", found(fact("The tern plan is a good one")))
            home.hurry()
            for source in sources:
                home.ended(source)
            assert home.value("SELECT COUNT(*) FROM provider_breakers") == 0
            assert {home.job(source)["attempts"] for source in sources} == {1}


def test_all_that_asks_one_provider_waits_behind_one_probe(home: Home) -> None:
    """Extraction, hints and structure have queues of their own and share the provider."""
    script = Script()
    relation = triple("Shrike", "uses", "Perch")
    script.reads("", found(fact("Shrike leans on Perch"), entities=[relation]))
    wanted = {"enabled": True, "pollIntervalMs": 2_000}
    with scripted(script) as server:
        home.configure(manifest(url=server.url, hints={"enabled": True}, structural=wanted))
        home.run("INSERT INTO queue_control VALUES ('all', 1, '', '')")
        sources = [
            home.remember(
                f"Page {n} of the log, written down in the evening: Shrike leans on Perch.", f"a{n}"
            )
            for n in range(6)
        ]
        with home.worker():
            script.scenes.clear()
            script.reads("", found(fact("Shrike leans on Perch"), entities=[relation]))
            for asks in (script.hints, script.files, script.depends):
                asks("", DOWN)
            home.run("DELETE FROM queue_control")
            eventually(lambda: _read(home, sources))
            script.reads("", DOWN)
            home.remember("The shrike log has a last page.", "late")
            home.hurry()
            eventually(lambda: bool(home.value(_KINDS_WAITING)) and _waiting(home))
            asked = len(server.prompts)
            for probe in (1, 2, 3):
                home.hurry()
                eventually(partial(_has_asked, home, server, asked + probe))
                assert len(server.prompts) == asked + probe
            assert home.value("SELECT COUNT(*) FROM provider_breakers") == 1
            assert not home.value(
                "SELECT COUNT(*) FROM memory_jobs WHERE attempts > 0 AND status = 'pending'"
            )
            script.hints("", "Who leans on what?")
            script.files("", filed("work"))
            script.depends("", depends("Perch"))
            script.reads("", found())
            eventually(lambda: _drained(home))
    assert home.value("SELECT COUNT(*) FROM memory_jobs WHERE status <> 'completed'") == 0
    hinted = "SELECT COUNT(DISTINCT memory_id) FROM memory_hints"
    assert home.value(hinted) == home.value("SELECT COUNT(*) FROM memories")


def _read(home: Home, sources: list[str]) -> bool:
    home.hurry()
    return {home.job(source)["status"] for source in sources} == {"completed"}


def _drained(home: Home) -> bool:
    home.hurry()
    return not home.value("SELECT COUNT(*) FROM memory_jobs WHERE status <> 'completed'")


def test_a_server_that_comes_back_is_found_without_help(home: Home) -> None:
    script = Script()
    script.reads("", found())
    with scripted(script) as server:
        server.stop()
        home.configure(manifest(url=server.url))
        source = home.remember("Nine columns were counted in the swift table.")
        with home.worker():
            eventually(lambda: _waiting(home))
            server.start()
            eventually(lambda: home.job(source)["status"] == "completed")
    assert home.job(source)["attempts"] == 1


def _waits_uncharged(job: Row) -> bool:
    waits = (job["status"], job["last_error_code"], job["attempts"])
    return waits == ("pending", "provider_down", 0)


def test_vectors_wait_for_a_model_that_is_not_installed(home: Home, tmp_path: Path) -> None:
    home.configure(manifest("none", embedding="native"))
    source = home.remember("The grebe window opens to the north.")
    with home.worker({"SIGNET_MODEL_DIR": str(tmp_path / "nothing")}):
        eventually(lambda: _waits_uncharged(home.job(source, "embed")))
        assert "signet models install" in home.job(source, "embed")["error"]


def test_facts_are_written_while_nobody_makes_vectors(home: Home) -> None:
    script = Script()
    content = "The avocet handbook is printed in Riga"
    script.reads("", found(fact(content)))
    with scripted(script, embeddings=[Status(503)]) as server:
        home.configure(manifest(url=server.url, embedding="ollama"))
        source = home.remember("Somebody in Riga prints what avocet hands out.")
        with home.worker():
            home.ended(source)
            [row] = home.facts(source)
            assert (row["content"], row["embedding_model"]) == (content, None)
            server.embeddings = ["works"]
            home.hurry()
            home.ended(row["id"], "embed")
    assert home.memory(row["id"])["embedding_model"] == "nomic-embed-text"
