"""Every call of both clients against the real API: what is sent arrives, what comes back is as its type says."""

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from client.speaking import Speaker
from signet.client import AsyncSignet, Conflict, Invalid, NotFound, Signet, answers
from support.http import Served


def at(server: Served, speaker: type[Speaker], **options: Any) -> Speaker:
    """Return a client of the server, which acts for its owner."""
    url = f"http://127.0.0.1:{server.port}"
    return speaker(url=url, environ={}, **{"token": server.token, **options})


def fits(kind: type, found: Mapping[str, object]) -> bool:
    """Say whether an answer has every field that its type promises."""
    missing = kind.__required_keys__ - found.keys()  # type: ignore[attr-defined]  # a TypedDict
    assert not missing, f"{kind.__name__} lacks {missing}"
    return True


def saved(client: Speaker, content: str, **fields: object) -> str:
    """Remember a text and return its id."""
    return str(client.do("remember", content, **fields)["id"])


def ids(rows: Iterable[Mapping[str, object]]) -> list[object]:
    """Return the ids of rows."""
    return [row["id"] for row in rows]


def methods(client: type) -> dict[str, inspect.Signature]:
    """Return the public methods of a client."""
    return {
        name: inspect.signature(one)
        for name in dir(client)
        if callable(one := getattr(client, name)) and not name.startswith("_")
    }


def test_both_clients_have_the_same_methods_with_the_same_words() -> None:
    sync, concurrent = methods(Signet), methods(AsyncSignet)
    assert sync.keys() == concurrent.keys()
    assert len(sync) > 40
    for name in sync:
        assert list(sync[name].parameters.values()) == list(concurrent[name].parameters.values())
        assert getattr(Signet, name).__doc__ == getattr(AsyncSignet, name).__doc__
        assert (getattr(Signet, name).__name__, getattr(AsyncSignet, name).__name__) == (name, name)
    assert inspect.signature(Signet.recall).return_annotation is answers.Recalled


def test_everything_that_can_be_said_of_a_memory_arrives(
    server: Served, speaker: type[Speaker]
) -> None:
    client = at(server, speaker, actor="ada", actor_type="harness")
    word = uuid4().hex
    old = saved(client, f"The {word} leaves on Mondays.")
    answer = client.do(
        "remember",
        f"The {word} leaves on Fridays.",
        type="decision",
        who="Ben",
        project="atlas",
        importance=0.4,
        tags=["ferry", "time"],
        pinned=True,
        private=True,
        scope=word,
        source_type="note",
        source_id=word,
        ordinal=3,
        created_at="2026-01-02T03:04:05Z",
        event_at="2026-01-01",
        hints=[f"When does the {word} leave?"],
        entities=[word],
        aspects=[{"entity": word, "aspect": "timetable", "content": "leaves on Fridays"}],
        transcript="Ben: it leaves on Fridays now",
        harness="codex",
        session_key="agent:default:1",
        idempotency_key=word,
    )
    assert fits(answers.SavedMemory, answer)
    memory = client.do("get", answer["id"])
    assert fits(answers.WholeMemory, memory)
    said = {
        "type": "decision",
        "who": "Ben",
        "project": "atlas",
        "importance": 0.4,
        "tags": "ferry,time",
        "pinned": 1,
        "visibility": "private",
        "scope": word,
        "source_type": "note",
        "source_id": word,
        "session_id": "agent:default:1",
        "created_at": "2026-01-02T03:04:05.000Z",
    }
    assert {name: memory[name] for name in said} == said
    assert answer["hints_written"] == 1
    again = client.do("remember", "something else", idempotency_key=word)
    assert again["deduped"] and again["id"] == answer["id"]
    events = client.do("history", answer["id"])
    assert fits(answers.MemoryChange, events[0])
    assert (events[0]["changedBy"], events[0]["actorType"]) == ("ada", "harness")
    newer = client.do("remember", f"The {word} leaves on Sundays.", supersedes=old)
    assert newer["superseded"] == [old]


def test_a_question_is_answered_with_reasons(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    word = uuid4().hex
    saved(client, f"The {word} opens at nine.", who="Ada", tags="shop", project=word)
    answer = client.do(
        "recall", word, who="Ada", tags=["shop"], project=word, explain=True, limit=1
    )
    assert fits(answers.Recalled, answer)
    hit = answer["results"][0]
    assert fits(answers.RecallResult, hit) and fits(answers.Explanation, hit["explain"])
    assert "keyword" in hit["explain"]["channels"]
    assert client.do("recall", word, project="other")["results"] == []
    assert client.do("recall", word, as_of="2001-01-01")["results"] == []
    assert client.do("recall", word, scope="elsewhere")["results"] == []
    with pytest.raises(Invalid, match="query is required"):
        client.do("recall", " ")


def test_words_authors_and_neighbours_are_found(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    word = uuid4().hex
    memory_id = saved(client, f"A {word} on the hill.", who=word, tags=["hill", "view"])
    found = client.do("search", word, tags=["hill", "view"], who=word)
    assert ids(found) == [memory_id] and fits(answers.FoundMemory, found[0])
    assert client.do("search", word, pinned=True) == []
    assert ids(client.do("search", who=word, limit=1)) == [memory_id]
    assert word in client.do("authors")
    assert "fact" in client.do("types")
    assert client.do("ids", memory_id[:18]) == [memory_id]
    with pytest.raises(NotFound):
        client.do("similar", memory_id)


def test_every_memory_is_met_once_page_after_page(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    kind = uuid4().hex
    made = [saved(client, f"Lamp {number} of {kind} is lit.", type=kind) for number in range(5)]
    page = client.do("memories", limit=2, offset=1, type=kind)
    assert fits(answers.MemoryPage, page) and fits(answers.MemorySummary, page["memories"][0])
    assert ids(page["memories"]) == made[2:4][::-1]
    timeline = client.do("memory_timeline")
    assert fits(answers.MemoryTimeline, timeline) and fits(
        answers.MemoryEra, timeline["buckets"][0]
    )
    assert timeline["totalMemories"] >= len(made)
    assert ids(client.do("each_memory", type=kind, page=2)) == made[::-1]
    assert list(client.do("each_memory", type="none of these")) == []


def test_no_memory_is_missed_when_others_are_forgotten_and_saved_meanwhile(server: Served) -> None:
    client = Signet(url=f"http://127.0.0.1:{server.port}", environ={})
    kind = uuid4().hex
    saved_ids = [
        client.remember(f"Lantern {number} of {kind} is lit.", type=kind)["id"]
        for number in range(5)
    ]
    met = []
    for one in client.each_memory(type=kind, page=2):
        met.append(one["id"])
        client.forget(one["id"], reason="seen")
        client.remember(f"Candle {len(met)} of {kind} is new.", type=kind)
    assert met == saved_ids[::-1]


def test_a_memory_is_changed_and_a_stale_change_is_a_conflict(
    server: Served, speaker: type[Speaker]
) -> None:
    client = at(server, speaker)
    word = uuid4().hex
    first = saved(client, f"The {word} is red.", tags="colour")
    second = saved(client, f"The {word} is blue.")
    done = client.do("modify", first, content=f"The {word} is pink.", tags=[], reason="painted")
    assert fits(answers.Modified, done)
    assert (done["status"], done["newVersion"]) == ("updated", 2)
    assert client.do("get", first)["tags"] is None
    with pytest.raises(Conflict) as stale:
        client.do("modify", first, pinned=True, reason="late", if_version=1)
    assert (stale.value.code, stale.value.current_version) == ("version_conflict", 2)
    with pytest.raises(Conflict) as same:
        client.do("modify", first, content=f"The {word} is blue.", reason="repainted")
    assert same.value.duplicate_memory_id == second
    many = client.do(
        "modify_many",
        [{"id": second, "importance": 0.1, "who": "Eve"}, {"id": "none", "pinned": True}],
        reason="cleaned up",
    )
    assert fits(answers.ModifiedMany, many) and fits(answers.Modified, many["results"][1])
    assert [one["status"] for one in many["results"]] == ["updated", "not_found"]
    assert client.do("get", second)["who"] == "Eve"


def test_what_is_forgotten_can_be_recovered(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    memory_id = saved(client, f"The {uuid4().hex} is locked.", pinned=True)
    with pytest.raises(Conflict, match="pinned"):
        client.do("forget", memory_id, reason="opened")
    gone = client.do("forget", memory_id, reason="opened", force=True, if_version=1)
    assert fits(answers.Forgotten, gone)
    with pytest.raises(NotFound):
        client.do("get", memory_id)
    back = client.do("recover", memory_id, reason="locked again", if_version=2)
    assert fits(answers.Recovered, back)
    assert client.do("get", memory_id)["version"] == 3
    with pytest.raises(Conflict):
        client.do("recover", memory_id, reason="twice")


def test_many_are_forgotten_only_as_they_were_previewed(
    server: Served, speaker: type[Speaker]
) -> None:
    client = at(server, speaker)
    tag = uuid4().hex
    made = [saved(client, f"Crate {number} of {tag}.", tags=tag) for number in range(26)]
    seen = client.do("preview_forget", tags=tag, limit=200)
    assert fits(answers.ForgetPreview, seen) and fits(answers.Candidate, seen["candidates"][0])
    assert (seen["count"], seen["requiresConfirm"]) == (26, True)
    with pytest.raises(Invalid) as unconfirmed:
        client.do("forget_many", tags=tag, limit=200, reason="sold")
    assert unconfirmed.value.facts["count"] == 26
    few = client.do("forget_many", ids=made[:1], reason="sold", force=True)
    assert fits(answers.ForgottenMany, few) and few["deleted"] == 1
    token = client.do("preview_forget", tags=tag, limit=200)["confirmToken"]
    done = client.do("forget_many", tags=tag, limit=200, reason="sold", confirm_token=token)
    assert done["deleted"] == 25
    assert client.do("search", tags=tag) == []


def test_vectors_are_looked_at(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    assert fits(answers.EmbeddingPage, client.do("embeddings", vectors=True))
    assert fits(answers.EmbeddingsStatus, client.do("embeddings_status"))
    health = client.do("embeddings_health")
    assert fits(answers.EmbeddingsHealth, health) and fits(answers.Check, health["checks"][0])
    assert fits(answers.Projection, client.do("projection", dimensions=3, query="none", limit=5))


def test_documents_are_handed_over_read_and_deleted(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    made = client.do("add_document", f"A note on {uuid4().hex}.", title="Note", metadata={"a": 1})
    assert fits(answers.AddedDocument, made)
    document = client.do("wait_for_document", made["id"], seconds=0)
    assert fits(answers.Document, document)
    assert (document["title"], document["metadata"]) == ("Note", {"a": 1})
    assert fits(answers.DocumentPage, client.do("documents", limit=1))
    assert client.do("chunks", made["id"]) == []
    job = client.do("job", made["jobId"])
    assert fits(answers.WholeJob, job) and job["document_id"] == made["id"]
    assert fits(answers.ForgottenDocument, client.do("delete_document", made["id"], reason="old"))


@pytest.mark.own_files
def test_a_folder_is_registered_synced_and_removed(
    server: Served, speaker: type[Speaker], tmp_path: Path
) -> None:
    client = at(server, speaker)
    made = client.do("add_connector", display_name="Notes", settings={"rootPath": str(tmp_path)})
    assert fits(answers.AddedConnector, made)
    one = client.do("connector", made["id"])
    assert fits(answers.Connector, one) and one["settings"]["rootPath"] == str(tmp_path)
    assert made["id"] in ids(client.do("connectors"))
    for full in (False, True):
        assert fits(answers.QueuedSync, client.do("sync_connector", made["id"], full=full))
    assert fits(answers.Resynced, client.do("sync_connectors"))
    health = client.do("connector_health", made["id"])
    assert fits(answers.ConnectorHealth, health) and health["status"] == "syncing"
    waited = client.do("wait_for_sync", made["id"], patience_seconds=0)
    assert waited["status"] == "syncing"  # there is no worker
    gone = client.do("remove_connector", made["id"], cascade=True)
    assert fits(answers.RemovedConnector, gone)
    with pytest.raises(NotFound):
        client.do("connector", made["id"])
    with pytest.raises(Invalid):
        client.do("add_connector", settings={"rootPath": "notes"})


def test_memories_are_rated(server: Served, speaker: type[Speaker]) -> None:
    rated = at(server, speaker).do("rate", "some session", {"nobody": 1})
    assert fits(answers.Rated, rated) and rated["unknown"] == ["nobody"]


def test_the_daemon_tells_how_it_is(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    saved(client, f"The {uuid4().hex} waits.")  # and its job, because there is no worker
    assert fits(answers.Status, client.do("status"))
    assert fits(answers.Health, client.do("health"))
    ready = client.do("ready")
    assert fits(answers.Ready, ready) and "worker is not running" in ready["reasons"]
    assert client.do("features") == {}
    assert fits(answers.PipelineStatus, client.do("pipeline_status"))
    assert fits(answers.Paused, client.do("pause"))
    assert client.do("work").paused
    assert client.do("resume")["paused"] is False
    assert client.do("jobs", limit=1, status="pending")
    assert client.do("call", "GET", "/api/jobs", limit=1)["count"] == 1


def test_what_is_exported_is_known_when_it_comes_in_again(
    server: Served, speaker: type[Speaker]
) -> None:
    client = at(server, speaker)
    word = uuid4().hex
    saved(client, f"A {word} in a box.")
    records = client.do("export", everything=True)
    assert any(word in str(record) for record in records)
    taken = client.do("import_records", records)
    assert fits(answers.Imported, taken)
    assert taken["new"] == 0 and taken["known"] > 0
    page = client.do("export_page", since="2100-01-01T00:00:00Z")
    assert fits(answers.ExportPage, page)


def test_another_agents_private_memory_is_not_there(server: Served, speaker: type[Speaker]) -> None:
    server.post("/api/agents", {"name": "ada"})
    client = at(server, speaker)
    memory_id = saved(client, f"Only mine: {uuid4().hex}.", agent_id="ada", private=True)
    assert client.do("get", memory_id, agent_id="ada")["id"] == memory_id
    for call in ("get", "history"):
        with pytest.raises(NotFound):
            client.do(call, memory_id, agent_id="bob")
    with pytest.raises(NotFound):
        client.do("forget", memory_id, agent_id="bob", reason="nosy")
    assert client.do("forget", memory_id, agent_id="ada", reason="done")["status"] == "deleted"


def test_skills_are_installed_looked_at_and_removed(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    for name in ("recall", "remember"):
        assert fits(answers.InstalledSkill, client.do("install_skill", name))
    [recall, remember] = client.do("skills")
    assert fits(answers.Skill, recall) and remember["name"] == "remember"
    assert fits(answers.WholeSkill, client.do("skill", "recall"))
    [found] = client.do("search_skills", "look up earlier")
    assert fits(answers.CatalogSkill, found) and found["installed"]
    assert len(client.do("browse_skills")) >= 6
    for name in ("recall", "remember"):
        assert fits(answers.RemovedSkill, client.do("remove_skill", name))
    with pytest.raises(NotFound):
        client.do("skill", "recall")


def test_agents_are_named_and_removed(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    name = f"a{uuid4().hex[:8]}"
    made = client.do("add_agent", name, read_policy="group", policy_group="crew")
    assert fits(answers.NamedAgent, made) and made["policy_group"] == "crew"
    assert fits(answers.CountedAgent, client.do("agents")[0])
    whole = client.do("agent", name)
    assert fits(answers.WholeAgent, whole) and whole["files"] == ["IDENTITY.md", "SOUL.md"]
    assert fits(answers.RemovedAgent, client.do("remove_agent", name, purge=True))
    with pytest.raises(NotFound):
        client.do("agent", name)
