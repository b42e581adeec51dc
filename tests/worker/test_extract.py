"""Reading a memory with a model, through a real worker: what is stored, and what becomes of odd answers.

All tests share one worker and one model server; each uses an agent of its own, so that none sees the others' memories.
"""

import json
import threading
from collections.abc import Iterator

import pytest

from signet import clock
from signet.domain.memory.forget import forget
from support.database import indexed_vectors
from support.models import Answer, FakeServer, Hang, Status, thinking
from support.processes import eventually
from worker.home import USER, Home, a_home, manifest
from worker.script import Script, decided, fact, found, triple

MODEL = "ollama:qwen3:4b"


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest(url=server.url, embedding="ollama"))
        with made.worker():
            yield made


def test_a_memory_becomes_facts_with_history_graph_and_vectors(home: Home, script: Script) -> None:
    text = "We talked long about storage. Kestrel runs on SQLite now, and Nora looks after it."
    runs, keeper = "Kestrel stores its data in SQLite", "Nora maintains the Kestrel project"
    script.reads(
        text,
        found(
            fact(runs, type="decision"),
            fact(keeper, confidence=0.75),
            entities=[triple("Kestrel", "uses", "SQLite")],
        ),
    )
    source = home.remember(text, "full")
    result = home.ended(source)
    assert (result["facts"], result["entities"], result["proposals"]) == (2, 1, 2)
    assert result["writeMode"] == "phase-c"
    assert result["writeStats"] == {
        "added": 2,
        "updated": 0,
        "deleted": 0,
        "deduped": 0,
        "skippedLowConfidence": 0,
        "skippedForgotten": 0,
        "blockedDestructive": 0,
        "reviewNeeded": 0,
        "embeddingsAdded": 2,
    }
    one, two = home.facts(source)
    assert (one["content"], one["type"], one["importance"]) == (runs, "decision", 0.9)
    assert (two["content"], two["type"], two["importance"]) == (keeper, "fact", 0.75)
    for row in (one, two):
        assert (row["who"], row["why"], row["source_type"]) == (
            "pipeline-v2",
            "extracted-fact",
            "pipeline-v2",
        )
        assert (row["agent_id"], row["project"], row["visibility"]) == ("full", "/p", "global")
        assert (row["extraction_status"], row["extraction_model"]) == ("completed", MODEL)
        assert (row["embedding_model"], row["pinned"]) == ("nomic-embed-text", 0)
    after = home.memory(source)
    assert (after["content"], after["extraction_status"]) == (text, "completed")
    _has_history(home, source, one["id"], runs)
    _has_graph(home, source, one["id"])
    home.ended(source, "embed")
    vectors = (
        "SELECT COUNT(*) FROM embeddings WHERE source_id = ?"
        f" AND id IN (SELECT id FROM {indexed_vectors()})"
    )
    assert [home.value(vectors, id) for id in (source, one["id"], two["id"])] == [1, 1, 1]


def _has_history(home: Home, source: str, fact_id: str, content: str) -> None:
    proposal, _ = home.proposals(source)
    assert proposal == {
        "by": "pipeline-v2",
        "reason": "no memory resembles it",
        "shadow": False,
        "proposedAction": "add",
        "targetMemoryId": None,
        "targetContent": None,
        "confidence": 0.9,
        "fact": {"content": content, "type": "decision", "confidence": 0.9},
        "extractionModel": MODEL,
        "factCount": 2,
        "entityCount": 1,
        "createdMemoryId": fact_id,
        "updatedMemoryId": None,
        "deletedMemoryId": None,
        "dedupedExistingId": None,
        "blockedReason": None,
        "reviewNeeded": False,
        "contradictionRisk": False,
        "skippedReason": None,
    }
    [created] = home.rows(
        "SELECT changed_by, actor_type, new_content, metadata ->> 'proposedAction' AS action,"
        " metadata ->> 'sourceMemoryId' AS source, metadata ->> 'decisionConfidence' AS decision,"
        " metadata ->> 'factConfidence' AS fact, metadata ->> 'extractionModel' AS model"
        " FROM memory_history WHERE memory_id = ? AND event = 'created'",
        fact_id,
    )
    assert tuple(created) == (
        *("pipeline-v2", "pipeline", content, "add", source, 0.9, 0.9, MODEL),
    )


def _has_graph(home: Home, source: str, fact_id: str) -> None:
    [relation] = home.rows(
        "SELECT s.canonical_name, relation_type, t.canonical_name, r.strength, r.mentions"
        " FROM relations r JOIN entities s ON s.id = source_entity_id"
        " JOIN entities t ON t.id = target_entity_id WHERE s.agent_id = 'full'"
    )
    assert tuple(relation) == ("kestrel", "uses", "sqlite", 1.0, 1)
    edges = (
        "SELECT COUNT(*) FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id"
        " JOIN entities t ON t.id = d.target_entity_id"
        " WHERE s.agent_id = 'full' AND s.canonical_name = 'kestrel' AND t.canonical_name = 'sqlite'"
        " AND dependency_type = 'uses'"
    )
    assert home.value(edges) == 1
    mentioned = (
        "SELECT GROUP_CONCAT(canonical_name) FROM (SELECT canonical_name FROM entities e"
        " JOIN memory_entity_mentions m ON m.entity_id = e.id WHERE memory_id = ?"
        " AND canonical_name IN ('kestrel', 'sqlite') ORDER BY 1)"
    )
    assert home.value(mentioned, source) == "kestrel,sqlite"
    assert home.value(mentioned, fact_id) == "kestrel,sqlite", "the fact names both as well"


def test_a_fact_that_resembles_a_memory_is_decided_about(home: Home, script: Script) -> None:
    known = home.remember("The linnet service listens on port 4410", "decide")
    script.reads("linnet service listens", found())
    home.ended(known)
    wanted = {
        "The port of the linnet service is 4410": decided("none"),
        "The linnet service never listens on port 4410": decided("update", known),
        "The linnet service on port 4410 was removed": decided("delete", known),
        "The linnet service on port 4410 is written in Go": decided("add"),
    }
    for content, decision in wanted.items():
        script.decides(content, decision)
    text = f"Notes of today, taken at the end of a long meeting: {'; '.join(wanted)}."
    script.reads(text, found(*map(fact, wanted)))
    source = home.remember(text, "decide")
    stats = home.ended(source)["writeStats"]
    assert isinstance(stats, dict)
    assert (stats["added"], stats["blockedDestructive"], stats["reviewNeeded"]) == (1, 2, 1)
    nothing, update, delete, add = home.proposals(source)
    assert (nothing["proposedAction"], nothing["blockedReason"]) == ("none", None)
    assert (update["proposedAction"], update["targetMemoryId"]) == ("update", known)
    assert update["targetContent"] == "The linnet service listens on port 4410"
    assert update["blockedReason"] == "destructive_mutations_disabled"
    assert update["contradictionRisk"] and update["reviewNeeded"]
    assert delete["blockedReason"] == "destructive_mutations_disabled"
    assert not delete["contradictionRisk"]
    assert (add["proposedAction"], add["reason"]) == ("add", "because")
    assert [row["id"] for row in home.facts(source)] == [add["createdMemoryId"]]
    assert not home.memory(known)["is_deleted"]


def test_half_a_letter_in_a_reason_hinders_nothing(home: Home, script: Script) -> None:
    script.reads("siskin service listens", found())
    known = home.remember("The siskin service listens on port 4411", "half")
    home.ended(known)
    fact_told = "The port of the siskin service is 4411"
    script.decides(fact_told, decided("none", reason="known \ud83d"))
    text = f"Notes about everything that ran late at night: {fact_told}."
    script.reads(text, found(fact(fact_told)))
    source = home.remember(text, "half")
    home.ended(source)
    [proposal] = home.proposals(source)
    assert (proposal["proposedAction"], proposal["reason"]) == ("none", "known \ufffd")


def test_a_fact_that_cannot_be_decided_gets_a_second_look_and_stops_no_other(
    home: Home, script: Script, server: FakeServer
) -> None:
    script.reads("\nThe dunlin board meets on Monday\n", found())
    home.ended(home.remember("The dunlin board meets on Monday", "undecided"))
    unclear, hopeless, clear = (
        "The dunlin board meets on Monday at ten",
        "The dunlin board meets on Monday in Ulm",
        "Dunlin pays its rent in March",
    )
    script.decides(unclear, Status(500), decided("add"))
    script.decides(hopeless, Status(500))
    script.decides(clear, decided("add"))
    text = f"Minutes taken by the secretary: {unclear}; {hopeless}; {clear}."
    script.reads(text, found(*map(fact, (unclear, hopeless, clear))))
    source = home.remember(text, "undecided")
    eventually(lambda: bool(home.facts(source)))
    assert [p["skippedReason"] for p in home.proposals(source)] == [
        *("decision_failed", "decision_failed", None)
    ]
    assert [row["content"] for row in home.facts(source)] == [clear]
    home.hurry()
    eventually(lambda: home.job(source)["last_error_code"] == "provider_failed")
    assert [row["content"] for row in home.facts(source)] == [clear], "the second look is whole"
    script.decides(hopeless, decided("add"))
    home.hurry()
    assert home.ended(source)["proposals"] == 2
    assert [row["content"] for row in home.facts(source)] == [clear, unclear, hopeless]
    jobs = "SELECT COUNT(*) FROM memory_jobs WHERE memory_id = ? AND job_type = 'extract'"
    assert home.value(jobs, source) == 2, "there is no third look"
    assert sum(text in prompt for prompt in server.prompts) == 1


@pytest.mark.parametrize(
    "answer",
    ["I would rather not say.", '{"action": "update", "targetId": "nobody", "reason": "x"}'],
    ids=["chatter", "no candidate"],
)
def test_a_decision_that_cannot_be_read_is_asked_for_again_and_then_made_by_the_rules(
    home: Home, script: Script, server: FakeServer, answer: str
) -> None:
    agent = f"ruff {len(answer)}"
    script.reads("\nThe ruff board meets on Monday\n", found())
    home.ended(home.remember("The ruff board meets on Monday", agent))
    told = f"The ruff board meets on Friday at {len(answer)}"
    text = f"Minutes taken by the secretary for {agent}, in great haste: {told}."
    script.decides(told, answer)
    script.reads(text, found(fact(told)))
    source = home.remember(text, agent)
    home.ended(source)
    assert [row["content"] for row in home.facts(source)] == [told]
    assert home.job(source)["attempts"] == 1
    asked = [prompt for prompt in server.prompts if f"): {told}\n" in prompt]
    assert len(asked) == 2 and "Answer with the JSON object only" in asked[1]
    [proposal] = home.proposals(source)
    assert (proposal["proposedAction"], proposal["reason"]) == ("add", "no memory says the same")


def test_a_fact_the_model_is_not_sure_of_is_not_written(home: Home, script: Script) -> None:
    text = "Somebody may have said that the siskin job runs at night."
    script.reads(text, found(fact("The siskin job runs at night", confidence=0.69)))
    source = home.remember(text, "unsure")
    stats = home.ended(source)["writeStats"]
    assert isinstance(stats, dict) and stats["skippedLowConfidence"] == 1
    assert [p["skippedReason"] for p in home.proposals(source)] == ["low_fact_confidence"]
    assert home.facts(source) == []


def test_a_fact_is_written_once_however_often_it_is_found(home: Home, script: Script) -> None:
    content = "The crane team deploys on Tuesdays"
    texts = [f"{which} notes, taken in a long meeting: {content}." for which in ("First", "Other")]
    for text in texts:
        script.reads(text, found(fact(content), fact(f"{content.upper()}!")))
    script.decides(content, decided("add"))
    script.decides(f"{content.upper()}!", decided("add"))
    first = home.remember(texts[0], "twice")
    home.ended(first)
    second = home.remember(texts[1], "twice")
    stats = home.ended(second)["writeStats"]
    assert isinstance(stats, dict) and (stats["added"], stats["deduped"]) == (0, 1)
    [written] = home.facts(first)
    assert home.facts(second) == []
    [proposal] = home.proposals(second)
    assert proposal["dedupedExistingId"] == written["id"]


LONE = "The plover archive is kept in Oslo"
CUT = found(fact(LONE), fact("This one is cut off in the middle"))[:-60]


@pytest.mark.parametrize(
    ("name", "answers", "facts", "warning", "calls"),
    [
        ("a list", [f'[{{"content": "{LONE}", "type": "fact"}}]'], 1, "cut", 1),
        ("thinking", [thinking(found(fact(LONE)))], 1, None, 1),
        ("fenced", [f"Here you are:\n```json\n{found(fact(LONE))}\n```"], 1, None, 1),
        (
            "trailing comma",
            [f'{{"facts": [{{"content": "{LONE}", "type": "fact",}},],}}'],
            1,
            None,
            1,
        ),
        ("cut", [CUT], 1, "cut", 1),
        ("nothing durable", [found()], 0, None, 1),
        ("no lists", ['{"facts": "none", "entities": null}'], 0, None, 1),
        ("chatter, then JSON", ["I am sorry?", found(fact(LONE))], 1, None, 2),
    ],
)
def test_an_odd_answer_never_fails_the_job(
    home: Home,
    script: Script,
    server: FakeServer,
    name: str,
    answers: list[Answer],
    facts: int,
    warning: str | None,
    calls: int,
) -> None:
    text = f"A long text about many things, answered with {name}: {LONE}."
    script.reads(text, *answers)
    source = home.remember(text, f"odd {name}")
    result = home.ended(source)
    assert home.job(source)["attempts"] == 1
    assert len(home.proposals(source)) == facts
    warnings = result["warnings"]
    assert isinstance(warnings, list)
    assert warning in " ".join(warnings) if warning else warnings == []
    asked = [prompt for prompt in server.prompts if text in prompt]
    assert len(asked) == calls
    assert all("Answer with the JSON object only" in again for again in asked[1:])
    assert home.memory(source)["extraction_status"] == "completed"


def test_a_text_that_could_not_be_read_shows_it_where_people_look(
    home: Home, script: Script, server: FakeServer
) -> None:
    text = "A text about which the model only chats."
    script.reads(text, "I am sorry?", "<think>never closed")
    source = home.remember(text, "chats")
    assert "EXTRACTION_PARSE_FAIL" in str(home.ended(source)["warnings"])
    assert home.memory(source)["extraction_status"] == "failed"
    [told] = home.proposals(source)
    assert told["errorCode"] == "EXTRACTION_PARSE_FAIL" and "asked twice" in str(told["reason"])
    assert sum(text in prompt for prompt in server.prompts) == 2
    assert home.logged("extraction.unreadable") >= 1


def test_a_text_that_the_model_does_not_answer_in_json_is_read_by_the_rules(
    home: Home, script: Script, server: FakeServer
) -> None:
    said = "The plover service listens on port 4410."
    text = f"{said} Good to know, I would say."
    script.reads(text, "Sure! It is about a service.", '{"fac')
    source = home.remember(text, "chats on")
    assert home.ended(source)["facts"] == 1
    assert [row["content"] for row in home.facts(source)] == [said]
    assert home.facts(source)[0]["extraction_model"] == "rules"
    job, memory = home.job(source), home.memory(source)
    assert (job["attempts"], memory["extraction_status"]) == (1, "completed")
    [_, told] = sorted(home.proposals(source), key=lambda one: "errorCode" in one)
    assert "read by the built-in rules" in str(told["reason"])
    assert sum(text in prompt for prompt in server.prompts) == 2
    assert home.logged("model.unreadable") >= 2


def test_a_failing_model_is_asked_again_and_then_the_memory_shows_it(
    home: Home, script: Script
) -> None:
    text = "The model has no luck with this one."
    script.reads(text, Status(500))
    source = home.remember(text, "failing", attempts=2)
    eventually(lambda: bool(home.job(source)["errors"]))
    [failure] = json.loads(str(home.job(source)["errors"]))
    wait = clock.ms_to_instant(home.job(source)["due_ms"]) - clock.parse(failure["at"])
    assert 14.99 <= wait.total_seconds() <= 15.51
    home.ended(source, status="dead")
    job = home.job(source)
    assert job["last_error_code"] == "provider_failed"
    assert home.memory(source)["extraction_status"] == "failed"


def test_a_memory_that_is_tried_again_shows_no_failure(
    home: Home, script: Script, server: FakeServer
) -> None:
    text = "The model has luck with this one later."
    hang = Hang(threading.Event(), found(fact("The model has luck with it later")))
    script.reads(text, Status(500), hang)
    source = home.remember(text, "lucky", attempts=2)
    eventually(lambda: bool(home.job(source)["errors"]))
    home.hurry()
    eventually(lambda: sum(text in prompt for prompt in server.prompts) == 2)
    assert home.memory(source)["extraction_status"] == "pending"
    hang.release.set()
    home.ended(source)
    assert home.memory(source)["extraction_status"] == "completed"


def _holding(script: Script, text: str, content: str) -> Hang:
    hang = Hang(threading.Event(), found(fact(content)))
    script.reads(text, hang)
    return hang


def _asked(server: FakeServer, text: str) -> None:
    eventually(lambda: any(text in prompt for prompt in server.prompts))


def test_nothing_is_written_about_a_memory_that_was_forgotten_meanwhile(
    home: Home, script: Script, server: FakeServer
) -> None:
    text = "The rook account is closed in June."
    hang = _holding(script, text, "The rook account closes in June")
    source = home.remember(text, "forgotten")
    _asked(server, text)
    home.db.write(forget, source, actor=USER, reason="test", now=clock.now())
    hang.release.set()
    assert home.ended(source) == {"skipped": "memory_deleted"}
    assert (home.facts(source), home.proposals(source)) == ([], [])


def test_a_memory_that_was_changed_meanwhile_is_read_again(
    home: Home, script: Script, server: FakeServer
) -> None:
    old, new = "The wren server stands in Bonn.", "The wren server stands in Graz."
    hang = _holding(script, old, "Bonn is where the wren server stands")
    script.reads(new, found(fact("Graz is where the wren server is kept")))
    source = home.remember(old, "changed")
    _asked(server, old)
    first = home.job(source)["id"]
    home.run(
        "UPDATE memories SET content = ?, content_hash = 'new', version = version + 1 WHERE id = ?",
        new,
        source,
    )
    hang.release.set()
    eventually(lambda: bool(home.facts(source)))
    [row] = home.facts(source)
    assert row["content"] == "Graz is where the wren server is kept"
    assert home.value("SELECT status FROM memory_jobs WHERE id = ?", first) == "completed"
    assert home.memory(source)["extraction_status"] == "completed"


def test_the_kill_switch_stops_a_job_that_is_running(
    home: Home, script: Script, server: FakeServer
) -> None:
    text = "The stork budget is frozen this year."
    hang = _holding(script, text, "This year the stork budget does not grow")
    source = home.remember(text, "switch")
    _asked(server, text)
    before = dict(home.tree)
    home.configure_live(manifest(url=server.url, mutationsFrozen=True))
    hang.release.set()
    home.ended(source)
    home.configure_live(before)
    assert home.facts(source) == []
    assert [p["by"] for p in home.proposals(source)] == ["pipeline-shadow"]
