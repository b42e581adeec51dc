"""What a model proposes to change or remove, when that is allowed: as a person would, with the old row kept."""

import json
from collections.abc import Iterator

import pytest

from signet import clock
from signet.domain.memory import review
from signet.domain.memory.models import Actor, Recover, Rules
from signet.wire.origin import Origin
from support.models import FakeServer
from worker.home import USER, Home, Tree, a_home, manifest
from worker.script import Script, decided, fact, found

ALLOWED = {"allowUpdateDelete": True}


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest(url=server.url, embedding="ollama", autonomous=ALLOWED))
        with made.worker():
            yield made


def known(home: Home, script: Script, text: str, agent: str) -> str:
    """Save a memory from which nothing is read."""
    script.reads(f"\n{text}\n", found())
    memory_id = home.remember(text, agent)
    home.ended(memory_id)
    home.ended(memory_id, "embed")
    return memory_id


def told(home: Home, script: Script, content: str, decision: str, agent: str) -> tuple[str, Tree]:
    """Let one fact be found and decided about; return the source and the proposal."""
    text = f"A later meeting of {agent}, with minutes about everything else: {content}."
    script.reads(text, found(fact(content)))
    script.decides(content, decision)
    source = home.remember(text, agent)
    home.ended(source)
    [proposal] = home.proposals(source)
    return source, proposal


def cold(home: Home, memory_id: str) -> list[tuple[str, str, str]]:
    rows = home.rows(
        "SELECT content, archived_reason, original_row_json ->> 'content' FROM memories_cold"
        " WHERE memory_id = ?",
        memory_id,
    )
    return [(row[0], row[1], row[2]) for row in rows]


def test_an_update_changes_the_memory_and_keeps_the_old_row(home: Home, script: Script) -> None:
    old, new = "The auk depot opens at eight", "The auk depot opens at eight from Monday to Friday"
    script.contradicts(new, json.dumps({"contradicts": False, "confidence": 0.9, "reasoning": ""}))
    target = known(home, script, old, "update")
    source, proposal = told(home, script, new, decided("update", target), "update")
    assert (proposal["updatedMemoryId"], proposal["blockedReason"]) == (target, None)
    row = home.memory(target)
    assert (row["content"], row["version"], row["updated_by"]) == (new, 2, "pipeline-v2")
    assert cold(home, target) == [(old, "superseded", old)]
    [event] = home.rows(
        "SELECT old_content, new_content, changed_by, actor_type, reason FROM memory_history"
        " WHERE memory_id = ? AND event = 'updated'",
        target,
    )
    assert tuple(event) == (old, new, "pipeline-v2", "pipeline", "because")
    vector = "SELECT chunk_text FROM embeddings WHERE source_id = ?"
    assert [one[0] for one in home.rows(vector, target)] == [new]
    assert home.facts(source) == []
    stats = home.ended(source)["writeStats"]
    assert isinstance(stats, dict) and (stats["updated"], stats["embeddingsAdded"]) == (1, 1)


def test_a_delete_forgets_the_memory_and_keeps_the_row(home: Home, script: Script) -> None:
    old = "The bittern shop sells maps"
    target = known(home, script, old, "delete")
    source, proposal = told(
        home, script, "The bittern shop has closed for good", decided("delete", target), "delete"
    )
    assert (proposal["deletedMemoryId"], proposal["blockedReason"]) == (target, None)
    assert home.memory(target)["is_deleted"]
    assert cold(home, target) == [(old, "pipeline_delete", old)]
    stats = home.ended(source)["writeStats"]
    assert isinstance(stats, dict) and stats["deleted"] == 1
    asked = Recover(memory_id=target, reason="it is open", agent_id="delete")
    home.db.write(review.recover, asked, actor=USER, rules=Rules(), now=clock.now())
    assert cold(home, target) == []


@pytest.mark.parametrize(
    ("name", "column", "reason"),
    [
        ("pinned", "pinned", "{}_pinned_requires_force"),
        ("overridden", "manual_override", "{}_manual_override"),
    ],
)
@pytest.mark.parametrize("action", ["update", "delete"])
def test_what_a_person_has_laid_hands_on_stays(
    home: Home, script: Script, name: str, column: str, reason: str, action: str
) -> None:
    agent = f"{action} {name}"
    text = f"The {name} crake list has nine names for {action}"
    target = known(home, script, text, agent)
    home.run(f"UPDATE memories SET {column} = 1 WHERE id = ?", target)
    content = f"The {name} crake list of nine names and two more was closed for {action}"
    script.contradicts(content, json.dumps({"contradicts": False}))
    _, proposal = told(home, script, content, decided(action, target), agent)
    assert proposal["blockedReason"] == reason.format(action)
    assert home.memory(target)["content"] == text and cold(home, target) == []


def test_an_update_of_the_users_words_by_an_agent_waits_for_a_person(
    home: Home, script: Script
) -> None:
    old, new = "The smew hide opens at six", "The smew hide opens at six and has a stove"
    target = known(home, script, old, "smew")
    home.run("UPDATE memories SET origin = 'user' WHERE id = ?", target)
    script.contradicts(new, json.dumps({"contradicts": False}))
    text = f"A later meeting, with minutes about everything else: {new}."
    script.reads(text, found(fact(new)))
    script.decides(new, decided("update", target))
    source = home.remember(text, "smew")
    home.ended(source)
    said = home.proposals(source)
    assert [one["blockedReason"] for one in said if "fact" in one] == ["update_origin"]
    assert (home.memory(target)["content"], cold(home, target)) == (old, [])
    assert home.memory(source)["review"] == "replaces"
    person = Actor(name="cli", origin=Origin.USER, may_claim=Origin.USER)
    home.db.write(
        review.approve,
        source,
        agent_id="smew",
        actor=person,
        rules=Rules(),
        now=clock.now(),
    )
    assert home.memory(target)["superseded_by"] == source


@pytest.mark.parametrize(
    ("agent", "content", "answer"),
    [
        (
            "meaning",
            "The dotterel gate stands open all winter",
            {"contradicts": True, "confidence": 0.8, "reasoning": "it was shut"},
        ),
        ("words", "The dotterel gate never stands locked all winter", None),
    ],
)
def test_an_update_that_contradicts_is_left_for_a_person(
    home: Home, script: Script, agent: str, content: str, answer: object
) -> None:
    script.contradicts(content, json.dumps(answer))
    target = known(home, script, "The dotterel gate stands locked all winter", agent)
    _, proposal = told(home, script, content, decided("update", target), agent)
    assert proposal["blockedReason"] == "semantic_contradiction"
    assert proposal["reviewNeeded"] and proposal["contradictionRisk"]
    assert home.memory(target)["version"] == 1


@pytest.mark.parametrize("switch", ["shadowMode", "mutationsFrozen"])
def test_what_is_only_watched_changes_nothing_though_it_may(
    home: Home, script: Script, switch: str
) -> None:
    before = dict(home.tree)
    agent = f"watched {switch}"
    target = known(home, script, f"The garganey list has ten lines, {switch}", agent)
    content = f"The garganey list has ten lines and a title, {switch}"
    script.contradicts(content, json.dumps({"contradicts": False}))
    text = f"A later meeting of {agent}, with minutes about everything else: {content}."
    script.reads(text, found(fact(content)))
    script.decides(content, decided("update", target))
    home.drained()
    home.run("INSERT INTO queue_control VALUES ('all', 1, '', '')")
    source = home.remember(text, agent)
    tables = ("memories", "memories_cold", "memory_hints", "entities", "entity_attributes")
    rows = {table: home.dump(table) for table in tables}
    watching = manifest(
        url=home_url(before),
        shadowMode=switch == "shadowMode",
        mutationsFrozen=switch == "mutationsFrozen",
        autonomous=ALLOWED,
        hints={"enabled": True},
        structural={"enabled": True},
    )
    home.configure_live(watching)
    home.run("DELETE FROM queue_control")
    home.ended(source)
    home.drained("extract")
    assert {table: home.dump(table) for table in tables} == rows
    [proposal] = home.proposals(source)
    assert (proposal["proposedAction"], proposal["updatedMemoryId"]) == ("update", None)
    assert (proposal["by"], proposal["blockedReason"]) == ("pipeline-shadow", None)
    home.configure_live(before)


def test_facts_of_one_text_are_compared_with_each_other(home: Home, script: Script) -> None:
    first, again = "The egret office moves to Lyon in May", "In May the egret office moves to Lyon"
    text = f"The meeting took long and turned in circles before somebody spoke: {first}."
    script.reads(text, found(fact(first), fact(again)))
    source = home.remember(text, "equal")
    home.ended(source)
    assert [row["content"] for row in home.facts(source)] == [first]
    assert [one["proposedAction"] for one in home.proposals(source)] == ["add", "none"]


def test_a_fact_that_says_little_new_can_be_left_out(home: Home, script: Script) -> None:
    before = dict(home.tree)
    home.configure_live(
        manifest(url=home_url(before), embedding="ollama", writeGate={"enabled": True})
    )
    known(home, script, "The finch kitchen orders rice and beans on Fridays", "gate")
    like = "The finch kitchen orders rice and beans on Fridays again"
    decision = "The finch kitchen decided to order rice and beans on Fridays"
    other = "Finch guests sleep in the northern wing"
    text = f"A meeting about meals, budgets, holidays and repairs: {decision}; {other}."
    script.reads(text, found(fact(like), fact(decision, type="decision"), fact(other)))
    for content in (decision, other):
        script.decides(content, decided("add"))
    source = home.remember(text, "gate")
    home.ended(source)
    home.configure_live(before)
    assert [one["skippedReason"] for one in home.proposals(source)] == ["low_surprisal", None, None]
    assert [row["content"] for row in home.facts(source)] == [decision, other]


def home_url(tree: Tree) -> str:
    return str(tree["embedding"]["base_url"])  # type: ignore[index]  # the manifest made it so


def test_what_recall_put_into_a_session_is_not_read_again(
    home: Home, script: Script, server: FakeServer
) -> None:
    said = "User: where do the godwit files live now, and who keeps them?"
    log = (
        '[signet:recall | query="godwit" | results=1 | engine=hybrid]\n'
        "- The godwit files live on the old server (May 3)\n\n"
        f"<memory-feedback>rate them</memory-feedback>\n{said}"
    )
    script.reads("godwit files", found())
    home.ended(home.remember(log, "injected"))
    [prompt] = [one for one in server.prompts if "godwit" in one]
    assert said in prompt
    assert "old server" not in prompt and "rate them" not in prompt
