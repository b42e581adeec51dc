"""The report: what each fault costs, and what is said of it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from support.http import Api, an_api

WEIGHTED = {"queue": 0.28, "storage": 0.14, "index": 0.19, "provider": 0.24, "mutation": 0.10}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with an_api(tmp_path_factory.mktemp("diagnostics") / "agents") as opened:
        yield opened


def ago(**age: float) -> str:
    return clock.to_text(clock.now() - timedelta(**age))


def job(api: Api, status: str, at: str, number: int = 0, **fields: Any) -> None:
    """Put a job into the table by hand."""
    ends = {"completed": {"completed_at": at}, "dead": {"failed_at": at, "error": "no answer"}}
    row: dict[str, object] = {
        "id": f"{status}-{at}-{number}",
        "job_type": "extract",
        "queue": "llm",
        "status": status,
        "due_ms": 0,
        "created_at": at,
        "updated_at": at,
        **ends.get(status, {}),
        **fields,
    }
    marks = ", ".join("?" * len(row))
    api.run(f"INSERT INTO memory_jobs ({', '.join(row)}) VALUES ({marks})", *row.values())
    api.state.reports.drop()


def domain(api: Api, name: str) -> Any:
    api.state.reports.drop()
    answer = api.get(f"/api/diagnostics/{name}")
    assert answer.status == 200, answer.body
    return answer.body


def test_an_empty_store_is_healthy_in_every_way(shared: Api) -> None:
    body = shared.get("/api/diagnostics").body
    assert body["composite"] == {"score": 1.0, "status": "healthy", "reasons": [], "help": []}
    for name in (*WEIGHTED, "connector", "duplicate", "update"):
        assert (body[name]["score"], body[name]["status"]) == (1.0, "healthy"), name
    assert (body["predictor"]["score"], body["predictor"]["status"]) == (0.6, "cold_start")
    assert body["storage"]["dbSizeBytes"] > 0 and body["timestamp"].endswith("Z")


@pytest.mark.parametrize("name", ["timestamp", "__class__", "nothing", "domains"])
def test_what_is_no_domain_is_refused_by_name(shared: Api, name: str) -> None:
    refused = shared.get(f"/api/diagnostics/{name}")
    assert refused.status == 400
    assert refused.error.startswith(f"Unknown domain: {name}; there are queue, storage, ")


def test_a_third_of_dead_jobs_in_the_last_hour_degrades_the_queue(api: Api) -> None:
    for number in range(10):
        job(api, "completed", ago(minutes=5), number)
    for number in range(5):
        job(api, "dead", ago(minutes=4), number)
    found = domain(api, "queue")
    assert (found["deadRate"], found["dead"]) == (pytest.approx(1 / 3), 5)
    assert (found["score"], found["status"]) == (0.7, "degraded")
    assert found["byType"] == {"extract": {"dead": 5}}
    assert found["lastError"]["error"] == "no answer"


def test_an_old_dead_backlog_stays_visible(api: Api) -> None:
    job(api, "dead", ago(days=2))
    found = domain(api, "queue")
    assert (found["deadRate"], found["dead"], found["score"]) == (0.0, 1, 0.9)
    (line,) = domain(api, "composite")["reasons"]
    assert line == "queue: earlier dead jobs: 1"


def test_two_thousand_dead_jobs_are_named_with_the_command_that_helps(api: Api) -> None:
    at, now = ago(days=1), int(clock.now().timestamp() * 1000)
    sql = (
        "INSERT INTO memory_jobs (id, job_type, queue, status, due_ms, created_at, updated_at, failed_at, error)"
        " VALUES (?, 'extract', 'llm', 'dead', ?, ?, ?, ?, 'no answer')"
    )
    rows = [(f"dead-{number}", now, at, at, at) for number in range(2_000)]
    api.state.db.write(lambda tx: tx.many(sql, rows))
    whole = domain(api, "composite")
    assert whole["status"] == "degraded" and whole["score"] < 1
    (told,) = whole["help"]
    assert told["reason"] == "2000 dead jobs have piled up"
    assert told["command"] == "signet repair requeue-dead --apply"
    status = api.get("/api/status").body["health"]
    assert (status["status"], status["help"]) == ("degraded", [told])


def test_waiting_jobs_count_by_age_but_not_those_that_are_not_due(api: Api) -> None:
    later = int((clock.now() + timedelta(hours=1)).timestamp() * 1000)
    job(api, "pending", ago(hours=2), due_ms=later)
    assert domain(api, "queue")["score"] == 1.0
    job(api, "pending", ago(minutes=10))
    found = domain(api, "queue")
    assert found["depth"] == 2 and 590 < found["oldestAgeSec"] < 660
    assert found["score"] == 0.8
    (stuck,) = domain(api, "composite")["help"]
    assert (stuck["command"], stuck["passes"]) == ("signet doctor", False)
    job(api, "completed", ago(minutes=5))
    (moving,) = domain(api, "composite")["help"]
    assert (moving["command"], moving["passes"]) == ("signet jobs watch", True)
    assert moving["reason"] == stuck["reason"]
    for number in range(50):
        job(api, "pending", ago(minutes=1), number)
    assert domain(api, "queue")["score"] == 0.5


def test_a_lease_is_stale_by_its_own_age_and_only_while_nobody_prolongs_it(api: Api) -> None:
    mine: dict[str, Any] = {"lease_owner": "gone", "lease_until_ms": 1, "lease_token": 1}
    job(api, "leased", ago(days=1), leased_at=ago(minutes=2), **mine)
    assert domain(api, "queue")["leaseAnomalies"] == 0
    job(api, "leased", ago(hours=1), leased_at=ago(minutes=11), **mine)
    found = domain(api, "queue")
    assert (found["leaseAnomalies"], found["score"]) == (1, 0.8)
    api.run(
        "INSERT INTO processes (owner, kind, pid, started_at, beat_ms) VALUES ('gone', 'worker', 1, '', 0)"
    )
    api.run("UPDATE memory_jobs SET lease_until_ms = ?", clock.monotonic_ms() + 60_000)
    assert domain(api, "queue")["leaseAnomalies"] == 0, "its process is there and prolongs it"


def test_summaries_whose_job_is_gone_count_too(api: Api) -> None:
    api.run(
        "INSERT INTO summary_jobs (id, harness, status, created_at, updated_at)"
        " VALUES ('s', 'codex', 'failed', ?, ?)",
        ago(minutes=5),
        ago(minutes=5),
    )
    found = domain(api, "queue")
    assert (found["dead"], found["deadRate"], found["score"]) == (1, 1.0, 0.7)


@pytest.mark.sqlite_file
def test_full_text_is_counted_in_the_index_itself(api: Api) -> None:
    for number in range(12):
        api.post("/api/memory/remember", {"content": f"Shelf {number} holds tea."})
    gone = [row["id"] for row in api.rows("memories")[:6]]
    for memory_id in gone:
        api.delete(f"/api/memory/{memory_id}?reason=outdated")
    found = domain(api, "index")
    assert (found["memoriesRowCount"], found["ftsRowCount"]) == (6, 12)
    assert found["ftsMismatch"] is False, (
        "forgotten memories stay in the index until they are purged"
    )
    api.run("DELETE FROM memories_fts_docsize WHERE id IN (SELECT seq FROM memories LIMIT 2)")
    found = domain(api, "index")
    assert (found["ftsMismatch"], found["score"], found["status"]) == (True, 0.5, "degraded")
    api.run("DROP TABLE memories_fts")
    found = domain(api, "index")
    assert (found["ftsRowCount"], found["ftsMismatch"]) == (0, True)
    assert domain(api, "composite")["reasons"] == [
        "index: the full-text index is missing",
    ]
    # What can still be recovered is nothing to complain of.
    assert domain(api, "storage")["score"] == 1.0
    api.run("UPDATE memories SET deleted_at = '2026-01-01T00:00:00.000Z' WHERE is_deleted = 1")
    assert domain(api, "storage")["reasons"] == [
        "6 of 12 memories were forgotten long ago and are not yet purged"
    ]


def test_vectors_are_missed_only_where_somebody_makes_them(tmp_path: Path) -> None:
    for settings, score in (("", 1.0), ("embedding: {provider: ollama}\n", 0.7)):
        with an_api(tmp_path / str(score), settings.replace("embedding", "embedding")) as api:
            if settings:
                (api.state.workspace.root / "agent.yaml").write_text(settings)
                api.state.live.poll()
            api.post("/api/memory/remember", {"content": "Tea is at four."})
            found = domain(api, "index")
            assert (found["embeddingCoverage"], found["score"]) == (0.0, score)


def test_outcomes_of_the_last_hundred_calls_are_counted_exactly(api: Api) -> None:
    def called(outcome: str, times: int) -> None:
        sql = "INSERT INTO provider_outcomes (provider, kind, outcome, error, at) VALUES ('ollama', 'llm', ?, ?, ?)"
        rows = [(outcome, None if outcome == "success" else "503: busy", ago(hours=0))] * times
        api.state.db.write(lambda tx: tx.many(sql, rows))

    called("success", 150)
    called("failure", 1)
    found = domain(api, "provider")
    assert (found["recentTotal"], found["recentSuccesses"], found["recentFailures"]) == (100, 99, 1)
    assert (found["score"], found["lastError"]) == (0.99, "503: busy")
    called("timeout", 60)
    found = domain(api, "provider")
    assert (found["recentTimeouts"], found["availabilityRate"], found["status"]) == (
        60,
        0.39,
        "unhealthy",
    )
    whole = domain(api, "composite")
    assert whole["status"] == "degraded", "one unhealthy domain is not averaged away"


def test_recovered_memories_and_failing_connectors_cost_something(api: Api) -> None:
    for number in range(6):
        api.run(
            "INSERT INTO memory_history (id, memory_id, event, changed_by, created_at)"
            " VALUES (?, 'm', 'recovered', 'me', ?)",
            str(number),
            ago(days=1),
        )
    assert domain(api, "mutation")["score"] == 0.7
    api.run(
        "INSERT INTO connectors (id, provider, config_json, last_error, created_at, updated_at)"
        " VALUES ('c', 'filesystem', '{}', 'denied', ?, ?)",
        ago(days=3),
        ago(days=2),
    )
    found = domain(api, "connector")
    assert (found["errorCount"], found["score"], found["status"]) == (1, 0.5, "degraded")
    assert found["oldestErrorAge"] > 86_400_000


def test_equal_memories_are_counted_without_those_that_a_person_keeps(api: Api) -> None:
    api.run("DROP INDEX idx_memories_content_hash_unique")
    for number in range(4):
        api.run(
            "INSERT INTO memories (id, content, content_hash, created_at, updated_at, pinned)"
            " VALUES (?, 'same', 'h', '', '', ?)",
            str(number),
            int(number == 3),
        )
    found = domain(api, "duplicate")
    assert (found["exactDuplicates"], found["exactClusters"], found["totalActive"]) == (2, 1, 4)
    assert (found["duplicateRatio"], found["score"]) == (0.5, 0.5)
    assert domain(api, "composite")["score"] == 1.0, "it is reported and counts for nothing"
