"""Nothing leaves the machine, and nothing is left outside our folders: seen in the packets, whoever sends them."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from providers.native.cases import Models
from support.processes import PYTHONPATH

SEALED = ("unshare", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--mount-proc")


@cache
def refusal() -> str | None:
    """Return why this machine gives no namespace of its own, None when it does."""
    try:
        done = subprocess.run([*SEALED, "--kill-child", "true"], capture_output=True, text=True)
    except OSError as error:
        return f"unshare (util-linux) cannot be run: {error.strerror}"
    return done.stderr.strip() if done.returncode else None


def test_a_day_with_signet_asks_no_name_server_and_no_other_machine(models: Models) -> None:
    if why := refusal():
        pytest.skip(f"packets cannot be watched here: {why}")
    program = [sys.executable, str(Path(__file__).with_name("sealed.py")), str(models.home)]
    done = subprocess.run(
        [*SEALED, "--kill-child", *program],
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert any("canary.example" in packet for packet in found["canary"])
    assert found["heard"] == []
    assert found["left"] == []
    # And all of it did happen: a question answered by the model, every beat, a session that was stored.
    assert found["method"] == "hybrid"
    assert found["first"] == "Mina moors her boat at the north pier."
    assert found["first"] in found["said"]
    assert found["ran"]["backup"] >= 1
    assert found["ran"]["silent_sessions"] >= 144
    assert found["transcripts"] == 1


def test_reports_are_off_before_onnxruntime_is_imported_whatever_the_environment_says() -> None:
    """Where no packets can be watched: what `signet.providers.native` promises about the process that imports it."""
    script = (
        "import os, sys, signet.providers.native\n"
        "sys.exit(os.environ['ORT_DISABLE_TELEMETRY'] != '1' or 'onnxruntime' in sys.modules)"
    )
    environ = {**os.environ, "PYTHONPATH": PYTHONPATH, "ORT_DISABLE_TELEMETRY": "0"}
    assert subprocess.run([sys.executable, "-c", script], env=environ).returncode == 0
