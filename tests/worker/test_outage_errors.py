"""A model server that answers with errors for a while: the server is ill, not the jobs."""

import pytest

from support.models import Status
from support.processes import eventually
from worker.home import Home, manifest
from worker.script import Script, fact, found, scripted

pytestmark = pytest.mark.xdist_group("worker")

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
