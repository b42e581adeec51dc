"""The entities of an agent over HTTP."""

from typing import Any

import pytest

from support.http import Api

ADA = "We met Ada Winter, who lives in Port Ellen."


def remember(api: Api, text: str, **fields: object) -> str:
    answer = api.post("/api/memory/remember", {"content": text, **fields})
    assert answer.status == 200, answer.body
    return str(answer.body["id"])


def entities(api: Api, query: str = "") -> list[dict[str, Any]]:
    answer = api.get(f"/api/knowledge/entities{query}")
    assert answer.status == 200, answer.body
    items: list[dict[str, Any]] = answer.body["items"]
    return items


def names(api: Api, query: str = "") -> list[str]:
    return [item["entity"]["name"] for item in entities(api, query)]


def id_of(api: Api, name: str, query: str = "") -> str:
    [found] = [
        item["entity"]["id"] for item in entities(api, query) if item["entity"]["name"] == name
    ]
    return str(found)


def an_entity(api: Api, name: str, *, mentions: int = 0, agent: str = "default") -> str:
    api.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, mentions, agent_id, created_at, updated_at)"
        " VALUES (?, ?, ?, 'tool', ?, ?, '', '')",
        f"{agent}/{name}",
        name,
        name.lower(),
        mentions,
        agent,
    )
    return f"{agent}/{name}"


def a_bare_entity(api: Api, id_: str) -> None:
    api.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
        " VALUES (?, ?, ?, 'tool', '', '')",
        id_,
        id_.upper(),
        id_,
    )


def an_edge(api: Api, source: str, target: str, type: str = "uses", strength: float = 0.8) -> None:
    api.run(
        "INSERT INTO entity_dependencies (id, source_entity_id, target_entity_id, dependency_type, strength,"
        " created_at, updated_at) VALUES (?, ?, ?, ?, ?, '', '')",
        f"{source} {type} {target}",
        source,
        target,
        type,
        strength,
    )


def test_a_decision_is_in_the_graph_at_once_as_a_constraint(api: Api) -> None:
    remember(api, "Alice prefers Postgres over MySQL.")
    assert sorted(names(api)) == ["Alice", "MySQL", "Postgres"]
    alice = id_of(api, "Alice")
    [aspect] = api.get(f"/api/knowledge/entities/{alice}/aspects").body["items"]
    path = f"/api/knowledge/entities/{alice}/aspects/{aspect['aspect']['id']}/attributes"
    [said] = api.get(path).body["items"]
    assert (said["kind"], said["importance"], said["status"]) == ("constraint", 0.85, "active")
    assert aspect["constraintCount"] == 1 and aspect["attributeCount"] == 0


def test_two_agents_have_two_entities_and_do_not_see_each_others(api: Api) -> None:
    api.add_agent()
    remember(api, "The team moved its cache to Redis last week.")
    remember(api, "The shop keeps its carts in Redis.", agentId="ada")
    remember(api, "The shop has put its stock into Redis too.", agentId="ada")
    [mine], [theirs] = entities(api, "?q=redis"), entities(api, "?q=redis&agent_id=ada")
    assert mine["entity"]["id"] != theirs["entity"]["id"]
    assert (mine["entity"]["mentions"], theirs["entity"]["mentions"]) == (1, 2)
    foreign = f"/api/knowledge/entities/{theirs['entity']['id']}"
    for path in (foreign, f"{foreign}/aspects", f"{foreign}/dependencies"):
        assert (api.get(path).status, api.get(path).error) == (404, "Entity not found")
        assert api.get(f"{path}?agent_id=ada").status == 200
    assert api.post(f"{foreign}/pin").status == 404
    assert api.delete(f"{foreign}/pin").status == 404


def test_an_entity_is_told_with_its_counts(api: Api) -> None:
    remember(api, ADA)
    [item] = entities(api, "?q=ada")
    assert item["entity"].keys() == {
        "id", "name", "canonicalName", "entityType", "agentId", "description", "mentions", "pinned",
        "pinnedAt", "communityId", "createdAt", "updatedAt",
    }  # fmt: skip
    counts = {"aspectCount": 1, "attributeCount": 1, "constraintCount": 0, "dependencyCount": 1}
    assert {name: item[name] for name in counts} == counts
    detail = api.get(f"/api/knowledge/entities/{item['entity']['id']}").body
    assert detail["entity"] == item["entity"]
    assert detail["structuralDensity"] == counts
    assert detail["incomingDependencyCount"] + detail["outgoingDependencyCount"] == 1
    assert "task" not in detail and "skill" not in detail


def test_a_task_is_told_with_what_makes_it_one(api: Api) -> None:
    task = an_entity(api, "Paint the shed")
    api.run("INSERT INTO task_meta (entity_id, status, updated_at) VALUES (?, 'blocked', '')", task)
    detail = api.get(f"/api/knowledge/entities/{task}".replace(" ", "%20"))
    assert detail.status == 404  # an id with a slash is another path
    api.run("UPDATE entities SET id = 't1'")
    api.run("UPDATE task_meta SET entity_id = 't1'")
    assert api.get("/api/knowledge/entities/t1").body["task"]["status"] == "blocked"


def test_the_list_has_pages_an_order_and_filters(api: Api) -> None:
    for name, mentions in (("Kafka", 3), ("Redis", 9), ("50%_off", 1)):
        an_entity(api, name, mentions=mentions)
    remember(api, ADA)
    assert names(api, "?type=tool") == ["Redis", "Kafka", "50%_off"]
    assert names(api, "?q=%25_") == ["50%_off"]
    assert names(api, "?q=K") == ["Kafka"]
    assert names(api, "?type=planet") == []
    page = api.get("/api/knowledge/entities?limit=2&offset=1").body
    assert (page["limit"], page["offset"], page["total"]) == (2, 1, 5)
    assert [item["entity"]["name"] for item in page["items"]] == ["Kafka", *names(api)[2:3]]
    clamped = api.get("/api/knowledge/entities?limit=9999&offset=-1").body
    assert (clamped["limit"], clamped["offset"]) == (200, 0)


def test_what_was_forgotten_is_not_shown_though_it_is_still_counted(api: Api) -> None:
    memory_id = remember(api, ADA)
    ada = id_of(api, "Ada Winter")
    [aspect] = api.get(f"/api/knowledge/entities/{ada}/aspects").body["items"]
    path = f"/api/knowledge/entities/{ada}/aspects/{aspect['aspect']['id']}/attributes"
    assert [said["content"] for said in api.get(path).body["items"]] == ["lives in Port Ellen"]
    assert api.send("DELETE", f"/api/memory/{memory_id}?reason=test").status == 200
    for query in ("", "?status=all", "?status=superseded"):
        assert api.get(path + query).body["items"] == []


def test_what_a_memory_said_holds_again_when_it_is_recovered(api: Api) -> None:
    memory_id = remember(api, ADA)
    api.send("DELETE", f"/api/memory/{memory_id}?reason=test")
    api.run("UPDATE entity_attributes SET status = 'superseded'")
    assert api.post(f"/api/memory/{memory_id}/recover", {"reason": "a slip"}).status == 200
    assert {row["status"] for row in api.rows("entity_attributes")} == {"active"}


def test_attributes_are_filtered_and_refuse_what_they_do_not_know(api: Api) -> None:
    remember(api, ADA)
    ada = id_of(api, "Ada Winter")
    [aspect] = api.get(f"/api/knowledge/entities/{ada}/aspects").body["items"]
    path = f"/api/knowledge/entities/{ada}/aspects/{aspect['aspect']['id']}/attributes"
    api.run("UPDATE entity_attributes SET status = 'superseded'")
    assert api.get(path).body["items"] == []
    assert len(api.get(f"{path}?status=all&kind=attribute").body["items"]) == 1
    assert api.get(f"{path}?status=all&kind=constraint").body["items"] == []
    assert api.get(f"{path}?status=gone").error == (
        "status must be active, superseded, deleted or all"
    )
    assert api.get(f"{path}?kind=rule").error == "kind must be attribute or constraint"
    other = f"/api/knowledge/entities/{id_of(api, 'Port Ellen')}"
    assert api.get(f"{other}/aspects/{aspect['aspect']['id']}/attributes").body["items"] == []


def test_edges_are_told_with_their_direction(api: Api) -> None:
    for name in ("a", "b", "c"):
        a_bare_entity(api, name)
    an_edge(api, "a", "b", strength=0.4)
    an_edge(api, "c", "a", "blocks", strength=0.9)

    def edges(direction: str) -> list[tuple[str, str, str]]:
        query = f"?direction={direction}" if direction else ""
        items = api.get(f"/api/knowledge/entities/a/dependencies{query}").body["items"]
        return [
            (item["direction"], item["sourceEntityName"], item["targetEntityName"])
            for item in items
        ]

    assert edges("") == edges("both") == [("incoming", "C", "A"), ("outgoing", "A", "B")]
    assert edges("incoming") == [("incoming", "C", "A")]
    assert edges("outgoing") == [("outgoing", "A", "B")]
    answer = api.get("/api/knowledge/entities/a/dependencies?direction=sideways")
    assert answer.error == "direction must be incoming, outgoing or both"


def test_a_pin_replaces_a_suppression_and_the_reverse(api: Api) -> None:
    remember(api, ADA)
    ada, port = id_of(api, "Ada Winter"), id_of(api, "Port Ellen")
    pin = api.post(f"/api/knowledge/entities/{ada}/pin").body
    assert pin == {
        "pinned": True, "pinnedAt": pin["pinnedAt"], "pinType": "pin", "weightOverride": 1.25,
    }  # fmt: skip
    api.run("UPDATE entities SET pinned_at = '2026-01-01'")
    again = api.post(f"/api/knowledge/entities/{ada}/pin", {"weight_override": 2}).body
    assert again["weightOverride"] == 2
    [listed] = api.get("/api/knowledge/entities/pinned").body
    assert listed == {"id": ada, "name": "Ada Winter", "pinnedAt": again["pinnedAt"]}
    api.run("UPDATE entities SET pinned_at = NULL")  # as in an older file
    assert api.get("/api/knowledge/entities/pinned").body[0]["pinnedAt"] == ""
    assert names(api)[0] == "Ada Winter"
    hidden = api.post(f"/api/knowledge/entities/{ada}/pin", {"pin_type": "suppress"}).body
    assert hidden == {
        "pinned": False, "suppressed": True, "pinType": "suppress", "weightOverride": 0,
    }  # fmt: skip
    assert api.get("/api/knowledge/entities/pinned").body == []
    [suppressed] = api.get("/api/knowledge/entities/pinned?pin_type=suppress").body
    assert suppressed["id"] == ada
    assert api.get(f"/api/knowledge/entities/{ada}").body["suppressed"] is True
    assert len(api.rows("entity_pinning")) == 1
    assert api.delete(f"/api/knowledge/entities/{ada}/pin").body == {"pinned": False}
    assert api.delete(f"/api/knowledge/entities/{port}/pin").body == {"pinned": False}
    assert api.rows("entity_pinning") == []
    assert api.delete("/api/knowledge/entities/nobody/pin").error == "Entity not found"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"pin_type": "hide"}, "pin_type must be pin or suppress"),
        ({"pin_type": 1}, "pin_type must be pin or suppress"),
        ({"weight_override": 2.1}, "weight_override must be between 0 and 2"),
        ({"weight_override": -0.1}, "weight_override must be between 0 and 2"),
        ({"weight_override": "much"}, "weight_override must be between 0 and 2"),
        ({"weight_override": True}, "weight_override must be between 0 and 2"),
    ],
)
def test_a_pin_that_makes_no_sense_is_refused(
    api: Api, body: dict[str, object], error: str
) -> None:
    remember(api, ADA)
    answer = api.post(f"/api/knowledge/entities/{id_of(api, 'Ada Winter')}/pin", body)
    assert (answer.status, answer.error) == (400, error)
    assert api.rows("entity_pinning") == []


def test_pins_are_frozen_with_everything_else(api: Api) -> None:
    remember(api, ADA)
    path = f"/api/knowledge/entities/{id_of(api, 'Ada Winter')}/pin"
    api.configure("memory:\n  pipelineV2:\n    mutationsFrozen: true\n")
    for answer in (api.post(path), api.delete(path), api.post("/api/repair/cluster-entities")):
        assert (answer.status, answer.error) == (
            503,
            "Mutations are frozen (kill switch active)",
        )


def test_a_suppressed_entity_brings_nothing_and_its_words_still_do(api: Api) -> None:
    remember(api, "Ada Winter keeps bees on the roof of the mill.")
    hidden = remember(api, "We met Ada Winter at the harbour.")

    def sources(query: str) -> dict[str, str]:
        found = api.post("/api/memory/recall", {"query": query, "floor": 0}).body["results"]
        return {result["id"]: result["source"] for result in found}

    assert hidden in sources("What does Ada Winter keep on the roof?")
    api.post(f"/api/knowledge/entities/{id_of(api, 'Ada Winter')}/pin", {"pin_type": "suppress"})
    after = sources("bees")
    assert "traversal" not in after.values()
    assert hidden not in after and len(after) == 1
    assert hidden in sources("harbour")


def test_a_pinned_entity_stays_when_its_last_memory_is_purged(api: Api) -> None:
    from datetime import timedelta

    from signet import clock
    from signet.domain.retention import purge
    from signet.domain.retention.purge import Windows

    memory_id = remember(api, ADA)
    api.post(f"/api/knowledge/entities/{id_of(api, 'Ada Winter')}/pin")
    api.send("DELETE", f"/api/memory/{memory_id}?reason=test")
    later = clock.now() + timedelta(days=31)
    purge.sweep(api.state.db, windows=Windows(), now=later)
    assert names(api) == ["Ada Winter"]


def test_how_entities_served_is_told_by_their_comparisons(api: Api) -> None:
    def compared(entity: str, won: list[bool]) -> None:
        for number, has_won in enumerate(won):
            api.run(
                "INSERT INTO predictor_session_comparisons (id, session_key, predictor_ndcg, baseline_ndcg,"
                " predictor_won, margin, alpha, focal_entity_id, focal_entity_name, created_at)"
                " VALUES (?, ?, 0, 0, ?, ?, 1, ?, ?, ?)",
                f"{entity}{number}",
                f"{entity}{number}",
                has_won,
                0.1 if has_won else -0.1,
                entity,
                entity.upper(),
                f"2026-05-0{number + 1}T00:00:00.000Z",
            )

    for name in ("a", "b", "c"):
        a_bare_entity(api, name)
    compared("a", [False, False, True, True])
    compared("b", [True, True, True])
    compared("c", [True])
    found = api.get("/api/knowledge/entities/health").body
    assert [(one["entityName"], one["winRate"], one["trend"]) for one in found] == [
        ("B", 1.0, "stable"),
        ("A", 0.5, "improving"),
    ]
    assert found[1]["comparisonCount"] == 4 and found[1]["avgMargin"] == 0.0
    assert len(api.get("/api/knowledge/entities/health?min_comparisons=1").body) == 3
    late = api.get("/api/knowledge/entities/health?min_comparisons=1&since=2026-05-03").body
    assert {one["entityName"] for one in late} == {"A", "B"}
    assert api.get("/api/knowledge/entities/health?since=soon").status == 400
