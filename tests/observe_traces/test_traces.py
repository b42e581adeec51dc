"""One memory, followed from its request through its jobs by real processes and a collector of ours."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from signet.observe.tracing import NOTHING, Tracing, address
from support.http import Served, served
from support.models import FakeServer, Status
from support.processes import PATIENCE_SECONDS, PYTHONPATH, eventually
from worker.home import Home, a_home, manifest
from worker.script import Script, fact, found, scripted

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs the extra otel")

from observe_traces.collector import Collector, Sent, collecting  # comes with the extra

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
TEXT = "The whimbrel office moves to Sligo in the first week of October."
FACT = "The whimbrel office is in Sligo from October"
BROKEN = "The whimbrel ledger was never written in a form that a model reads."


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as made:
        yield made


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    script = Script()
    script.reads(TEXT, found(fact(FACT)))
    script.hints("himbrel", "Where is the whimbrel office?")
    script.reads(BROKEN, Status(500, "the whimbrel ate it"))
    with scripted(script) as made:
        yield made


@pytest.fixture(scope="module")
def home(
    collector: Collector, server: FakeServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
        patch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        telemetry = {"otlpEndpoint": collector.url}
        made.configure(
            manifest(
                url=server.url,
                embedding="ollama",
                telemetry=telemetry,
                hints={"enabled": True},
            )
        )
        with made.worker():
            yield made


@pytest.fixture(scope="module")
def api(home: Home, collector: Collector) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
        # The web framework would send paths, questions and messages of errors.
        patch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        with served(home.workspace) as made:
            yield made


def one(spans: list[Sent], name: str) -> Sent:
    (span,) = [span for span in spans if span.name == name]
    return span


def test_one_trace_holds_the_request_its_jobs_their_calls_and_the_jobs_of_those(
    home: Home, api: Served, collector: Collector
) -> None:
    saved = api.post(
        "/api/memory/remember", {"content": TEXT}, traceparent=f"00-{TRACE}-{CALLER}-01"
    )
    assert saved.status == 200
    names = {"POST /api/memory/remember", "job extract", "job embed", "job prospective_index"}
    jobs = "SELECT COUNT(*) FROM memory_jobs WHERE payload LIKE ?"

    def is_whole() -> bool:
        found = [span.name for span in collector.of(TRACE)]
        runs = sum(name.startswith("job ") for name in found)
        return names <= {*found} and runs == home.value(jobs, f"%{TRACE}%")

    eventually(is_whole)
    spans = collector.of(TRACE)
    request = one(spans, "POST /api/memory/remember")
    extract = one(spans, "job extract")
    asked = [span.parent for span in spans if span.name == "chat qwen3:4b"]
    embed = one(spans, "job embed")
    hints = [span for span in spans if span.name == "job prospective_index"]
    assert (request.service, request.parent) == ("signet-api", CALLER)
    assert request.facts["http.route"] == "/api/memory/remember"
    assert request.facts["http.response.status_code"] == 200
    assert request.facts["signet.request.id"] == saved.headers["x-signet-request-id"]
    assert (extract.service, extract.parent) == ("signet-worker", request.id)
    assert extract.facts["signet.memory.id"] == saved.body["id"]
    assert extract.facts["signet.job.outcome"] == "completed"
    assert embed.parent == request.id
    assert embed.id in {span.parent for span in spans if span.name.startswith("embeddings ")}
    assert {span.parent for span in hints} == {extract.id}
    assert {*asked} == {extract.id, *(span.id for span in hints)}


def test_a_run_that_fails_says_by_which_code(home: Home, api: Served, collector: Collector) -> None:
    trace = TRACE[::-1]
    broken = {"content": BROKEN, "agentId": "bea"}
    api.post("/api/memory/remember", broken, traceparent=f"00-{trace}-{CALLER}-01")
    eventually(lambda: any(span.name == "job extract" for span in collector.of(trace)))
    failed = next(span for span in collector.of(trace) if span.name == "job extract")
    assert failed.failed and failed.facts["error.type"] == "provider_failed"
    assert failed.facts["signet.job.outcome"] == "failed"


def test_a_trace_that_the_caller_does_not_want_is_not_recorded(
    api: Served, collector: Collector
) -> None:
    api.get("/api/memories", traceparent=f"00-{'ab' * 16}-{CALLER}-00")
    api.get("/api/memories", traceparent="nonsense")
    eventually(lambda: any(span.name == "GET /api/memories" for span in collector.spans))
    assert not collector.of("ab" * 16)


def test_no_span_holds_a_text_a_question_or_a_path(
    home: Home, api: Served, collector: Collector
) -> None:
    for text in (TEXT, BROKEN):
        asked = {"content": f"{text} Twice.", "project": "/home/whimbrel", "agentId": "cato"}
        api.post("/api/memory/remember", asked)
    api.get("/memory/search?q=whimbrel%20office&project=/home/whimbrel")
    api.get("/api/whimbrel/nowhere")
    api.post("/api/memory/recall", {"query": "where do the whimbrels go?"})
    eventually(lambda: any(span.name == "POST /api/memory/recall" for span in collector.spans))
    eventually(lambda: any(span.failed for span in collector.spans))
    assert any(span.name == "GET (unmatched)" for span in collector.spans)
    assert not [body for body in collector.bodies if b"himbrel" in body]
    assert {*collector.paths} == {"/v1/traces"}
    assert not [body for body in collector.bodies if bytes(home.workspace.root) in body]


def test_probes_leave_no_spans(api: Served, collector: Collector) -> None:
    before = len(collector.spans)
    for path in ("/health", "/livez", "/metrics"):
        api.get(path)
    api.get("/api/status")
    eventually(lambda: any(span.name == "GET /api/status" for span in collector.spans))
    assert not [span for span in collector.spans[before:] if "health" in span.name]
    assert not [span for span in collector.spans if span.name.endswith(("/livez", "/metrics"))]


def test_what_is_saved_while_no_collector_answers_is_saved_and_told_of_once(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    with a_home(tmp_path / "w") as home:
        home.configure(manifest("none"))
        with served(home.workspace) as api:
            for number in range(3):
                saved = api.post("/api/memory/remember", {"content": f"Godwit number {number}."})
                assert saved.status == 200
            eventually(lambda: home.logged("tracing.not_sent") == 1)
            api.process.terminate()
            assert api.process.wait(PATIENCE_SECONDS) == 0
        assert home.logged("tracing.not_sent") == 1
        assert home.value("SELECT COUNT(*) FROM memories") == 3


def test_nothing_of_it_is_loaded_where_nobody_names_a_collector() -> None:
    script = (
        "import sys, signet_api.app, signet_worker.actors, signet.observe.tracing as tracing\n"
        "tracing.TRACES.start('api', None)\n"
        "assert not tracing.TRACES.is_on\n"
        "assert not {'opentelemetry.sdk', 'requests', 'google.protobuf'} & {*sys.modules}\n"
    )
    subprocess.run([sys.executable, "-c", script], env={"PYTHONPATH": PYTHONPATH}, check=True)


def test_without_the_extra_the_log_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "signet.observe.otel", None)
    tracing = Tracing()
    with structlog.testing.capture_logs() as logged:
        tracing.start("api", "http://127.0.0.1:4318")
    assert not tracing.is_on
    assert tracing.request("GET", {}) is NOTHING
    assert [(line["event"], line["install"]) for line in logged] == [
        ("tracing.missing", "pip install 'signetai[otel]'")
    ]


E = "OTEL_EXPORTER_OTLP_ENDPOINT"
EXACT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"


@pytest.mark.parametrize(
    ("setting", "environ", "expected"),
    [
        (None, {}, None),
        ("http://a:4318", {}, "http://a:4318/v1/traces"),
        ("http://a:4318/", {E: "http://b:4318"}, "http://a:4318/v1/traces"),
        ("http://a/v1/traces", {}, "http://a/v1/traces"),
        ("http://a", {"OTEL_TRACES_EXPORTER": "none"}, "http://a/v1/traces"),
        (None, {E: "http://b:4318/x/"}, "http://b:4318/x/v1/traces"),
        (None, {E: "http://b", EXACT: "http://c/here"}, "http://c/here"),
        (None, {E: "http://b", "OTEL_TRACES_EXPORTER": "none"}, None),
        (None, {E: "  "}, None),
    ],
    ids=["off", "named", "wins", "whole", "asked", "environment", "exact", "none", "blank"],
)
def test_spans_go_where_agent_yaml_says_or_else_the_environment(
    setting: str | None, environ: dict[str, str], expected: str | None
) -> None:
    assert address(setting, environ) == expected
