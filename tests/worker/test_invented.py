"""Answers of a weak model, through a real worker: no invention replaces, forgets or outranks what a person said."""

import json
import re
from collections.abc import Iterator

import pytest

from signet.domain.memory.models import Actor
from signet.wire.origin import Origin
from support.models import FakeServer
from worker.home import Home, a_home, manifest
from worker.script import Script, decided, fact, found, triple

PERSON = Actor(name="cli", origin=Origin.USER, may_claim=Origin.USER)
ALLOWED = {"allowUpdateDelete": True}
OTHER_DECISIONS = ("compared with memories", "")


@pytest.fixture(scope="module")
def home(
    script: Script, server: FakeServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest(url=server.url, autonomous=ALLOWED))
        with made.worker():
            yield made


def say(home: Home, script: Script, text: str, agent: str, answer: str = found()) -> str:
    """Save what the user says, let the model answer so about it, and return the memory's ID."""
    script.reads(f"\n{text}\n", answer)
    script.scenes.pop(OTHER_DECISIONS, None)  # the last scene, because the first that fits answers
    script.scenes[OTHER_DECISIONS] = [decided("add")]
    memory_id = home.remember(text, agent, actor=PERSON)
    home.ended(memory_id)
    return memory_id


@pytest.mark.parametrize(
    ("known", "text", "invented"),
    [
        ("I work at Initech.", "I like rainy weather.", "The user works at Globex."),
        ("I work at Initech.", "I met people from Globex today.", "The user works at Globex."),
        ("I work at Initech.", "I used to work at Globex, years ago.", "The user works at Globex."),
        ("I work at Initech.", "Would I rather work at Globex?", "The user works at Globex."),
        ("I live in Berlin.", "I like long walks in the evening.", "The user lives in Madrid."),
        ("I live in Berlin.", "My sister flew to Madrid.", "The user lives in Madrid."),
        ("The port is 3850.", "We talked about the port for an hour.", "The port is 4410."),
        (
            "We deploy the ledger on Thursdays.",
            "I like green tea.",
            "Ledger deploys happen on Mondays instead of Thursdays.",
        ),
    ],
)
def test_an_invented_fact_replaces_nothing_that_the_user_said(
    home: Home, script: Script, known: str, text: str, invented: str
) -> None:
    agent = f"invented {text}"
    old = say(home, script, known, agent)
    say(home, script, text, agent, found(fact(invented, confidence=0.95)))
    memory = home.memory(old)
    assert (memory["superseded_by"], memory["valid_to"], memory["is_deleted"]) == (None, None, 0)


@pytest.mark.parametrize("text", ["I joined Globex in May.", "Since May I work at Globex."])
def test_a_fact_that_the_user_said_in_other_words_still_replaces(
    home: Home, script: Script, text: str
) -> None:
    agent = f"said {text}"
    old = say(home, script, "I work at Initech.", agent)
    say(home, script, text, agent, found(fact("The user works at Globex.")))
    assert home.memory(old)["superseded_by"] is not None


@pytest.mark.parametrize(
    "invented",
    [
        "At most 20, each 10 to 2000 characters.",
        "Durable knowledge only: preferences, decisions, constraints, identity",
        "Each names its subject and can be understood without the conversation",
        "... ... ... ...",
        "This is a fact",
        "content of the fact",
        "The facts are that the facts are that the facts are that the facts are",
        "Der Nutzer bevorzugt Leerzeichen anstelle von Tabulatoren",
        "The company has lost a lot of tasks to a new company that has been hired",
    ],
)
def test_echoes_loops_and_inventions_are_not_stored(
    home: Home, script: Script, invented: str
) -> None:
    agent = f"stored {invented}"
    true = "The build runs on two machines"
    source = say(
        home,
        script,
        "Nobody likes waiting, so the build of the whole project runs on two machines.",
        agent,
        found(fact(invented), fact(true), entities=[triple("Globex", "uses", "Solr")]),
    )
    assert [row["content"] for row in home.facts(source)] == [true]
    named = "SELECT canonical_name FROM entities WHERE agent_id = ? AND canonical_name = 'globex'"
    assert home.rows(named, agent) == []
    warnings = json.dumps(home.ended(source)["warnings"])
    assert "a fact is dropped" in warnings and "1 entities are dropped" in warnings


def test_a_fact_with_a_foreign_name_waits_for_a_person(home: Home, script: Script) -> None:
    text = "The search service of the shop was moved to new machines last week."
    source = say(
        home, script, text, "loose", found(fact("The search service was moved to Solr machines"))
    )
    [stored] = home.facts(source)
    assert (stored["review"], stored["origin"]) == ("waiting", "inferred")


def test_an_invented_delete_forgets_nothing(home: Home, script: Script) -> None:
    old = say(home, script, "The heron exporter writes CSV files.", "deletes")
    invented = "The heron exporter of Globex writes no CSV files"
    script.decides(invented, decided("delete", old))
    source = say(
        home,
        script,
        "The heron exporter came up in the meeting, with CSV files and coffee.",
        "deletes",
        found(fact(invented)),
    )
    assert not home.memory(old)["is_deleted"]
    [proposal] = home.proposals(source)
    assert proposal["blockedReason"] == "delete_ungrounded"


def test_a_fact_below_the_limit_asks_for_no_decision(
    home: Home, script: Script, server: FakeServer
) -> None:
    say(home, script, "The curlew service listens on port 4410", "low")
    unsure = "The curlew service listens on port 4410 at night"
    text = f"After a long and tiring meeting somebody wrote down: {unsure}."
    say(home, script, text, "low", found(fact(unsure, confidence=0.4)))
    assert not [one for one in server.prompts if f"): {unsure}" in one]


def test_requests_show_no_values_to_copy_and_offer_known_ids_only(
    home: Home, script: Script, server: FakeServer
) -> None:
    old = say(home, script, "The dunnock service listens on port 4410", "asks")
    new = "The dunnock service listens on port 4410 at night"
    text = f"After a long and tiring meeting somebody wrote down: {new}."
    say(home, script, text, "asks", found(fact(new)))
    asked = [one.body for one in server.requests if "dunnock" in str(one.body.get("prompt"))]
    assert not [one for one in asked if re.search(r'"confidence": *[\d.]', str(one["prompt"]))]
    shapes = [json.loads(json.dumps(one["format"]))["properties"] for one in asked]
    words = ["high", "low", "medium"]
    [target] = [shape["targetId"]["enum"] for shape in shapes if "targetId" in shape]
    assert set(target) == {"", old}
    read = [shape["facts"]["items"]["properties"] for shape in shapes if "facts" in shape]
    assert read and all(one["confidence"]["enum"] == words for one in read)
