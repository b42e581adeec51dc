"""Jobs over HTTP: found, shown, tried again, ended."""

import json

import pytest

from support.http import Api


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
        for query in ("?kind=extract", "?status=dead", "?limit=1", "?limit=")
    }
    assert kinds["?kind=extract"] == ["extract"]
    assert kinds["?status=dead"] == []
    assert len(kinds["?limit=1"]) == 1
    assert sorted(kinds["?limit="]) == ["document_ingest", "extract"]


def test_pages_of_jobs_follow_each_other_with_counts_of_all(api: Api) -> None:
    for number in range(5):
        api.post("/api/memory/remember", {"content": f"The sky has {number} clouds."})
    a_dead_job(api, "The sky is red.")
    every = [job["id"] for job in api.get("/api/jobs").body["jobs"]]
    met, cursor = [], ""
    while cursor is not None:
        page = api.get(f"/api/jobs?limit=2&facets=1&cursor={cursor}").body
        assert page["total"] == 6
        met += [job["id"] for job in page["jobs"]]
        cursor = page["next"]
    assert met == every and len(met) == 6
    page = api.get("/api/jobs?status=dead&facets=1").body
    assert (page["count"], page["total"], page["next"]) == (1, 1, None)
    assert page["facets"] == {
        "status": [
            {"key": "pending", "count": 5, "says": "pending"},
            {"key": "dead", "count": 1, "says": "dead"},
        ],
        "kind": [{"key": "extract", "count": 1, "says": "read facts from a memory"}],
        "queue": [{"key": page["jobs"][0]["queue"], "count": 1, "says": page["jobs"][0]["queue"]}],
        "code": [{"key": "timeout", "count": 1, "says": "timeout"}],
    }
    assert "facets" not in api.get("/api/jobs").body
    assert api.get("/api/jobs?cursor=none").status == 400


def a_dead_job(api: Api, content: str = "The sky is blue.") -> str:
    memory_id = api.post("/api/memory/remember", {"content": content}).body["id"]
    api.run(
        "UPDATE memory_jobs SET status = 'dead', attempts = 3, runs_total = 3, lease_token = 3,"
        " failed_at = updated_at, error = 'too slow', last_error_code = 'timeout', errors = ?"
        " WHERE memory_id = ?",
        '[{"at": "2026-05-01T12:00:00.000Z", "token": 3, "code": "timeout", "text": "too slow"}]',
        memory_id,
    )
    return next(str(row["id"]) for row in api.rows("memory_jobs") if row["memory_id"] == memory_id)


def audits(api: Api) -> list[dict[str, object]]:
    rows = [row for row in api.rows("memory_history") if row["memory_id"] == "system"]
    return [json.loads(row["metadata"]) | {"by": row["changed_by"]} for row in rows]


def test_jobs_are_narrowed_by_target_error_and_time(api: Api) -> None:
    dead = a_dead_job(api)
    waiting = api.post("/api/memory/remember", {"content": "Tea is at four."}).body["id"]

    def found(query: str) -> list[str]:
        return [job["id"] for job in api.get(f"/api/jobs?{query}").body["jobs"]]

    assert found("code=timeout") == found("status=dead") == [dead]
    (mine,) = api.get(f"/api/jobs?memory_id={waiting}").body["jobs"]
    assert mine["memory_id"] == waiting
    assert found("status=pending,leased") == found("status=leased,pending,pending") == [mine["id"]]
    assert found(f"memory_id={waiting}&status=dead") == found("document_id=none") == []
    assert found("since=2100-01-01") == found("until=2000-01-01") == []
    assert len(found("since=2000-01-01&until=2100-01-01")) == 2
    for query in ("status=lost", "status=dead,", "since=soon"):
        refused = api.get(f"/api/jobs?{query}")
        assert (refused.status, query.partition("=")[0] in refused.error) == (400, True)


def test_one_job_is_shown_whole(api: Api) -> None:
    body = api.get(f"/api/jobs/{a_dead_job(api)}").body
    assert (body["attempts"], body["runs_total"], body["error"]) == (3, 3, "too slow")
    assert [past["code"] for past in body["errors"]] == ["timeout"]
    assert body["cancel_requested"] is False
    assert api.get("/api/jobs/none").error == "Job not found"


def test_a_dead_job_is_tried_again_and_history_says_who_asked(api: Api) -> None:
    job_id = a_dead_job(api)
    answer = api.post(f"/api/jobs/{job_id}/retry", x_signet_actor="ada")
    assert (answer.status, answer.body["status"]) == (200, "pending")
    (row,) = api.rows("memory_jobs")
    assert (row["status"], row["attempts"], row["runs_total"]) == ("pending", 0, 3)
    assert audits(api) == [
        {"repairAction": "retryJob", "affected": 1, "jobs": [job_id], "by": "ada"}
    ]


def test_a_job_that_waits_for_its_next_try_starts_now(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    (row,) = api.rows("memory_jobs")
    api.run("UPDATE memory_jobs SET due_ms = due_ms + 3600000")
    assert api.post(f"/api/jobs/{row['id']}/retry").status == 200
    assert api.rows("memory_jobs")[0]["due_ms"] < row["due_ms"] + 60_000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("status = 'completed', completed_at = updated_at", "nothing to retry"),
        ("status = 'leased', lease_owner = 'w', lease_until_ms = 1, lease_token = 1", "running"),
    ],
    ids=["completed", "leased"],
)
def test_what_runs_or_is_done_is_not_retried(api: Api, change: str, words: str) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    api.run(f"UPDATE memory_jobs SET {change}")
    (before,) = api.rows("memory_jobs")
    refused = api.post(f"/api/jobs/{before['id']}/retry")
    assert refused.status == 409 and words in refused.error
    assert api.rows("memory_jobs") == [before] and audits(api) == []
    assert api.post("/api/jobs/none/retry").error == "Job not found"


def test_a_dead_job_is_not_retried_beside_an_open_one_for_the_same_target(api: Api) -> None:
    job_id = a_dead_job(api)
    api.run(
        "INSERT INTO memory_jobs (id, memory_id, job_type, status, created_at, updated_at, queue, due_ms, dedupe_key)"
        " SELECT 'twin', memory_id, job_type, 'pending', created_at, updated_at, queue, due_ms, dedupe_key"
        " FROM memory_jobs"
    )
    refused = api.post(f"/api/jobs/{job_id}/retry")
    assert (refused.status, refused.body["open_job_id"]) == (409, "twin")


def test_a_job_that_has_ended_can_be_deleted(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    (job_id,) = (row["id"] for row in api.rows("memory_jobs"))
    refused = api.delete(f"/api/jobs/{job_id}")
    assert refused.status == 409 and "cancel it first" in refused.error
    api.post(f"/api/jobs/{job_id}/cancel")
    assert api.delete(f"/api/jobs/{job_id}").body == {"success": True, "id": job_id}
    assert api.get(f"/api/jobs/{job_id}").status == 404
    assert api.delete(f"/api/jobs/{job_id}").status == 404


def test_a_job_is_cancelled_at_once_or_asked_to_stop(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    api.post("/api/memory/remember", {"content": "Tea is at four."})
    waiting, running = (row["id"] for row in api.rows("memory_jobs"))
    api.run(
        "UPDATE memory_jobs SET status = 'leased', lease_owner = 'w', lease_until_ms = 1, lease_token = 1"
        " WHERE id = ?",
        running,
    )
    ended = api.post(f"/api/jobs/{waiting}/cancel").body
    assert (ended["status"], ended["cancelRequested"]) == ("dead", False)
    asked = api.post(f"/api/jobs/{running}/cancel").body
    assert (asked["status"], asked["cancelRequested"]) == ("leased", True)
    again = api.post(f"/api/jobs/{waiting}/cancel")
    assert (again.status, again.error) == (409, "The job is dead already")
    assert api.post("/api/jobs/none/cancel").status == 404
    assert len(audits(api)) == 2


def test_many_jobs_are_changed_by_choice_and_a_dry_run_changes_nothing(api: Api) -> None:
    dead = [a_dead_job(api, f"Fact number {number} is true.") for number in range(3)]
    before = api.rows("memory_jobs")
    dry = api.post("/api/jobs/retry", {"code": "timeout", "limit": 2, "dryRun": True}).body
    assert (dry["affected"], dry["ids"], dry["dryRun"]) == (2, dead[:2], True)
    assert dry["more"] is True
    assert api.rows("memory_jobs") == before and audits(api) == []
    assert api.post("/api/jobs/retry", {"ids": dead[:1]}).body["ids"] == dead[:1]
    assert api.post("/api/jobs/retry", {"all": True}).body["affected"] == 2
    assert api.post("/api/jobs/cancel", {"kind": "extract"}).body["affected"] == 3
    assert [audit["affected"] for audit in audits(api)] == [1, 2, 3]


def test_every_named_job_is_changed_and_what_a_limit_leaves_out_is_said(api: Api) -> None:
    dead = [a_dead_job(api, f"Rope number {number} is frayed.") for number in range(60)]
    first = api.post("/api/jobs/retry", {"all": True}).body
    assert (first["affected"], first["more"]) == (50, True)
    named = api.post("/api/jobs/cancel", {"ids": dead, "dryRun": True}).body
    assert (named["affected"], named["more"]) == (50, False)
    api.run("UPDATE memory_jobs SET status = 'dead', failed_at = updated_at")
    whole = api.post("/api/jobs/retry", {"ids": dead}).body
    assert (whole["affected"], whole["more"]) == (60, False)
    assert api.post("/api/jobs/retry", {"ids": [" "]}).status == 400


@pytest.mark.parametrize("verb", ["retry", "cancel"])
def test_a_choice_must_be_said(api: Api, verb: str) -> None:
    a_dead_job(api)
    refused = api.post(f"/api/jobs/{verb}", {})
    assert refused.status == 400 and "choose the jobs" in refused.error
    assert api.post(f"/api/jobs/{verb}", {"all": True, "limit": 501}).status == 400


def test_new_jobs_are_tried_as_often_as_the_settings_say(api: Api) -> None:
    api.configure("memory:\n  pipelineV2:\n    worker:\n      maxRetries: 7\n")
    api.post("/api/memory/remember", {"content": "The moon is round."})
    api.post("/api/documents", {"source_type": "text", "content": "A page about tides."})
    jobs = {row["job_type"]: row["max_attempts"] for row in api.rows("memory_jobs")}
    assert jobs == {"extract": 7, "document_ingest": 7}
