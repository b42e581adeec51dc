"""Reading memories: the list, one memory, its history."""

import pytest

from support.http import Api


def remember(api: Api, text: str, **fields: object) -> str:
    return str(api.post("/api/memory/remember", {"content": text, **fields}).body["id"])


def test_the_list_is_newest_first_with_counts_over_all(api: Api) -> None:
    first = remember(api, "One.", importance=0.95)
    second = remember(api, "Two.", tags="a,b")
    body = api.get("/api/memories").body
    assert [row["id"] for row in body["memories"]] == [second, first]
    assert body["stats"] == {"total": 2, "withEmbeddings": 0, "critical": 1}
    recorded = {
        *("id", "content", "created_at", "who", "importance", "tags", "source_type"),
        *("pinned", "type"),
    }
    assert recorded <= set(body["memories"][0]) and set(body) == {"memories", "stats", "next"}
    assert body["memories"][0]["tags"] == "a,b"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?limit=1", 1),
        ("?limit=-1", 1),
        ("?limit=", 3),
        ("?limit=2.0", 2),
        (f"?limit={10**30}", 3),
        (f"?limit={'9' * 5000}", 3),
        ("?offset=2", 1),
        ("?offset=-7", 3),
        ("?offset=", 3),
        (f"?offset={10**30}", 0),
        ("?type=rule", 1),
        ("?type=%00", 0),
    ],
)
def test_pages_are_cut_leniently(api: Api, query: str, count: int) -> None:
    for text in ("The sky is blue.", "The sea is salt.", "Always lock the door."):
        remember(api, text)
    answer = api.get(f"/api/memories{query}")
    assert answer.status == 200
    assert len(answer.body["memories"]) == count
    assert answer.body["stats"]["total"] == 3


def test_a_forgotten_memory_is_in_no_list_and_not_found_but_has_its_history(api: Api) -> None:
    memory_id = remember(api, "The sky is blue.")
    assert api.get(f"/api/memory/{memory_id}").body["content"] == "The sky is blue."
    api.run("UPDATE memories SET is_deleted = 1, deleted_at = '2026-01-01T00:00:00.000Z'")
    assert api.get("/api/memories").body["memories"] == []
    missing = api.get(f"/api/memory/{memory_id}")
    assert (missing.status, missing.error) == (404, "not found")
    assert api.get(f"/api/memory/{memory_id}/history").body["count"] == 1


def test_one_memory_has_every_field_that_clients_read(api: Api) -> None:
    memory_id = remember(api, "The sky is blue.", pinned=True, sourceType="session", sourceId="s9")
    body = api.get(f"/api/memory/{memory_id}").body
    assert {
        *("id", "content", "type", "importance", "tags", "pinned", "who", "source_id"),
        *("source_type", "project", "session_id", "confidence", "access_count", "last_accessed"),
        *("is_deleted", "deleted_at", "extraction_status", "embedding_model", "version"),
        *("created_at", "updated_at", "updated_by", "sessionId"),
    } <= set(body)
    assert (body["pinned"], body["is_deleted"], body["version"]) == (1, 0, 1)
    assert body["sessionId"] == "s9"


@pytest.mark.parametrize("memory_id", ["none", "%00", "%ff%fe", "a" * 10_000, "'; DROP TABLE x"])
def test_an_unknown_memory_is_not_found(api: Api, memory_id: str) -> None:
    assert (api.get(f"/api/memory/{memory_id}").status) == 404
    missing = api.get(f"/api/memory/{memory_id}/history")
    assert (missing.status, missing.error) == (404, "Not found")
    assert "memoryId" in missing.body


def test_history_is_told_oldest_first_in_the_names_that_clients_read(api: Api) -> None:
    memory_id = remember(api, "The sky is blue.")
    body = api.get(f"/api/memory/{memory_id}/history?limit=").body
    assert (body["memoryId"], body["count"]) == (memory_id, 1)
    (event,) = body["history"]
    assert (event["event"], event["oldContent"], event["newContent"]) == (
        "created",
        None,
        "The sky is blue.",
    )
    assert (event["changedBy"], event["actorType"]) == ("daemon", "operator")
    assert event["createdAt"].endswith("Z")


@pytest.mark.parametrize("limit", ["0", "-1", "-1000", ""])
def test_a_limit_of_history_that_is_none_is_the_usual_one(api: Api, limit: str) -> None:
    memory_id = remember(api, "The sky is blue.")
    patch = b'{"content": "The sky is grey.", "reason": "clouds"}'
    assert api.send("PATCH", f"/api/memory/{memory_id}", patch).status == 200
    path = f"/api/memory/{memory_id}/history"
    assert api.get(f"{path}?limit={limit}").body["count"] == 2
    assert api.get(f"{path}?limit=1").body["count"] == 1


def test_a_private_memory_is_shown_to_its_agent_alone(api: Api) -> None:
    api.add_agent()
    memory_id = remember(api, "The code is 4711.", agentId="ada", visibility="private")
    assert api.get(f"/api/memory/{memory_id}?agent_id=ada").status == 200
    for path in (f"/api/memory/{memory_id}", f"/api/memory/{memory_id}/history"):
        assert api.get(path).status == 404
        assert api.get(f"{path}?agent_id=ben").status == 404
    assert api.get("/api/memories").body["stats"]["total"] == 0
    assert api.get("/api/memories", x_signet_agent_id="ada").body["stats"]["total"] == 1


def test_memories_of_a_scope_are_listed_only_when_it_is_named(api: Api) -> None:
    memory_id = remember(api, "The bench is long.", scope="bench")
    remember(api, "The bench is green.")
    listed = api.get("/api/memories?scope=bench").body
    assert [row["id"] for row in listed["memories"]] == [memory_id]
    assert listed["stats"]["total"] == api.get("/api/memories").body["stats"]["total"] == 1
    assert api.get(f"/api/memory/{memory_id}").body["scope"] == "bench"


def test_tags_of_an_older_file_that_look_like_an_array_break_no_read(api: Api) -> None:
    memory_id = api.post("/api/memory/remember", {"content": "The gate is shut."}).body["id"]
    api.run("UPDATE memories SET tags = '[draft, gate'")
    assert api.get(f"/api/memory/{memory_id}").body["tags"] == "[draft,gate"
    assert api.get("/api/memories").body["memories"][0]["tags"] == "[draft,gate"
    assert api.get("/memory/search?q=gate&tags=gate").body["results"][0]["tags"] == "[draft,gate"


def test_the_history_of_all_memories_comes_page_by_page(api: Api) -> None:
    def ids() -> list[str]:
        texts = ("The gate is green.", "The gate squeaks.", "The hinge is new.")
        return [api.post("/api/memory/remember", {"content": one}).body["id"] for one in texts]

    green, squeaks, hinge = ids()
    change = b'{"content": "The gate is blue.", "reason": "painted"}'
    assert api.send("PATCH", f"/api/memory/{green}", change).status == 200
    assert api.delete(f"/api/memory/{squeaks}?reason=oiled").status == 200
    private = {"content": "Only for Bea.", "agentId": "bea", "visibility": "private"}
    api.post("/api/agents", {"name": "bea"})
    api.post("/api/memory/remember", private)
    met, cursor = [], ""
    while cursor is not None:
        page = api.get(f"/api/history?limit=2&cursor={cursor}").body
        met += page["history"]
        cursor = page["next"]
    told = [(one["event"], one["memoryId"], one["content"]) for one in met]
    assert told == [
        ("deleted", squeaks, None),
        ("updated", green, "The gate is blue."),
        ("created", hinge, "The hinge is new."),
        ("created", squeaks, None),
        ("created", green, "The gate is blue."),
    ]
    assert (met[1]["oldContent"], met[1]["reason"]) == ("The gate is green.", "painted")
    [only] = api.get("/api/history?event=updated&since=2020-01-01").body["history"]
    assert only == met[1]
    assert api.get("/api/history?until=2020-01-01").body["history"] == []
    for wrong in ("event=painted", "cursor=none", "since=soon"):
        assert api.get(f"/api/history?{wrong}").status == 400, wrong
