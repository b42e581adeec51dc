"""Events of the work: what is kept, what never is, and how it is read out."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest

from signet.domain.activity import events as telemetry
from signet.errors import ProviderTimeout
from signet.observe import record
from signet.observe.record import PROPERTIES, TelemetryKind
from signet.observe.taxonomy import Code
from signet.providers.metered import MeteredEmbedder, MeteredModel
from signet.providers.ports import Completion, Reading, Shape
from signet_api import background
from support.http import Api

PLANTED = "zebra-crossing-7"


class Fake:
    """A model and an embedder that answer, or are late."""

    name, model, dimensions = "fake:tiny", "tiny", 1

    def __init__(self, *, is_late: bool = False) -> None:
        self._is_late = is_late

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        if self._is_late:
            raise ProviderTimeout(f"late with {prompt}")
        return Completion(text=prompt, input_tokens=7, output_tokens=3)

    def embed(self, texts: Sequence[str], *, are_queries: bool = False) -> list[bytes]:
        if self._is_late:
            raise ProviderTimeout("late")
        return [b"1234" for _ in texts]

    def question(self, text: str) -> Reading:
        (vector,) = self.embed([text])
        return lambda _: vector

    def available(self) -> bool:
        return True

    def fault(self) -> str | None:
        return None


def events(api: Api, query: str = "") -> list[dict[str, Any]]:
    answer = api.get(f"/api/telemetry/events{query}").body
    assert answer["enabled"] is True
    found: list[dict[str, Any]] = answer["events"]
    return found


def asked(model: MeteredModel) -> None:
    model.generate(PLANTED, timeout_seconds=1, max_tokens=1)


def test_a_recall_leaves_one_event_without_its_question(api: Api) -> None:
    api.post("/api/memory/remember", {"content": f"The code word is {PLANTED}."})
    api.post("/api/memory/recall", {"query": PLANTED})
    (event,) = events(api, "?event=recall.performed")
    assert event["properties"] == {
        "type": "keyword",
        "results": 1,
        "latencyMs": event["properties"]["latencyMs"],
        "truncated": False,
    }


def test_no_event_holds_text_questions_or_paths(api: Api) -> None:
    api.post("/api/memory/remember", {"content": f"Say {PLANTED}.", "project": f"/{PLANTED}"})
    api.post("/api/memory/recall", {"query": PLANTED, "project": f"/{PLANTED}"})
    api.post(
        "/api/hooks/session-end",
        {"harness": "codex", "sessionKey": PLANTED, "cwd": f"/{PLANTED}", "transcript": "x" * 99},
    )
    asked(MeteredModel(Fake()))
    with pytest.raises(ProviderTimeout):
        asked(MeteredModel(Fake(is_late=True)))
    MeteredEmbedder(Fake()).embed([PLANTED])
    record.error(Code.EXTRACTION_PARSE_FAIL, PLANTED)
    background.tell(api.state, memories=1, connectors=0)
    record.event(TelemetryKind.RECALL_PERFORMED, query=PLANTED, results=1)
    kinds = {event["event"] for event in events(api, "?limit=100")}
    assert kinds == {
        "recall.performed",
        "session.end",
        "llm.generate",
        "pipeline.embedding",
        "pipeline.error",
        "daemon.heartbeat",
    }
    assert PLANTED not in json.dumps(api.rows("telemetry_events"))


def test_every_event_of_the_documentation_has_its_properties() -> None:
    assert set(PROPERTIES) == set(TelemetryKind)
    record.BUFFER.take()
    asked(MeteredModel(Fake()))
    MeteredEmbedder(Fake()).embed(["a", "b"])
    taken = list(record.BUFFER.take().events)
    for event in taken:
        assert set(event.properties) == PROPERTIES[event.event]
    assert taken[0].properties["inputTokens"] == 7
    assert taken[1].properties["count"] == 2


def test_the_sums_cover_calls_and_errors(api: Api) -> None:
    asked(MeteredModel(Fake()))
    with pytest.raises(ProviderTimeout):
        asked(MeteredModel(Fake(is_late=True)))
    record.error(Code.DECISION_INVALID, "odd")
    record.error(Code.DECISION_TIMEOUT, "late")
    told = api.get("/api/telemetry/stats").body
    assert told["totalEvents"] == 4
    assert {**told["llm"], "p50": 0, "p95": 0} == {
        "calls": 2,
        "errors": 1,
        "totalInputTokens": 7,
        "totalOutputTokens": 3,
        "totalCost": 0,
        "p50": 0,
        "p95": 0,
    }
    assert told["pipelineErrors"] == 2
    assert told["pipelineErrorsByStage"] == {"decision": 2}
    assert told["pipelineErrorsByCode"] == {"DECISION_INVALID": 1, "DECISION_TIMEOUT": 1}
    assert api.get("/api/telemetry/stats?since=2999-01-01").body["totalEvents"] == 0
    codes = [one["properties"]["errorCode"] for one in events(api, "?event=llm.generate")]
    assert codes == ["TIMEOUT", None]


def test_an_export_is_lines_oldest_first_over_many_pages(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "PAGE_ROWS", 3)
    assert api.get("/api/telemetry/export").body == ""
    for number in range(8):
        record.event(TelemetryKind.RECALL_PERFORMED, results=number)
    answer = api.get("/api/telemetry/export?limit=7")
    assert answer.headers["content-type"] == "application/x-ndjson"
    lines = answer.body.splitlines()
    assert answer.body.endswith("\n")
    assert [json.loads(line)["properties"]["results"] for line in lines] == [*range(7)]
    newest = events(api, "?limit=2")
    assert [event["properties"] for event in newest] == [{"results": 7}, {"results": 6}]


def test_switched_off_nothing_is_kept_or_told(api: Api) -> None:
    api.configure("memory:\n  pipelineV2:\n    telemetryEnabled: false\n")
    record.event(TelemetryKind.RECALL_PERFORMED, results=1)
    assert api.get("/api/telemetry/events").body == {"events": [], "enabled": False}
    assert api.get("/api/telemetry/stats").body == {"enabled": False}
    refused = api.get("/api/telemetry/export")
    assert (refused.status, refused.error) == (404, "telemetry not enabled")
    api.state.flusher.flush()
    assert api.rows("telemetry_events") == []


def test_a_bound_that_is_no_time_is_refused(api: Api) -> None:
    for route in ("events", "stats", "export", "training-export"):
        assert api.get(f"/api/telemetry/{route}?since=soon").status == 400


def test_old_events_go(api: Api) -> None:
    record.event(TelemetryKind.RECALL_PERFORMED, results=1)
    api.state.flusher.flush()
    assert api.state.db.write(telemetry.purge, "2000-01-01", 10) == 0
    assert api.state.db.write(telemetry.purge, "2999-01-01", 10) == 1


def a_label(api: Api, session: str, memory_id: str) -> None:
    api.run(
        "INSERT INTO memory_labels (agent_id, session_key, memory_id, label, weight, reason, was_given, created_at)"
        " VALUES ('default', ?, ?, 0.5, 2, 'rated', 1, '2999-05-01T10:00:00.000Z')",
        session,
        memory_id,
    )


def test_labels_come_as_lines_or_as_a_table(api: Api) -> None:
    body = {"content": "The walrus sleeps.", "importance": 0.25}
    walrus = api.post("/api/memory/remember", body).body["id"]
    a_label(api, "s,1", walrus)
    a_label(api, 's"2', "gone")
    lines = api.get("/api/telemetry/training-export").body.splitlines()
    first = json.loads(lines[0])
    assert tuple(first) == telemetry.PAIR
    assert (first["session_key"], first["combined_label"], first["importance"]) == (
        "s,1",
        0.5,
        0.25,
    )
    assert first["was_injected"] == 1 and first["recency_days"] > 300_000 > first["decay_factor"]
    assert json.loads(lines[1])["recency_days"] is None
    answer = api.get("/api/telemetry/training-export?format=csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.body, newline="")))
    assert [row["session_key"] for row in rows] == ["s,1", 's"2']
    assert api.get("/api/telemetry/training-export?agent_id=other").body == ""
    assert api.get("/api/telemetry/training-export?format=xml").status == 400
