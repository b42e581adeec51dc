"""What is counted, timed and noted, and how it is told."""

import json

import pytest

from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout
from signet.observe import latency, record, redact
from signet.observe.latency import TimedOperation
from signet.observe.record import TelemetryKind
from signet.observe.taxonomy import Code, ErrorStage, of_decision, of_embedding, of_job
from signet_api.measure import class_of
from support.http import Api


def errors(api: Api, query: str = "") -> list[dict[str, str]]:
    found: list[dict[str, str]] = api.get(f"/api/analytics/errors{query}").body["errors"]
    return found


def test_a_request_counts_once_by_its_route_and_never_by_its_path(api: Api) -> None:
    before = api.get("/api/analytics/usage").body["endpoints"].get("GET /api/memory/:id", {})
    for _ in range(3):
        api.get("/api/memory/no-such-memory")
    usage = api.get("/api/analytics/usage").body["endpoints"]
    after = usage["GET /api/memory/:id"]
    assert after["count"] - before.get("count", 0) == 3
    assert after["errors"] - before.get("errors", 0) == 3
    assert after["totalLatencyMs"] > 0
    api.get("/api/nothing/at/all")
    assert "GET (unmatched)" in api.get("/api/analytics/usage").body["endpoints"]
    assert not [key for key in usage if "no-such-memory" in key]


def test_a_caller_is_counted_by_what_it_asks_for(api: Api) -> None:
    saved = api.post("/api/memory/remember", {"content": "Bees dance."}, x_signet_actor="ada").body
    api.post("/api/memory/recall", {"query": "bees"}, x_signet_actor="ada")
    api.get("/api/status", x_signet_actor="ada")
    api.send("DELETE", f"/api/memory/{saved['id']}?reason=x", headers={"x-signet-actor": "ada"})
    api.get("/api/status")
    assert api.get("/api/analytics/usage").body["actors"] == {
        "ada": {"requests": 1, "remembers": 1, "recalls": 1, "mutations": 1}
    }


def test_callers_beyond_the_thousandth_are_counted_together(api: Api) -> None:
    for number in range(1_003):
        record.count(record.Count.REQUESTS, f"caller-{number:04}")
    actors = api.get("/api/analytics/usage").body["actors"]
    assert len(actors) == 1_001
    assert actors["(other)"]["requests"] == 3


@pytest.mark.parametrize(
    ("method", "route", "asked"),
    [
        ("POST", "/api/memory/remember", "remembers"),
        ("POST", "/api/hooks/recall", "recalls"),
        ("GET", "/memory/similar", "recalls"),
        ("POST", "/api/memory/{memory_id}/recover", "mutations"),
        ("PATCH", "/api/memory/{memory_id}", "mutations"),
        ("GET", "/api/memory/{memory_id}", "requests"),
    ],
)
def test_a_request_has_one_class(method: str, route: str, asked: str) -> None:
    assert class_of(method, route) == asked


def test_percentiles_lie_in_their_bucket_and_the_mean_is_rounded_half_up() -> None:
    ends = (0.025, 0.05, 0.1, 0.25, float("inf"))
    up_to = [(end, sum(n <= end * 1000 for n in range(1, 101))) for end in ends]
    found = latency.summary(up_to, sum(range(1, 101)) / 1000)
    assert found == {"p50": 50, "p95": 95, "p99": 99, "count": 100, "mean": 51}
    assert latency.summary([], 0) == {"p50": 0, "p95": 0, "p99": 0, "count": 0, "mean": 0}
    longest = latency.summary([(1.0, 0), (2.0, 0), (float("inf"), 4)], 12.0)
    assert longest == {"p50": 2_000, "p95": 2_000, "p99": 2_000, "count": 4, "mean": 3_000}


def test_a_percentile_is_near_the_time_that_it_stands_for(api: Api) -> None:
    before = latency.summaries()[TimedOperation.PREDICTOR_TRAIN]["count"]
    for number in range(15_000):
        latency.observe(TimedOperation.PREDICTOR_TRAIN, number / 10_000)
    shown = api.get("/api/analytics/latency").body
    assert set(shown) == set(TimedOperation)
    found = shown["predictor_train"]
    assert found["count"] == before + 15_000
    assert found["mean"] == pytest.approx(750, rel=0.02)
    assert found["p50"] == pytest.approx(750, rel=0.02)
    assert found["p95"] == pytest.approx(1_425, rel=0.02)


def test_a_recall_is_timed_as_one(api: Api) -> None:
    before = api.get("/api/analytics/latency").body
    api.post("/api/memory/recall", {"query": "bees"})
    after = api.get("/api/analytics/latency").body
    assert after["recall"]["count"] == before["recall"]["count"] + 1 and after["recall"]["p50"] > 0
    assert after["remember"] == before["remember"]


def test_a_change_of_an_older_version_is_a_conflict(api: Api) -> None:
    first = api.post("/api/memory/remember", {"content": "Bees dance."}).body["id"]
    body = {"reason": "x", "pinned": True, "if_version": 7}
    answer = api.send(
        "PATCH",
        f"/api/memory/{first}",
        json.dumps(body).encode(),
        {"x-signet-request-id": "req-1", "x-signet-actor": "ada"},
    )
    assert answer.status == 409
    patches = [{"id": first, "reason": "x", "pinned": True, "if_version": 7}]
    api.post("/api/memory/modify", {"patches": patches})
    found = errors(api, "?stage=mutation")
    assert [one["code"] for one in found] == ["MUTATION_CONFLICT"] * 2
    assert found[0]["memoryId"] == first
    assert (found[0]["requestId"], found[0]["actor"]) == ("req-1", "ada")
    safety = api.get("/api/analytics/memory-safety").body
    assert safety["recentErrors"] == found
    assert safety["errorSummary"] == {"MUTATION_CONFLICT": 2}
    assert {"score", "status", "recentRecovers", "recentDeletes"} <= set(safety["mutation"])


@pytest.mark.parametrize("code", list(Code))
def test_each_code_is_told_with_its_stage(api: Api, code: Code) -> None:
    record.error(code, "it went wrong", memory_id="m-1")
    (found,) = errors(api)
    assert (found["code"], found["stage"]) == (code, code.stage)
    assert code.stage in list(ErrorStage)


def test_errors_are_the_newest_ones_told_oldest_first(api: Api) -> None:
    for number in range(510):
        record.error(Code.DECISION_INVALID, f"number {number}")
    record.error(Code.EMBEDDING_TIMEOUT, "late")
    told = api.get("/api/analytics/errors?limit=2").body
    assert [one["message"] for one in told["errors"]] == ["number 509", "late"]
    assert told["summary"] == {"DECISION_INVALID": 499, "EMBEDDING_TIMEOUT": 1}
    assert errors(api, "?since=2999-01-01") == []
    assert len(errors(api, "?limit=9999")) == 500
    assert api.get("/api/analytics/errors?stage=nowhere").status == 400
    assert api.get("/api/analytics/errors?since=yesterday").error.startswith("since must be")


def test_a_message_is_redacted_and_cut(api: Api) -> None:
    record.error(Code.DECISION_INVALID, "Bearer abcdefgh12345 " + "word " * 500)
    (found,) = errors(api)
    assert "abcdefgh12345" not in found["message"]
    assert len(found["message"]) == 1_000


@pytest.mark.parametrize(
    ("kind", "error", "code"),
    [
        ("extract", ProviderTimeout("late"), Code.EXTRACTION_TIMEOUT),
        ("extract", TimeoutError("over"), Code.EXTRACTION_TIMEOUT),
        ("extract", ProviderFailed("nonsense"), Code.EXTRACTION_PARSE_FAIL),
        ("extract", ValueError("broken"), Code.EXTRACTION_PARSE_FAIL),
        ("extract", ProviderDown("away"), None),
        ("connector_sync", ValueError("broken"), Code.CONNECTOR_SYNC_FAIL),
        ("label_session", ValueError("broken"), Code.PREDICTOR_TRAIN_FAILURE),
        ("umap_projection", ValueError("broken"), None),
    ],
    ids=["late", "over", "nonsense", "broken", "away", "sync", "labels", "other"],
)
def test_a_failed_job_has_the_code_of_its_kind(
    kind: str, error: Exception, code: Code | None
) -> None:
    assert of_job(kind, "", error) is code


def test_a_sync_that_may_not_read_its_folder_and_calls_that_fail_have_codes() -> None:
    assert of_job("connector_sync", "CONNECTOR_AUTH_FAIL", None) is Code.CONNECTOR_AUTH_FAIL
    assert of_embedding(ProviderTimeout("late")) is Code.EMBEDDING_TIMEOUT
    assert of_embedding(ProviderDown("away")) is Code.EMBEDDING_PROVIDER_DOWN
    assert of_decision(ProviderTimeout("late")) is Code.DECISION_TIMEOUT
    assert of_decision(ProviderFailed("odd")) is Code.DECISION_INVALID


def test_recording_never_waits_for_the_database_and_loses_nothing_meanwhile(api: Api) -> None:
    record.error(Code.DECISION_INVALID, "first")
    api.state.db.close()
    api.state.flusher.flush()
    record.error(Code.DECISION_INVALID, "second")
    kept = [one.message for one in record.BUFFER.take().errors]
    assert kept == ["first", "second"]


def test_what_nobody_takes_is_bounded() -> None:
    record.BUFFER.take()
    for number in range(record.MAX_EVENTS + 10):
        record.event(TelemetryKind.RECALL_PERFORMED, results=number)
    for number in range(record.MAX_NAMES + 10):
        record.count(record.Count.REQUESTS, str(number))
    taken = record.BUFFER.take()
    assert (len(taken.events), taken.dropped) == (record.MAX_EVENTS, 10)
    assert taken.events[0].properties == {"results": 10}
    assert taken.counts[record.Count.REQUESTS, record.OTHER] == 10


def a_score(api: Api, project: str | None, score: float, minute: int) -> None:
    api.run(
        "INSERT INTO session_scores (id, session_key, project, harness, score, created_at)"
        " VALUES (?, ?, ?, 'codex', ?, ?)",
        f"{project}-{minute}",
        f"s{minute}",
        project,
        score,
        f"2026-05-01T10:{minute:02}:00.000Z",
    )


def test_continuity_is_told_with_its_average_and_trend(api: Api) -> None:
    empty = {"count": 0, "average": 0, "trend": 0, "latest": None}
    assert api.get("/api/analytics/continuity").body == {"scores": [], "summary": empty}
    for minute, score in ((1, 0.2), (2, 0.5), (3, 0.95)):
        a_score(api, "/p", score, minute)
    a_score(api, None, 0.1, 4)
    told = api.get("/api/analytics/continuity?project=/p").body
    assert [one["score"] for one in told["scores"]] == [0.95, 0.5, 0.2]
    assert told["summary"] == {"count": 3, "average": 0.55, "trend": 0.75, "latest": 0.95}
    assert api.get("/api/analytics/continuity?limit=1").body["summary"]["trend"] == 0
    latest = api.get("/api/analytics/continuity/latest").body["scores"]
    assert [(one["project"], one["score"]) for one in latest] == [(None, 0.1), ("/p", 0.95)]


SECRET = "qwertyuiop1234"
SECRETS = {
    "bearer": f"Authorization: Bearer {SECRET}",
    "key": f"api key={SECRET}",
    "password": f"the password: {SECRET}",
    "token": f"token {SECRET}",
    "json": f'{{"secret": "{SECRET}"}}',
    "variable": f"export $MY_VAR={SECRET}",
    "known": f"OPENAI_API_KEY={SECRET}",
    "shaped": f"we use sk-{SECRET}qwertyuiop",
    "run": f"look: {SECRET * 3}",
}


@pytest.mark.parametrize("name", SECRETS)
def test_what_looks_like_a_secret_is_taken_out_once_and_for_all(name: str) -> None:
    cleaned = redact.redact(SECRETS[name])
    assert SECRET not in cleaned and redact.REDACTED in cleaned
    assert redact.redact(cleaned) == cleaned


def test_a_hash_that_is_said_to_be_one_and_plain_words_stay() -> None:
    for text in (
        "commit 0123456789abcdef0123456789abcdef01234567 fixed it",
        "sha256:" + "ab" * 32,
        "We keep secrets in the vault and tokens short.",
        "id 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    ):
        assert redact.redact(text) == text
