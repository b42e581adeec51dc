"""Hints: questions that a model writes beside a memory, once, and anew when its text changes."""

import threading
from collections.abc import Iterator

import pytest

from signet import clock
from signet.db import WriteTx
from signet.domain.memory import modify
from signet.domain.memory.models import NewMemory, Patch, Rules
from signet.domain.memory.remember import remember
from support.models import FakeServer, Hang, Status, thinking
from support.processes import eventually
from worker.home import USER, Home, Tree, a_home, manifest
from worker.script import Script, fact, found

KIND = "prospective_index"
ANSWER = """\
1. When does the pipit library close?
- Where can I read about opening hours of pipit?
Pipit
When: nine in the evening
Temporal: Until what hour is the pipit library open?
3) When does the pipit library close?
Here are the questions that the user may ask.
Tell me about the evenings at pipit
"""


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        wanted, worker = {"enabled": True, "max": 3}, {"maxRetries": 4}
        made.configure(manifest(url=server.url, hints=wanted, worker=worker))
        with made.worker():
            yield made


def hints(home: Home, memory_id: str) -> list[str]:
    sql = "SELECT hint FROM memory_hints WHERE memory_id = ? AND agent_id = ? ORDER BY seq"
    agent = home.memory(memory_id)["agent_id"]
    return [row[0] for row in home.rows(sql, memory_id, agent)]


def wrote(home: Home, memory_id: str) -> Tree:
    """Wait for the job that follows the reading, and for its end."""
    jobs = "SELECT 1 FROM memory_jobs WHERE memory_id = ? AND job_type = ?"
    eventually(lambda: home.value(jobs, memory_id, KIND) == 1)
    return home.ended(memory_id, KIND)


def asked(server: FakeServer, text: str) -> int:
    sorts = (Script.sort(prompt) for prompt in server.prompts if text in prompt)
    return sum(sort == "months later" for sort in sorts)


def test_a_memory_and_its_facts_get_hints(home: Home, script: Script) -> None:
    text, content = (
        "The pipit library closes at nine and has two floors, we heard.",
        "The pipit library has two floors",
    )
    script.reads(text, found(fact(content)))
    script.hints(text, thinking(ANSWER))
    script.hints(content, "How many floors does the pipit library have?")
    source = home.remember(text, "both")
    assert wrote(home, source) == {"hints": 3}
    assert hints(home, source) == [
        "When does the pipit library close?",
        "Where can I read about opening hours of pipit?",
        "Until what hour is the pipit library open?",
    ]
    [derived] = home.facts(source)
    wrote(home, derived["id"])
    assert hints(home, derived["id"]) == ["How many floors does the pipit library have?"]
    # What follows is tried as often as the settings say (JOB-2).
    assert {home.job(id_, KIND)["max_attempts"] for id_ in (source, derived["id"])} == {4}


def test_hints_that_came_with_a_memory_stay_alone(
    home: Home, script: Script, server: FakeServer
) -> None:
    text = "The whimbrel ferry leaves at noon."
    script.reads(text, found())

    def save(tx: WriteTx) -> str:
        new = NewMemory(content=text, agent_id="given", hints=("When is the next boat?",))
        rules = Rules(embed=False)
        return remember(tx, new, actor=USER, rules=rules, now=clock.now()).id

    source = home.db.write(save)
    home.ended(source)
    home.drained(KIND)
    assert hints(home, source) == ["When is the next boat?"]
    assert asked(server, text) == 0


def test_nothing_worth_asking_is_an_answer(home: Home, script: Script) -> None:
    text = "Somebody said hello to the turnstone crew."
    script.reads(text, found())
    script.hints(text, "<think>Nobody will ask. Should I write this down?")
    assert wrote(home, home.remember(text, "none")) == {"hints": 0}


def test_a_changed_text_gets_other_hints(home: Home, script: Script) -> None:
    old, new = "The smew boat is moored at pier two.", "The smew boat is moored at pier nine."
    for text, answer in ((old, "Is the smew boat at pier two?"), (new, "Where is the smew boat?")):
        script.reads(text, found())
        script.hints(text, answer)
    source = home.remember(old, "changed")
    wrote(home, source)
    patch = Patch(memory_id=source, reason="test", agent_id="changed", content=new)
    rules = Rules(embed=False)
    home.db.write(modify.modify, patch, actor=USER, rules=rules, now=clock.now())
    eventually(lambda: hints(home, source) == ["Where is the smew boat?"])


def test_a_text_that_changes_meanwhile_is_asked_about_again(
    home: Home, script: Script, server: FakeServer
) -> None:
    old, new = "The knot archive is in Ghent.", "The knot archive is in Bruges."
    hang = Hang(threading.Event(), "Is the knot archive in Ghent?")
    for text in (old, new):
        script.reads(text, found())
    script.hints(old, hang)
    script.hints(new, "Where is the knot archive?")
    source = home.remember(old, "meanwhile")
    eventually(lambda: asked(server, old) == 1)
    home.run(
        "UPDATE memories SET content = ?, content_hash = 'new', version = version + 1 WHERE id = ?",
        new,
        source,
    )
    hang.release.set()
    eventually(lambda: hints(home, source) == ["Where is the knot archive?"])


def test_a_model_that_fails_is_asked_again(home: Home, script: Script) -> None:
    text = "The dipper account has three keys."
    script.reads(text, found())
    script.hints(text, Status(500), "How many keys has the dipper account?")
    source = home.remember(text, "again")
    failed = "SELECT errors FROM memory_jobs WHERE job_type = ? AND memory_id = ?"
    eventually(lambda: bool(home.value(failed, KIND, source)))
    home.hurry()
    assert wrote(home, source) == {"hints": 1}
    assert home.job(source, KIND)["attempts"] == 2


def test_without_a_model_there_are_none(home: Home, server: FakeServer) -> None:
    before = dict(home.tree)
    home.configure_live(manifest("rules", server.url, hints={"enabled": True}))
    source = home.remember("We decided to use Postgres instead of MySQL for ruff.", "rules")
    home.ended(source)
    home.configure_live(before)
    jobs = "SELECT COUNT(*) FROM memory_jobs WHERE memory_id = ? AND job_type = ?"
    assert home.value(jobs, source, KIND) == 0
