"""The closer look at entities: aspects and dependencies, several facts in one call, the dropped ones alone."""

import json
from collections.abc import Iterator

import pytest

from signet import clock
from signet.config.pipeline import Structural
from signet.db import WriteTx
from signet.domain.graph import classify
from support.models import Answer, FakeServer
from support.processes import eventually
from worker.home import Home, a_home, manifest
from worker.script import Script, depends, fact, filed, found, triple

CLASSIFY, DEPEND = "structural_classify", "structural_dependency"


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        structural = {"enabled": True, "pollIntervalMs": 120_000}
        made.configure(manifest(url=server.url, structural=structural))
        with made.worker():
            yield made


def told(home: Home, script: Script, entity: str, contents: list[str], *targets: str) -> list[str]:
    """Let these facts be found, with relations of the entity; return the memories that they are."""
    # In small letters, so that saving it links no entity.
    named = "; ".join((entity, *contents, *targets)).lower()
    text = f"Minutes of the weekly meeting, written down by the secretary: {named}."
    relations = [triple(entity, "uses", target) for target in targets]
    script.reads(text, found(*map(fact, contents), entities=relations))
    source = home.remember(text, entity)
    home.ended(source)
    return [row["id"] for row in home.facts(source)]


def release(home: Home, kind: str, agent: str) -> None:
    """Let the first job of a kind start now; the others wait on for their siblings."""
    home.run(
        "UPDATE memory_jobs SET due_ms = 0 WHERE id = (SELECT min(id) FROM memory_jobs"
        " WHERE job_type = ? AND agent_id = ? AND status = 'pending')",
        kind,
        agent,
    )


def attributes(home: Home, agent: str) -> list[tuple[str, str | None, str, str]]:
    rows = home.rows(
        "SELECT attribute_value, s.aspect_name, kind, status FROM entity_attributes a"
        " LEFT JOIN entity_aspects s ON s.id = a.aspect_id"
        " JOIN memories m ON m.id = a.source_memory_id AND m.source_type = 'pipeline-v2'"
        " WHERE a.agent_id = ? ORDER BY a.rowid",
        agent,
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def statuses(home: Home, kind: str, agent: str) -> list[tuple[str, int]]:
    sql = "SELECT status, attempts FROM memory_jobs WHERE job_type = ? AND agent_id = ? ORDER BY id"
    return [(row[0], row[1]) for row in home.rows(sql, kind, agent)]


def asked(server: FakeServer, sort: str, words: str) -> list[str]:
    return [one for one in server.prompts if words in one and Script.sort(one) == sort]


def test_facts_of_one_entity_are_filed_in_one_call(
    home: Home, script: Script, server: FakeServer
) -> None:
    facts = ["Osprey is written in Go", "Osprey must never store passwords", "Osprey has a stall"]
    told(home, script, "Osprey", facts, "Sheldrake")
    assert {aspect for _, aspect, _, _ in attributes(home, "Osprey")} == {None}
    script.files("Osprey is", filed("Language ", "security", "language", kind="constraint"))
    release(home, CLASSIFY, "Osprey")
    eventually(lambda: statuses(home, CLASSIFY, "Osprey")[-1][0] == "completed")
    assert attributes(home, "Osprey") == [
        (facts[0], "language", "constraint", "active"),
        (facts[1], "security", "constraint", "active"),
        (facts[2], "language", "constraint", "active"),
    ]
    assert statuses(home, CLASSIFY, "Osprey") == [("completed", 1), *[("completed", 0)] * 2]
    [prompt] = asked(server, "File each", "Osprey is")
    assert all(f"{number}. {text}" in prompt for number, text in enumerate(facts, 1))
    kinds = (
        "SELECT entity_type FROM entities WHERE agent_id = 'Osprey' AND canonical_name = 'osprey'"
    )
    assert home.value(kinds) == "project"


def test_what_the_model_passes_over_is_asked_again_alone(
    home: Home, script: Script, server: FakeServer
) -> None:
    facts = ["Merlin was drawn by Ida", "Merlin has four doors", "Merlin costs nine crowns"]
    told(home, script, "Merlin", facts, "Sheldrake")
    one_by_one: list[Answer] = [filed("", "parts", ""), filed("people"), filed("price")]
    script.files("Merlin", *one_by_one)
    release(home, CLASSIFY, "Merlin")
    eventually(lambda: statuses(home, CLASSIFY, "Merlin")[1][0] == "completed")
    errors = "SELECT errors FROM memory_jobs WHERE job_type = ? AND agent_id = 'Merlin' ORDER BY id"
    eventually(lambda: bool(home.value(errors, CLASSIFY)))
    [dropped] = json.loads(str(home.value(errors, CLASSIFY)))
    assert dropped["code"] == "dropped_from_llm_output"
    assert statuses(home, CLASSIFY, "Merlin")[2] == ("pending", 0), "a sibling is charged nothing"
    home.hurry()
    eventually(lambda: {s for s, _ in statuses(home, CLASSIFY, "Merlin")} == {"completed"})
    assert [attempts for _, attempts in statuses(home, CLASSIFY, "Merlin")] == [2, 0, 1]
    assert {aspect for _, aspect, _, _ in attributes(home, "Merlin")} == {
        "people",
        "parts",
        "price",
    }
    prompts = asked(server, "File each", "Merlin")
    assert len(prompts) == 3 and all("2. " not in prompt for prompt in prompts[1:])


def test_an_answer_without_results_is_asked_for_once_more(
    home: Home, script: Script, server: FakeServer
) -> None:
    told(home, script, "Hobby", ["Hobby sleeps in the attic"], "Sheldrake")
    script.files("Hobby sleeps", "I would file it under sleep.", filed("sleep"))
    release(home, CLASSIFY, "Hobby")
    eventually(lambda: statuses(home, CLASSIFY, "Hobby") == [("completed", 1)])
    assert len(asked(server, "File each", "Hobby sleeps")) == 2


def test_facts_that_the_model_files_in_no_form_belong_to_what_is_general(
    home: Home, script: Script
) -> None:
    told(home, script, "Kestrel", ["Kestrel hangs on the wall"], "Sheldrake")
    script.files("Kestrel hangs", "I would file it under wall.")
    script.depends("Kestrel hangs", "On the wall.")
    release(home, CLASSIFY, "Kestrel")
    release(home, DEPEND, "Kestrel")
    eventually(lambda: statuses(home, CLASSIFY, "Kestrel") == [("completed", 1)])
    eventually(lambda: statuses(home, DEPEND, "Kestrel") == [("completed", 1)])
    assert {aspect for _, aspect, _, _ in attributes(home, "Kestrel")} == {"general"}


def test_numbers_as_text_and_a_list_without_its_object_are_read(home: Home, script: Script) -> None:
    told(home, script, "Bullfinch", ["Bullfinch rests in the barn"], "Sheldrake")
    script.files("Bullfinch rests", '[{"i": "1", "aspect": "place", "kind": "attribute"}]')
    release(home, CLASSIFY, "Bullfinch")
    eventually(lambda: statuses(home, CLASSIFY, "Bullfinch") == [("completed", 1)])
    assert {aspect for _, aspect, _, _ in attributes(home, "Bullfinch")} == {"place"}


def test_an_entity_never_has_more_than_twenty_aspects(home: Home, script: Script) -> None:
    told(home, script, "Petrel", ["Petrel is large"], "Sheldrake")
    entity = "SELECT id FROM entities WHERE agent_id = 'Petrel' AND canonical_name = 'petrel'"
    have = home.value(f"SELECT COUNT(*) FROM entity_aspects WHERE entity_id = ({entity})")
    assert isinstance(have, int)
    for number in range(19 - have):
        home.run(
            "INSERT INTO entity_aspects (id, entity_id, agent_id, aspect_name, canonical_name, created_at,"
            f" updated_at) SELECT ?1, ({entity}), 'Petrel', ?1, ?1, '', ''",
            f"aspect {number}",
        )
    script.files("Petrel is", filed("x" * 80))
    release(home, CLASSIFY, "Petrel")
    eventually(lambda: statuses(home, CLASSIFY, "Petrel") == [("completed", 1)])
    assert [aspect for _, aspect, _, _ in attributes(home, "Petrel")] == ["general"]


def test_dependencies_join_known_entities_only(home: Home, script: Script) -> None:
    facts = ["Harrier calls Kite for prices", "Harrier calls Condor when Kite is down"]
    told(home, script, "Harrier", facts, "Kite")
    script.depends("Harrier calls", depends("kite", "Condor", type="depends on"))
    release(home, DEPEND, "Harrier")
    eventually(lambda: {s for s, _ in statuses(home, DEPEND, "Harrier")} == {"completed"})
    edges = home.rows(
        "SELECT t.canonical_name, d.strength, d.confidence FROM entity_dependencies d"
        " JOIN entities t ON t.id = d.target_entity_id"
        " WHERE d.agent_id = 'Harrier' AND dependency_type = 'depends_on'"
    )
    assert [tuple(edge) for edge in edges] == [("kite", 0.5, 0.7)]


def test_the_entities_most_spoken_of_are_looked_at_in_turn(
    home: Home, script: Script, server: FakeServer
) -> None:
    told(home, script, "Goshawk", ["Goshawk lends its tent to Dunnock"], "Dunnock")
    home.run("UPDATE memory_jobs SET status = 'dead', failed_at = '' WHERE status = 'pending'")
    script.depends("Goshawk (project)", depends("Dunnock", type="informs"))
    script.depends("Dunnock (tool)", depends(""))
    wanted = Structural(synthesis_enabled=True)

    def turn(tx: WriteTx) -> str | None:
        tx.run("UPDATE entities SET mentions = 0 WHERE agent_id <> 'Goshawk'")
        found = classify.next_entity(tx, wanted)
        if found:
            classify.queue_synthesis(tx, *found, now=clock.now())
        return (
            str(tx.value("SELECT name FROM entities WHERE id = ?", (found[0],))) if found else None
        )

    seen = set()
    while name := home.db.write(turn):
        seen.add(name)
        home.drained(DEPEND)
    assert {"Goshawk", "Dunnock"} <= seen
    edges = "SELECT COUNT(*) FROM entity_dependencies WHERE agent_id = 'Goshawk' AND dependency_type = 'informs'"
    assert home.value(edges) == 1


def test_a_fact_that_is_gone_is_skipped(home: Home, script: Script) -> None:
    [memory_id] = told(home, script, "Bunting", ["Bunting is red"], "Sheldrake")
    home.run("UPDATE memories SET is_deleted = 1 WHERE id = ?", memory_id)
    home.hurry()
    assert home.ended(memory_id, CLASSIFY) == {"skipped": "nothing_to_classify"}
