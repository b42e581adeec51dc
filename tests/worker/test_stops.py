"""A worker that is killed or stopped in the middle of a job: the end is the same as without."""

import contextlib
import json
import os
import re
import signal
import sys
import threading
from pathlib import Path

import pytest

from signet import clock
from signet.process.rescuer import Rescuer
from signet.queue import NewJob, enqueue
from support.database import indexed_vectors
from support.models import FakeServer, Hang, Works
from support.processes import PATIENCE_SECONDS, eventually
from worker.home import Home, manifest
from worker.script import Script, depends, fact, filed, found, scripted, triple

TEXT = "The curlew depot: Curlew keeps spare parts in Lund, and the logistics team runs it."
ANSWER = found(
    fact("Curlew keeps spare parts in Lund", type="decision"),
    fact("Curlew is run by the logistics team"),
    entities=[triple("Curlew", "uses", "Lund")],
)


def state(home: Home, source: str) -> dict[str, object]:
    """Return what a reading has left, in words that do not depend on ids and times."""
    agent = home.memory(source)["agent_id"]
    everything = {
        "facts": "SELECT content, type, importance, extraction_status, embedding_model FROM memories"
        " WHERE agent_id = ? ORDER BY content",
        "history": "SELECT event, changed_by, h.reason, new_content FROM memory_history h"
        " JOIN memories m ON m.id = memory_id WHERE agent_id = ? ORDER BY event, new_content, h.rowid",
        "entities": "SELECT canonical_name, entity_type, mentions FROM entities"
        " WHERE agent_id = ? ORDER BY 1",
        "relations": "SELECT s.canonical_name, relation_type, r.strength, r.mentions, r.confidence"
        " FROM relations r JOIN entities s ON s.id = source_entity_id WHERE s.agent_id = ?",
        "edges": "SELECT s.canonical_name, dependency_type, d.strength FROM entity_dependencies d"
        " JOIN entities s ON s.id = source_entity_id WHERE s.agent_id = ? ORDER BY 1, 2",
        "vectors": "SELECT chunk_text, model, e.ordinal FROM embeddings e"
        " JOIN memories m ON m.id = e.source_id"
        f" WHERE agent_id = ? AND e.id IN (SELECT id FROM {indexed_vectors()}) ORDER BY 1",
    }
    return {name: [tuple(row) for row in home.rows(sql, agent)] for name, sql in everything.items()}


@pytest.mark.parametrize("where", ["reading", "embedding"])
def test_a_killed_worker_leaves_nothing_twice_and_nothing_out(home: Home, where: str) -> None:
    script, hang = Script(), Hang(threading.Event(), ANSWER)
    script.reads(TEXT, hang if where == "reading" else ANSWER)
    with scripted(script, embeddings=[hang if where == "embedding" else Works()]) as server:
        home.configure(manifest(url=server.url, embedding="ollama"))
        source = home.remember(TEXT, "killed")
        reaper = Rescuer(home.db, home.workspace.runtime_dir, own="test")
        with home.worker() as victim:
            reaper.poll()
            eventually(lambda: _is_at(server, where))
            victim.kill()
            eventually(lambda: home.job(source)["status"] == "pending")
        job = home.job(source)
        assert (job["crashes"], job["attempts"], job["lease_owner"]) == (1, 0, None)
        script.reads(TEXT, ANSWER)
        server.embeddings = [Works()]
        with home.worker():
            home.drained()
            undisturbed = home.remember(TEXT, "undisturbed")
            home.drained()
        assert home.job(source)["status"] == "completed"
        assert state(home, source) == state(home, undisturbed)
        assert home.value("SELECT COUNT(*) FROM memories") == 6
    assert home.value("PRAGMA integrity_check") == "ok"


def _is_at(server: FakeServer, where: str) -> bool:
    if where == "reading":
        return bool(server.prompts)
    embedded = [json.dumps(r.body) for r in server.requests if r.path == "/api/embed"]
    return any("spare parts" in body for body in embedded)


FOLLOWED = (
    "The mill by the river: Gadwall grinds rye on Mondays. Gadwall borrows a wheel from Scoter."
)
FOLLOWING = {
    "prospective_index": "memory_hints WHERE agent_id = ?",
    "structural_classify": "entity_attributes a LEFT JOIN entity_aspects s ON s.id = a.aspect_id"
    " WHERE a.agent_id = ?",
    "structural_dependency": "entity_dependencies WHERE agent_id = ?",
}
COLUMNS = {
    "prospective_index": "hint",
    "structural_classify": "attribute_value, kind, status, aspect_name",
    "structural_dependency": "dependency_type, strength, confidence",
}


def left(home: Home, agent: str) -> dict[str, object]:
    """Return what the work that follows a reading has left, in words that do not depend on ids and times."""
    found: dict[str, object] = {}
    for kind, rows in FOLLOWING.items():
        columns = COLUMNS[kind]
        sql = f"SELECT {columns} FROM {rows} ORDER BY 1, 2" if "," in columns else ""
        sql = sql or f"SELECT {columns} FROM {rows} ORDER BY 1"
        found[kind] = [tuple(row) for row in home.rows(sql, agent)]
    return found


def _follows(script: Script) -> None:
    contents = ("Gadwall grinds rye on Mondays", "Gadwall borrows its wheel from Scoter")
    script.reads(
        FOLLOWED,
        found(*map(fact, contents), entities=[triple("Gadwall", "borrows from", "Scoter")]),
    )
    script.hints(FOLLOWED, "Who turns the wheel of the mill?")
    script.hints("Gadwall", "What does Gadwall grind?\nWhen is rye ground?")
    script.files(
        "1. Gadwall", lambda asked: filed(*("tools" if on else "work" for on in _on(asked)))
    )
    script.depends(
        "1. Gadwall", lambda asked: depends(*("Scoter" if on else "" for on in _on(asked)))
    )


def _on(asked: str) -> list[bool]:
    """Return for each fact that is asked about whether it is the one about the wheel."""
    return ["wheel" in line for line in re.findall(r"^\d\. .*", asked, re.MULTILINE)]


@pytest.mark.parametrize("kind", list(FOLLOWING))
def test_a_worker_killed_in_what_follows_leaves_nothing_twice(home: Home, kind: str) -> None:
    script = Script()
    _follows(script)
    hang = Hang(threading.Event(), "never sent")
    {
        "prospective_index": script.hints,
        "structural_classify": script.files,
        "structural_dependency": script.depends,
    }[kind]("", hang)
    first = {sort: answers for sort, answers in script.scenes.items() if sort[1] == ""}
    script.scenes = {**first, **script.scenes}
    wanted = {"enabled": True}
    with scripted(script) as server:
        home.configure(manifest(url=server.url, hints=wanted, structural=wanted))
        source = home.remember(FOLLOWED, "killed")
        reaper = Rescuer(home.db, home.workspace.runtime_dir, own="test")
        with home.worker() as victim:
            reaper.poll()
            home.ended(source)
            home.hurry()
            leased = "SELECT COUNT(*) FROM memory_jobs WHERE job_type = ? AND status = 'leased'"
            eventually(lambda: any(_sort(kind) == Script.sort(one) for one in server.prompts))
            victim.kill()
            eventually(lambda: not home.value(leased, kind))
        script.scenes.clear()
        _follows(script)
        with home.worker():
            home.hurry()
            eventually(lambda: _hurried(home))
            undisturbed = home.remember(FOLLOWED, "undisturbed")
            home.ended(undisturbed)
            eventually(lambda: _hurried(home))
        assert left(home, "killed") == left(home, "undisturbed")
        assert all(left(home, "killed").values())
    assert home.value("SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead'") == 0


def _sort(kind: str) -> str:
    sorts = {"prospective_index": 1, "structural_classify": 2, "structural_dependency": 3}
    return Script.SORTS[sorts[kind]]


def _hurried(home: Home) -> bool:
    home.hurry()
    return not home.value("SELECT COUNT(*) FROM memory_jobs WHERE status IN ('pending', 'leased')")


def test_a_stopped_worker_gives_its_job_back_uncharged(home: Home) -> None:
    script = Script()
    script.reads(TEXT, Hang())
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        source = home.remember(TEXT)
        with home.worker() as worker:
            eventually(lambda: bool(server.prompts))
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(PATIENCE_SECONDS) == 0
    job = home.job(source)
    assert (job["status"], job["attempts"], job["lease_owner"]) == ("pending", 0, None)
    assert home.processes("worker") == 0


def test_an_idle_worker_stops_when_told(home: Home) -> None:
    home.configure(manifest("rules"))
    with home.worker() as worker:
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE_SECONDS) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
def test_a_worker_lets_others_go_first_but_for_the_thread_that_writes(home: Home) -> None:
    def _place(thread: int) -> tuple[int, frozenset[int]]:
        return os.getpriority(os.PRIO_PROCESS, thread), frozenset(os.sched_getaffinity(thread))

    niceness, processors = _place(0)
    behind = min(niceness + 10, 19), processors - {min(processors)} or processors
    home.configure(manifest("rules"))
    with home.worker() as worker:
        eventually(lambda: home.processes("worker") == 1)
        seen = {_place(worker.pid)}
        assert seen == {behind}
        for thread in Path(f"/proc/{worker.pid}/task").iterdir():
            with contextlib.suppress(ProcessLookupError):
                seen.add(_place(int(thread.name)))
    assert seen == {(niceness, processors), behind}


def test_a_worker_with_a_stuck_job_ends_and_the_job_is_done_all_the_same(home: Home) -> None:
    """The stuck thread holds a lock, for which the orderly end would wait for ever."""
    job = NewJob(kind="update_check", dedupe_key="stuck")
    job_id = str(home.db.write(enqueue, job, now=clock.now()))

    def is_done() -> bool:
        row = home.rows("SELECT status, attempts FROM memory_jobs WHERE id = ?", job_id)[0]
        return tuple(row) == ("completed", 2)

    with home.runs("worker.stuck") as worker:
        assert worker.wait(PATIENCE_SECONDS) == 1
    with home.runs("worker.stuck"):
        eventually(is_done)
