"""PATCH /api/memory/:id and POST /api/memory/modify: what changes, what is refused, what is left behind."""

import json

import pytest

from support.http import Answer, Api


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def patch(api: Api, memory_id: str, body: object, **headers: str) -> Answer:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return api.send("PATCH", f"/api/memory/{memory_id}", sent, headers)


def row_of(api: Api, memory_id: str) -> dict[str, object]:
    return next(row for row in api.rows("memories") if row["id"] == memory_id)


def events(api: Api, memory_id: str) -> list[str]:
    history = api.get(f"/api/memory/{memory_id}/history").body["history"]
    return [event["event"] for event in history]


def give_vector(api: Api, memory_id: str) -> None:
    api.run(
        "INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id, chunk_text,"
        " created_at) SELECT 'v-' || id, content_hash, x'0000000000000000', 2, 'memory', id, content, created_at"
        " FROM memories WHERE id = ?",
        memory_id,
    )
    api.run("UPDATE memories SET embedding_model = 'toy' WHERE id = ?", memory_id)


def test_a_patch_changes_what_it_names_and_tells_both_versions(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.", tags="birds")
    answer = patch(
        api,
        memory_id,
        {
            "reason": "seen it",
            "type": "rule",
            "tags": ["Heron", "spring"],
            "importance": 0.4,
            "pinned": "true",
            "who": "nora",
        },
        x_signet_actor="nora",
    )
    assert (answer.status, answer.body) == (
        200,
        {
            "success": True,
            "id": memory_id,
            "status": "updated",
            "currentVersion": 1,
            "newVersion": 2,
            "contentChanged": False,
            "embedded": False,
        },
    )
    found = api.get(f"/api/memory/{memory_id}").body
    assert (found["type"], found["tags"], found["importance"]) == ("rule", "heron,spring", 0.4)
    assert (found["pinned"], found["who"], found["version"]) == (1, "nora", 2)
    assert (found["updated_by"], row_of(api, memory_id)["update_count"]) == ("nora", 1)
    event = api.get(f"/api/memory/{memory_id}/history").body["history"][1]
    assert (event["event"], event["reason"], event["changedBy"]) == ("updated", "seen it", "nora")
    assert event["oldContent"] == event["newContent"] == "The heron nests in April."
    assert event["metadata"] == {
        "changedFields": ["type", "tags", "importance", "pinned", "who"],
        "ifVersion": None,
        "contentChanged": False,
        "before": {
            "type": "fact",
            "tags": ["birds"],
            "importance": 0.8,
            "pinned": False,
            "who": "daemon",
        },
    }


def test_a_new_text_is_found_at_once_and_nothing_read_from_the_old_one_is_left(api: Api) -> None:
    memory_id = remember(api, "We met Ada Winter in Oslo.", hints=["who was met in Oslo?"])
    give_vector(api, memory_id)
    answer = patch(api, memory_id, {"content": " We met Ben Frost in Rome.\n", "reason": "wrong"})
    assert (answer.body["contentChanged"], answer.body["embedded"]) == (True, False)
    row = row_of(api, memory_id)
    assert row["content"] == "We met Ben Frost in Rome."
    assert row["normalized_content"] == "we met ben frost in rome"
    assert (row["extraction_status"], row["embedding_model"]) == ("pending", None)
    assert api.rows("embeddings") == api.rows("memory_hints") == []
    assert {entity["name"] for entity in api.rows("entities")} == {"Ben Frost", "Rome"}
    assert api.post("/api/memory/recall", {"query": "Rome"}).body["count"] == 1
    assert api.post("/api/memory/recall", {"query": "Oslo"}).body["count"] == 0
    assert remember(api, "we met ben frost in rome") == memory_id


def test_what_is_so_already_changes_nothing(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.", tags="birds")
    same = {"content": " The heron nests in April.\r\n", "tags": "birds", "reason": "sure"}
    answer = patch(api, memory_id, same)
    assert (answer.status, answer.body) == (
        200,
        {"success": True, "id": memory_id, "status": "no_changes", "currentVersion": 1},
    )
    assert events(api, memory_id) == ["created"]


def test_null_tags_clear_them(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.", tags="birds")
    assert patch(api, memory_id, {"tags": None, "reason": "none"}).body["status"] == "updated"
    assert row_of(api, memory_id)["tags"] is None


def test_the_version_that_was_read_protects_the_change_of_somebody_else(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.")
    first = patch(api, memory_id, {"importance": 0.1, "reason": "x", "if_version": 1})
    assert first.body["newVersion"] == 2
    late = patch(api, memory_id, {"importance": 0.9, "reason": "x", "if_version": 1})
    assert late.status == 409
    assert late.error == "The memory has changed since you read it"
    assert (late.body["status"], late.body["currentVersion"]) == ("version_conflict", 2)
    assert late.body["success"] is False
    assert row_of(api, memory_id)["importance"] == 0.1


def test_a_text_that_another_memory_has_is_refused_with_its_id(api: Api) -> None:
    twin = remember(api, "Lunch is at noon.")
    memory_id = remember(api, "Lunch is at one.")
    refused = patch(api, memory_id, {"content": "lunch is at NOON!", "reason": "moved"})
    assert (refused.status, refused.body["status"]) == (409, "duplicate_content_hash")
    assert refused.body["duplicateMemoryId"] == twin
    assert row_of(api, memory_id)["content"] == "Lunch is at one."
    # Of another visibility it is another memory.
    other = remember(api, "Lunch is at two.", visibility="private")
    assert patch(api, other, {"content": "Lunch is at noon.", "reason": "moved"}).status == 200


def test_unknown_forgotten_and_stale_are_told_apart_in_this_order(api: Api) -> None:
    unknown = patch(api, "none", {"pinned": True, "reason": "x"})
    assert (unknown.status, unknown.body["status"]) == (404, "not_found")
    memory_id = remember(api, "The heron nests in April.")
    api.send("DELETE", f"/api/memory/{memory_id}?reason=old")
    gone = patch(api, memory_id, {"pinned": True, "reason": "x", "if_version": 1})
    assert (gone.status, gone.body["status"], gone.body["currentVersion"]) == (409, "deleted", 2)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "Invalid JSON body"),
        (b"[]", "Invalid JSON body"),
        (b"", "Invalid JSON body"),
        ({}, "reason is required"),
        ({"importance": 7}, "reason is required"),
        ({"reason": " ", "if_version": 0}, "reason is required"),
        ({"reason": "x", "if_version": 0, "importance": 7}, "if_version: "),
        ({"reason": "x", "if_version": True, "pinned": True}, "if_version: "),
        ({"reason": "x", "if_version": 1.5, "pinned": True}, "if_version: "),
        ({"reason": "x", "importance": 7}, "importance: "),
        ({"reason": "x", "pinned": "perhaps"}, "pinned: "),
        ({"reason": "x", "tags": 5}, "tags: "),
        ({"reason": "x", "content": "  "}, "content is required"),
        ({"reason": "x", "type": "  "}, "type: "),
        ({"reason": "x", "who": "  "}, "who: "),
        ({"reason": "x", "room": "attic"}, "at least one of content, type, tags"),
        ({"reason": "x"}, "at least one of content, type, tags"),
    ],
)
def test_a_patch_that_makes_no_sense_is_refused_by_the_first_thing_that_is_wrong(
    api: Api, body: object, words: str
) -> None:
    memory_id = remember(api, "The heron nests in April.")
    api.configure("memory:\n  pipelineV2:\n    mutationsFrozen: true\n")
    refused = patch(api, memory_id, body)
    assert (refused.status, refused.error[: len(words)]) == (400, words)


def test_frozen_mutations_refuse_every_change(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.")
    api.configure("memory:\n  pipelineV2:\n    mutationsFrozen: true\n")
    item = {"id": memory_id, "pinned": True, "reason": "x"}
    for answer in (
        patch(api, memory_id, item),
        api.post("/api/memory/modify", {"patches": [item]}),
        api.send("DELETE", f"/api/memory/{memory_id}?reason=old"),
        api.post(f"/api/memory/{memory_id}/recover", {"reason": "x"}),
        api.post("/api/memory/forget", {"ids": [memory_id], "mode": "execute", "reason": "x"}),
    ):
        assert (answer.status, answer.error) == (503, "Mutations are frozen (kill switch active)")
    assert api.post("/api/memory/forget", {"ids": [memory_id]}).status == 200
    assert events(api, memory_id) == ["created"]


def test_a_batch_answers_each_patch_in_its_place_and_one_bad_one_stops_no_other(api: Api) -> None:
    first, second = remember(api, "One is odd."), remember(api, "Two is even.")
    answer = api.post(
        "/api/memory/modify",
        {
            "reason": "counted",
            "patches": [
                {"id": first, "importance": 0.1},
                {"id": "none", "importance": 0.1},
                {"id": second, "importance": 7},
                {"id": second, "if_version": 9, "pinned": True},
                {"id": second, "content": "one is odd"},
                "nonsense",
                {"id": first, "importance": 0.1},
                {"id": second, "tags": "even", "reason": "its own"},
                {"id": first, "importance": 0.2, "if_version": 2},
                {"importance": 0.2},
                {"id": second, "content": " "},
                {"id": None, "memoryId": second, "pinned": True, "reason": None},
            ],
        },
        x_signet_actor="nora",
    )
    assert answer.status == 200
    results = answer.body["results"]
    assert [result["status"] for result in results] == [
        "updated",
        "not_found",
        "invalid_request",
        "version_conflict",
        "duplicate_content_hash",
        "invalid_request",
        "no_changes",
        "updated",
        "updated",
        "invalid_request",
        "invalid_request",
        "updated",
    ]
    assert (answer.body["total"], answer.body["updated"], answer.body["success"]) == (12, 4, True)
    assert [results[at]["id"] for at in (2, 5, 9)] == [second, None, None]
    assert results[2]["error"].startswith("importance: ")
    assert results[8]["newVersion"] == 3
    reasons = api.get(f"/api/memory/{second}/history").body["history"]
    assert [event["reason"] for event in reasons][1:] == ["its own", "counted"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "patches is required"),
        ({"patches": []}, "patches: "),
        ({"patches": {"id": "a"}}, "patches: "),
        ({"patches": [{"id": "a"}] * 201}, "patches: "),
        ([], "Invalid JSON body"),
    ],
)
def test_a_batch_of_none_or_too_many_is_refused(api: Api, body: object, words: str) -> None:
    refused = api.post("/api/memory/modify", body)
    assert (refused.status, refused.error[: len(words)]) == (400, words)


def test_two_hundred_patches_are_one_request(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.")
    patches = [{"id": memory_id, "importance": number / 200} for number in range(200)]
    answer = api.post("/api/memory/modify", {"patches": patches, "reason": "many"})
    assert answer.body["updated"] == 200
    assert row_of(api, memory_id)["version"] == 201
    assert [result["newVersion"] for result in answer.body["results"]] == list(range(2, 202))


def test_another_agents_private_memory_can_be_neither_changed_nor_seen(api: Api) -> None:
    api.add_agent()
    memory_id = remember(api, "The code is 4711.", agentId="ada", visibility="private")
    body = {"content": "The code is 0000.", "reason": "x"}
    for answer in (
        patch(api, memory_id, body),
        patch(api, memory_id, body | {"agentId": "ben"}),
        api.send("DELETE", f"/api/memory/{memory_id}?reason=x&agent_id=ben"),
        api.post(f"/api/memory/{memory_id}/recover", {"reason": "x"}),
    ):
        assert (answer.status, answer.body["status"]) == (404, "not_found")
        assert "4711" not in str(answer.body)
    items = api.post("/api/memory/modify", {"patches": [{"id": memory_id, **body}]}).body
    assert items["results"][0]["status"] == "not_found"
    assert patch(api, memory_id, body | {"sessionKey": "agent:ada:1"}).status == 200


def test_a_body_may_say_who_changes_where_no_header_does(api: Api) -> None:
    memory_id = remember(api, "The heron nests in April.")
    change = {"reason": "x", "changed_by": "ben"}
    patch(api, memory_id, change | {"importance": 0.1})
    patch(api, memory_id, change | {"importance": 0.2}, x_signet_actor="ada")
    history = api.get(f"/api/memory/{memory_id}/history").body["history"]
    assert [event["changedBy"] for event in history] == ["daemon", "ben", "ada"]


def test_a_memory_moves_to_a_project_with_the_facts_read_from_it(api: Api) -> None:
    text = "Deploys go out on Thursdays."
    memory_id = remember(api, text, project="/p/heron")
    fact = remember(api, "Deploys: Thursdays", project="/p/heron")
    api.run("DELETE FROM memory_sources WHERE memory_id = ?", fact)
    api.run("INSERT INTO memory_sources VALUES (?, 'memory', ?)", fact, memory_id)
    moved = patch(api, memory_id, {"reason": "only there", "project": "/p/egret"})
    assert moved.body["status"] == "updated"
    assert {row_of(api, one)["project"] for one in (memory_id, fact)} == {"/p/egret"}
    again = patch(api, memory_id, {"reason": "only there", "project": "/p/egret"})
    assert again.body["status"] == "no_changes"
    assert patch(api, memory_id, {"reason": "everywhere", "project": ""}).status == 200
    assert row_of(api, memory_id)["project"] is None
    changed = api.get(f"/api/memory/{memory_id}/history").body["history"][1]
    assert changed["metadata"]["before"] == {"project": "/p/heron"}
    twin = remember(api, text, project="/p/heron")
    refused = patch(api, memory_id, {"reason": "back", "project": "/p/heron"})
    assert (refused.status, twin in str(refused.body)) == (409, True)
    assert row_of(api, memory_id)["project"] is None
