"""The pipeline over HTTP: what runs, what waits, why, and a pause."""

import json
import re

import pytest

from signet import clock
from signet.process.liveness import Presence
from signet.queue import circuit_breaker
from support.http import Api

STATUSES = {"pending": 0, "leased": 0, "completed": 0, "failed": 0, "dead": 0}


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
    assert api.post("/api/pipeline/pause").body["paused"] is True
    assert mode() == "paused"
    api.configure("memory:\n  pipelineV2:\n    enabled: false\n")
    assert mode() == "disabled"
    api.configure("")
    assert api.post("/api/pipeline/resume").body == {"success": True, "paused": False, "pauses": []}
    assert mode() == "controlled-write"


def test_saves_make_no_jobs_while_the_pipeline_is_off_and_are_found(api: Api) -> None:
    manifest = api.state.workspace.root / "agent.yaml"
    for is_on, kinds in (("true", {"extract", "embed"}), ("false", set())):
        manifest.write_text(f"memory: {{pipelineV2: {{enabled: {is_on}}}}}\n", "utf-8")
        api.state.live.poll()
        api.run("DELETE FROM memory_jobs")
        saved = api.post("/api/memory/remember", {"content": f"The heron is grey: {is_on}."})
        assert saved.status == 200
        assert {row["job_type"] for row in api.rows("memory_jobs")} == kinds
    manifest.write_text("embedding: {provider: none}\n", "utf-8")
    api.state.live.poll()
    assert api.post("/api/memory/recall", {"query": "heron"}).body["count"] == 2


def test_one_queue_is_paused_by_name(api: Api) -> None:
    paused = api.post("/api/pipeline/pause", {"queue": "llm"}, x_signet_actor="ada")
    assert paused.body["paused"] is False
    (pause,) = paused.body["pauses"]
    assert (pause["queue"], pause["by"]) == ("llm", "ada")
    assert api.get("/api/pipeline/status").body["pauses"] == [pause]
    assert api.get("/api/status").body["queue"]["pauses"] == [pause]
    again = api.post("/api/pipeline/pause", {"queue": "llm"}, x_signet_actor="bob")
    assert again.body["pauses"] == [pause], "the first pause keeps its time and name"
    metrics = api.get("/metrics").body
    assert 'signet_queue_paused{queue="llm"} 1.0' in metrics
    assert 'signet_queue_paused{queue="vectors"} 0.0' in metrics
    queue = api.get("/api/diagnostics").body["queue"]
    assert queue["pauses"] == [pause]
    assert "queue llm is paused since" in str(queue)
    unknown = api.post("/api/pipeline/pause", {"queue": "nope"})
    assert (unknown.status, unknown.body["code"]) == (400, "unknown_queue")
    assert "llm" in unknown.body["error"]
    api.post("/api/pipeline/pause")
    assert api.post("/api/pipeline/resume", {"queue": "llm"}).status == 409
    assert api.post("/api/pipeline/resume").body["pauses"] == []


def test_metrics_count_deaths_by_code_and_jobs_that_are_due_later(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The ferry to Paros leaves at dusk"})
    job_id = api.rows("memory_jobs")[0]["id"]
    assert api.post(f"/api/jobs/{job_id}/cancel").status == 200
    api.post("/api/memory/remember", {"content": "The ferry to Naxos leaves at dawn"})
    api.state.db.write(lambda tx: tx.run("UPDATE memory_jobs SET due_ms = due_ms + 60000"))
    metrics = api.get("/metrics").body
    assert 'signet_jobs_dead{code="cancelled"} 1.0' in metrics
    assert re.search(r'^signet_jobs_delayed\{queue="[a-z]+"\} [1-9]', metrics, re.MULTILINE)


def test_a_pause_is_a_row_that_survives_and_saving_goes_on(api: Api) -> None:
    api.post("/api/pipeline/pause", x_signet_actor="ada")
    (row,) = api.rows("queue_control")
    assert (row["paused"], row["updated_by"]) == (1, "ada")
    assert api.post("/api/memory/remember", {"content": "The sky is blue."}).status == 200
    assert api.get("/api/status").body["queue"]["paused"] is True


def kind(api: Api, name: str) -> dict[str, object]:
    found: dict[str, object] = api.get("/api/pipeline/status").body["queues"]["memory"]["byType"][
        name
    ]
    return found


def test_each_kind_tells_what_waits_since_when_how_fast_and_how_long(api: Api) -> None:
    for number in range(4):
        api.post("/api/memory/remember", {"content": f"Fact number {number} is true."})
    first, second, third, _ = (row["id"] for row in api.rows("memory_jobs"))
    assert kind(api, "extract")["etaSec"] is None
    now = clock.wall_ms()
    done = "UPDATE memory_jobs SET status = 'completed', completed_at = ? WHERE id = ?"
    api.run(done, clock.ms_to_text(now - 10_000), first)
    api.run(done, clock.ms_to_text(now), second)
    api.run("UPDATE memory_jobs SET due_ms = ? WHERE id = ?", now + 3_600_000, third)
    api.run(
        "UPDATE memory_jobs SET due_ms = ? WHERE status = 'pending' AND due_ms < ?",
        now - 60_000,
        now,
    )
    found = kind(api, "extract")
    assert (found["waiting"], found["delayed"], found["running"], found["dead"]) == (1, 1, 0, 0)
    assert 60 <= float(str(found["oldestAgeSec"])) < 90
    assert 0.1 < float(str(found["perSecond"])) <= 0.2
    assert 5 <= float(str(found["etaSec"])) < 10
    api.post("/api/pipeline/pause")
    assert kind(api, "extract")["etaSec"] is None


def test_workers_are_told_from_the_lock_of_their_process_and_its_leases(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    presence = Presence(api.state.workspace.runtime_dir, "worker")
    api.state.db.write(presence.announce, now=clock.now())
    api.run(
        "UPDATE memory_jobs SET status = 'leased', lease_owner = ?, lease_until_ms = 1, lease_token = 1,"
        " leased_at = updated_at",
        presence.owner,
    )
    (row,) = api.rows("memory_jobs")
    workers = api.get("/api/pipeline/status").body["workers"]
    extraction = workers["extraction"]
    assert (extraction["running"], extraction["process"]) == (True, "worker")
    assert extraction["pid"] and extraction["lastHeartbeatAt"]
    assert extraction["currentJob"]["id"] == row["id"]
    assert workers["document"]["running"] and workers["document"]["currentJob"] is None
    assert workers["maintenance"]["running"] and workers["maintenance"]["currentJob"] is None
    presence.close()
    gone = api.get("/api/pipeline/status").body["workers"]["extraction"]
    assert (gone["running"], gone["lastHeartbeatAt"]) == (False, None)


def test_a_provider_that_is_away_is_told_with_its_queues_and_its_words(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    (row,) = api.rows("memory_jobs")
    providers = api.get("/api/pipeline/status").body["providers"]
    assert providers == {"breakers": [], "budgets": []}
    api.run("UPDATE memory_jobs SET last_error_code = 'provider_down', error = 'nobody answers'")
    now = clock.now()
    api.state.db.write(
        circuit_breaker.open_breaker, row["queue"], row["id"], retry_after_ms=60_000, now=now
    )
    (breaker,) = api.get("/api/pipeline/status").body["providers"]["breakers"]
    assert (breaker["state"], breaker["error"]) == ("open", "nobody answers")
    assert {"llm", "sessions"} <= set(breaker["queues"])
    assert clock.parse(breaker["retryAt"]) > now
    assert clock.parse(breaker["since"]) <= now and breaker["waiting"] >= 1


def test_a_budget_that_is_used_up_is_told(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)  # the hour must not end in between
    api.configure("memory: {pipelineV2: {extraction: {provider: openai, maxCallsPerHour: 10}}}\n")
    api.run(
        "INSERT INTO provider_usage (provider, hour, calls, tokens) VALUES ('openai', ?, 10, 7)",
        clock.to_text(now)[:13],
    )
    (budget,) = api.get("/api/pipeline/status").body["providers"]["budgets"]
    assert (budget["provider"], budget["calls"], budget["tokens"]) == ("openai", 10, 7)
    assert (budget["maxCallsPerHour"], budget["usedUp"]) == (10, True)


def test_what_died_is_counted_by_its_code(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    api.run(
        "UPDATE memory_jobs SET status = 'dead', failed_at = updated_at, error = 'too slow',"
        " last_error_code = 'timeout'"
    )
    body = api.get("/api/pipeline/status").body
    assert body["errorSummary"] == {"timeout": 1}
    assert body["queues"]["memory"]["lastError"]["error"] == "too slow"
    assert (body["deadLetter"], kind(api, "extract")["dead"]) == (1, 1)


def test_what_nothing_was_learned_of_yet_says_so(api: Api) -> None:
    body = api.get("/api/pipeline/status").body
    assert (body["predictor"]["running"], body["predictor"]["modelReady"]) == (True, False)
    assert body["feedback"]["lastRunAt"] is None


def test_the_last_walk_is_that_of_whichever_agent_walked_last(api: Api) -> None:
    def last() -> object:
        return api.get("/api/pipeline/status").body["traversal"]["lastRun"]

    assert last() is None
    for agent, at in (("default", "2026-01-02"), ("scout", "2026-01-03"), ("bea", "2026-01-01")):
        walk = json.dumps({"at": at, "focalEntityNames": ["Ada"], "memoryCount": 1})
        api.run(
            "INSERT INTO runtime_settings (key, value) VALUES (?, ?)", f"traversal:{agent}", walk
        )
    assert last() == {"at": "2026-01-03", "focalEntityNames": [], "memoryCount": 1}, (
        "nobody reads the names of another agent here"
    )
