"""A real small model behind one slot; runs where `SIGNET_SMALL_MODEL` names the folder of loadtests' `small_model`."""

import json
import os
import subprocess
import urllib.request
from pathlib import Path

import pytest

from signet import clock
from signet.domain.memory.models import Actor
from signet.domain.synthesis import run as synthesis
from signet.wire.origin import Origin
from support.processes import eventually
from worker.home import Home, manifest

FOLDER = Path(os.environ.get("SIGNET_SMALL_MODEL", "/nonexistent"))
SERVER = Path(__file__).parents[2] / "loadtests" / "small_model" / "server.mjs"
PERSON = Actor(name="cli", origin=Origin.USER, may_claim=Origin.USER)
SAID = ("I work at Initech.", "I live in Berlin.", "We deploy the ledger on Thursdays.")
MINUTES = 20


@pytest.mark.skipif(not FOLDER.is_dir(), reason="SIGNET_SMALL_MODEL names no folder")
def test_a_real_small_model_damages_nothing(home: Home) -> None:
    model = next(FOLDER.rglob("*.gguf"))
    command = ["node", str(SERVER), str(model), "4096", "60"]
    with subprocess.Popen(command, cwd=FOLDER, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().split()[1]}"
        tree = manifest("openai", f"{url}/v1")
        memory = tree["memory"]
        assert isinstance(memory, dict)
        pipeline = memory["pipelineV2"]
        pipeline["extraction"] |= {"model": "smollm2-135m"}
        pipeline["synthesis"] = {"provider": "openai", "endpoint": f"{url}/v1"}
        pipeline["synthesis"] |= {"model": "smollm2-135m"}
        tree["embedding"] = {"provider": "none"}
        home.configure(tree)
        try:
            with home.worker():
                said = [home.remember(text, actor=PERSON) for text in SAID]
                home.remember("We talked about Berlin and the ledger over green tea.", actor=PERSON)
                ends(home)
                home.db.write(synthesis.queue, "default", now=clock.now())
                ends(home)
            stats = json.load(urllib.request.urlopen(f"{url}/stats"))
        finally:
            server.terminate()
    assert stats["calls"] and stats["most_at_once"] == 1
    assert home.value("SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead'") == 0
    for memory_id in said:
        memory_row = home.memory(memory_id)
        assert (memory_row["superseded_by"], memory_row["is_deleted"]) == (None, 0)
    text = (home.workspace.root / "MEMORY.md").read_text("utf-8")
    assert all(one in text for one in ("Initech", "Berlin", "Thursdays")), text


def ends(home: Home) -> None:
    """Wait until no job is open."""
    waits = "SELECT COUNT(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
    eventually(lambda: not home.value(waits), MINUTES * 60)
