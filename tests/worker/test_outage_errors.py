"""A model server that answers with errors for a while: the server is ill, not the jobs."""

import pytest

from support.models import Cut, Raw, Status
from support.processes import eventually
from worker.home import Home, manifest
from worker.script import Script, fact, found, scripted

JOBS = 30
DEAD = "SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead'"
ILL = Status(500, '{"error":"llama runner process has terminated"}')


def _has_failed_for_seconds(home: Home) -> bool:
    """Return whether every provider was probed for 1 + 2 + 4 s in vain; jobs that died are the end of it too."""
    ill = "SELECT COUNT(*) FROM provider_breakers WHERE state <> 'closed' AND failures >= 3"
    return home.value(ill) == 2 or bool(home.value(DEAD))


def test_an_ill_server_buries_none_of_thirty_jobs(home: Home) -> None:
    script = Script()
    script.reads("", ILL)
    with scripted(script, embeddings=[ILL]) as server:
        home.configure(manifest(url=server.url, embedding="ollama"))
        sources = [home.remember(f"The tern plan has part {n}.", f"a{n}") for n in range(JOBS)]
        with home.worker():
            eventually(lambda: _has_failed_for_seconds(home))
            assert not home.value(DEAD)
            assert home.value("SELECT MAX(attempts) FROM memory_jobs WHERE status = 'pending'") == 0
            script.reads("", found(fact("The tern plan is a good one")))
            server.embeddings = ["works"]
            home.drained()
    ends = home.rows("SELECT status, attempts, COUNT(*) FROM memory_jobs GROUP BY 1, 2")
    assert [tuple(row)[:2] for row in ends] == [("completed", 1)]
    assert all(len(home.facts(source)) == 1 for source in sources)
    assert home.value("SELECT COUNT(*) FROM provider_breakers") == 0


def test_a_text_that_its_server_cannot_read_dies_and_holds_nobody_up(home: Home) -> None:
    script = Script()
    script.reads("The poisoned tern", ILL)
    script.reads("", found(fact("The tern plan is a good one")))
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        with home.worker():
            poisoned = home.remember("The poisoned tern plan has no part.", "poisoned")
            number = 0
            while home.job(poisoned)["status"] != "dead":
                number += 1
                source = home.remember(f"The tern plan has part {number}.", f"a{number}")
                home.ended(source)
                home.try_again()
    assert home.job(poisoned)["runs_total"] == 3
    assert home.value(DEAD) == 1


def test_what_died_in_an_outage_that_only_it_met_comes_back_by_itself(home: Home) -> None:
    script = Script()
    script.reads("", ILL)
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        alone = home.remember("The tern plan has one part.", "alone")
        with home.worker():
            home.ended(alone, status="dead")
            assert home.memory(alone)["extraction_status"] == "failed"
            script.reads("", found(fact("The tern plan is a good one")))
            home.ended(home.remember("The tern plan has a second part.", "next"))
            eventually(lambda: home.job(alone)["status"] == "completed")
            assert home.memory(alone)["extraction_status"] == "completed"
            assert home.logged("job.revived") == 1


@pytest.mark.parametrize(
    "ill",
    [Raw("<html>Sign in</html>"), Raw(""), Raw('{"response": "half'), Cut()],
    ids=["web page", "nothing", "half", "cut"],
)
def test_a_server_that_sends_nonsense_is_ill_too(home: Home, ill: Raw | Cut) -> None:
    script = Script()
    script.reads("", ill)
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        for number in range(JOBS):
            home.remember(f"The tern plan has part {number}.", f"a{number}")
        with home.worker():
            opened = "SELECT COUNT(*) FROM provider_breakers WHERE state <> 'closed'"
            eventually(lambda: bool(home.value(opened)) or bool(home.value(DEAD)))
            script.reads("", found(fact("The tern plan is a good one")))
            home.drained()
    assert not home.value(DEAD)


def test_two_workers_agree_that_a_server_is_ill(home: Home) -> None:
    script = Script()
    script.reads("", ILL)
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        for number in range(JOBS):
            home.remember(f"The tern plan has part {number}.", f"a{number}")
        with home.worker(), home.worker():
            probed = "SELECT COUNT(*) FROM provider_breakers WHERE failures >= 3"
            eventually(lambda: bool(home.value(probed)) or bool(home.value(DEAD)))
            assert home.value("SELECT MAX(attempts) FROM memory_jobs WHERE status = 'pending'") == 0
            script.reads("", found(fact("The tern plan is a good one")))
            home.drained()
    assert home.value("SELECT MAX(attempts) FROM memory_jobs") == 1
