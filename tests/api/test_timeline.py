"""What happened to one thing."""

import json
from pathlib import Path
from typing import Any

import pytest

from signet.observe import record
from signet.observe.taxonomy import Code
from support.http import Api

AT = "2026-05-01T10:00:00.000Z"


def timeline(api: Api, entity_id: str, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/api/timeline/{entity_id}{query}").body
    return found


def names(found: dict[str, Any]) -> list[str]:
    return [event["event"] for event in found["events"]]


def a_log_line(api: Api, message: str, **data: object) -> None:
    line = {
        "timestamp": AT,
        "level": "warn",
        "category": "pipeline",
        "message": message,
        "data": data,
    }
    path = api.state.workspace.log_dir / "daemon-2026-05-01.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")


@pytest.fixture(autouse=True)
def own_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIGNET_LOG_FILE", raising=False)
    monkeypatch.delenv("SIGNET_LOG_DIR", raising=False)


def test_a_memory_has_its_history_jobs_lines_and_errors_in_the_order_of_time(api: Api) -> None:
    memory_id = api.post("/api/memory/remember", {"content": "Zebras graze at dawn."}).body["id"]
    a_log_line(api, "job.failed", memory_id=memory_id)
    a_log_line(api, "of another", memory_id="other")
    record.error(Code.DECISION_INVALID, "odd", memory_id=memory_id)
    found = timeline(api, memory_id)
    assert (found["entityType"], found["entityId"]) == ("memory", memory_id)
    assert names(found) == [
        "log:warn:pipeline",
        "created",
        "job:extract:created",
        "error:decision:DECISION_INVALID",
    ]
    assert "Zebras" not in json.dumps(found)
    assert names(timeline(api, memory_id, "?limit=1")) == ["error:decision:DECISION_INVALID"]


def test_what_history_notes_cannot_hide_what_is_known_nor_tell_texts(api: Api) -> None:
    noted = {
        "changedBy": "somebody else",
        "fact": {"content": "Zebras", "type": "fact"},
        "confidence": 0.9,
    }
    api.run(
        "INSERT INTO memory_history (id, memory_id, event, changed_by, metadata, created_at, request_id, session_id)"
        " VALUES ('h1', 'mem-1', 'none', 'pipeline', ?, ?, 'req-1', 'sess-1')",
        json.dumps(noted),
        AT,
    )
    (event,) = timeline(api, "mem-1")["events"]
    assert event["details"] == {
        "fact": {"type": "fact"},
        "confidence": 0.9,
        "changedBy": "pipeline",
        "reason": None,
        "hasOldContent": False,
        "hasNewContent": False,
    }
    for entity_id, kind in (("req-1", "request"), ("sess-1", "session")):
        found = timeline(api, entity_id)
        assert (found["entityType"], names(found)) == (kind, ["none"])


def test_a_job_is_told_with_its_memory(api: Api) -> None:
    memory_id = api.post("/api/memory/remember", {"content": "Zebras graze at dawn."}).body["id"]
    (job,) = api.rows("memory_jobs")
    found = timeline(api, job["id"])
    assert found["entityType"] == "memory"
    assert sorted(names(found)) == ["created", "job:extract:created"]
    assert names(timeline(api, memory_id)) == names(found)


def test_a_session_tells_how_the_predictor_did(api: Api) -> None:
    api.run(
        "INSERT INTO predictor_session_comparisons (id, session_key, predictor_ndcg, baseline_ndcg,"
        " predictor_won, margin, alpha, candidate_count, created_at)"
        " VALUES ('c', 'sess-2', 0.9, 0.7, 1, 0.2, 0.5, 12, ?)",
        AT,
    )
    api.run(
        "INSERT INTO session_scores (id, session_key, score, created_at) VALUES ('s', 'sess-2', 1, ?)",
        AT,
    )
    found = timeline(api, "sess-2")
    assert (found["entityType"], names(found)) == ("session", ["predictor:comparison:won"])


def test_an_unknown_id_has_no_events_and_a_short_one_is_refused(api: Api) -> None:
    a_log_line(api, "about nobody-knows")
    found = timeline(api, "nobody-knows")
    assert (found["entityType"], found["events"]) == ("unknown", [])
    assert api.get("/api/timeline/abc").error == "id must have at least 4 characters"


def test_an_export_is_the_timeline_in_an_envelope(api: Api, tmp_path: Path) -> None:
    found = api.get("/api/timeline/nobody-knows/export").body
    assert found["meta"]["entityId"] == "nobody-knows"
    assert set(found["meta"]) == {"version", "exportedAt", "entityId"}
    assert found["timeline"]["entityType"] == "unknown"
