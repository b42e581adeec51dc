"""A model that answers well-formed, but with changed values: nothing a person said is replaced or outranked."""

import json
import re
import zlib
from collections.abc import Iterator

import pytest

from signet.domain.memory.models import Actor
from signet.wire.origin import Origin
from support.http import Api, api_over
from support.models import FakeServer
from worker.home import Home, a_home, manifest
from worker.script import Script, decided, fact, found
from worker.test_summaries import ended as session_ended
from worker.test_summaries import facts_of, finished, talk

PERSON = Actor(name="cli", origin=Origin.USER, may_claim=Origin.USER)
ALLOWED = {"allowUpdateDelete": True}
OTHER_DECISIONS = ("compared with memories", "")


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest(url=server.url, autonomous=ALLOWED))
        with made.worker():
            yield made


@pytest.fixture(scope="module")
def api(home: Home) -> Iterator[Api]:
    with api_over(home.workspace) as made:
        yield made


def say(home: Home, script: Script, text: str, agent: str, answer: str = found()) -> str:
    """Save what the user says, let the model answer so about it, and return the memory's ID."""
    script.reads(f"\n{text}\n", answer)
    script.scenes.pop(OTHER_DECISIONS, None)  # the last scene, because the first that fits answers
    script.scenes[OTHER_DECISIONS] = [decided("add")]
    memory_id = home.remember(text, agent, actor=PERSON)
    home.ended(memory_id)
    return memory_id


def is_listed(api: Api, agent: str, question: str, text: str) -> bool:
    """Return whether a text is given to a new session or to a prompt."""
    sent = {"harness": "claude-code", "sessionKey": f"s {agent}", "cwd": "/p", "agentId": agent}
    started = api.post("/api/hooks/session-start", sent).body["inject"]
    asked = {**sent, "userMessage": question}
    prompted = api.post("/api/hooks/user-prompt-submit", asked).body["inject"]
    return text.rstrip(".") in f"{started}\n{prompted}"


@pytest.mark.parametrize(
    ("known", "text", "changed", "question"),
    [
        (
            "The heron service listens on port 3850.",
            "The heron service listens on port 3850 and its metrics on port 9100.",
            "The heron service listens on port 9100.",
            "Which port does the heron service listen on?",
        ),
        (
            "The ledger has three replicas.",
            "The ledger still has three replicas in production.",
            "The ledger has five replicas in production.",
            "How many replicas has the ledger?",
        ),
        (
            "I work at Initech.",
            "We deploy the ledger on Thursdays, and the company is large.",
            "The user works at the company Globex and deploys the ledger on Thursdays.",
            "Which company do I work at?",
        ),
        (
            "I work at Initech.",
            "I do not work at Globex, whatever they write.",
            "The user works at Globex.",
            "Where do I work?",
        ),
        (
            "I live in Berlin.",
            "My colleague Tom lives in Madrid.",
            "The user lives in Madrid.",
            "Where do I live?",
        ),
        (
            "Never deploy the ledger on Fridays.",
            "Remember: never deploy the ledger on Fridays.",
            "Always deploy the ledger on Fridays.",
            "May I deploy the ledger on Fridays?",
        ),
        (
            "I prefer tabs over spaces.",
            "As I said, I prefer tabs over spaces.",
            "The user prefers spaces over tabs.",
            "Do I prefer tabs or spaces?",
        ),
        (
            "Alice manages Bob.",
            "At the office Alice manages Bob.",
            "Bob manages Alice.",
            "Who manages whom, Alice or Bob?",
        ),
        (
            "The ledger is written in Rust.",
            "Maybe we should rewrite the ledger in Haskell.",
            "The ledger is written in Haskell.",
            "In what language is the ledger written?",
        ),
        (
            "The timeout of the gateway is 90 seconds.",
            "The timeout of the gateway was raised from 30 to 90 seconds.",
            "The timeout of the gateway is 30 seconds.",
            "What is the timeout of the gateway?",
        ),
        (
            "Ich arbeite bei Initech.",
            "Ich arbeite nicht bei Globex.",
            "Der Nutzer arbeitet bei Globex.",
            "Wo arbeite ich?",
        ),
    ],
)
def test_a_changed_value_waits_and_replaces_and_outranks_nothing(
    home: Home, script: Script, api: Api, known: str, text: str, changed: str, question: str
) -> None:
    agent = re.sub(r"\W+", "-", changed)
    old = say(home, script, known, agent)
    source = say(home, script, text, agent, found(fact(changed, confidence=0.95)))
    memory = home.memory(old)
    assert (memory["superseded_by"], memory["valid_to"], memory["is_deleted"]) == (None, None, 0)
    for stored in home.facts(source):
        assert (stored["origin"], stored["review"]) == ("inferred", "waiting")
    asked = {"query": question, "agentId": agent, "limit": 5}
    ranked = [one["content"] for one in api.post("/api/memory/recall", asked).body["results"]]
    assert known in ranked or text in ranked
    assert ranked[0] in (known, text), ranked
    assert not is_listed(api, agent, question, changed)


@pytest.mark.parametrize(
    ("action", "known", "new", "reason"),
    [
        (
            "delete",
            "The heron exporter writes CSV files.",
            "The heron exporter writes JSON files",
            "It writes JSON now",
        ),
        (
            "delete",
            "Ana reviews the frontend of the shop.",
            "Jonas reviews the backend of the shop",
            "the reviewer has changed",
        ),
        (
            "update",
            "The heron exporter is owned by Ana.",
            "The heron exporter writes JSON files",
            "a newer form of the memory",
        ),
        (
            "update",
            "Backups of the ledger are kept for thirty days in Frankfurt.",
            "The ledger is deployed on Mondays",
            "a fuller form",
        ),
    ],
)
def test_a_decision_that_the_words_do_not_support_adds_the_fact(
    home: Home, script: Script, action: str, known: str, new: str, reason: str
) -> None:
    agent = f"{action} {new}"
    old = say(home, script, known, agent)
    text = f"After a long meeting with cake somebody wrote: {new}."
    script.decides(new, decided(action, old, reason))
    source = say(home, script, text, agent, found(fact(new)))
    memory = home.memory(old)
    assert (memory["content"], memory["is_deleted"], memory["superseded_by"]) == (known, 0, None)
    assert [one["content"] for one in home.facts(source)] == [new]


SPOKEN = """\
User: Which city do I live in, and where do I work?
Assistant: You live in Madrid and you work at Globex, as far as I know.
User: My port for the heron tests is 3850, please use it in all the tests.
Assistant: I will use port 9944 for the heron tests. You could also switch the ledger to MongoDB.
User: What would it cost to switch the ledger over, in weeks of work?
Assistant: About three weeks of work, if nobody is ill, with two people on it all the time."""


@pytest.mark.parametrize(
    "invented",
    [
        "The user lives in Madrid.",
        "The user's port for the heron tests is 9944.",
        "The ledger uses MongoDB.",
        "The user's port for the heron tests is 3580.",
    ],
)
def test_words_of_the_assistant_are_no_facts_about_the_user(
    home: Home, script: Script, invented: str
) -> None:
    agent = f"spoken-{zlib.crc32(invented.encode()) % 9973:x}"
    true = "The user's port for the heron tests is 3850."
    text = f"{SPOKEN}\n{talk(f'marsh {agent}', turns=2)}"
    listed = [{"content": one, "type": "fact", "importance": 0.9} for one in (invented, true)]
    summary = f"# Session Notes\n\n## Heron tests\n\n- {true}\n- {invented}\n- About three weeks of work, two people."
    script.reads(f"marsh {agent}", json.dumps({"summary": summary, "facts": listed}))
    result = finished(home, session_ended(home, agent, text, agent))
    assert [one["content"] for one in facts_of(home, agent)] == [true]
    notes = (home.workspace.root / str(result["path"])).read_text("utf-8")
    assert true in notes and invented not in notes
