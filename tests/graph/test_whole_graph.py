"""The graph as a whole over HTTP: picture, counts, doubts, everything about one entity."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from graph.test_browse import ADA, an_edge, an_entity, id_of, names, remember
from signet import clock
from signet.domain.graph.browse import NEEDED
from signet_api.routes import knowledge
from support.http import Api
from support.processes import PATIENCE_SECONDS, eventually

READS = (
    "/api/knowledge/entities",
    "/api/knowledge/entities/pinned",
    "/api/knowledge/entities/pinned?pin_type=suppress",
    "/api/knowledge/entities/health",
    "/api/knowledge/stats",
    "/api/knowledge/traversal/status",
    "/api/knowledge/constellation",
    "/api/knowledge/hygiene",
    "/api/knowledge/communities",
)


def test_stats_count_what_is_known(api: Api) -> None:
    api.add_agent()
    empty = api.get("/api/knowledge/stats").body
    assert set(empty.values()) == {0}
    remember(api, ADA)
    remember(api, "Ada Winter.")
    remember(api, "Ada Winter prefers tea over coffee.", agentId="other")
    api.run("UPDATE entity_aspects SET weight = 1.0 WHERE agent_id = 'default'")
    assert api.get("/api/knowledge/stats").body == {
        "entityCount": 2,
        "aspectCount": 1,
        "dependencyCount": 1,
        "attributeCount": 1,
        "constraintCount": 0,
        "unassignedMemoryCount": 1,
        "coveragePercent": 50.0,
        "feedbackUpdatedAspectCount": 1,
        "averageAspectWeight": 1.0,
        "maxWeightAspectCount": 1,
        "minWeightAspectCount": 0,
    }


@pytest.mark.sqlite_file
@pytest.mark.parametrize("table", sorted(NEEDED))
def test_without_a_table_of_the_graph_nothing_fails(api: Api, table: str) -> None:
    remember(api, ADA)
    api.run(f"DROP TABLE {table}")
    for path in READS:
        assert api.get(path).status == 200, path
    assert api.get("/api/knowledge/entities/e/aspects").status in (200, 404)
    assert api.post("/api/knowledge/expand", {"entity": "Ada Winter"}).status in (200, 404)
    assert api.post("/api/graph/impact", {"entityId": "e"}).status == 404
    assert api.post("/api/knowledge/expand/session", {"entityName": "Ada"}).status == 200
    recalled = api.post("/api/memory/recall", {"query": "Where does Ada Winter live?"})
    assert [result["content"] for result in recalled.body["results"]] == [ADA]
    assert api.post("/api/memory/remember", {"content": "Ben Summer lives in Oban."}).status == 200


def test_the_constellation_is_nested_and_bounded(api: Api) -> None:
    remember(api, ADA)
    remember(api, "Ada Winter works at the mill. Ada Winter keeps bees on its roof.")
    an_entity(api, "Idle")
    drawn = api.get("/api/knowledge/constellation").body
    assert [one["name"] for one in drawn["entities"]] == ["Ada Winter", "Port Ellen"]
    [ada, port] = drawn["entities"]
    said = [text["content"] for aspect in ada["aspects"] for text in aspect["attributes"]]
    assert "lives in Port Ellen" in said
    assert ada["pinned"] is False and ada["mentions"] == 2 and ada["entityType"] == "extracted"
    [edge] = drawn["dependencies"]
    assert {edge["sourceEntityId"], edge["targetEntityId"]} == {ada["id"], port["id"]}
    small = api.get("/api/knowledge/constellation?limit=1&max_aspects_per_entity=1").body
    assert [len(one["aspects"]) for one in small["entities"]] == [1]
    assert small["dependencies"] == []


def test_the_constellation_shows_only_texts_that_may_be_read(api: Api) -> None:
    memory_id = remember(api, ADA)
    remember(api, "They asked for Ada Winter twice.")
    api.run("UPDATE memories SET visibility = 'archived' WHERE id = ?", memory_id)
    [ada] = api.get("/api/knowledge/constellation").body["entities"]
    assert ada["name"] == "Ada Winter"
    assert "Port Ellen" not in str(ada["aspects"])


def test_expand_gives_the_entity_that_was_asked_for_and_no_pinned_one(api: Api) -> None:
    remember(api, ADA)
    remember(api, "We met Ben Summer, who lives in Oban.")
    api.post(f"/api/knowledge/entities/{id_of(api, 'Ada Winter')}/pin")
    for name in ("Ben Summer", "  ben  SUMMER ", "Summer", "Ben Sum"):
        found = api.post("/api/knowledge/expand", {"entity": name}).body
        assert found["entity"]["name"] == "Ben Summer", name
    assert [aspect["attributes"][0]["content"] for aspect in found["aspects"]] == ["lives in Oban"]
    assert [one["content"] for one in found["memories"]] == [
        "We met Ben Summer, who lives in Oban."
    ]
    assert found["memoryCount"] == 1


def test_expand_refuses_in_the_form_of_an_empty_answer(api: Api) -> None:
    for body in (None, {}, {"entity": "  "}):
        answer = api.post("/api/knowledge/expand", body)
        assert (answer.status, answer.error) == (400, "entity name is required")
    missing = api.post("/api/knowledge/expand", {"entity": "Nobody"})
    assert (missing.status, missing.error) == (404, 'Entity "Nobody" not found')
    empty = {"constraints": [], "aspects": [], "dependencies": [], "memoryCount": 0, "memories": []}
    assert missing.body["entity"] is None
    assert {name: missing.body[name] for name in empty} == empty


def test_expand_spends_its_budget_in_order_and_leaves_out_what_does_not_fit(api: Api) -> None:
    remember(api, "Ada Winter decided to use Postgres instead of MySQL.")
    remember(api, "Ada Winter lives in Port Ellen. " + "The weather there is rough. " * 20)
    whole = api.post("/api/knowledge/expand", {"entity": "Ada Winter"}).body
    assert len(whole["constraints"]) == 1
    assert len(whole["memories"]) == whole["memoryCount"] == 2
    assert whole["dependencies"]
    small = api.post("/api/knowledge/expand", {"entity": "Ada Winter", "maxTokens": 1}).body
    assert small["constraints"] == whole["constraints"]
    assert small["memoryCount"] == 2 and len(small["memories"]) < 2
    only = api.post("/api/knowledge/expand", {"entity": "Ada Winter", "aspect": "background"}).body
    assert [aspect["name"] for aspect in only["aspects"]] == ["background"]


def test_expand_puts_what_is_near_the_question_first(api: Api) -> None:
    for text in (
        "Ada Winter sings in the choir of the chapel.",
        "Ada Winter repairs the clock of the station.",
        "Ada Winter grows leeks behind the bakery.",
    ):
        remember(api, text)

    def first(question: str) -> str:
        body = {"entity": "Ada Winter", "question": question}
        return str(api.post("/api/knowledge/expand", body).body["memories"][0]["content"])

    assert "clock" in first("What about the station clock?")
    assert "leeks" in first("Which leeks?")


def test_expand_never_gives_what_was_forgotten_or_belongs_to_another(api: Api) -> None:
    api.add_agent()
    memory_id = remember(api, ADA)
    remember(api, "Ada Winter keeps bees on the roof.", agentId="other")
    api.send("DELETE", f"/api/memory/{memory_id}?reason=test")
    found = api.post("/api/knowledge/expand", {"entity": "Ada Winter"}).body
    assert (found["memoryCount"], found["memories"], found["aspects"]) == (0, [], [])
    theirs = {"entity": "Ada Winter", "agentId": "other"}
    [memory] = api.post("/api/knowledge/expand", theirs).body["memories"]
    assert "bees" in memory["content"]


def a_summary(
    api: Api, summary_id: str, content: str, days_ago: int, agent: str = "default"
) -> None:
    at = clock.to_text(clock.now() - timedelta(days=days_ago))
    api.run(
        "INSERT INTO session_summaries (id, kind, content, earliest_at, latest_at, session_key, harness, agent_id,"
        " created_at) VALUES (?, 'session', ?, ?, ?, ?, 'codex', ?, ?)",
        summary_id,
        content,
        at,
        at,
        f"key {summary_id}",
        agent,
        at,
    )


def test_the_sessions_that_speak_of_an_entity_are_told_newest_first(api: Api) -> None:
    memory_id = remember(api, ADA)
    a_summary(api, "named", "We spoke of ada winter at length.", 2)
    a_summary(api, "linked", "We spoke of bees.", 10)
    a_summary(api, "old", "Ada Winter again.", 40)
    a_summary(api, "foreign", "Ada Winter as well.", 1, agent="other")
    a_summary(api, "silent", "We spoke of nothing.", 1)
    api.run("INSERT INTO session_summary_memories VALUES ('linked', ?)", memory_id)

    def told(**more: object) -> tuple[list[str], int]:
        body = api.post("/api/knowledge/expand/session", {"entityName": "ada winter", **more}).body
        assert body["entityName"] == "Ada Winter"
        return [summary["id"] for summary in body["summaries"]], body["total"]

    assert told() == (["named", "linked", "old"], 3)
    assert told(maxResults=1) == (["named"], 3)
    assert told(timeRange="last_week") == (["named"], 1)
    assert told(timeRange="last_month") == (["named", "linked"], 2)
    since = clock.to_text(clock.now() - timedelta(days=11))
    assert told(timeRange=since) == (["named", "linked"], 2)
    assert told(sessionId="key old") == (["old"], 1)
    unknown = api.post("/api/knowledge/expand/session", {"entityName": "Nobody"}).body
    assert unknown == {"entityName": "Nobody", "summaries": [], "total": 0}
    assert api.post("/api/knowledge/expand/session", {}).error == "entityName is required"
    wrong = api.post("/api/knowledge/expand/session", {"entityName": "Ada", "timeRange": "ever"})
    assert wrong.status == 400


def impact(api: Api, entity: str, **more: object) -> list[tuple[str, list[str]]]:
    body = api.post("/api/graph/impact", {"entityId": entity, **more}).body
    return [(ring["label"], [one["name"] for one in ring["entities"]]) for ring in body["impact"]]


def test_impact_follows_who_is_hit_and_ends_in_circles(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "IMPACT_MS", PATIENCE_SECONDS * 1000)
    db, api_, web, mail, page, far = (
        an_entity(api, name) for name in ("db", "api", "web", "mail", "page", "far")
    )
    an_edge(api, api_, db, "uses")
    an_edge(api, web, api_, "requires")
    an_edge(api, db, mail, "blocks")
    an_edge(api, page, web, "depends_on")
    an_edge(api, far, page, "uses")
    an_edge(api, db, far, "uses")
    assert impact(api, db) == [
        ("WILL BREAK", ["api", "mail"]),
        ("LIKELY AFFECTED", ["web"]),
        ("MAY NEED TESTING", ["page"]),
    ]
    assert impact(api, db, maxDepth=10)[3:] == [("MAY NEED TESTING", ["far"])]
    assert impact(api, web, direction="upstream", maxDepth=2) == [
        ("WILL BREAK", ["api"]),
        ("LIKELY AFFECTED", ["db"]),
    ]
    assert impact(api, mail, direction="upstream", maxDepth=1) == [("WILL BREAK", ["db"])]


def test_impact_refuses_what_it_does_not_know(api: Api) -> None:
    assert api.post("/api/graph/impact", {}).error == "entityId is required"
    assert api.post("/api/graph/impact", {"entityId": "e"}).error == "Entity not found"
    theirs = an_entity(api, "db", agent="other")
    assert api.post("/api/graph/impact", {"entityId": theirs}).status == 404
    wrong = api.post("/api/graph/impact", {"entityId": theirs, "direction": "sideways"})
    assert wrong.error == "direction must be downstream or upstream"


def test_hygiene_names_what_is_doubtful_and_changes_nothing(api: Api) -> None:
    memory_id = remember(api, ADA)
    an_entity(api, "**Status**")
    an_entity(api, "PortEllen")
    ada = id_of(api, "Ada Winter")
    api.run("DELETE FROM memory_entity_mentions WHERE entity_id = ?", ada)
    api.run("UPDATE entity_attributes SET aspect_id = NULL, source_memory_id = 'gone'")
    before = {table: api.rows(table) for table in NEEDED}
    found = api.get("/api/knowledge/hygiene").body
    assert [(one["name"], one["reason"]) for one in found["suspiciousEntities"]] == [
        ("**Status**", "a label, no name")
    ]
    [double] = found["duplicateEntities"]
    assert double["canonicalName"] == "port ellen" and len(double["ids"]) == 2
    assert found["attributeSummary"] == {"missingSourceMemory": 1, "missingAspect": 1}
    assert found["safeMentionCandidates"] == [
        {"memoryId": memory_id, "entityId": ada, "name": "Ada Winter"}
    ]
    assert {table: api.rows(table) for table in NEEDED} == before


def communities(api: Api, agent: str = "default") -> Mapping[str, Any]:
    found: Mapping[str, Any] = api.get(f"/api/knowledge/communities?agent_id={agent}").body
    return found


def test_communities_are_told_as_they_were_found(api: Api) -> None:
    api.add_agent()
    nothing = {"items": [], "count": 0, "modularity": 0.0, "quality": "fragmented"}
    assert communities(api) == nothing
    an_entity(api, "db")
    an_entity(api, "api")
    an_edge(api, "default/db", "default/api")
    from signet.domain.graph import communities as noun

    made = noun.compute(api.state.db.read(noun.snapshot, "default"), "default")
    assert made is not None
    api.state.db.write(noun.replace, made, now=clock.now())
    found = communities(api)
    assert found["count"] == 1 and found["quality"] == "fragmented"
    fields = ["id", "name", "cohesion", "member_count", "created_at", "updated_at"]
    assert [list(one) for one in found["items"]] == [fields]
    assert communities(api, "other") == nothing
    assert names(api) == ["api", "db"]


def test_without_a_worker_a_run_is_queued_once(api: Api) -> None:
    first, second = (api.post("/api/repair/cluster-entities") for _ in range(2))
    assert first.status == second.status == 202
    assert first.body == second.body
    assert first.body["action"] == "clusterEntities" and first.body["success"] is True
    [job] = api.rows("memory_jobs")
    assert (job["job_type"], job["id"]) == ("cluster_entities", first.body["details"]["jobId"])


def test_the_newest_walk_is_told_when_there_was_one(api: Api) -> None:
    api.add_agent()
    status = "/api/knowledge/traversal/status"
    assert api.get(status).body == {"status": None}
    api.configure("memory: {pipelineV2: {traversal: {timeoutMs: 5000}}}\n")
    remember(api, "Ada Winter decided to use Postgres instead of MySQL.")
    api.post("/api/memory/recall", {"query": "What does Ada Winter use?"})
    eventually(lambda: api.get(status).body["status"] is not None)
    told = api.get(status).body["status"]
    assert told.pop("at") <= clock.to_text(clock.now())
    assert told == {
        "phase": "recall",
        "source": "query",
        "focalEntityNames": ["Ada Winter"],
        "focalEntities": 1,
        "traversedEntities": 1,
        "memoryCount": 1,
        "constraintCount": 1,
        "timedOut": False,
    }
    assert api.get(f"{status}?agent_id=other").body == {"status": None}


def test_a_question_can_be_kept_to_the_communities_of_what_it_names(api: Api) -> None:
    inside = [remember(api, f"Ada Winter keeps beehive {n}.") for n in range(3)]
    outside = [remember(api, f"Nobody painted the beehive {n}.") for n in range(4, 6)]
    api.run(
        "INSERT INTO entity_communities (id, name, created_at, updated_at) VALUES ('c', 'x', '', '')"
    )
    api.run("UPDATE entities SET community_id = 'c' WHERE name = 'Ada Winter'")

    def found(limit: int, **more: object) -> set[str]:
        asked = {"query": "which beehive has Ada Winter", "limit": limit, "floor": 0, **more}
        results = api.post("/api/memory/recall", asked).body["results"]
        return {result["id"] for result in results}

    assert found(10, community=True) >= {*inside, *outside}  # never an answer that is cut short
    assert found(10) >= {*inside, *outside}
    assert found(3, community=True) == set(inside)
    assert found(5) & set(outside) and found(2, community=True) <= set(inside)
