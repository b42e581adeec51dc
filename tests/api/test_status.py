"""Health, status, features and metrics."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import signet
from signet import clock
from signet.errors import StorageFull
from signet.queue import circuit_breaker
from signet_api import health
from signet_api.health import Seen
from support.asgi import OVER_SOCKET
from support.http import Api, a_workspace, an_api, api_over
from support.processes import PATIENCE_SECONDS


def test_health_answers_from_memory_with_what_clients_read(api: Api) -> None:
    before = api.get("/health")
    assert (before.status, before.body["status"]) == (200, "healthy"), "nothing was looked at yet"
    api.poll()
    body = api.get("/health").body
    assert body["status"] == "degraded"
    assert body["reasons"] == ["worker is not running", "scheduler is not running"]
    assert (body["db"], body["port"], body["version"]) == (True, 3850, signet.__version__)
    assert body["pid"] == os.getpid()
    assert body["uptime"] >= 0
    assert body["agentsDir"] == str(api.state.workspace.root)


def test_the_place_of_the_workspace_is_for_its_user(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: team}\n") as api:
        root = str(api.state.workspace.root)
        api.state.health._last = Seen(reasons=(f"{root}/memory/memories.db was emptied",))
        shown = api.get("/health").body
        assert "agentsDir" not in shown
        assert shown["reasons"] == ["WORKSPACE/memory/memories.db was emptied"]
        api.connection = OVER_SOCKET
        assert api.get("/health").body["agentsDir"] == root


def test_ready_says_what_is_missing_in_the_form_of_an_error(api: Api) -> None:
    refused = api.get("/health/ready?verbose")
    assert (refused.status, refused.error) == (
        503,
        "worker is not running, scheduler is not running",
    )
    assert refused.headers["retry-after"] == "2"
    assert refused.body["checks"] == {
        "database": True,
        "schema": True,
        "worker": False,
        "scheduler": False,
        "queue": True,
    }
    assert api.get("/readyz").status == 503


def test_live_looks_at_nothing(api: Api) -> None:
    api.state.db.close()
    assert api.get("/health/live").body == api.get("/livez").body == {"status": "live"}


def test_a_schema_of_another_version_is_told(api: Api) -> None:
    api.run("UPDATE signet_schema_version SET version_num = '9999'")
    api.poll()
    assert any("schema is 9999" in reason for reason in api.get("/health").body["reasons"])


def test_a_job_that_waits_is_no_stuck_queue_while_nobody_could_run_it(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    api.run("UPDATE memory_jobs SET due_ms = 0")
    api.poll()
    assert "jobs have been waiting" not in " ".join(api.get("/health").body["reasons"])
    assert api.get("/api/status").body["oldestDueSeconds"] > 300


def test_status_has_every_field_that_clients_read(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    body = api.get("/api/status").body
    assert (body["status"], body["version"], body["pid"]) == (
        "running",
        signet.__version__,
        os.getpid(),
    )
    assert body["embedding"] == {
        "provider": "none",
        "model": None,
        "available": False,
        "total": 1,
        "embedded": 0,
    }
    assert body["queue"]["pending"] == 1
    assert body["health"]["status"] == "degraded" and 0 < body["health"]["score"] < 1
    assert [process["name"] for process in body["processes"]] == ["api", "worker", "scheduler"]
    assert {process["state"] for process in body["processes"]} == {"stopped"}
    assert (body["configError"], body["restartRequired"]) == (None, [])
    assert body["logging"]["logFile"].startswith(body["logging"]["logDir"])
    assert body["providerResolution"]["embedding"] == {
        "provider": "none",
        "model": "all-MiniLM-L6-v2",
        "configured": "none",
        "resolved": "none",
        "effective": "none",
        "status": "disabled",
        "reason": None,
        "since": None,
    }
    assert body["update"] == {
        "currentVersion": signet.__version__,
        "latestVersion": None,
        "updateAvailable": False,
        "pendingRestart": None,
        "autoInstall": False,
        "checkInterval": 21_600,
        "lastCheckAt": None,
        "lastError": None,
        "timerActive": False,
    }
    assert {"activeSessions", "bypassedSessions", "update", "logging", "pipelineV2"} <= set(body)


def test_of_status_only_some_parts_can_be_asked_for(api: Api) -> None:
    always = {"status", "version", "pid", "uptime", "startedAt", "port", "host", "bindHost"}
    whole = api.get("/api/status").body
    some = api.get("/api/status?parts=queue,reasons").body
    assert set(some) == always | {"agentsDir", "queue", "reasons"}
    assert {name: some[name] for name in ("queue", "reasons")} == {
        name: whole[name] for name in ("queue", "reasons")
    }
    refused = api.get("/api/status?parts=queue,love")
    assert refused.status == 400 and "unknown part 'love'" in refused.error


def test_a_provider_is_told_as_it_is_configured_and_as_it_works(api: Api) -> None:
    def extraction() -> tuple[object, ...]:
        found = api.get("/api/status").body["providerResolution"]["extraction"]
        return tuple(found[name] for name in ("configured", "resolved", "effective", "status"))

    def configure(provider: str, more: str = "") -> None:
        inner = f"extraction: {{provider: {provider}}}{more}"
        api.configure(f"memory: {{pipelineV2: {{{inner}}}}}\n")

    configure("ollama")
    assert extraction() == ("ollama", "ollama", "ollama", "active")
    now = clock.now()
    api.state.db.write(circuit_breaker.open_breaker, "llm", "job", retry_after_ms=60_000, now=now)
    assert extraction() == ("ollama", "ollama", "none", "blocked")
    configure("rules")
    assert extraction() == ("rules", "rules", "rules", "active")
    configure("none")
    assert extraction() == ("none", "none", "none", "disabled")
    configure("ollama", ", enabled: false")
    assert extraction() == ("ollama", "ollama", "none", "disabled")
    api.run("DELETE FROM provider_breakers")
    configure("ollama")
    api.post("/api/pipeline/pause")
    assert extraction() == ("ollama", "ollama", "ollama", "paused")


def test_features_are_the_flags_of_the_settings(api: Api) -> None:
    assert api.get("/api/features").body == {}
    api.configure("features:\n  bees: true\n  hens: false\n")
    assert api.get("/api/features").body == {"bees": True, "hens": False}


def test_a_broken_settings_file_keeps_the_last_good_values_and_is_told(api: Api) -> None:
    api.configure("features:\n  bees: true\n")
    api.configure("features: [unclosed\n")
    assert api.get("/api/features").body == {"bees": True}
    assert "agent.yaml" in api.get("/api/status").body["configError"]
    api.configure("features:\n  bees: false\n")
    assert api.get("/api/features").body == {"bees": False}
    assert api.get("/api/status").body["configError"] is None


def test_what_needs_a_restart_is_named(api: Api) -> None:
    api.configure("auth:\n  mode: team\n")
    assert api.get("/api/status").body["restartRequired"] == ["auth.mode"]


def test_metrics_tell_the_queue_as_it_is_now(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The sky is blue."})
    answer = api.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    jobs = [line for line in answer.body.splitlines() if line.startswith("signet_jobs{")]
    assert any('job_type="extract"' in line and line.endswith(" 1.0") for line in jobs), jobs
    assert 'signet_process_up{process="worker"} 0.0' in answer.body
    assert "signet_database_bytes" in answer.body


def test_the_address_of_another_machines_ollama_is_told(tmp_path: Path) -> None:
    written = "memory: {pipelineV2: {extraction: {provider: ollama, model: m}}}\n"
    workspace = a_workspace(tmp_path / "agents", written)
    for host, told in (("10.1.2.3", "http://10.1.2.3:11434"), ("127.0.0.1", None)):
        with api_over(workspace, environ={"OLLAMA_HOST": host}) as api:
            found = api.get("/api/status").body["pipelineV2"]["extraction"]
            assert found["endpoint"] == told


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop turn until it holds."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():
            await asyncio.sleep(0)


async def checks(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Seen], "asyncio.Task[None]"]:
    """Return the checks of a watch so far, which grow, and its task; unasked it waits for ever."""
    found: list[Seen] = []

    async def check(_: health.Health) -> Seen:
        found.append(Seen())
        return found[-1]

    monkeypatch.setattr(health, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(health, "UNASKED_SECONDS", 2 * PATIENCE_SECONDS)
    monkeypatch.setattr(health.Health, "check", check)
    return found, asyncio.create_task(api.state.health.watch())


def test_health_is_checked_again_when_somebody_asks(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> None:
        found, watch = await checks(api, monkeypatch)
        await until(lambda: len(found) == 1)
        for count in (2, 3):
            assert api.state.health.last == Seen()
            await until(lambda count=count: len(found) == count)  # type: ignore[misc]
        watch.cancel()

    asyncio.run(ask())


def test_health_is_checked_unasked_while_nothing_can_be_stored(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail() -> None:
        api.state.db.writer.fault = StorageFull()
        monkeypatch.setattr(health, "ROOM_BYTES", 2**70)  # no try to write makes it well
        found, watch = await checks(api, monkeypatch)
        await until(lambda: len(found) > 3)
        watch.cancel()

    asyncio.run(fail())
