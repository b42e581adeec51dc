"""POST /api/memory/remember and its two other names: answer, rows left behind, refusals."""

import pytest

from support.http import Api

REMEMBER = "/api/memory/remember"


def test_a_memory_is_stored_with_its_job_and_answered_with_what_clients_read(api: Api) -> None:
    answer = api.post(REMEMBER, {"content": "Ada prefers dark mode. ", "tags": "UI, Editor"})
    assert answer.status == 200
    assert answer.body | {"entities_linked": 0} == {
        "success": True,
        "id": answer.body["id"],
        "memoryId": answer.body["id"],
        "type": "preference",
        "tags": "ui,editor",
        "pinned": False,
        "importance": 0.8,
        "content": "Ada prefers dark mode.",
        "embedded": False,
        "deduped": False,
        "entities_linked": 0,
        "hints_written": 0,
        "origin": "agent",
    }
    (row,) = api.rows("memories")
    assert (row["id"], row["who"], row["why"]) == (answer.body["id"], "daemon", "explicit")
    assert row["extraction_status"] == "pending"
    (job,) = api.rows("memory_jobs")
    assert (job["job_type"], job["memory_id"], job["status"]) == ("extract", row["id"], "pending")


@pytest.mark.parametrize("path", ["/api/memory/save", "/api/hook/remember"])
def test_the_other_names_do_the_same(api: Api, path: str) -> None:
    first = api.post(REMEMBER, {"content": "Lunch is at noon."})
    again = api.post(path, {"content": "lunch is  at noon"})
    assert again.body["id"] == first.body["id"]
    assert again.body["deduped"] is True and again.body["embedded"] is True
    assert len(api.rows("memories")) == 1
    assert len([job for job in api.rows("memory_jobs") if job["memory_id"]]) == 1


def test_both_spellings_of_a_field_and_both_forms_of_tags_are_read(api: Api) -> None:
    api.post(REMEMBER, {"content": "One.", "sourceType": "mail", "sourceId": "1", "tags": ["A"]})
    listed = {"content": "Two.", "source_type": "mail", "source_id": "2", "tags": '["A"]'}
    api.post(REMEMBER, {**listed, "importance": "0.9", "pinned": "true"})
    rows = api.rows("memories")
    assert [row["source_type"] for row in rows] == ["mail", "mail"]
    assert [row["source_id"] for row in rows] == ["1", "2"]
    assert [row["tags"] for row in rows] == ['["a"]', '["a"]']


def test_a_null_field_counts_as_left_out(api: Api) -> None:
    nulls = dict.fromkeys(("tags", "pinned", "importance", "who", "hints", "createdAt", "type"))
    answer = api.post(REMEMBER, {"content": "The key is under the mat.", **nulls})
    assert (answer.status, answer.body["pinned"], answer.body["importance"]) == (200, False, 0.8)


@pytest.mark.parametrize("path", [REMEMBER, "/api/hooks/remember"])
def test_who_may_read_a_text_is_understood_or_refused(api: Api, path: str) -> None:
    sent = {"content": "The cat is grey.", "harness": "codex"}
    for visibility in ("everyone", "privat", "archived", "space:cats"):
        refused = api.post(path, sent | {"visibility": visibility})
        assert (refused.status, refused.error) == (
            400,
            "visibility: Input should be 'global' or 'private'",
        )
    assert not api.rows("memories")
    api.post(path, sent | {"visibility": " Private "})
    api.post(path, sent | {"content": "The cat is old.", "visibility": ""})
    assert [row["visibility"] for row in api.rows("memories")] == ["private", "global"]


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        (
            REMEMBER,
            {"content": "x", "visiblity": "private"},
            "'visiblity'; did you mean 'visibility'?",
        ),
        (REMEMBER, {"content": "x", "Visibility": "private"}, "'visibility'?"),
        (REMEMBER, {"content": "x", "session-key": "s"}, "'sessionKey'?"),
        (REMEMBER, {"content": "x", "tag": "a"}, "'tags'?"),
        (
            REMEMBER,
            {"content": "x", "entities": [{"name": "Ada", "relationshp": "x"}]},
            "entities.0: ",
        ),
        (REMEMBER, {"content": "x", "structured": {"hint": ["x"]}}, "'hints'?"),
        ("/api/hooks/remember", {"content": "x", "visibilty": "private"}, "'visibility'?"),
        ("/api/memory/recall", {"query": "x", "projects": "/a"}, "'project'?"),
        ("/api/memory/forget", {"query": "x", "confirmtoken": "t"}, "'confirm_token'?"),
        ("/api/agents", {"name": "ada", "read-policy": "shared"}, "'read_policy'?"),
        ("/api/jobs/cancel", {"all": True, "dryrun": True}, "'dryRun'?"),
        ("/api/repair/requeue-dead", {"dryrun": True}, "'dryRun'?"),
        ("/api/repair/clean-orphans", {"dry-run": True}, "'dryRun'?"),
    ],
)
def test_a_misspelled_field_is_refused_by_both_names(
    api: Api, path: str, body: dict[str, object], error: str
) -> None:
    refused = api.post(path, body)
    assert (refused.status, error in refused.error) == (400, True), refused.body
    assert not api.rows("memories")


def test_a_field_that_is_only_unknown_is_ignored(api: Api) -> None:
    sent = {"content": "The cat is grey.", "runtimePath": "plugin", "mode": "auto", "source": "x"}
    assert api.post(REMEMBER, sent | {"session": {"id": 1}, "visiblity": None}).status == 200


def test_a_type_and_an_author_of_blanks_count_as_left_out(api: Api) -> None:
    api.post(REMEMBER, {"content": "Always lock the door.", "type": " ", "who": " "})
    api.post(REMEMBER, {"content": "The door is blue.", "type": " note ", "who": " ada "})
    assert [(row["type"], row["who"]) for row in api.rows("memories")] == [
        ("rule", "daemon"),
        ("note", "ada"),
    ]


def test_a_time_without_zone_is_utc(api: Api) -> None:
    for number, given in enumerate(("2024-05-01T10:00:00", "2024-05-01T12:00:00+02:00")):
        api.post(REMEMBER, {"content": f"Trip {number}.", "createdAt": given})
    assert {row["created_at"] for row in api.rows("memories")} == {"2024-05-01T10:00:00.000Z"}


@pytest.mark.parametrize(
    ("transcript", "began", "spoke"),
    [
        ("User: We use Bun.", "2025-04-07T09:00:00.000Z", "2025-04-07T09:00:00.000Z"),
        (
            "User (2025-04-06T08:00:00Z): We use Bun.\nAssistant (2025-04-06T08:01:00Z): Noted.",
            "2025-04-06T08:00:00.000Z",
            "2025-04-06T08:01:00.000Z",
        ),
    ],
)
def test_a_transcript_is_of_the_time_of_its_messages_else_of_the_memory(
    api: Api, transcript: str, began: str, spoke: str
) -> None:
    saved = {"content": "We use Bun.", "sourceId": "s1", "createdAt": "2025-04-07T09:00:00Z"}
    assert api.post("/api/memory/remember", {**saved, "transcript": transcript}).status == 200
    [row] = api.rows("session_transcripts")
    assert (row["created_at"], row["updated_at"]) == (began, spoke)


def test_the_agent_is_named_in_the_body_else_in_the_session_key_else_in_a_header(api: Api) -> None:
    api.add_agent()
    session = {"content": "The sky is blue.", "sessionKey": "agent:ben:7"}
    api.post(REMEMBER, session | {"agentId": "ada"}, x_signet_agent_id="cid")
    api.post(REMEMBER, session, x_signet_agent_id="cid")
    api.post(REMEMBER, {"content": "The sky is blue."}, x_signet_agent_id="cid")
    api.post(REMEMBER, {"content": "The sky is blue."})
    assert [row["agent_id"] for row in api.rows("memories")] == ["ada", "ben", "cid", "default"]


def test_history_tells_who_asked(api: Api) -> None:
    api.post(
        REMEMBER,
        {"content": "The sea is salt."},
        x_signet_actor="plugin",
        x_signet_actor_type="harness",
        x_signet_session_id="s1",
        x_signet_request_id="r1",
    )
    (event,) = api.rows("memory_history")
    assert [event[name] for name in ("event", "changed_by", "actor_type")] == [
        "created",
        "plugin",
        "harness",
    ]
    assert (event["session_id"], event["request_id"]) == ("s1", "r1")


def test_a_claimed_actor_type_that_does_not_exist_counts_as_operator(api: Api) -> None:
    api.post(REMEMBER, {"content": "The sea is salt."}, x_signet_actor_type="root")
    assert api.rows("memory_history")[0]["actor_type"] == "operator"


def test_a_long_text_is_saved_in_pieces(api: Api) -> None:
    text = " ".join(f"Sentence number {number} is about something else." for number in range(60))
    answer = api.post(REMEMBER, {"content": text})
    rows = api.rows("memories")
    assert answer.body["chunked"] is True
    assert answer.body["chunk_count"] == len(answer.body["ids"]) == len(rows) > 1
    assert answer.body["id"] == answer.body["ids"][0]
    assert {row["source_id"] for row in rows} == {answer.body["group_id"]}
    again = api.post(REMEMBER, {"content": text}).body
    assert (again["chunked"], again["chunk_count"], again["ids"]) == (True, 0, [])
    assert (again["deduped"], again["id"], again["group_id"]) == (True, answer.body["id"], None)
    assert len(api.rows("memories")) == len(rows)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"content": ""}, "content is required"),
        ({"content": " \n"}, "content is required"),
        ({"content": None}, "content is required"),
        ({}, "content is required"),
        ({"content": "\0"}, "content is required"),
        ({"content": 5}, "content: Input should be a valid string"),
        ({"tags": 5}, "tags: neither a string nor a list of strings"),
        ({"tags": ["a", {}]}, "tags"),
        ({"tags": [f"t{number}" for number in range(101)]}, "tags: more than 100 tags"),
        ({"importance": 1.5}, "importance: Input should be less than or equal to 1"),
        ({"importance": "high"}, "importance: Input should be a valid number"),
        ({"pinned": "perhaps"}, "pinned: Input should be a valid boolean"),
        ({"ordinal": 10**30}, "ordinal: Input should be less than or equal to"),
        ({"createdAt": "yesterday"}, "createdAt: not an ISO timestamp"),
        ({"createdAt": "17000000"}, "createdAt: not an ISO timestamp"),
        ({"createdAt": 1_700}, "createdAt: not an ISO timestamp"),
        ({"eventAt": True}, "eventAt: not an ISO timestamp"),
        ({"createdAt": "9999-12-31T23:59:59-12:00"}, "createdAt: not an ISO timestamp"),
        ({"created_at": "0001-01-01T00:00:00+12:00"}, "created_at: not an ISO timestamp"),
        ({"hints": "one"}, "hints: Input should be a valid list"),
        ({"hints": ["what is it"] * 101}, "hints: List should have at most 100 items"),
        ({"agentId": {}}, "agentId: Input should be a valid string"),
        ({"agentId": "a" * 257}, "agentId: String should have at most 256"),
        ({"scope": "a" * 257}, "scope: String should have at most 256"),
        ({"project": "a" * 4_097}, "project: String should have at most 4096"),
        ({"sourceId": "a" * 4_097}, "sourceId: String should have at most 4096"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name_and_nothing_is_stored(
    api: Api, fields: dict[str, object], words: str
) -> None:
    valid = {"content": "The moon is round."} if fields and "content" not in fields else {}
    refused = api.post(REMEMBER, valid | fields)
    assert refused.status == 400
    assert refused.error.startswith(words)
    assert api.rows("memories") == api.rows("memory_jobs") == []


def test_a_text_that_is_a_document_is_refused_as_too_large(api: Api) -> None:
    refused = api.post(REMEMBER, {"content": "a" * 1_048_577})
    assert refused.status == 413
    assert "signet document add FILE" in refused.error
    assert api.rows("memories") == []


def test_frozen_mutations_refuse_the_save_and_not_the_recall(api: Api) -> None:
    api.post(REMEMBER, {"content": "Tea is at four."})
    api.configure("memory:\n  pipelineV2:\n    mutationsFrozen: true\n")
    refused = api.post(REMEMBER, {"content": "Tea is at five."})
    assert (refused.status, refused.error) == (503, "Mutations are frozen (kill switch active)")
    assert int(refused.headers["retry-after"]) > 0
    assert api.post("/api/memory/recall", {"query": "tea"}).body["count"] == 1
    assert len(api.rows("memories")) == 1


def test_the_same_text_in_two_projects_is_two_memories(api: Api) -> None:
    text = "Always run the linter before each commit."
    ids = []
    for project in ("/p/heron", "/p/egret", "/p/heron", None):
        ids.append(
            api.post("/api/memory/remember", {"content": text, "project": project}).body["id"]
        )
    assert ids[0] == ids[2] and len(set(ids)) == 3


def test_a_save_names_the_memory_that_it_seems_to_replace_and_how_to_link_it(api: Api) -> None:
    old = api.post(REMEMBER, {"content": "Errors are reported to Rollbar."}).body
    assert "may_replace" not in api.post(REMEMBER, {"content": "Lunch moved to one o'clock."}).body
    text = "Rollbar was replaced by Honeybadger"
    new = api.post(REMEMBER, {"content": text}).body
    assert new["may_replace"] == [{"id": old["id"], "content": old["content"]}]
    assert "superseded" not in new
    again = api.post(REMEMBER, {"content": text, "supersedes": [old["id"]]}).body
    assert (again["id"], again["superseded"]) == (new["id"], [old["id"]])
    assert "may_replace" not in again
    assert "may_replace" not in api.post(REMEMBER, {"content": f"{text}!"}).body


def test_the_author_is_the_program_that_saves(api: Api) -> None:
    headers = {"x-signet-actor": "sec"}
    for body, who in (({}, "sec"), ({"who": "Ana"}, "Ana")):
        sent = {"content": f"The gate of {who} is blue", **body}
        saved = api.post("/api/memory/remember", sent, **headers).body
        assert api.get(f"/api/memory/{saved['id']}").body["who"] == who
