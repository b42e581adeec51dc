"""POST /api/hooks/remember: a save from within a session of a harness."""

import pytest

from support.http import Api

PATH = "/api/hooks/remember"


def test_a_save_from_a_session_is_a_memory_like_any_other(api: Api) -> None:
    answer = api.post(
        PATH,
        {
            "harness": "claude-code",
            "content": "critical: [ops]: never push on Fridays",
            "project": "/home/nora/heron",
            "sessionKey": " session:abc ",
            "runtimePath": "legacy",
        },
        x_signet_runtime_path="plugin",
    )
    memory_id = answer.body["id"]
    assert answer.body == {
        "success": True,
        "saved": True,
        "id": memory_id,
        "memoryId": memory_id,
        "deduped": False,
    }
    (row,) = api.rows("memories")
    assert (row["content"], row["pinned"], row["importance"]) == ("never push on Fridays", 1, 1.0)
    assert (row["source_type"], row["who"], row["type"]) == ("explicit", "claude-code", "rule")
    assert (row["session_id"], row["project"]) == ("abc", "/home/nora/heron")
    assert (row["runtime_path"], row["content_hash"] is not None) == ("plugin", True)
    assert [job["job_type"] for job in api.rows("memory_jobs")] == ["extract"]
    said = {"content": "Never push on Fridays.", "project": "/home/nora/heron"}
    again = api.post("/api/memory/remember", said)
    assert (again.body["id"], again.body["deduped"]) == (memory_id, True)


def test_the_session_key_names_the_agent_and_the_body_wins(api: Api) -> None:
    api.add_agent()
    body = {"harness": "codex", "content": "The sky is blue.", "sessionKey": "agent:ben:7"}
    api.post(PATH, body)
    api.post(PATH, body | {"agentId": "ada", "who": "nora", "runtimePath": "other"})
    rows = api.rows("memories")
    assert [row["agent_id"] for row in rows] == ["ben", "ada"]
    assert [row["who"] for row in rows] == ["codex", "nora"]
    assert [row["session_id"] for row in rows] == ["agent:ben:7"] * 2
    assert [row["runtime_path"] for row in rows] == [None, None]


def test_a_repeated_key_answers_the_first_memory_and_writes_nothing(api: Api) -> None:
    body = {"harness": "codex", "content": "One.", "idempotencyKey": "k-1"}
    first = api.post(PATH, body)
    again = api.post(PATH, body | {"content": "Two."})
    assert (again.body["id"], again.body["deduped"]) == (first.body["id"], True)
    assert len(api.rows("memories")) == len(api.rows("memory_history")) == 1


@pytest.mark.parametrize("body", [{"harness": "codex", "content": "A plan."}, {}, b"{"])
def test_the_processes_of_signet_itself_write_nothing(api: Api, body: object) -> None:
    answer = api.post(PATH, body, x_signet_no_hooks="1")
    assert (answer.status, answer.body) == (
        200,
        {"success": True, "memories": [], "internal": True},
    )
    assert api.rows("memories") == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"content": "A plan."}, "harness and content are required"),
        ({"harness": "codex"}, "harness and content are required"),
        ({"harness": "codex", "content": "  "}, "harness and content are required"),
        ({"harness": "codex", "content": 5}, "harness and content are required"),
        ({"harness": ["codex"], "content": "A plan."}, "harness and content are required"),
        ({"harness": "codex", "content": "critical:"}, "content is required"),
        (b"{", "Invalid JSON body"),
        (b"", "Invalid JSON body"),
        ([], "Invalid JSON body"),
    ],
)
def test_harness_and_content_are_needed(api: Api, body: object, words: str) -> None:
    refused = api.post(PATH, body)
    assert (refused.status, refused.error) == (400, words)
    assert api.rows("memories") == []


def test_optional_fields_of_another_type_count_as_missing(api: Api) -> None:
    odd = {"who": 5, "project": {}, "sessionKey": [], "idempotencyKey": 1}
    assert api.post(PATH, {"harness": "codex", "content": "A plan.", **odd}).status == 200
    (row,) = api.rows("memories")
    assert (row["who"], row["project"], row["idempotency_key"]) == ("codex", None, None)
