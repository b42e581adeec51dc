"""What the daemon says of itself is measured: times, restarts, walks, the provider in use."""

import itertools
import os
import signal
from pathlib import Path
from typing import Any

import httpx

from cli.program import running
from support.processes import PATIENCE_SECONDS, eventually

NEVER = {"p50": 0, "p95": 0, "p99": 0, "count": 0, "mean": 0}


def test_status_follows_what_the_daemon_did(tmp_path: Path) -> None:
    with running(tmp_path) as signet:
        base = f"http://127.0.0.1:{signet.port}"
        with httpx.Client(base_url=base, timeout=PATIENCE_SECONDS, trust_env=False) as client:

            def of(path: str) -> dict[str, Any]:
                return dict(client.get(path).json())

            pipeline = of("/api/pipeline/status")
            resolution = of("/api/status")["providerResolution"]
            assert pipeline["latency"]["recall"] == NEVER
            assert pipeline["traversal"]["lastRun"] is None
            assert resolution["extraction"]["effective"] == "rules"
            assert resolution["extraction"]["reason"] == "the built-in rules are configured"

            key = "memory.pipelineV2.extraction.provider"
            assert signet.run("config", "set", key, "auto").status == 0
            # Long enough for a busy machine.
            walking = ("memory.pipelineV2.traversal.timeoutMs", "5000")
            assert signet.run("config", "set", *walking).status == 0

            def extraction() -> dict[str, Any]:
                return dict(of("/api/status")["providerResolution"]["extraction"])

            eventually(lambda: extraction()["configured"] == "auto")
            assert (extraction()["resolved"], extraction()["status"]) == (None, "unknown")
            jobs = of("/api/pipeline/status")["latency"]["jobs"]["count"]
            said = "Ada Winter decided to use Postgres instead of MySQL."
            client.post("/api/memory/remember", json={"content": said})
            saved = itertools.count()

            def is_resolved() -> bool:
                # The worker looks for a model when it reads a text, and may read one before it knows the new setting.
                # It is about something else: a page that is full of Ada Winter needs no walk.
                said = f"Lamp {next(saved)} in the corridor was replaced."
                client.post("/api/memory/remember", json={"content": said})
                return bool(extraction()["resolved"] == "rules")

            # The model server of this test does not answer.
            eventually(is_resolved)
            eventually(lambda: of("/api/pipeline/status")["latency"]["jobs"]["count"] > jobs)
            assert (extraction()["effective"], extraction()["status"]) == ("rules", "active")
            assert "no model" in extraction()["reason"] and extraction()["since"]

            def walk() -> dict[str, Any] | None:
                client.post("/api/memory/recall", json={"query": "What does Ada Winter use?"})
                found: dict[str, Any] | None = of("/api/pipeline/status")["traversal"]["lastRun"]
                return found

            eventually(lambda: walk() is not None)
            assert (walk() or {})["focalEntityNames"] == ["Ada Winter"]
            latency = of("/api/pipeline/status")["latency"]
            assert latency["recall"]["count"] > 0 < latency["recall"]["p50"]
            # What was saved above may still be read meanwhile.
            eventually(
                lambda: of("/api/pipeline/status")["latency"] == of("/api/analytics/latency")
            )

            def programs() -> dict[str, dict[str, Any]]:
                return {one["name"]: one for one in of("/api/status")["processes"]}

            before = programs()
            assert {one["restarts"] for one in before.values()} == {0}
            os.kill(before["scheduler"]["pid"], signal.SIGKILL)
            eventually(
                lambda: programs()["scheduler"]["pid"] not in (None, before["scheduler"]["pid"])
            )
            restarts = {name: one["restarts"] for name, one in programs().items()}
            assert restarts == {"api": 0, "worker": 0, "scheduler": 1}
