"""Jobs and the pipeline over HTTP."""

from support.http import Api

STATUSES = {"pending": 0, "leased": 0, "completed": 0, "failed": 0, "dead": 0}


def test_a_job_shows_what_clients_wait_for(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    (row,) = api.rows("memory_jobs")
    body = api.get(f"/api/memory/jobs/{row['id']}").body
    assert {
        *("id", "memory_id", "document_id", "job_type", "status", "attempt_count", "attempts"),
        *("max_attempts", "next_attempt_at", "last_error", "last_error_code", "error"),
        *("leased_at", "completed_at", "failed_at", "created_at", "updated_at"),
    } <= set(body)
    assert (body["id"], body["status"], body["attempts"]) == (row["id"], "pending", 0)
    assert body["next_attempt_at"].endswith("Z")


def test_an_unknown_job_is_not_found(api: Api) -> None:
    missing = api.get("/api/memory/jobs/none")
    assert (missing.status, missing.error) == (404, "Job not found")


def test_jobs_are_listed_by_status_and_kind(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    api.post("/api/documents", {"source_type": "text", "content": "A page."})
    kinds = {
        query: [job["job_type"] for job in api.get(f"/api/jobs{query}").body["jobs"]]
        for query in ("?kind=extract", "?status=dead", "?limit=1", "?limit=many")
    }
    assert kinds["?kind=extract"] == ["extract"]
    assert kinds["?status=dead"] == []
    assert len(kinds["?limit=1"]) == 1
    assert sorted(kinds["?limit=many"]) == ["document_ingest", "extract"]


def test_the_pipeline_tells_its_queues_while_no_worker_runs(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    answer = api.get("/api/pipeline/status")
    assert answer.status == 200
    memory, summary = answer.body["queues"]["memory"], answer.body["queues"]["summary"]
    assert {name: memory[name] for name in STATUSES} == STATUSES | {"pending": 1}
    assert {name: summary[name] for name in STATUSES} == STATUSES
    assert memory["byType"]["extract"]["pending"] == 1
    assert (answer.body["queue"], answer.body["processing"], answer.body["deadLetter"]) == (1, 0, 0)
    assert all(worker["running"] is False for worker in answer.body["workers"].values())


def test_the_mode_follows_the_settings_and_the_pause(api: Api) -> None:
    def mode() -> str:
        return str(api.get("/api/pipeline/status").body["mode"])

    assert mode() == "controlled-write"
    api.configure("memory:\n  pipelineV2:\n    shadowMode: true\n")
    assert mode() == "shadow"
    api.configure("memory:\n  pipelineV2:\n    mutationsFrozen: true\n")
    assert mode() == "frozen"
    assert api.post("/api/pipeline/pause").body == {"success": True, "paused": True}
    assert mode() == "paused"
    api.configure("memory:\n  pipelineV2:\n    enabled: false\n")
    assert mode() == "disabled"
    api.configure("")
    assert api.post("/api/pipeline/resume").body == {"success": True, "paused": False}
    assert mode() == "controlled-write"


def test_a_pause_is_a_row_that_survives_and_saving_goes_on(api: Api) -> None:
    api.post("/api/pipeline/pause", x_signet_actor="ada")
    (row,) = api.rows("queue_control")
    assert (row["paused"], row["updated_by"]) == (1, "ada")
    assert api.post("/api/memory/remember", {"content": "The sky is blue."}).status == 200
    assert api.get("/api/status").body["queue"]["paused"] is True
