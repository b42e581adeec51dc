"""Documents over HTTP: hand over, list, read, delete."""

import pytest

from support.http import Answer, Api

DOCUMENTS = "/api/documents"


def hand_over(api: Api, content: str = "A page about bees.", **fields: object) -> Answer:
    return api.post(DOCUMENTS, {"source_type": "text", "content": content, **fields})


def test_a_document_is_stored_and_queued(api: Api) -> None:
    made = hand_over(api, title="Bees", metadata={"shelf": [1, {"row": 2}]})
    assert made.status == 201
    assert made.body["status"] == "queued"
    (row,) = api.rows("documents")
    assert (row["id"], row["title"]) == (made.body["id"], "Bees")
    (job,) = api.rows("memory_jobs")
    assert (job["id"], job["job_type"]) == (made.body["jobId"], "document_ingest")
    shown = api.get(f"{DOCUMENTS}/{made.body['id']}").body
    assert shown["metadata"] == {"shelf": [1, {"row": 2}]}
    assert shown["raw_content"] == "A page about bees."


def test_the_same_text_again_is_the_same_document(api: Api) -> None:
    first, again = hand_over(api), hand_over(api)
    assert (first.status, again.status) == (201, 200)
    assert again.body == {"id": first.body["id"], "status": "queued", "deduplicated": True}
    assert len(api.rows("documents")) == len(api.rows("memory_jobs")) == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"source_type": None}, "source_type must be text, url, or file"),
        ({"source_type": "tape"}, "source_type must be text, url, or file"),
        ({"source_type": 1}, "source_type: Input should be a valid string"),
        ({"content": None}, "content is required for text source_type"),
        ({"content": "  "}, "content is required for text source_type"),
        ({"connector_id": "none"}, "connector_id names no connector"),
        ({"metadata": [1]}, "metadata: Input should be a valid dictionary"),
        ({"title": 5}, "title: Input should be a valid string"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_stored(
    api: Api, fields: dict[str, object], words: str
) -> None:
    sent: dict[str, object] = {"source_type": "text", "content": "A page."}
    refused = api.post(DOCUMENTS, sent | fields)
    assert refused.status == 400
    assert refused.error.startswith(words)
    assert api.rows("documents") == api.rows("memory_jobs") == []


def test_metadata_may_have_levels_but_not_without_end(api: Api) -> None:
    def nested(levels: int) -> dict[str, object]:
        found: dict[str, object] = {}
        for _ in range(levels - 1):
            found = {"inner": found}
        return found

    kept = hand_over(api, metadata=nested(32))
    assert api.get(f"{DOCUMENTS}/{kept.body['id']}").body["metadata"] == nested(32)
    refused = hand_over(api, "Another page.", metadata=nested(33))
    assert (refused.status, refused.error) == (400, "metadata: more than 32 levels deep")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"source_type": "url"}, "url is required for url source_type"),
        ({"source_type": "url", "url": "file:///etc/passwd"}, "url must be an http or https"),
        ({"source_type": "url", "url": "http://[x"}, "url: "),
        ({"source_type": "url", "url": "http://a.test:99999/"}, "url: Port out of range"),
        pytest.param(
            {"source_type": "file", "url": "a.md"},
            "url must be an absolute path",
            marks=pytest.mark.own_files,
        ),
    ],
)
def test_an_address_that_makes_no_sense_is_refused(
    api: Api, body: dict[str, object], words: str
) -> None:
    refused = api.post(DOCUMENTS, body)
    assert refused.status == 400
    assert refused.error.startswith(words)
    assert api.rows("documents") == []


@pytest.mark.own_files
def test_a_page_and_a_file_are_queued_once_for_each_agent(api: Api) -> None:
    api.add_agent()
    for body in (
        {"source_type": "url", "url": "https://example.org/tides"},
        {"source_type": "file", "url": "/srv/notes/tides.md"},
    ):
        made, again = api.post(DOCUMENTS, body), api.post(DOCUMENTS, body)
        other = api.post(DOCUMENTS, body, x_signet_agent_id="nora")
        assert [answer.status for answer in (made, again, other)] == [201, 200, 201]
        assert again.body["id"] == made.body["id"] != other.body["id"]
    assert [row["agent_id"] for row in api.rows("documents")] == ["default", "nora"] * 2


def test_documents_of_another_agent_are_not_found(api: Api) -> None:
    api.add_agent()
    document_id = hand_over(api, agentId="nora").body["id"]
    for path in ("", "/chunks"):
        assert api.get(f"{DOCUMENTS}/{document_id}{path}", x_signet_agent_id="nora").status == 200
        assert api.get(f"{DOCUMENTS}/{document_id}{path}?agentId=otto").status == 404
    assert api.get(f"{DOCUMENTS}?agentId=otto").body["total"] == 0
    assert api.delete(f"{DOCUMENTS}/{document_id}?reason=old&agentId=otto").status == 404
    assert api.delete(f"{DOCUMENTS}/{document_id}?reason=old&agentId=nora").status == 200


def test_a_larger_limit_is_told_to_need_a_restart_and_a_smaller_one_not(api: Api) -> None:
    limits = "memory:\n  pipelineV2:\n    documents:\n      maxContentBytes: {}\n"
    api.configure(limits.format(2_000))
    assert api.get("/api/status").body["restartRequired"] == []
    api.configure(limits.format(20_000_000))
    assert api.get("/api/status").body["restartRequired"] == [
        "pipelineV2.documents.maxContentBytes"
    ]


def test_too_long_a_document_is_refused_with_413(api: Api) -> None:
    api.configure("memory:\n  pipelineV2:\n    documents:\n      maxContentBytes: 1024\n")
    assert hand_over(api, "a" * 1_024).status == 201
    refused = hand_over(api, "b" * 1_025)
    assert (refused.status, refused.error) == (413, "content is longer than 1024 bytes")
    assert len(api.rows("documents")) == 1


@pytest.mark.parametrize(
    ("query", "limit", "offset", "count"),
    [
        ("", 50, 0, 2),
        ("?limit=1", 1, 0, 1),
        ("?limit=-3", 1, 0, 1),
        ("?limit=", 50, 0, 2),
        (f"?limit={10**30}", 500, 0, 2),
        ("?offset=1", 50, 1, 1),
        ("?offset=-1", 50, 0, 2),
        ("?status=queued", 50, 0, 2),
        ("?status=done", 50, 0, 0),
    ],
)
def test_the_list_is_cut_leniently_and_newest_first(
    api: Api, query: str, limit: int, offset: int, count: int
) -> None:
    ids = [hand_over(api, text).body["id"] for text in ("Page one.", "Page two.")]
    body = api.get(DOCUMENTS + query).body
    assert (body["limit"], body["offset"], len(body["documents"])) == (limit, offset, count)
    assert [row["id"] for row in body["documents"]] == ids[::-1][offset : offset + count]
    assert all(row["raw_content"] is None for row in body["documents"])


def test_the_list_shows_texts_when_asked_and_refuses_an_unknown_status(api: Api) -> None:
    hand_over(api, "Page one.")
    shown = api.get(f"{DOCUMENTS}?include=content").body["documents"]
    assert shown[0]["raw_content"] == "Page one."
    refused = api.get(f"{DOCUMENTS}?status=lost")
    assert refused.status == 400
    assert refused.error.startswith("status must be one of queued,")


def test_an_unknown_document_is_not_found_by_any_route(api: Api) -> None:
    for path in (f"{DOCUMENTS}/none", f"{DOCUMENTS}/none/chunks"):
        assert (api.get(path).status, api.get(path).error) == (404, "Document not found")
    assert api.delete(f"{DOCUMENTS}/none?reason=old").error == "Document not found"


def test_deleting_needs_a_reason_cancels_the_job_and_may_be_repeated(api: Api) -> None:
    made = hand_over(api).body
    refused = api.delete(f"{DOCUMENTS}/{made['id']}")
    assert (refused.status, refused.error) == (400, "reason query parameter is required")
    assert api.rows("documents")[0]["status"] == "queued"
    for _ in range(2):
        gone = api.delete(f"{DOCUMENTS}/{made['id']}?reason=old")
        assert gone.status == 200
        assert (gone.body["deleted"], gone.body["memoriesRemoved"]) == (True, 0)
    assert api.rows("documents")[0]["status"] == "deleted"
    assert api.get(f"/api/memory/jobs/{made['jobId']}").body["error"] == "cancelled"


def test_chunks_come_in_the_order_of_the_document(api: Api) -> None:
    document_id = hand_over(api).body["id"]
    for index, text in ((1, "Second part."), (0, "First part.")):
        memory_id = api.post("/api/memory/remember", {"content": text}).body["id"]
        api.run(
            "INSERT INTO document_memories (document_id, memory_id, chunk_index) VALUES (?, ?, ?)",
            document_id,
            memory_id,
            index,
        )
    body = api.get(f"{DOCUMENTS}/{document_id}/chunks").body
    assert body["count"] == 2
    assert [chunk["content"] for chunk in body["chunks"]] == ["First part.", "Second part."]
    assert set(body["chunks"][0]) == {"id", "content", "type", "created_at", "chunk_index"}


def test_frozen_mutations_refuse_documents(api: Api) -> None:
    made = hand_over(api).body
    api.configure("memory:\n  pipelineV2:\n    mutationsFrozen: true\n")
    refused = hand_over(api, "Another page.")
    assert (refused.status, refused.error) == (503, "Mutations are frozen (kill switch active)")
    assert api.delete(f"{DOCUMENTS}/{made['id']}?reason=old").status == 503
    assert [row["status"] for row in api.rows("documents")] == ["queued"]
