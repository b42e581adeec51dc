"""A start makes what is missing of the full-text indexes, and asks for their filling (SCH-3)."""

import json
from pathlib import Path

import pytest

from signet.db import migrate
from signet.db.driver import connect
from support.http import a_workspace, api_over
from support.processes import PATIENCE_SECONDS, program


@pytest.mark.sqlite_file
def test_a_store_that_lost_its_index_of_words_saves_and_finds_after_a_start(tmp_path: Path) -> None:
    off = "memory: {pipelineV2: {autonomous: {enabled: false}}}\n"
    workspace = a_workspace(tmp_path / "agents", off)
    damaged = connect(workspace.database)
    for lost in ("TABLE memories_fts", "TRIGGER memories_ai", "TRIGGER memories_bd"):
        damaged.execute(f"DROP {lost}")
    damaged.close()
    for _ in range(2):  # a second start finds nothing to do
        with program("-m", "signet.daemon.migrate", str(workspace.root)) as process:
            assert process.wait(PATIENCE_SECONDS) == 0
        with api_over(workspace) as api:
            [job] = [row for row in api.rows("memory_jobs") if row["job_type"] == "repair"]
            assert json.loads(job["payload"])["options"] == {"repair": True}
    assert not [one for one in migrate.drift(workspace.database) if "missing" in one]
    with api_over(workspace) as api:
        api.post("/api/memory/remember", {"content": "The heron is grey."})
        assert api.post("/api/memory/recall", {"query": "heron"}).body["count"] == 1
